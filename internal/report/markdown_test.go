package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
)

// seen is what a parser of GitHub's Markdown finds in a document.
type seen struct {
	tables, rows, links, images, emphasis, quotes, rules int
	html                                                 []string // raw HTML, piece by piece
	prose                                                string   // text outside code and raw HTML
}

func parseMarkdown(t *testing.T, source []byte) seen {
	t.Helper()
	var s seen
	var prose strings.Builder
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *east.Table:
			s.tables++
		case *east.TableRow:
			s.rows++
			if n.ChildCount() != n.Parent().(*east.Table).FirstChild().ChildCount() {
				t.Errorf("a row has %d cells", n.ChildCount())
			}
		case *ast.Link, *ast.AutoLink:
			s.links++
		case *ast.Image:
			s.images++
		case *ast.Emphasis:
			if n.Level == 1 {
				s.emphasis++
			}
		case *east.Strikethrough:
			s.emphasis++
		case *ast.Blockquote:
			s.quotes++
		case *ast.ThematicBreak:
			s.rules++
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				s.html = append(s.html, string(line.Value(source)))
			}
		case *ast.RawHTML:
			s.html = append(s.html, "inline")
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			prose.Write(n.Value(source))
			prose.WriteByte('\n')
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.prose = prose.String()
	return s
}

// ours is the HTML that we write: folds, with escaped titles.
var ours = regexp.MustCompile(`^(<details><summary>([^<>]|<code>[^<>]*</code>)*</summary>|</details>)\n?$`)

// loud is what GitHub would turn into a mention, a reference or a link in rendered text.
var loud = regexp.MustCompile(`@[A-Za-z0-9]|#[0-9]|(?i)gh-[0-9]|https?://|www\.[A-Za-z0-9]`)

func (s seen) check(t *testing.T, what string) {
	t.Helper()
	if s.links+s.images+s.emphasis+s.quotes+s.rules > 0 {
		t.Errorf("%s: %d links, %d images, %d emphasised, %d quotes, %d rules; want none", what, s.links, s.images, s.emphasis, s.quotes, s.rules)
	}
	for _, h := range s.html {
		if !ours.MatchString(h) {
			t.Errorf("%s: raw HTML %q", what, h)
		}
	}
	if at := loud.FindStringIndex(s.prose); at != nil {
		t.Errorf("%s: %q would notify or link", what, s.prose[at[0]:min(len(s.prose), at[1]+40)])
	}
}

func TestResultMarkdown(t *testing.T) {
	for name, want := range map[string]struct {
		r            *result.Result
		tables, rows int
		folds        int
	}{
		"failing": {failing(), 1, 2, 4}, "passing": {passing(), 0, 0, 2}, "incomplete": {incomplete(), 0, 0, 2}, "ugly": {ugly(), 1, 8, 10},
	} {
		var out bytes.Buffer
		if err := Result.Render(&out, want.r, "markdown", Options{}); err != nil {
			t.Fatal(err)
		}
		got := parseMarkdown(t, out.Bytes())
		got.check(t, name)
		if got.tables != want.tables || got.rows != want.rows {
			t.Errorf("%s: %d tables with %d rows, want %d with %d", name, got.tables, got.rows, want.tables, want.rows)
		}
		if folds := strings.Count(strings.Join(got.html, ""), "<details>"); folds != want.folds {
			t.Errorf("%s: %d folds, want %d", name, folds, want.folds)
		}
	}
}

func TestViewMarkdown(t *testing.T) {
	dump, d := aDump(), aDiff()
	dump.Dump, dump.Programs[0].Name, dump.Clusters.Unclustered[0].Reason = hostileText, hostileName, hostileName
	dump.Problems = append(dump.Problems, facts.Problem{File: hostileName, Message: hostileText, Fix: hostileName})
	k := &d.Programs[2].Variants[0].Kernels
	k.Added[0].OpName, k.Changed[0].New.Attrs = hostileName, hostileText
	k.Changed[0].New.Ops = append(k.Changed[0].New.Ops, facts.FusedOp{Op: &facts.Op{Opcode: hostileName, Shape: hostileText, Source: hlo.Location{File: hostileName}}})
	for name, render := range map[string]func(io.Writer) error{
		"inspect": func(w io.Writer) error { return Inspect.Render(w, dump, "markdown", Options{All: true}) },
		"diff":    func(w io.Writer) error { return Diff.Render(w, d, "markdown", Options{}) },
		"explain": func(w io.Writer) error {
			r := ugly()
			return ExplainChange(w, r, &r.Changes[4], []result.RuleDoc{aRule()}, "markdown", Options{})
		},
	} {
		var out bytes.Buffer
		if err := render(&out); err != nil {
			t.Fatal(err)
		}
		parseMarkdown(t, out.Bytes()).check(t, name)
	}
}

// TestMarkdownBound holds a comment to its size, whatever was found.
func TestMarkdownBound(t *testing.T) {
	r := ugly()
	for i := range 2_000 {
		c := &r.Changes[i%8]
		put(r, fmt.Sprintf("%012x", 100+i), c.Level, c.Title)
	}
	for _, most := range []int{60_000, 20_000, 5_000, 300} {
		var out bytes.Buffer
		if err := Result.Render(&out, r, "markdown", Options{MaxBytes: most}); err != nil {
			t.Fatal(err)
		}
		if out.Len() > most {
			t.Errorf("%d bytes, at most %d wanted", out.Len(), most)
		}
		parseMarkdown(t, out.Bytes()).check(t, fmt.Sprint(most))
		if !strings.Contains(out.String(), "full report") {
			t.Errorf("within %d bytes nothing says that something was left out", most)
		}
	}
}

// FuzzMarkdown puts a text everywhere a dump's text may stand, and looks for markup that it brought in.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{weirdName, bracketName, callbackName, meshName, fusedName, cublasName, hostileName, hostileText, `\`, "a\\|b", "|`|", "``", " ` ", "<!--", "&amp;", "\\\n- x", "1) x", "    code", "===", "[x]: y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := ugly()
		r.Changes, r.Findings = nil, nil
		put(r, "000000000001", "error", s)
		put(r, "000000000002", "warning", s)
		r.Findings[1].Rule = s
		r.Problems[0] = result.Problem{Target: s, File: s, Message: s, Fix: s}
		r.Notes[0] = result.Note{Kind: s, Target: s, Program: s, Message: s, Fix: s}
		r.Targets[0].Name, r.Targets[0].Dump, r.Targets[0].Programs[0].Name, r.Targets[0].NotCovered = s, s, s, []string{s}
		var out bytes.Buffer
		if err := Result.Render(&out, r, "markdown", Options{}); err != nil {
			t.Fatal(err)
		}
		got := parseMarkdown(t, out.Bytes())
		got.check(t, s)
		if got.tables != 1 || got.rows != 2 {
			t.Errorf("%d tables with %d rows", got.tables, got.rows)
		}
	})
}
