package report

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// Every short text of characters that mean something in Markdown is shown as it is, as prose and as code.
func TestShortTextsAreShownAsTheyAre(t *testing.T) {
	const characters = "a9_*`~^[]()<>&|#+-.=!\\$\"'/:; "
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	shown := func(source string) string {
		var out bytes.Buffer
		if err := markdown.Convert([]byte(source), &out); err != nil {
			t.Fatal(err)
		}
		return html.UnescapeString(strings.ReplaceAll(out.String(), separator, ""))
	}
	try := func(text string) {
		if strings.TrimSpace(text) != text || text == "" {
			return
		}
		if got := shown(unBlock(mdProse(text))); got != "<p>"+text+"</p>\n" {
			t.Errorf("%q is shown as %q", text, got)
		}
		if got := shown(mdCode(text)); got != "<p><code>"+text+"</code></p>\n" {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for a := range len(characters) {
		for b := range len(characters) {
			try(characters[a:a+1] + characters[b:b+1])
			for c := range len(characters) {
				try(characters[a:a+1] + characters[b:b+1] + characters[c:c+1])
			}
		}
	}
}
