package hlo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rare holds the messages that need a file which is too large for a test.
var rare = map[string]bool{
	"the file has %d bytes, more than 4 GiB":                  true,
	"the name is longer than %d bytes":                        true,
	"there are too many opcodes that no version of XLA knows": true,
}

// Every error message of the text reader occurs in a test.
func TestTextErrorsAreAllSaid(t *testing.T) {
	var said []string
	note := func(text string) {
		if _, err := ParseText([]byte(text), "t"); err != nil {
			said = append(said, err.Error())
		}
	}
	for _, c := range textErrors {
		note(grammarHead + c.text + "}\n")
	}
	for _, c := range textModuleErrors {
		note(c.text)
	}
	formats := textErrorFormats(t)
	if len(formats) < 30 {
		t.Errorf("only %d messages were found", len(formats))
	}
	for _, format := range formats {
		words := regexp.MustCompile(strings.NewReplacer("%%", "%", "%s", ".*", "%d", ".*", "%q", ".*").Replace(regexp.QuoteMeta(format)))
		found := false
		for _, s := range said {
			found = found || words.MatchString(s)
		}
		if found == rare[format] {
			t.Errorf("%q is said: %v", format, found)
		}
	}
}

// textErrorFormats returns the messages in the source of the reader.
func textErrorFormats(t *testing.T) (formats []string) {
	t.Helper()
	files, err := filepath.Glob("text_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "fail" && f.Sel.Name != "failf" {
				return true
			}
			ast.Inspect(call.Args[2], func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					format, _ := strconv.Unquote(text.Value)
					formats = append(formats, format)
				}
				return true
			})
			return true
		})
	}
	return formats
}
