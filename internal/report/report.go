// Package report renders what was found: a gate result, the contents of a dump, a difference, the catalogue of rules, a baseline.
//
// Everything here is a pure function from values to a writer. Nothing is looked up, and nothing that is computed changes a verdict.
// Every text that came out of a dump is untrusted, and every renderer neutralises it.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// Options holds what a rendering needs besides the value.
type Options struct {
	Screen
	webpage.Options                  // the version and the edits; source paths below Root are written relative to it in sarif and github
	Looked          []webpage.Looked // what was measured for a result; for html

	// All shows every kernel, fact, module and one-op helper of a dump or a difference, in JSON the operations in each kernel as well, and of a change every line
	// of its evidence.
	All bool
	// MaxBytes bounds the markdown of a result: details are dropped in a fixed order, each drop counted. 0: no bound.
	MaxBytes int
	// OneLine leaves out line breaks in the JSON of facts: indenting is a seventh of the time from a large module to its facts.
	OneLine bool
	// Config is the configuration file as a finding without a source line is attached to it; "" means xlagate.yaml.
	Config string
	// Rules finds the documentation of a rule for the SARIF help; nil: there is none.
	Rules func(id string) result.RuleDoc
}

// Screen is what the text format is made for.
type Screen struct {
	Color bool // colour texts by their voices; for terminals
	// Width is how many columns the rows take; 0: as many as they need.
	Width int
	// Terminal breaks sentences at the width too, and shortens names at the end of a row.
	Terminal bool
}

// renderer writes a value of one kind in one format.
type renderer[T any] struct {
	format string
	render func(io.Writer, T, Options) error
}

// Formats are the formats of a value, in the order in which they are listed.
type Formats[T any] []renderer[T]

// Names lists the formats.
func (f Formats[T]) Names() []string {
	return phrase.Map(f, func(r renderer[T]) string { return r.format })
}

// Render writes a value in one of its formats.
func (f Formats[T]) Render(w io.Writer, v T, format string, o Options) error {
	for _, r := range f {
		if r.format == format {
			return r.render(w, v, o)
		}
	}
	return fmt.Errorf("unknown format %q; there are %s", format, strings.Join(f.Names(), ", "))
}

// ExplainChange renders one change of a result with its evidence and the rules that it breaks: text, json or markdown.
func ExplainChange(w io.Writer, r *result.Result, c *result.Change, docs []result.RuleDoc, format string, o Options) error {
	all, own := index(r), *c
	own.Source.File = below(o.Root, own.Source.File)
	return changeFormats.Render(w, explained{all, &own, all.findings[c.ID], docs}, format, o)
}

// Evidence renders all lines that prove a change, as text.
func Evidence(w io.Writer, c *result.Change, o Options) error {
	var p page
	if p.add(evidence(c)); len(p.Blocks) == 0 {
		p.add(para{say("only the facts show this change")})
	}
	return asText(textOf)(w, p, o)
}

// Code renders lines of a source file that begin at a number, as text. One of them is marked.
func Code(w io.Writer, lines []string, from, marked int, o Options) error {
	var l listing
	for i, text := range lines {
		mark := byte(' ')
		if from+i == marked {
			mark = '~'
		}
		l.Lines = append(l.Lines, listed{mark, []string{fmt.Sprintf("%5d | %s", from+i, cut(strings.ReplaceAll(text, "\t", "    "), maxSentence))}})
	}
	return asText(textOf)(w, page{Blocks: []block{l}}, o)
}

type explained struct {
	result   *indexed
	Change   *result.Change    `json:"change"`
	Findings []*result.Finding `json:"findings"`
	Rules    []result.RuleDoc  `json:"rules"`
}

// What is rendered.
var (
	// Result is a gate result.
	Result = Formats[*result.Result]{
		{"text", fromRoot(asText(resultText))}, {"json", asJSON[*result.Result]}, {"markdown", fromRoot(asText(resultMarkdown))},
		{"sarif", fromRoot(resultSARIF)}, {"junit", fromRoot(resultJUnit)}, {"github", fromRoot(resultGitHub)}, {"codequality", fromRoot(resultCodeQuality)},
		{"html", fromRoot(func(w io.Writer, r *indexed, o Options) error {
			o.Fix = r.fix
			return webpage.OfResult(r.Result, o.Looked, o.Options).Write(w)
		})},
	}
	// Inspect is what a dump holds.
	Inspect = append(textFormats(inspectPage, inspectJSON), renderer[*facts.Report]{
		"html", func(w io.Writer, r *facts.Report, o Options) error { return webpage.OfDump(r, o.Options).Write(w) },
	})
	// Diff is a difference.
	Diff = append(textFormats(diffPage, diffJSON), renderer[*changes.Report]{
		"html", func(w io.Writer, d *changes.Report, o Options) error { return webpage.OfDiff(d, o.Options).Write(w) },
	})
	// Rules is the catalogue.
	Rules = textFormats(rulesPage, asJSON)
	// Explain is all that is to be known about one rule.
	Explain = textFormats(explainPage, asJSON)
	// Trend is how what was accepted went.
	Trend = Formats[*result.Trend]{
		{"text", asText(func(t *result.Trend, o Options) string { return textOf(trendPage(t), o) })}, {"json", asJSON[*result.Trend]}, {"csv", trendCSV},
	}
	changeFormats = textFormats(changePage, asJSON)
)

// textFormats renders what is one page of text in all formats but JSON.
func textFormats[T any](build func(T, Options) page, json func(io.Writer, T, Options) error) Formats[T] {
	return Formats[T]{
		{"text", asText(func(v T, o Options) string { return textOf(build(v, o), o) })},
		{"json", json},
		{"markdown", asText(func(v T, o Options) string { return markdownOf(build(v, o)) })},
	}
}

// asText makes a renderer of what returns the whole text.
func asText[T any](text func(T, Options) string) func(io.Writer, T, Options) error {
	return func(w io.Writer, v T, o Options) error {
		_, err := io.WriteString(w, text(v, o))
		return err
	}
}

// fromRoot gives a renderer the result with source paths relative to the repository, indexed by change.
func fromRoot(write func(io.Writer, *indexed, Options) error) func(io.Writer, *result.Result, Options) error {
	return func(w io.Writer, r *result.Result, o Options) error {
		all := index(rooted(r, o.Root))
		all.doc = o.Rules
		return write(w, all, o)
	}
}
