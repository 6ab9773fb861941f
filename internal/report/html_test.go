package report

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"golang.org/x/net/html"

	"github.com/xlagate/xlagate/internal/result"
)

// void are the elements that have no end tag.
var void = map[string]bool{"meta": true}

// allowed are the elements and attributes that a report is made of: nothing that loads, runs or leads elsewhere.
var allowed = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "name", "content", "http-equiv"}, "title": nil, "style": nil, "body": nil, "h1": nil, "h2": nil, "h3": nil,
	"h4": nil, "section": nil, "details": nil, "summary": nil, "p": nil, "pre": {"class"}, "ul": nil, "li": nil, "div": {"class"}, "table": nil, "thead": nil,
	"tbody": nil, "tr": nil, "th": nil, "td": {"class"}, "code": nil, "span": {"class"},
}

func checkHTML(t *testing.T, what string, source []byte) {
	t.Helper()
	var stack []string
	for z := html.NewTokenizer(bytes.NewReader(source)); ; {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) || len(stack) > 0 {
				t.Errorf("%s: ends with %v open: %v", what, stack, z.Err())
			}
			return
		case html.StartTagToken:
			checkTag(t, what, token)
			if !void[token.Data] {
				stack = append(stack, token.Data)
			}
		case html.EndTagToken:
			if len(stack) == 0 || stack[len(stack)-1] != token.Data {
				t.Fatalf("%s: </%s> closes %v", what, token.Data, stack)
			}
			stack = stack[:len(stack)-1]
		case html.SelfClosingTagToken, html.CommentToken:
			t.Errorf("%s: %s", what, token)
		}
	}
}

func checkTag(t *testing.T, what string, token html.Token) {
	t.Helper()
	attributes, ok := allowed[token.Data]
	if !ok {
		t.Errorf("%s: <%s>", what, token.Data)
	}
	for _, a := range token.Attr {
		known := false
		for _, name := range attributes {
			known = known || a.Key == name
		}
		if !known {
			t.Errorf("%s: <%s %s=%q>", what, token.Data, a.Key, a.Val)
		}
	}
}

func TestHTML(t *testing.T) {
	dump := aDump()
	dump.Dump, dump.Programs[0].Name = hostileText, hostileName
	for name, render := range map[string]func(io.Writer) error{
		"failing":    func(w io.Writer) error { return Result(w, failing(), "html", Options{}) },
		"passing":    func(w io.Writer) error { return Result(w, passing(), "html", Options{}) },
		"incomplete": func(w io.Writer) error { return Result(w, incomplete(), "html", Options{}) },
		"ugly":       func(w io.Writer) error { return Result(w, ugly(), "html", Options{}) },
		"inspect":    func(w io.Writer) error { return Inspect(w, dump, "html", Options{All: true}) },
		"diff":       func(w io.Writer) error { return Diff(w, aDiff(), "html", Options{}) },
		"rules":      func(w io.Writer) error { return Rules(w, []result.RuleDoc{aRule()}, "html", Options{}) },
		"explain":    func(w io.Writer) error { return Explain(w, aRule(), "html", Options{}) },
	} {
		var out bytes.Buffer
		if err := render(&out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := html.Parse(bytes.NewReader(out.Bytes())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkHTML(t, name, out.Bytes())
	}
}
