package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/phrase"
)

// A page is content without layout. Text and Markdown each render it.
type page = section

type line []span

// span is a piece of text in one voice.
type span struct {
	Text  string
	Voice voice
}

// voice is the role of a text. It sets colour and font, and adds no information to the words.
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

// block is a part of a page: a para, list, table, listing, section or code.
type block any

type (
	// para is one line of its own.
	para struct{ Line line }
	// list is lines that belong together.
	list struct{ Items []line }
	// table is rows of aligned cells. The text format leaves out the Head of a Bare one.
	table struct {
		Head  []string
		Right []bool // by column: numbers, aligned right
		Rows  [][]line
		Bare  bool
	}
	// listing is lines shown as they are, each with a mark: '+', '-', '~' or ' '.
	listing struct{ Lines []listed }
	// section is blocks below a title.
	section struct {
		Title  line
		Blocks []block
		Fold   bool // Markdown and HTML show the title alone until it is opened
	}
	// code is text to be typed or copied.
	code struct{ Language, Text string }
)

// listed is one line of a listing; its cells are aligned with those of the lines around it.
type listed struct {
	Mark  byte
	Cells []string
}

// lines are the lines of the code, cleaned.
func (c code) lines() []string {
	return phrase.Map(strings.Split(strings.TrimSuffix(c.Text, "\n"), "\n"), clean)
}

// say makes a line of plain text.
func say(text string) line { return line{}.in(plain, text) }

// in makes a line in one voice.
func in(v voice, text string) line { return line{}.in(v, text) }

// and appends plain text.
func (l line) and(text string) line { return l.in(plain, text) }

// in appends text in a voice; empty text adds nothing.
func (l line) in(v voice, text string) line {
	if text == "" {
		return l
	}
	return append(l[:len(l):len(l)], span{text, v})
}

// names appends the names that are not empty, each behind a gap.
func (l line) names(names ...string) line {
	for _, n := range names {
		if n != "" {
			l = l.and(columnGap).in(name, n)
		}
	}
	return l
}

// labelled is a text behind a label; nothing where there is no text.
func labelled(v voice, label, text string) line {
	if text == "" {
		return nil
	}
	return in(v, label).and(text)
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
	return strings.Join(phrase.Map(l, span.shown), "")
}

// shown is the span's text, cleaned and bounded.
func (s span) shown() string {
	if s.Voice == name {
		return cutName(clean(s.Text), maxName)
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

// add appends the blocks that are not empty.
func (s *section) add(blocks ...block) {
	for _, b := range blocks {
		if !empty(b) {
			s.Blocks = append(s.Blocks, b)
		}
	}
}

// titled is a section of the blocks that are not empty, or nothing where all are.
func titled(title line, blocks ...block) section {
	s := section{Title: title}
	if s.add(blocks...); len(s.Blocks) == 0 {
		return section{}
	}
	return s
}

// filled is the table without its empty columns.
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

func empty(b block) bool {
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

// oneAline joins lines, whose own line breaks [clean] takes out.
func oneAline(lines []string) string {
	return strings.Join(phrase.Map(lines, func(l string) string { return clean(l) + "\n" }), "")
}

// splitCells splits a line at runs of two or more spaces, which separate its columns.
func splitCells(text string) []string {
	return phrase.Filter(phrase.Map(strings.Split(text, "  "), strings.TrimSpace), func(c string) bool { return c != "" })
}

// Bounds on what is shown of one text; the JSON format alone holds texts in full.
const (
	maxName     = 120 // names, shapes and paths
	maxSentence = 600 // messages, which quote names
)

// clean makes a text from a dump harmless to a terminal, a log or a page: it has no control or escape sequences, no characters that
// reorder or hide others, and no line breaks. What is not printable is shown as its escape; a line break with the indentation behind
// it becomes a space.
func clean(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '#' }) < 0 {
		return s
	}
	var b strings.Builder
	broken := false
	for i, r := range s {
		space := r == '\n' || r == '\t' || r == '\r'
		if broken && (space || r == ' ') {
			continue
		}
		broken = space
		switch {
		case space:
			b.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return strings.ReplaceAll(b.String(), "##[", "# #[") // the old form of a workflow command, which GitHub's runner reads anywhere in a line
}

// Message makes a message that quotes names harmless to a terminal and to GitHub's runner, which takes a line that begins with two colons for a command.
// It keeps the message's lines.
func Message(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if lines[i] = clean(l); strings.HasPrefix(strings.TrimSpace(l), "::") {
			lines[i] = `\` + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// cutName shortens a name to n runes in its middle: names of one model begin alike, and differ at their ends.
func cutName(s string, n int) string { return phrase.Cut(s, n, n/3) }

// cut shortens a text to at most n runes; the last one is then an ellipsis.
func cut(s string, n int) string { return phrase.Cut(s, n, n-1) }
