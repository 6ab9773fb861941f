package report

import (
	"io"
	"strings"
)

// writeMarkdown renders a page as GitHub-flavoured Markdown.
func writeMarkdown(w io.Writer, p page, _ Options) error {
	_, err := io.WriteString(w, markdownOf(p))
	return err
}

func markdownOf(p page) string {
	m := &markdownPage{}
	if len(p.Title) > 0 {
		m.chunk("### " + m.line(p.Title))
	}
	m.blocks(p.Blocks, 0)
	return m.out.String()
}

type markdownPage struct{ out strings.Builder }

// chunk writes a block and the empty line that ends it.
func (m *markdownPage) chunk(text string) {
	if m.out.Len() > 0 {
		m.out.WriteByte('\n')
	}
	m.out.WriteString(text)
	m.out.WriteByte('\n')
}

func (m *markdownPage) blocks(blocks []block, depth int) {
	for _, b := range blocks {
		m.block(b, depth)
	}
}

func (m *markdownPage) block(b block, depth int) {
	switch b := b.(type) {
	case section:
		m.section(b, depth)
	case para:
		m.chunk(m.line(b.Line))
	case code:
		m.chunk(fenced(b.Language, b.lines()))
	case list:
		items := make([]string, len(b.Items))
		for i, l := range b.Items {
			items[i] = "- " + m.line(l)
		}
		m.chunk(strings.Join(items, "\n"))
	case table:
		m.table(b)
	case listing:
		m.chunk(fenced("diff", listingLines(b.Lines)))
	}
}

func (m *markdownPage) section(s section, depth int) {
	if s.Fold {
		m.chunk("<details><summary>" + summaryHTML(s.Title) + "</summary>")
		m.blocks(s.Blocks, depth+1)
		m.chunk("</details>")
		return
	}
	if len(s.Title) > 0 {
		m.chunk(strings.Repeat("#", min(4+depth, 6)) + " " + m.line(s.Title))
	}
	m.blocks(s.Blocks, depth+1)
}

// line writes spans as prose and code spans. What stands at the start of a line must not open a block.
func (m *markdownPage) line(l line) string {
	var b strings.Builder
	for i, s := range l {
		text := mdSpan(s)
		if i == 0 && s.Voice != name {
			text = unBlock(strings.TrimLeft(text, " "))
		}
		apart(&b, text)
	}
	return strings.TrimRight(b.String(), " ")
}

func (m *markdownPage) table(t table) {
	rows := []string{mdRow(t.Head), mdRule(len(t.Head), t.Right)}
	for _, row := range t.Rows {
		texts := make([]string, len(t.Head))
		for i := range texts {
			if i < len(row) {
				texts[i] = mdCell(row[i])
			}
		}
		rows = append(rows, mdRow(texts))
	}
	m.chunk(strings.Join(rows, "\n"))
}

func mdRow(texts []string) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, t := range texts {
		if t != "" {
			b.WriteString(" " + t)
		}
		b.WriteString(" |")
	}
	return b.String()
}

func mdRule(columns int, right []bool) string {
	var b strings.Builder
	b.WriteByte('|')
	for i := range columns {
		if i < len(right) && right[i] {
			b.WriteString("---:|")
		} else {
			b.WriteString("---|")
		}
	}
	return b.String()
}

// mdCell writes a line into a table, where a pipe would end the cell even inside a code span.
func mdCell(l line) string {
	var b strings.Builder
	for _, s := range l {
		text := mdSpan(s)
		if s.Voice == name {
			text = strings.ReplaceAll(strings.ReplaceAll(text, `\|`, `\¦`), "|", `\|`)
		}
		apart(&b, text)
	}
	return strings.TrimSpace(b.String())
}
