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
		t := table{Head: []string{"rule", "what it holds to"}, Bare: true, Sentences: true}
		t.Rows = each(category, func(d *result.RuleDoc) []line {
			title := say(d.Title)
			if d.Always {
				title = title.in(dim, " (always on)")
			}
			return []line{in(name, d.ID), title}
		})
		p.add(section{Title: in(strong, category[0].Category), Blocks: []block{t}})
	}
	return p
}

func alwaysWord(d *result.RuleDoc) string {
	if d.Always {
		return "always on"
	}
	return ""
}

// explainPage is all that is to be known about a rule.
func explainPage(d result.RuleDoc, _ Options) page {
	return page{Title: in(strong, d.ID).and(": " + d.Title), Blocks: ruleBlocks(d)}
}

func ruleBlocks(d result.RuleDoc) []block {
	var s section
	s.add(para{say(d.Why)})
	if len(d.Reads) > 0 {
		s.add(para{in(dim, "reads: ").and(strings.Join(d.Reads, ", "))})
	}
	if d.Counts != "" {
		s.add(para{say(d.Counts)})
	}
	if d.Fix != "" {
		s.add(para{in(dim, "fix: ").and(d.Fix)})
	}
	if len(d.Threads) > 0 {
		s.add(para{in(dim, "would have caught: ").in(name, strings.Join(d.Threads, ", "))})
	}
	if d.Since != "" {
		s.add(para{in(dim, "since version ").and(d.Since).and(" of the configuration").with(", ", say(alwaysWord(&d)))})
	}
	s.add(titled(in(strong, "options"), optionTable(d.Options)))
	s.add(example("fails", d.Fails), example("passes", d.Passes))
	return s.Blocks
}

func optionTable(options []result.OptionDoc) table {
	t := table{Head: []string{"key", "type", "default", "what it does"}, Sentences: true}
	for _, o := range options {
		t.Rows = append(t.Rows, []line{in(name, o.Key), in(dim, o.Type), in(name, o.Default), say(o.Doc)})
	}
	return t
}

// example is a piece of configuration with what it says.
func example(title, yaml string) block {
	return titled(in(strong, title), code{"yaml", yaml})
}

// changePage is one change with the rules that it breaks.
func changePage(e explained, o Options) page {
	var p page
	p.add(changeSection(e.result, e.Change, o))
	for _, d := range e.Rules {
		p.add(section{Title: in(strong, d.ID).and(": " + d.Title), Blocks: ruleBlocks(d)})
	}
	return p
}
