package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// lines numbers its lines, so that none is like another.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line%d = %d\n", i+1, i+1)
	}
	return b.String()
}

func TestLines(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": lines(20)})
	c.edit("m.py", "line3 = 3\n", "line3 = 30\nline3b = 31\n")  // 3 → 3, 4
	c.edit("m.py", "line8 = 8\nline9 = 9\n", "")                // 8, 9 → between 8 and 9
	c.edit("m.py", "line15 = 15\n", "line15 = 15\nadded = 1\n") // → 15
	c.edit("m.py", "line20 = 20\n", "")
	e := c.since("")
	edited := func(at func(string, int) (Hunk, bool)) (got string) {
		for line := range 24 {
			if _, ok := at("/build/repo/m.py", line); ok {
				got += fmt.Sprint(" ", line)
			}
		}
		return got
	}
	expect(t, "edited lines", edited(e.At), " 3 4 8 9 15 19 20")
	for line, removed := range map[int]string{3: "", 8: "- line8 = 8", 19: "- line20 = 20"} {
		h, _ := e.At("m.py", line)
		expect(t, fmt.Sprint("removed at ", line), h.Removed(), removed)
	}
}

func TestRenamesAndDeletions(t *testing.T) {
	c := newCheckout(t, map[string]string{"src/old.py": lines(20), "src/same.py": "a = 1\n" + lines(9), "gone.py": "f(1)\n"})
	for from, to := range map[string]string{"src/old.py": "lib/now.py", "src/same.py": "lib/same.py"} {
		c.write(to, "")
		c.git("mv", "-f", from, to)
	}
	c.edit("lib/now.py", "line4 = 4\n", "line4 = 5\n")
	c.edit("lib/now.py", "line1 = 1\n", "")
	c.git("rm", "-q", "gone.py")
	e := c.since("")
	expect(t, "hunks", list(e.Hunks()), `gone.py -1,1 +0,0 code
lib/now.py -1,1 +0,0 from src/old.py
lib/now.py -4,1 +3,1 from src/old.py code`)
	if _, ok := e.At("src/old.py", 3); ok {
		t.Error("the old name is none of the work tree's")
	}
}

// Paths may hold anything, and the tool is asked about any folder.
func TestPaths(t *testing.T) {
	odd := []string{"a b.py", "größe/ß 模型.py", "tab\there.py", `quo"te.py`, "-x.py", "down/train.py", "train.py", "other/train.py", "same/deep/train.py"}
	files := map[string]string{"unedited/train.py": lines(3)}
	for _, name := range odd {
		files[name] = lines(3)
	}
	c := newCheckout(t, files)
	for i, name := range odd {
		c.edit(name, "line2 = 2", fmt.Sprintf("line2 = %d", 100+i))
	}
	e := c.since("")
	for i, name := range odd {
		for _, file := range []string{name, "/home/ci/" + name, "./" + name, "../" + name} {
			h, ok := e.At(file, 2)
			if !ok || h.File != name || e.Text(file, 2, "") != fmt.Sprintf("line2 = %d", 100+i) {
				t.Errorf("%s: %+v, %v, %q", file, h, ok, e.Text(file, 2, ""))
			}
		}
	}
	c.dir = filepath.Join(c.dir, "down")
	below := c.since("")
	for file, want := range map[string]string{
		"train.py": "down/train.py", "/ci/other/train.py": "other/train.py", "deep/train.py": "same/deep/train.py", "/ci/elsewhere/train.py": "train.py",
		"/ci/unedited/train.py": "", "/venv/lib/python3.12/site-packages/train.py": "", "/usr/lib/python3/dist-packages/other/train.py": "", "rain.py": "", "": "", "/": "",
	} {
		if h, _ := below.At(file, 2); h.File != want {
			t.Errorf("%q is %q, want %q", file, h.File, want)
		}
	}
}

