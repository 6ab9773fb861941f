package report

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/internal/webpage"
)

// documented is Options.Rules with one rule that is documented.
func documented(id string) result.RuleDoc {
	if id != "max-step-time" && id != "fusion-drift" {
		return result.RuleDoc{}
	}
	doc := aRule()
	doc.ID = id
	return doc
}

func TestGolden(t *testing.T) {
	o := Options{Options: webpage.Options{Version: "1.2.3", Root: "/srv/models"}, Rules: documented}
	for name, r := range map[string]*result.Result{"failing": failing(), "passing": passing(), "incomplete": incomplete(), "ugly": ugly()} {
		for _, format := range Result.Names() {
			if format == "html" {
				continue // its own package holds it to what it must be
			}
			if name == "ugly" && format != "text" && format != "markdown" && format != "github" {
				continue // large, and held to their schemas elsewhere
			}
			golden(t, "result_"+name+"."+format, func(w io.Writer) error { return Result.Render(w, r, format, o) })
		}
	}
	for _, format := range Rules.Names() {
		golden(t, "inspect."+format, func(w io.Writer) error { return Inspect.Render(w, aDump(), format, o) })
		golden(t, "diff."+format, func(w io.Writer) error { return Diff.Render(w, aDiff(), format, o) })
		golden(t, "rules."+format, func(w io.Writer) error { return Rules.Render(w, []result.RuleDoc{aRule(), aRule()}, format, o) })
		golden(t, "explain."+format, func(w io.Writer) error { return Explain.Render(w, aRule(), format, o) })
		golden(t, "change."+format, func(w io.Writer) error {
			r := failing()
			return ExplainChange(w, r, &r.Changes[0], []result.RuleDoc{aRule()}, format, o)
		})
	}
	golden(t, "inspect_all.text", func(w io.Writer) error {
		return Inspect.Render(w, aDump(), "text", Options{Screen: Screen{Width: 120, Terminal: true}, All: true})
	})
	golden(t, "result_failing_color.text", func(w io.Writer) error {
		return Result.Render(w, failing(), "text", Options{Screen: Screen{Color: true, Width: 80, Terminal: true}})
	})
}

func golden(t *testing.T, name string, render func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := render(&got); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	testfile.Golden(t, filepath.Join("testdata", name+".golden"), got.String())
}

func TestUnknownFormat(t *testing.T) {
	err := Result.Render(io.Discard, passing(), "xml", Options{})
	want := `unknown format "xml"; there are ` + strings.Join(Result.Names(), ", ")
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
