package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// htmlPage is parsed when it is first needed. It is embedded in the program, so it parses.
var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(htmlFuncs).Parse(pageHTML))
})

var htmlFuncs = template.FuncMap{
	"css":     func() template.CSS { return template.CSS(pageCSS) },
	"kind":    func(b block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "report.") },
	"lines":   listingLines,
	"mark":    func(text string) string { return voiceNames[markVoice(text)] },
	"right":   func(right []bool, i int) bool { return i < len(right) && right[i] },
	"heading": func(title line, depth int) heading { return heading{title, min(depth+1, 4)} },
	"deeper":  func(blocks []block, depth int) nested { return nested{blocks, depth + 1} },
}

// nested is blocks with their depth below the page.
type nested struct {
	Blocks []block
	Depth  int
}

// heading is the title of a section with its level in HTML.
type heading struct {
	Title line
	Level int
}

var voiceNames = map[voice]string{plain: "", name: "name", strong: "strong", dim: "dim", bad: "bad", warn: "warn", good: "good"}

// Class is the style of a voice in HTML.
func (v voice) Class() string { return voiceNames[v] }

// Shown is the span's text, cleaned and bounded.
func (s span) Shown() string {
	if s.Voice == name {
		return s.shown()
	}
	return flowing(s.shown())
}

// Shown is the code, cleaned.
func (c code) Shown() string { return strings.Join(c.lines(), "\n") }

// Text is the line without its voices.
func (l line) Text() string { return l.text() }

// writeHTML renders a page as one file that loads nothing.
func writeHTML(w io.Writer, p page, _ Options) error {
	var out bytes.Buffer
	if err := htmlPage().Execute(&out, p); err != nil {
		return fmt.Errorf("write the report as HTML: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}
