package webpage

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// measured is a real dump with its modules open.
func measured(t *testing.T, name string) *facts.Report {
	t.Helper()
	d, err := dump.Open(t.Context(), filepath.Join("..", "..", "examples", "quickstart", name), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := facts.Measure(t.Context(), d, facts.Options{KeepModules: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		d.Close()
	})
	return r
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var packedPart = regexp.MustCompile(`<script type="application/gzip" id="([^"]+)">([^<]*)</script>`)

// documents unpacks what a page holds.
func documents(t *testing.T, page string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range packedPart.FindAllStringSubmatch(page, -1) {
		data, err := base64.StdEncoding.DecodeString(m[2])
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(z); err != nil {
			t.Fatal(err)
		}
		out[m[1]] = text.String()
	}
	return out
}

func read[T any](t *testing.T, document string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatalf("%v in %.200s", err, document)
	}
	return v
}

func TestDifferenceOfRealDumps(t *testing.T) {
	all := documents(t, written(t, OfDiff(changes.Compare(measured(t, "good"), measured(t, "regressed")), Options{})))
	c := read[core](t, all["core"])
	if len(c.Changes) == 0 || len(c.Programs) != 1 || len(c.Programs[0].Variants) != 2 {
		t.Fatalf("%d changes, programs %+v", len(c.Changes), c.Programs)
	}
	v := c.Programs[0].Variants[0]
	l := read[kernelLists](t, all[v.Part])
	if len(l.Old.Kernels) != v.Old.Kernels || len(l.New.Kernels) != v.New.Kernels || len(l.Links) == 0 {
		t.Errorf("%d and %d kernels, wanted %d and %d; %d links", len(l.Old.Kernels), len(l.New.Kernels), v.Old.Kernels, v.New.Kernels, len(l.Links))
	}
	var sum float64
	for _, k := range l.New.Kernels {
		for _, t := range k.Time {
			sum += t
		}
	}
	if step := v.New.Facts[facts.PriceStep]; sum < step/2 || sum > step+1 {
		t.Errorf("the kernels take %v ns of a step of %v", sum, step)
	}
	g := read[graph](t, all[v.New.Graph])
	if m := l.Memory.New; m == nil || len(m.Live) != g.Comps[g.Entry].Count || m.Live[m.Peak] == 0 || len(m.Alive) == 0 {
		t.Errorf("the memory %+v of %d steps", m, g.Comps[g.Entry].Count)
	}
}

func TestOneFileThatLoadsNothing(t *testing.T) {
	page := written(t, OfDump(measured(t, "good"), Options{}))
	if empty := written(t, OfDump(&facts.Report{}, Options{})); len(empty) > 500<<10 {
		t.Errorf("%d bytes before its data, at most 500 kB", len(empty))
	}
	if n := strings.Count(page, hashOf(script)) + strings.Count(page, hashOf(style)); n != 2 {
		t.Errorf("the policy does not name the script and the style once each")
	}
	for z := html.NewTokenizer(strings.NewReader(page)); z.Next() != html.ErrorToken; {
		token := z.Token()
		for _, a := range token.Attr {
			if a.Key == "src" || a.Key == "href" || a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s=%q>", token.Data, a.Key, a.Val)
			}
		}
	}
	if strings.Contains(strings.ToLower(script), "</script") || strings.Contains(style, "</") || strings.Contains(style, "url(") {
		t.Error("the script or the style ends early or loads something")
	}
}

func TestTextIsNeverMarkup(t *testing.T) {
	const hostile = "</script><script>alert(1)</script>\u202egnp.exe\u2066\x00"
	r := &result.Result{Verdict: hostile, Changes: []result.Change{{ID: "1", Edit: result.Edit{Title: hostile}, Program: strings.Repeat("é/", 1<<20)}}}
	page := written(t, OfResult(r, nil, Options{Version: hostile}))
	if strings.Contains(packedPart.ReplaceAllString(page, ""), "alert(1)</script>") {
		t.Error("a text became a script")
	}
	core := documents(t, page)["core"]
	if strings.ContainsAny(core, "\u202e\u2066\x00") || !strings.Contains(core, `\\u202egnp.exe\\u2066`) {
		t.Errorf("characters that hide others are not shown: %.300q", core)
	}
	if len(core) > 4<<10 {
		t.Errorf("a name of two megabytes makes a document of %d bytes", len(core))
	}
	if read[map[string]any](t, core)["changes"] == nil {
		t.Error("no changes")
	}
}

func TestOnlyTheModelsOwnFilesAreRead(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(root, "train.py"): "a\nb\n", filepath.Join(root, ".env"): "secret", filepath.Join(outside, "other.py"): "secret",
		filepath.Join(root, "demo", "train.py"): "demo\n", filepath.Join(root, "large.py"): strings.Repeat("x", maxFileSize+1),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "other.py"), filepath.Join(root, "link.py")); err != nil {
		t.Skip(err)
	}
	m := newModel(Options{Root: root, Beside: filepath.Join(root, "demo")}).of("")
	defer m.close()
	for _, name := range []string{"train.py", ".env", "link.py", "large.py", "../" + filepath.Base(outside) + "/other.py", filepath.Join(outside, "other.py"), "/etc/passwd", "absent.py"} {
		m.file(m.name(name))
	}
	if len(m.files) != 1 || m.files["demo/train.py"].Lines[0] != "demo" {
		t.Errorf("%v", m.files)
	}
	beside := newModel(Options{Root: root}).of("")
	defer beside.close()
	if beside.file(beside.name("train.py")); len(beside.files["train.py"].Lines) != 2 {
		t.Errorf("%v", beside.files)
	}
}

// A dump may hold the sources that it was made from. Others are not shown with its lines.
func TestSourcesAreThoseOfTheDump(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	example := filepath.Join(root, "examples", "quickstart")
	r := measured(t, "regressed")
	r.Dump = filepath.Join(example, "regressed")
	c := read[core](t, documents(t, written(t, OfDump(r, Options{Root: root, Beside: example})))["core"])
	own := c.Files["examples/quickstart/regressed/train.py"]
	if len(c.Files) != 1 || len(own.Lines) < 19 || !strings.Contains(own.Lines[18], "pure_callback") {
		t.Errorf("%v", c.Files)
	}
	r.Dump = ""
	c = read[core](t, documents(t, written(t, OfDump(r, Options{Root: root, Beside: example})))["core"])
	if len(c.Files) != 0 {
		t.Errorf("the regressed dump is shown with the good train.py: %v", c.Files)
	}
	c = read[core](t, documents(t, written(t, OfDump(measured(t, "good"), Options{Root: root, Beside: example})))["core"])
	if len(c.Files["examples/quickstart/train.py"].Lines) == 0 {
		t.Errorf("the good dump is shown without train.py: %v", c.Files)
	}
}

func TestWriteToAFullDisk(t *testing.T) {
	if OfDump(&facts.Report{}, Options{}).Write(failing{}) == nil {
		t.Error("nothing is said of a disk that is full")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrInvalid }
