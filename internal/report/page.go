package report

import (
	"slices"
	"strings"
)

// A page is what is shown, before it is decided how: text, Markdown and HTML are three renderings of one.
type page struct {
	Title  line
	Blocks []block
}

// A line is a run of spans.
type line []span

// span is a piece of text in one voice.
type span struct {
	Text  string
	Voice voice
}

// voice says what a text is; colour and fonts follow from it, and never carry what the words do not say.
type voice uint8

const (
	plain  voice = iota
	name         // a name, shape, path or command: shown as it is, never interpreted
	strong       // a heading or the one number that matters
	dim          // what most readers skip
	bad
	warn
	good
)

// block is a part of a page.
type block interface{ Kind() string }

type (
	// para is one line of its own.
	para struct{ Line line }
	// list is lines that belong together.
	list struct{ Items []line }
	// table is rows of aligned cells. Head is left out of the text format when Bare.
	table struct {
		Head  []string
		Right []bool // by column: numbers, aligned right
		Rows  [][]line
		Bare  bool
	}
	// listing is lines shown as they are, each with a mark before it: '+', '-', '~' or ' '.
	listing struct{ Lines []listed }
	// section is blocks below a title.
	section struct {
		Title  line
		Blocks []block
		Fold   bool // Markdown and HTML show the title alone until asked
	}
	// code is text to be typed or copied.
	code struct{ Language, Text string }
)

// listed is one line of a listing; its cells are aligned with those of the lines around it.
type listed struct {
	Mark  byte
	Cells []string
}

// Kind is "para".
func (para) Kind() string { return "para" }

// Kind is "list".
func (list) Kind() string { return "list" }

// Kind is "table".
func (table) Kind() string { return "table" }

// Kind is "listing".
func (listing) Kind() string { return "listing" }

// Kind is "section".
func (section) Kind() string { return "section" }

// Kind is "code".
func (code) Kind() string { return "code" }

// lines are the lines of the code, harmless.
func (c code) lines() []string {
	var out []string
	for text := range strings.Lines(c.Text) {
		out = append(out, clean(strings.TrimRight(text, "\n")))
	}
	return out
}

// say makes a line of plain text.
func say(text string) line { return line{}.in(plain, text) }

// in makes a line in one voice.
func in(v voice, text string) line { return line{}.in(v, text) }

// and appends plain text.
func (l line) and(text string) line { return l.in(plain, text) }

// in appends text in a voice; no text is no span.
func (l line) in(v voice, text string) line {
	if text == "" {
		return l
	}
	return append(l[:len(l):len(l)], span{text, v})
}

// extend appends text to the last span when it has the same voice.
func (l line) extend(v voice, text string) line {
	if n := len(l); n > 0 && l[n-1].Voice == v {
		return append(l[:n-1:n-1], span{l[n-1].Text + text, v})
	}
	return l.in(v, text)
}

// with appends another line behind a separator, or returns the one that is not empty.
func (l line) with(separator string, other line) line {
	if len(l) == 0 || len(other) == 0 {
		return append(l[:len(l):len(l)], other...)
	}
	return append(l.and(separator), other...)
}

// text is the line without its voices.
func (l line) text() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.shown())
	}
	return b.String()
}

// shown is the span's text, harmless and bounded.
func (s span) shown() string {
	if s.Voice == name {
		return cut(clean(s.Text), maxName)
	}
	return cut(clean(s.Text), maxSentence)
}

func joinLines(lines []line, separator string) line {
	var out line
	for _, l := range lines {
		out = out.with(separator, l)
	}
	return out
}

// add appends blocks that hold something.
func (p *page) add(blocks ...block) { p.Blocks = appendFilled(p.Blocks, blocks) }

func (s *section) add(blocks ...block) { s.Blocks = appendFilled(s.Blocks, blocks) }

func appendFilled(to, blocks []block) []block {
	for _, b := range blocks {
		if !blank(b) {
			to = append(to, b)
		}
	}
	return to
}

// filled is the table without the columns in which no row holds anything.
func (t table) filled() table {
	out := table{Rows: make([][]line, len(t.Rows)), Bare: t.Bare}
	for i, head := range t.Head {
		if !slices.ContainsFunc(t.Rows, func(row []line) bool { return len(row[i]) > 0 }) {
			continue
		}
		out.Head, out.Right = append(out.Head, head), append(out.Right, t.Right[i])
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

func blank(b block) bool {
	switch b := b.(type) {
	case para:
		return len(b.Line) == 0
	case list:
		return len(b.Items) == 0
	case table:
		return len(b.Rows) == 0
	case listing:
		return len(b.Lines) == 0
	case section:
		return len(b.Title) == 0 && len(b.Blocks) == 0
	case code:
		return b.Text == ""
	}
	return b == nil
}
