package report

import (
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// rulesPage lists the catalogue, category by category.
func rulesPage(docs []result.RuleDoc, _ Options) page {
	p := page{Title: say("rules")}
	for _, category := range phrase.Group(docs, func(d result.RuleDoc) string { return d.Category }) {
		t := table{Head: []string{"rule", "what it holds to"}, Bare: true}
		t.Rows = each(category, func(d *result.RuleDoc) []line {
			return []line{in(name, d.ID), ruleTitle(say(d.Title), *d)}
		})
		p.add(titled(in(strong, category[0].Category), t))
	}
	return p
}

// explainPage is all that is to be known about a rule.
func explainPage(d result.RuleDoc, _ Options) page {
	s := page{Title: ruleTitle(in(strong, d.ID).and(": "+d.Title), d)}
	s.add(para{say(d.Why)}, para{labelled(dim, "reads: ", strings.Join(d.Reads, ", "))}, para{say(d.Counts)}, para{labelled(dim, "fix: ", d.Fix)})
	if len(d.Threads) > 0 {
		s.add(para{in(dim, "would have caught: ").in(name, strings.Join(d.Threads, ", "))})
	}
	s.add(titled(in(strong, "options"), list{each(d.Options, func(o *result.OptionDoc) line {
		return in(name, o.Key).in(dim, " ("+joined(o.Type, prefixed("default ", o.Default))+")").and(": " + o.Doc)
	})}))
	s.add(titled(in(strong, "fails"), code{"yaml", d.Fails}), titled(in(strong, "passes"), code{"yaml", d.Passes}))
	return s
}

// ruleTitle also says of a rule that it cannot be left out.
func ruleTitle(title line, d result.RuleDoc) line {
	if d.Always {
		return title.in(dim, " (always on)")
	}
	return title
}

func changePage(e explained, o Options) page {
	var p page
	p.add(changeSection(e.result, e.Change, o))
	for _, d := range e.Rules {
		p.add(explainPage(d, o))
	}
	return p
}
