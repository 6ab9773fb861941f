package report

import (
	"html"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// mdSpan writes a span: names as code, everything else as escaped prose.
func mdSpan(s span) string {
	if s.Voice == name {
		return mdCode(s.shown())
	}
	text := mdProse(flowing(s.shown()))
	if s.Voice == strong && text != "" && strings.TrimSpace(text) == text {
		return "**" + text + "**"
	}
	return text
}

// flowing replaces the gap that separates cells on a terminal; Markdown and HTML would close it.
func flowing(text string) string { return strings.ReplaceAll(text, columnGap, " · ") }

// mdCode writes text as a code span, with a fence that is longer than any run of backticks in it.
func mdCode(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// apart appends a span, and keeps two code spans from running into one.
func apart(b *strings.Builder, text string) {
	if strings.HasSuffix(b.String(), "`") && strings.HasPrefix(text, "`") {
		b.WriteString(separator)
	}
	b.WriteString(text)
}

func fenced(language string, lines []string) string {
	body := strings.Join(lines, "\n")
	fence := strings.Repeat("`", max(3, longestRun(body, '`')+1))
	return fence + language + "\n" + body + "\n" + fence
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// mdProse writes text so that Markdown reads no markup in it and GitHub finds nobody to notify and nothing to link.
func mdProse(text string) string {
	text = quiet(text)
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		inWord := i > 0 && i+1 < len(text) && isWord(text[i-1]) && isWord(text[i+1]) // where an underscore is not emphasis
		if strings.IndexByte("\\`*[]<>~|$&", c) >= 0 || c == '_' && !inWord {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// unBlock escapes what would open a heading, list, quote or rule at the start of a line.
func unBlock(text string) string {
	digits := 0
	for digits < len(text) && isDigit(text[digits]) {
		digits++
	}
	if digits < len(text) && (digits > 0 && strings.IndexByte(".)", text[digits]) >= 0 || digits == 0 && strings.IndexByte("#+-=", text[0]) >= 0) {
		return text[:digits] + `\` + text[digits:]
	}
	return text
}

// separator is an invisible character that keeps GitHub from seeing a mention, a reference, a link or an emoji.
const separator = "\u200b"

// quiet breaks mentions, references to issues, bare links and emoji names. Backslashes would not: GitHub looks for these in the
// rendered text.
func quiet(text string) string {
	if !strings.ContainsAny(text, "@#:.-") {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if turnsInto(text, i) {
			b.WriteString(separator)
		}
	}
	return b.String()
}

// turnsInto reports whether GitHub would turn the characters around i into a mention, a reference, a link or an emoji.
func turnsInto(s string, i int) bool {
	rest := s[i+1:]
	switch s[i] {
	case '@':
		return true
	case '#':
		return rest != "" && isDigit(rest[0])
	case '-':
		return rest != "" && isDigit(rest[0]) && i >= 2 && strings.EqualFold(s[i-2:i], "gh")
	case ':':
		return strings.HasPrefix(rest, "//") || emoji(rest)
	case '.':
		return i >= 3 && strings.EqualFold(s[i-3:i], "www")
	}
	return false
}

// emoji reports whether the text after a colon ends the name of an emoji.
func emoji(rest string) bool {
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == ':':
			return i > 0
		case !isWord(c) && c != '_' && c != '+' && c != '-':
			return false
		}
	}
	return false
}

// summaryHTML writes the title of a fold, which Markdown passes on as HTML.
func summaryHTML(l line) string {
	var b strings.Builder
	for _, s := range l {
		if text := s.shown(); s.Voice == name {
			b.WriteString("<code>" + html.EscapeString(text) + "</code>")
		} else {
			b.WriteString(html.EscapeString(quiet(flowing(text))))
		}
	}
	return b.String()
}

// markdownOf renders a page as GitHub-flavoured Markdown.
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

// line writes spans as prose and code spans. The start of a line must not open a block.
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
	rule := "|"
	for i := range t.Head {
		if i < len(t.Right) && t.Right[i] {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	rows := []string{mdRow(t.Head), rule}
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
	cells := phrase.Map(texts, func(t string) string { return prefixed(" ", t) })
	return "|" + strings.Join(cells, " |") + " |"
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
