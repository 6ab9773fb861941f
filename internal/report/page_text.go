package report

import (
	"bytes"
	"io"
	"strings"
)

// writeText renders a page for a terminal or a log.
func writeText(w io.Writer, p page, o Options) error {
	t := &textPage{width: o.Width, paint: painter(o.Color)}
	t.page(p)
	_, err := w.Write(t.out.Bytes())
	return err
}

// textOf is the page without colours or bounds.
func textOf(p page) string {
	t := &textPage{paint: painter(false)}
	t.page(p)
	return t.out.String()
}

type textPage struct {
	out   bytes.Buffer
	width int
	paint func(voice, string) string
}

func (t *textPage) page(p page) {
	t.line(0, p.Title)
	t.blocks(p.Blocks, 0)
}

func (t *textPage) blocks(blocks []block, indent int) {
	for _, b := range blocks {
		t.block(b, indent)
	}
}

func (t *textPage) block(b block, indent int) {
	switch b := b.(type) {
	case section:
		if indent == 0 && t.out.Len() > 0 {
			t.out.WriteByte('\n')
		}
		t.line(indent, b.Title)
		t.blocks(b.Blocks, indent+2)
	case para:
		for _, l := range wrapLine(b.Line, t.width-indent) {
			t.line(indent, l)
		}
	case code:
		for _, text := range b.lines() {
			t.line(indent, say(text))
		}
	case list:
		for _, l := range b.Items {
			t.line(indent, l)
		}
	case table:
		t.table(b, indent)
	case listing:
		for _, l := range listingLines(b.Lines) {
			t.line(indent, in(markVoice(l), cutText(l, t.width-indent)))
		}
	}
}

// line writes one line. A line must not look like a command to GitHub's runner, which reads every log.
func (t *textPage) line(indent int, l line) {
	if len(l) == 0 {
		return
	}
	t.out.WriteString(strings.Repeat(" ", indent))
	if strings.HasPrefix(strings.TrimSpace(l.text()), "::") {
		t.out.WriteByte('\\')
	}
	for _, s := range l {
		t.out.WriteString(t.paint(s.Voice, s.shown()))
	}
	t.out.WriteByte('\n')
}

func (t *textPage) table(b table, indent int) {
	rows := b.Rows
	if !b.Bare {
		head := make([]line, len(b.Head))
		for i, h := range b.Head {
			head[i] = in(dim, h)
		}
		rows = append([][]line{head}, rows...)
	}
	widths := columnWidths(rows)
	for _, row := range rows {
		t.line(indent, cutLine(alignRow(row, widths, b.Right), t.width-indent))
	}
}
