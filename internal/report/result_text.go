package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// resultText renders a result to be read on a terminal: what was looked at, what was found, what could not be looked at, the sum.
func resultText(w io.Writer, r *indexed, o Options) error {
	return writeText(w, resultTextPage(r), o)
}

// maxChanges bounds the changes that are shown in full.
const maxChanges = 100

func resultTextPage(r *indexed) page {
	var p page
	live := r.live()
	for i := range r.Targets {
		p.add(targetSection(r, &r.Targets[i]))
	}
	for i, c := range live {
		if i == maxChanges {
			p.add(section{Title: say("… and " + phrase.Some(len(live)-i, "more change") + "; -f json lists them all")})
			break
		}
		p.add(changeSection(r, c))
	}
	p.add(filledSection(nil, list{shortLines(r)}))
	if l := notes(r); len(l) > 0 {
		p.add(section{Title: l[0]})
		for _, more := range l[1:] {
			p.add(para{more})
		}
	}
	for _, s := range problemSections(r) {
		p.add(s)
	}
	p.add(section{Title: sumLine(r)})
	if l := notCovered(r); len(l) > 0 {
		p.add(para{in(dim, "not covered: ").with("", joinLines(l, "; "))})
	}
	return p
}

// targetSection is a target that was looked at; one of which nothing is known stands among the problems alone.
func targetSection(r *indexed, t *result.Target) section {
	if len(t.Programs) == 0 && hasProblem(r, t.Name) {
		return section{}
	}
	s := section{Title: headline(t)}
	s.add(table{Rows: programRows(r, t), Bare: true})
	return s
}

func hasProblem(r *indexed, target string) bool {
	for i := range r.Problems {
		if r.Problems[i].Target == target {
			return true
		}
	}
	return false
}