// A file beside a dump is the copy that was compiled: the dump means it, and none of its lines counts as edited.
func TestBeside(t *testing.T) {
	c := newCheckout(t, map[string]string{"train.py": lines(3), "dump/other.py": lines(3)})
	c.edit("train.py", "line2 = 2", "line2 = 3")
	c.write("dump/train.py", "line1 = 0\nline2 = 4\n")
	e := c.since("")
	for _, at := range []struct {
		dump, file, text string
		edited           bool
	}{{"dump", "dump/train.py", "line2 = 4", false}, {"none", "train.py", "line2 = 3", true}} {
		of := e.Beside([]string{filepath.Join(c.dir, at.dump)})
		if _, edited := of.At("train.py", 2); of.File("train.py") != at.file || of.Text("train.py", 2, "") != at.text || edited != at.edited {
			t.Errorf("%s: %s, %q, edited %v", at.dump, of.File("train.py"), of.Text("train.py", 2, ""), edited)
		}
	}
	if (&Edits{}).Beside([]string{"dump"}).File("train.py") != "" {
		t.Error("without a work tree there is no file")
	}
}

// A file is in a folder by whole names, and where the folder is named by a link.
func TestIn(t *testing.T) {
	c := newCheckout(t, map[string]string{"dump/a.json": "1\n", "dump.json": "1\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(c.dir, link); err != nil {
		t.Fatal(err)
	}
	e := c.since("")
	for _, dir := range []string{c.dir, link} {
		for file, want := range map[string]bool{"dump/a.json": true, "dump": true, "dump.json": false, "other/dump/a.json": false} {
			if got := e.In(file, []string{filepath.Join(dir, "none"), filepath.Join(dir, "dump")}); got != want {
				t.Errorf("%s in %s: %v", file, dir, got)
			}
		}
	}
}

// A line is shown as it is, never one from outside of the repository.
func TestText(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": "\tx = 1\x1b[31m  \r\n" + strings.Repeat("é", 500) + "\nlast", "huge.py": strings.Repeat("x\n", maxSource)})
	secret := filepath.Join(t.TempDir(), "secret.py")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(c.dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	c.commit("link")
	e := c.since("")
	long := strings.Repeat("é", maxText-1) + "…"
	for _, want := range []struct {
		file string
		line int
		text string
	}{
		{"m.py", 1, "x = 1 [31m"}, {"m.py", 2, long}, {"m.py", 3, "last"}, {"m.py", 4, ""}, {"m.py", 0, ""},
		{"link.py", 1, ""}, {secret, 1, ""}, {"huge.py", 1, ""}, {"../secret.py", 1, ""}, {".git/config", 1, ""}, {"none.py", 1, ""},
	} {
		expect(t, want.file, e.Text(want.file, want.line, ""), want.text)
	}
}

// A file was edited when it was committed, however late it was checked out; one with edits that are not committed, when it was written.
func TestWhenAFileWasEdited(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": lines(3), "n.py": lines(3), "dump/a.txt": "a"})
	late := time.Now().Add(time.Hour).Truncate(time.Second)
	for _, name := range []string{"m.py", "n.py"} {
		if err := os.Chtimes(filepath.Join(c.dir, name), late, late); err != nil {
			t.Fatal(err)
		}
	}
	c.edit("n.py", "line2 = 2", "line2 = 3")
	if err := os.Chtimes(filepath.Join(c.dir, "n.py"), late, late); err != nil {
		t.Fatal(err)
	}
	e := c.since("")
	if at := e.EditedAt(t.Context(), "m.py"); !at.Before(late) || at.IsZero() {
		t.Errorf("committed: %v", at)
	}
	if at := e.EditedAt(t.Context(), "n.py"); !at.Equal(late) {
		t.Errorf("not committed: %v, wanted %v", at, late)
	}
	if at := e.EditedAt(t.Context(), "gone.py"); !at.IsZero() {
		t.Errorf("not there: %v", at)
	}
	for path, want := range map[string]bool{"dump": true, "m.py": true, "n.py": false, "none": false} {
		if got := e.Unedited(t.Context(), []string{path}); got != want {
			t.Errorf("%s is unedited: %v", path, got)
		}
	}
}

func TestNoEdits(t *testing.T) {
	var e *Edits
	if _, ok := e.At("m.py", 1); ok || e.Text("m.py", 1, "") != "" || e.Hunks() != nil {
		t.Error("nothing is known of no edits")
	}
}

func FuzzDiff(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(_ *testing.T, text []byte) error {
		files, err := parseDiff(string(text))
		if err != nil {
			return err
		}
		for _, file := range files {
			placeIn([]string{"def f():", "  x = 1"}, file.hunks)
		}
		editsOf("", &workTree{}, files, nil).At("m.py", 3)
		return nil
	}, []byte("diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1,2 @@ def f():\n-a\n+b\n\\ No newline at end of file\n+c\n"),
		[]byte("diff --git a/x b/y\nrename from \"x\\303\\244\"\nrename to y\n@@ -0,0 +1 @@\n+x"))
}

// A line is quoted only from the function that the dump names: a file of the same name may not be the one that was run.
func TestTextOfAFunction(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": "x = 1\ndef f(x):\n    return x\nclass C:\n    def g(self):\n        return 2\n"})
	e := c.since("")
	for _, want := range []struct {
		line           int
		function, text string
	}{
		{3, "f", "return x"}, {3, "g", ""}, {3, "<lambda>", "return x"}, {6, "C.g", "return 2"}, {6, "g", "return 2"}, {6, "f.<locals>.g", "return 2"}, {1, "f", ""}, {1, "<module>", "x = 1"},
	} {
		expect(t, want.function, e.Text("m.py", want.line, want.function), want.text)
	}
}

// Of several files that a short name may mean, none is taken.
func TestAmbiguousName(t *testing.T) {
	c := newCheckout(t, map[string]string{"a/train.py": lines(3), "b/train.py": lines(3), "b/data.py": lines(3)})
	e := c.since("")
	for file, want := range map[string]string{"train.py": "", "data.py": "b/data.py", "a/train.py": "a/train.py", "/ci/b/train.py": "b/train.py"} {
		expect(t, file, e.File(file), want)
	}
}

// An option on a line of its own belongs to the call of jit around it.
func TestOptionsOfJit(t *testing.T) {
	const source = "import jax\n\nstep = jax.jit(\n    update,\n    donate_argnums=(0, 1),\n)\nscale = 2\nother = build(\n    width=8,\n)\n\n" +
		"@partial(\n    jax.jit,\n    static_argnames=('cfg',),\n)\ndef loss(cfg):\n    return cfg.width\n"
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"(0, 1)", "(0,)", true}, {"    donate_argnums=(0, 1),\n", "", true}, {"'cfg',", "'cfg', 'rate'", true}, {"    update,\n", "    update,\n    inline=True,\n", true},
		{"width=8", "width=9", false}, {"return cfg.width", "return 2", false}, {"    width=8,\n", "", false},
		{"scale = 2\n", "", false}, {"scale = 2", "scale = 3", false}, {")\nscale = 2\n", "    inline=True,\n)\n", true},
	} {
		repository := newCheckout(t, map[string]string{"m.py": source})
		repository.edit("m.py", c.was, c.is)
		if h := repository.since("").Hunks()[0]; h.Compiles() != c.want {
			t.Errorf("%q for %q: compiles %v", c.is, c.was, h.Compiles())
		}
	}
}

// Lines of other functions use the names of the module, attributes, fields and parameters, but no variable of a function.
func TestNamesThatOtherFunctionsUse(t *testing.T) {
	for line, want := range map[string]bool{
		"WIDTH = 64": true, "    self.width = 64": true, "    width: int": true, "        width=64,": true, "    width: int = 64": true,
		"    width = 64": false, "    return width": false, "    if width == 64:": false, "    else: width = 64": false,
	} {
		repository := newCheckout(t, map[string]string{"m.py": "x = 1\n\n\ndef f():\n    pass\n"})
		repository.edit("m.py", "    pass\n", "    pass\n"+line+"\n")
		if got := repository.since("").Hunks()[0]; got.SetsAny(NamesIn("y = x @ WIDTH + cfg.width")) != want {
			t.Errorf("%q sets a name: %t", line, !want)
		}
	}
}

// Another value of a float is told apart from other edits.
func TestEditsOfFloats(t *testing.T) {
	for _, c := range []struct {
		was, now string
		want     bool
	}{
		{"EPS = 1e-6", "EPS = 1e-5", true}, {"rate: 0.1", "rate: 0.25", true}, {"x = f(1.5, n)", "x = f(2., n)", true},
		{"EPS = 1e-6", "EPS = 1", false}, {"steps = 6", "steps = 5", false}, {"x = 1.0 * y", "x = 1.0 * z", false}, {"v = w1.0", "v = w2.0", false},
	} {
		repository := newCheckout(t, map[string]string{"m.py": c.was + "\n"})
		repository.edit("m.py", c.was, c.now)
		if h := repository.since("").Hunks()[0]; h.OnlyFloats != c.want {
			t.Errorf("%q for %q: %t", c.now, c.was, h.OnlyFloats)
		}
	}
}

// Files of tests are told by their names; a configuration is none.
func TestFilesOfTests(t *testing.T) {
	for file, want := range map[string]bool{"tests/test_model.py": true, "model_test.py": true, "conftest.py": false, "test_config.yaml": false, "tests/model.py": false} {
		if h := (&Hunk{File: file}); h.OfTests() != want {
			t.Errorf("%s is a file of tests: %t", file, !want)
		}
	}
}

// What lines say of names, of operations, and of what a backward pass computes again.
func TestWhatLinesSay(t *testing.T) {
	for _, c := range []struct {
		was, now            string
		loses, skips, names bool // " * ", whether others may not run, the name "bias"
		remats              int
		code                bool
	}{
		{was: "    y = x * 2\n", now: "    y = x\n", loses: true, code: true},
		{was: "    y = x * 2\n", now: "    y = 2 * x\n", code: true},
		{was: "    y = f(*x)\n", now: "    y = f(x)\n", code: true},
		{was: "    y = x\n", now: "    if n == 0:\n        return x\n    y = x\n", skips: true, code: true},
		{was: "    return x\n", now: "    return -x\n", code: true},
		{was: "    for i in x:\n        y = i\n        y = 2\n", now: "    for i in x:\n        y = i\n    y = 2\n", code: true},
		{was: "    if x:\n        y = 2\n", now: "    if x:\n            y = 2\n"},
		{was: "    y = x\n", now: "    y = x\n    assert y is not None, (\n        y)\n"},
		{was: "    y = x\n", now: "    if x is None:\n        raise ValueError(x)\n    y = x\n"},
		{was: "    try:\n        if x:\n            raise A\n    except A:\n        y = 2\n", now: "    try:\n        if not x:\n            raise A\n    except A:\n        y = 2\n", code: true},
		{was: "    if x:\n        assert x\n        y = 2\n", now: "    if not x:\n        assert x\n        y = 2\n", code: true},
		{was: "    y = x\n", now: "    y = x\n    bias = x\n", names: true, code: true},
		{was: "    y = x\n", now: "    y = self.param('bias', x)\n", names: true, code: true},
		{was: "    y = x\n", now: "    y = x + bias\n", code: true},
		{was: "    remat_policy: str = ''\n", now: "    remat_policy: str = 'full'\n", remats: 2, code: true},
		{was: "    f(x, remat=False)\n", now: "    f(x, remat=True)\n", remats: 2, code: true},
		{was: "    if c.remat_policy != '':\n        y = x\n", now: "    if c.remat_policy != 'full':\n        y = x\n", remats: 1, code: true},
		{was: "    g = f\n", now: "    g = jax.checkpoint(f, policy=policy)\n", remats: 1, code: true},
		{was: "    y = 1\n", now: "    premature_stop = True\n", code: true},
		{was: "    y = 1\n", now: "    rematch = 2\n", code: true},
	} {
		r := newCheckout(t, map[string]string{"m.py": "def f(x):\n" + c.was + "    return 1\n"})
		r.edit("m.py", c.was, c.now)
		var loses, skips, names, code bool
		remats := 0
		edits := r.since("")
		for _, h := range edits.Hunks() {
			rank, _ := edits.Rematerializes(h)
			loses, skips, names, code = loses || h.Loses(" * "), skips || h.Skips(), names || h.Names(map[string]bool{"bias": true}), code || h.Code
			remats = max(remats, rank)
		}
		if (loses != c.loses || skips != c.skips || names != c.names || remats != c.remats) && code || code != c.code {
			t.Errorf("%q: loses %v, skips %v, names %v, rematerializes %d, code %v", c.now, loses, skips, names, remats, code)
		}
	}
	r := newCheckout(t, map[string]string{"c.yaml": "width: 1\nremat: none\nother: 1\n"})
	r.write("c.yaml", "width: 2\nremat: full\nother: 1\n")
	edits := r.since("")
	if rank, line := edits.Rematerializes(edits.Hunks()[0]); rank != 2 || line != 2 {
		t.Errorf("%d at line %d", rank, line)
	}
}
