package gate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/testfile"
)

// The edited line that most of what came passes through is the place of a change; else one that nothing passes through; else the root's own.
func TestEditedLine(t *testing.T) {
	loss, norm := kernel(line("loss", 7), 64), kernel(line("norm", 20), 4096)
	stacked := root(changes.KindCode, "s", line("add", 90))
	stacked.Edits = []changes.Edit{{Stack: []hlo.Location{line("add", 90), line("norm", 20), line("loss", 7)}}}
	for what, c := range map[string]struct {
		cause  changes.Cause
		edited []int
		want   result.Source
	}{
		"nothing was edited":                      {root(changes.KindCode, "s", line("main", 3), loss, norm), nil, result.Source{File: "models/train.py", Line: 3, Function: "main"}},
		"the root's own line":                     {root(changes.KindCode, "s", line("loss", 7), loss, norm), []int{7}, result.Source{Line: 7, Function: "loss", Text: "x7 = g7(x)"}},
		"a line of what came, not the root's own": {root(changes.KindCode, "s", line("main", 3), loss, norm), []int{7}, result.Source{Line: 7, Function: "loss", Text: "x7 = g7(x)"}},
		"of two lines the one with more work":     {root(changes.KindCode, "s", line("main", 3), loss, norm), []int{7, 20}, result.Source{Line: 20, Function: "norm", Text: "x20 = g20(x)"}},
		"of a stack the innermost":                {stacked, []int{7, 20}, result.Source{Line: 20, Function: "norm", Text: "x20 = g20(x)"}},
		"of a stack the caller":                   {stacked, []int{7}, result.Source{Line: 7, Function: "loss", Text: "x7 = g7(x)"}},
		"a line that nothing passes through":      {root(changes.KindCode, "s", line("main", 3), loss, norm), []int{55}, result.Source{Line: 55, Text: "x55 = g55(x)"}},
		"the first of two such":                   {root(changes.KindDonation, "s", hlo.Location{}, norm), []int{55, 60}, result.Source{Line: 55, Text: "x55 = g55(x)"}},
		"the own line of what brought nothing":    {root(changes.KindConstants, "s", line("init", 30)), []int{30, 55}, result.Source{Line: 30, Function: "init", Text: "x30 = g30(x)"}},
		"another compiler":                        {root(changes.KindToolchain, "s", line("main", 3), norm), []int{55}, result.Source{File: "models/train.py", Line: 3, Function: "main"}},
	} {
		if c.want.File == "" {
			c.want.File, c.want.Edited = "models/train.py", true
		}
		list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", c.cause)}, Edits: edits(t, "models/train.py", 99, c.edited...)}, nil)
		if len(list) != 1 || list[0].Source != c.want {
			t.Errorf("%s: %+v, wanted %+v", what, list, c.want)
		}
	}
}

// The only file that was edited is the place of what has no other, if a run of the model may read it.
func TestOnlyFileThatWasEdited(t *testing.T) {
	for file, place := range map[string]bool{"train.py": true, "conf/large.yaml": true, "serve.go": false, "run": false, "README.md": false} {
		p := changed("f", root(changes.KindDonation, "w is not donated", line("main", 3), kernel(line("norm", 20), 64)))
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, file, 99, 55)}, nil)
		if len(list) != 1 || list[0].Source.Edited != place {
			t.Errorf("%s: %+v", file, list)
		}
	}
}

// A line that other operations of this program or another pass through is not the place of what does not.
func TestTracedEditIsNotElsewhere(t *testing.T) {
	p, other := changed("f", root(changes.KindConstants, "w is baked in", line("init", 3))), changed("g")
	told := edits(t, "train.py", 99, 20)
	for _, v := range []*changes.Variant{p.Variants[0], other.Variants[0]} {
		v.New.Kernels = []facts.Kernel{kernel(line("norm", 20), 64)}
		list := changesOf(judgedTarget{Programs: []*changes.Program{p, other}, Edits: told}, nil)
		if len(list) != 1 || list[0].Source.Edited || list[0].Source.Line != 3 {
			t.Errorf("%+v", list)
		}
		v.New.Kernels = []facts.Kernel{kernel(line("loss", 7), 64)}
	}
	if list := changesOf(judgedTarget{Programs: []*changes.Program{p, other}, Edits: told}, nil); len(list) != 1 || !list[0].Source.Edited || list[0].Source.Line != 20 {
		t.Errorf("%+v", list)
	}
}

// Kernels of the same operations stand at the only edit that operations pass through, and at none of two.
func TestKernelsThatNoLineTells(t *testing.T) {
	p := changed("f", root(changes.KindCode, "copy: runs 8 times instead of 40 times", line("main", 3), kernel(line("main", 3), 64)))
	p.Variants[0].New.Kernels = []facts.Kernel{kernel(line("norm", 20), 64), kernel(line("loss", 7), 64)}
	for want, edited := range map[int][]int{20: {20}, 3: {7, 20}} {
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, edited...)}, nil)
		if len(list) != 1 || list[0].Source.Line != want || list[0].Source.Edited != (want == 20) {
			t.Errorf("%v were edited: %+v, wanted line %d", edited, list, want)
		}
	}
}

// An edit of a file that no operation comes from is the place when it is the only one. Of two nobody knows which it was.
func TestEditOfAnotherFile(t *testing.T) {
	p := changed("f", root(changes.KindCode, "other shapes", line("main", 3), kernel(line("norm", 20), 64)))
	for want, edited := range map[string][]int{"data.py:10": {10}, "models/train.py:3": {10, 50}} {
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "data.py", 99, edited...)}, nil)
		if got := fmt.Sprintf("%s:%d", list[0].Source.File, list[0].Source.Line); got != want {
			t.Errorf("lines %v of data.py were edited: %s, wanted %s", edited, got, want)
		}
	}
}

// An edit of a file that no operation comes from explains what differs in the model, but not also that a caller in another file keeps its buffers.
func TestEditOfAnotherFileIsOneCause(t *testing.T) {
	causes := []changes.Cause{
		root(changes.KindCode, "other shapes", line("loss", 7), kernel(line("norm", 20), 64)),
		root(changes.KindResults, "a result is new", line("norm", 20), kernel(line("norm", 20), 64)),
		root(changes.KindDonation, "no longer donated", line("main", 60)),
	}
	for n, want := range map[int]string{2: "data.py:10 edited", 3: "models/train.py:7, models/train.py:20, models/train.py:60"} {
		var got []string
		for _, c := range changesOf(judgedTarget{Programs: []*changes.Program{changed("f", causes[:n]...)}, Edits: edits(t, "data.py", 99, 10)}, nil) {
			got = append(got, strings.TrimSuffix(fmt.Sprintf("%s:%d %s", c.Source.File, c.Source.Line, map[bool]string{true: "edited"}[c.Source.Edited]), " "))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%d causes: %q, wanted %s", n, got, want)
		}
	}
}

// Of two edits that no operation passes through, one that speaks of donation is the place of a lost donation, and the other that of the rest, in whatever
// file it is.
func TestEditOfDonation(t *testing.T) {
	causes := []changes.Cause{
		root(changes.KindCode, "the loop ran 20 times, now 40", line("loss", 7), kernel(line("norm", 20), 64)),
		root(changes.KindDonation, "no longer donated", line("main", 60)),
	}
	for file, want := range map[string]string{"conf/large.json": "conf/large.json:1, models/train.py:4", "models/train.py": "models/train.py:1, models/train.py:4"} {
		dir := t.TempDir()
		write := func(layers, donated string) {
			step := "\n@jax.jit" + donated + "\ndef step(x):\n    return loss(x)\n"
			for name, text := range map[string]string{"models/train.py": "LAYERS = 1\n\n" + step, file: "LAYERS = " + layers + "\n\n" + step} {
				at := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
		}
		write("1", "(donate_argnums=0)")
		testfile.Commit(t, dir)
		write("2", "")
		told, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
		if unknown != "" {
			t.Fatal(unknown)
		}
		var got []string
		for _, c := range changesOf(judgedTarget{Programs: []*changes.Program{changed("f", causes...)}, Edits: told}, nil) {
			got = append(got, fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line))
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, wanted %s", file, got, want)
		}
	}
}

// A program that is gone is placed where it is no longer compiled or called, unless an edit of something else is all there is.
func TestEditThatEndsAProgram(t *testing.T) {
	const source = "import jax\n\n\n@jax.jit\ndef score(x):\n    return x + 1\n\n\n@tf.function(jit_compile=True)\ndef rank(x):\n    return x\n\n\nfor score in range(3):\n    pass\nscored = score(1)\nranked = rank(scored)\nlog(state.rank, 'rank', rank=3)\n"
	for _, c := range []struct {
		old, now, program string
		want              int
	}{
		{"@jax.jit\n", "", "score", 4},
		{"@tf.function(jit_compile=True)", "@tf.function", "rank", 9},
		{"ranked = rank(scored)", "ranked = scored", "rank", 17},
		{"@jax.jit\n", "", "rank", 0},
		{"return x + 1", "return x + 2", "score", 0},
		{"for score in range(3):", "for n in range(3):", "score", 0},
		{"def rank(x):", "def order(x):", "rank", 10},
		{"@jax.jit\n", "@partial(jax.jit, donate_argnums=0)\n", "score", 0},
		{"log(state.rank, 'rank', rank=3)", "log(1)", "rank", 0},
	} {
		told := editsOfSource(t, source, c.old, c.now)
		gone := &changes.Program{Name: c.program, Old: &facts.Program{Name: c.program}, Change: "removed"}
		found := []judgedFinding{{Finding: rule.Finding{Finding: result.Finding{Rule: "orphan-baseline", Level: "error", Program: c.program}}}}
		list := changesOf(judgedTarget{Programs: []*changes.Program{gone}, Edits: told}, found)
		if len(list) != 1 || list[0].Source.Line != c.want || list[0].Source.Edited != (c.want > 0) {
			t.Errorf("%q for %q: %s is placed at %+v, wanted line %d", c.now, c.old, c.program, list, c.want)
		}
	}
}

// A program whose function another program computes now is gone by the edit that calls it there; one that another happens to do as much as is not.
func TestEditThatMovesAProgram(t *testing.T) {
	const source = "def score(x):\n    return x + 1\n\n\ndef step(x):\n    return x\n\n\nscored = score(1)\n"
	told := editsOfSource(t, source, "    return x\n\n\nscored = score(1)\n", "    return score(x)\n")
	for function, want := range map[string]string{"score": "score is computed in step now", "step": "1 new kernel"} {
		p := changed("step", root(changes.KindCode, "1 new kernel", line(function, 2), kernel(line(function, 2), 64)))
		was := changed("score", root(changes.KindCode, "", line("score", 2), kernel(line("score", 2), 64)))
		does := func(opcode string) facts.Statement { return facts.Statement{Type: "f32", Do: []string{opcode}} }
		was.New.Variants[0].Model = slices.Repeat([]facts.Statement{does("add")}, 16)
		p.Old.Variants[0].Model, p.New.Variants[0].Model = []facts.Statement{does("dot")}, append(slices.Repeat([]facts.Statement{does("add")}, 16), does("dot"))
		gone := &changes.Program{Name: "score", Change: "removed", Old: was.New}
		found := []judgedFinding{{Finding: rule.Finding{Finding: result.Finding{Rule: "orphan-baseline", Level: "error", Program: "score"}}}}
		list := changesOf(judgedTarget{Programs: []*changes.Program{p, gone}, Edits: told}, found)
		if list[0].Title != want || list[0].Source.Line != 6 {
			t.Errorf("operations of %s: %+v, wanted %s", function, list[0], want)
		}
	}
}

// editsOfSource are the edits of models/train.py where one text stands for another.
func editsOfSource(t *testing.T, source, old, now string) *git.Edits {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "models", "train.py")
	write := func(text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(source)
	testfile.Commit(t, dir)
	write(strings.Replace(source, old, now, 1))
	told, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
	if unknown != "" {
		t.Fatal(unknown)
	}
	return told
}

// Results that are new are placed at the edited return of the function that makes them, not at the call that takes one more.
func TestEditOfAReturn(t *testing.T) {
	const source = "LIMIT = 3\n\n\ndef step(x):\n    assert x, 'no x'\n    y = map(lambda v: v + 1, x)\n    told = {\n        'loss': y,\n    }\n    return y, {\n        'y': y,\n    }\n\n\ndef loss(x):\n    return x\n"
	for _, c := range []struct {
		old, now string
		want     int
	}{
		{"        'y': y,\n", "        'y': y,\n        'z': y,\n", 12},
		{"        'loss': y,\n", "        'loss': y,\n        'more': y,\n", 9},
		{"'no x'", "'none'", 6},
		{"    return x\n", "    return x, 1\n", 6},
		{"LIMIT = 3", "LIMIT = 4", 6},
	} {
		for _, function := range []string{"step", "step.<locals>.<lambda>"} {
			p := changed("step", root(changes.KindResults, "1 result is new", line(function, 6)))
			list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, source, c.old, c.now)}, nil)
			if len(list) != 1 || list[0].Source.Line != c.want || list[0].Source.Edited != (c.want != 6) {
				t.Errorf("%q in %s: %+v, wanted line %d", c.now, function, list, c.want)
			}
		}
	}
	p := changed("step", root(changes.KindResults, "1 result is new", line("loss", 17))) // what the function returns may be made elsewhere
	list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, source, "        'y': y,\n", "        'y': y,\n        'z': loss(y),\n")}, nil)
	if len(list) != 1 || list[0].Source.Line != 12 || !list[0].Source.Edited {
		t.Errorf("a result of another function: %+v, wanted line 12", list)
	}
	grown := changed("step", root(changes.KindResults, "the result f32[8] is now f32[16]", line("step", 6))) // a size that is set elsewhere is behind it
	grown.Variants[0].Old.Result, grown.Variants[0].New.Result = "f32[8]", "f32[16]"
	list = changesOf(judgedTarget{Programs: []*changes.Program{grown}, Edits: editsOfSource(t, source, "LIMIT = 3", "LIMIT = 4")}, nil)
	if len(list) != 1 || list[0].Source.Line != 1 || !list[0].Source.Edited {
		t.Errorf("a result of another shape: %+v, wanted line 1", list)
	}
	const classes = "class Encoder:\n    def __call__(self, x):\n        return x\n\n\nclass Decoder:\n    def __call__(self, z):\n        return z\n"
	for program, want := range map[string]int{"Decoder.__call__-2": 8, "Encoder.__call__": 3} { // a method of another class gives no result of this one
		p := changed(program, root(changes.KindResults, "1 result is new", line("Encoder.__call__", 3)))
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, classes, "return z", "return z, z")}, nil)
		if len(list) != 1 || list[0].Source.Line != want {
			t.Errorf("%s: %+v, wanted line %d", program, list, want)
		}
	}
}

// The line beside a deletion is no place where other edited lines have code.
func TestEditBesideADeletion(t *testing.T) {
	const source = "class Params:\n    wind: int\n    gravity: int\n\n\nLIMIT = 3\n\n\ndef norm(x):\n    return x\n"
	const fields, limit = "    gravity: int\n\n\nLIMIT = ", "    wind: int\n"
	for now, want := range map[string]int{fields + "4": 5, fields + "3": 2} {
		p := changed("f", root(changes.KindConstants, "w is baked in", hlo.Location{}, kernel(line("norm", 9), 64)))
		c := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, source, limit+fields+"3", now)}, nil)[0]
		if c.Source.Line != want || !c.Source.Edited {
			t.Errorf("%q: %+v, wanted line %d", now, c.Source, want)
		}
	}
}

// A program whose file is deleted is placed there, whatever other file is called the same.
func TestDeletedFileOfAProgram(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("train.py", "x = 1\n")
	write("models/train.py", "@jax.jit\ndef step(x):\n    return x\n")
	testfile.Commit(t, dir)
	if err := os.Remove(filepath.Join(dir, "models", "train.py")); err != nil {
		t.Fatal(err)
	}
	told, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
	if unknown != "" {
		t.Fatal(unknown)
	}
	gone := &changes.Program{Name: "step", Old: &facts.Program{Name: "step"}, Change: "removed"}
	found := []judgedFinding{{Finding: rule.Finding{Finding: result.Finding{Rule: "orphan-baseline", Level: "error", Program: "step"}}}}
	list := changesOf(judgedTarget{Programs: []*changes.Program{gone}, Edits: told}, found)
	if want := (result.Source{File: "models/train.py", Edited: true}); len(list) != 1 || list[0].Source != want {
		t.Errorf("%+v, wanted %+v", list, want)
	}
}

// What makes an argument of the call is the place of a change in the model if it is all that was edited, as it may hold what the program calls. Beside
// another edit nobody knows.
func TestEditOfWhatTheCallTakes(t *testing.T) {
	for want, layers := range map[string]string{"models/train.py:1": "1", "models/train.py:60": "2"} {
		dir := t.TempDir()
		write := func(optimizer, layers string) {
			for name, text := range map[string]string{"models/train.py": "state = create(" + optimizer + ")\nstep(state, batch)\n", "conf/large.yaml": "layers: " + layers + "\n"} {
				at := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
		}
		write("adam", "1")
		testfile.Commit(t, dir)
		write("clipped(adam)", layers)
		told, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
		if unknown != "" {
			t.Fatal(unknown)
		}
		p := changed("f", root(changes.KindCode, "new: 41 reduce", line("update", 60), kernel(line("update", 60), 64)))
		p.Variants[0].New.CallSite = line("main", 2)
		if c := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: told}, nil)[0]; fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line) != want {
			t.Errorf("%s layers: %s:%d, wanted %s", layers, c.Source.File, c.Source.Line, want)
		}
	}
}

// The gate's own files are never the place of a change.
func TestEditOfTheGatesFiles(t *testing.T) {
	for _, file := range []string{"models/xlagate.yaml", "models/.xlagate/cpu/f.yaml"} {
		p := changed("f", root(changes.KindCode, "other shapes", line("main", 3), kernel(line("norm", 20), 64)))
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, file, 99, 10)}, nil)
		if got := list[0].Source; got.File != "models/train.py" || got.Edited {
			t.Errorf("%s was edited: %+v", file, got)
		}
	}
}

// Whatever follows from one edited function is one change, in every variant, of whatever kind, and so is what is found there.
func TestOneEditIsOneChange(t *testing.T) {
	p := changed("f", root(changes.KindCode, "a dot is new", line("loss", 7), kernel(line("loss", 7), 4096)), root(changes.KindResults, "a result is new", line("main", 3), kernel(line("loss", 8), 64)))
	addVariant(p, "(x: f32[16])", root(changes.KindCode, "a tanh is new", line("loss", 12), kernel(line("loss", 12), 64)))
	found := []judgedFinding{finding("max-kernels", &changes.Cause{Source: line("loss", 30), Title: "s"})}
	found[0].Variant = "(x: f32[32])"
	list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 7, 8)}, found)
	if len(list) != 1 || list[0].Title != "a dot is new" || len(list[0].Details) != 2 || len(list[0].Findings) != 1 || len(list[0].Variants) != 3 {
		t.Errorf("%+v", list)
	}
}

// What differs away from the edited lines follows from the edit, unless it may be another compiler's doing.
func TestFollowsFromTheEdit(t *testing.T) {
	p := changed("f", root(changes.KindCode, "a dot is new", line("loss", 7), kernel(line("loss", 7), 4096)), root(changes.KindCode, "a tanh is gone", line("norm", 20), kernel(line("norm", 20), 64)))
	target := judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 7)}
	if list := changesOf(target, nil); len(list) != 1 || list[0].Source.Line != 7 || !slices.Equal(list[0].Details, []string{"a tanh is gone"}) {
		t.Errorf("%+v", list)
	}
	p.Variants[0].Compiler = []changes.FlagChange{{Name: "jax", Old: "0.9.0", New: "0.10.2"}}
	if list := changesOf(target, nil); len(list) != 2 {
		t.Errorf("with another compiler: %+v", list)
	}
}

// A finding that names its place by itself has the line as the repository has it.
func TestPlaceOfAFinding(t *testing.T) {
	found := []judgedFinding{finding("no-host-callback", &changes.Cause{Source: line("loss", 7), OpType: "PrintV2", Title: "s"})}
	list := changesOf(judgedTarget{Edits: edits(t, "models/train.py", 99, 7)}, found)
	if want := (result.Source{File: "models/train.py", Line: 7, Function: "loss", Text: "x7 = g7(x)", Edited: true}); len(list) != 1 || list[0].Source != want || list[0].OpName != "PrintV2" {
		t.Errorf("%+v", list)
	}
}

// Real pairs of programs, in which one line of one script was edited.
func TestRealEdits(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		line       int
		changes    int // without git
	}{
		{"gpu-fusion_barrier", changes.KindCode, 15, 1}, {"cpu-cse_lost", changes.KindCode, 123, 1}, {"cpu-extra_kernel", changes.KindCode, 99, 1}, {"cpu-f64_creep", changes.KindCode, 41, 1},
		{"cpu-unrolled_loop", changes.KindCode, 53, 1}, {"gpu-const_baked", changes.KindConstants, 77, 1}, {"gpu-fusion_intermediate_out", changes.KindResults, 130, 1},
		{"tpu-extra_transpose", changes.KindCode, 63, 1}, {"cpu-sharding_allgather", changes.KindSharding, 30, 1},
	} {
		measured := func(side string) *facts.Report {
			return factstest.Measure(t, filepath.Join("../changes/testdata", c.name+"-"+side+".tar.gz"), facts.Options{})
		}
		programs := changes.Compare(measured("before"), measured("after")).Programs
		list := changesOf(judgedTarget{Name: "t", Programs: programs}, nil)
		if len(list) != c.changes || list[0].Kind != c.kind || list[0].Source.Line != c.line || list[0].Source.Edited {
			t.Errorf("%s without git: %d changes, %s at %+v", c.name, len(list), list[0].Kind, list[0].Source)
		}
		told := changesOf(judgedTarget{Name: "t", Programs: programs, Edits: edits(t, "scripts/pairs.py", 200, c.line)}, nil)
		if len(told) != 1 || told[0].Kind != c.kind || told[0].Source.Line != c.line || !told[0].Source.Edited || told[0].Source.File != "scripts/pairs.py" || told[0].Source.Text == "" {
			t.Errorf("%s with git: %d changes, %s at %+v", c.name, len(told), told[0].Kind, told[0].Source)
		}
		if told[0].ID != list[0].ID {
			t.Errorf("%s has the id %s with git and %s without", c.name, told[0].ID, list[0].ID)
		}
		wholeOf(t, c.name, programs[0].Variants[0], list)
		wholeOf(t, c.name, programs[0].Variants[0], told)
	}
}

// A line is quoted only of the file that ran: the one whose lines are all where the dump names them.
func TestQuotedLine(t *testing.T) {
	source := "import jax\n\ndef norm(x):\n    # stable\n    return x / 2\n\ndef loss(x):\n    return norm(x) + 1\n"
	for what, c := range map[string]struct {
		traced []hlo.Location // lines that other operations pass through
		text   string
	}{
		"all lines are code of their functions": {[]hlo.Location{line("norm", 5)}, "return norm(x) + 1"},
		"of a function by its whole name":       {[]hlo.Location{line("Model.norm", 5)}, "return norm(x) + 1"},
		"one is in another function":            {[]hlo.Location{line("norm", 5), line("loss", 3)}, ""},
		"one is a comment":                      {[]hlo.Location{line("norm", 4)}, ""},
		"one is blank":                          {[]hlo.Location{line("norm", 6)}, ""},
		"one is behind the end":                 {[]hlo.Location{line("norm", 90)}, ""},
		"one is of a file elsewhere":            {[]hlo.Location{{File: "/opt/lib.py", Line: 90}}, "return norm(x) + 1"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "models/train.py")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(source), 0o600)); err != nil {
			t.Fatal(err)
		}
		testfile.Commit(t, dir)
		told, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
		if unknown != "" {
			t.Fatal(unknown)
		}
		p := changed("f", root(changes.KindCode, "an add is new", line("loss", 8)))
		for _, l := range c.traced {
			p.Variants[0].New.Kernels = append(p.Variants[0].New.Kernels, kernel(l, 64))
		}
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: told}, nil)
		if len(list) != 1 || list[0].Source.Text != c.text {
			t.Errorf("%s: %+v, wanted %q", what, list[0].Source, c.text)
		}
	}
}

// Of edited lines that kernels come from, those lead whose operations differ most, whatever else runs in the kernels of the others.
func TestLineWhoseOperationsDiffer(t *testing.T) {
	product, beside := line("attend", 20), line("attend", 21)
	cause := root(changes.KindCode, "dot: bf16 → f32", product, kernel(product, 64), kernel(beside, 1<<20))
	cause.Edits = []changes.Edit{
		{Stack: []hlo.Location{product}, Added: []changes.Step{{Opcode: "dot", Type: "f32", Count: 1}}},
		{Stack: []hlo.Location{beside}, Added: []changes.Step{{Opcode: "convert", Type: "bf16", Count: 1}}},
	}
	list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", cause)}, Edits: edits(t, "models/train.py", 99, 20, 21)}, nil)
	if len(list) != 1 || list[0].Source.Line != 20 {
		t.Errorf("%+v", list)
	}
}

// The line of what the title begins with leads, whatever the kernels of another line move; where that line was not edited, the other one does.
func TestLineOfWhatTheTitleBeginsWith(t *testing.T) {
	talks, beside := line("push", 20), line("push", 21)
	cause := root(changes.KindCode, "new: all-reduce, scatter", talks, kernel(talks, 64), kernel(beside, 1<<20))
	cause.Edits = []changes.Edit{
		{Stack: []hlo.Location{talks}, Added: []changes.Step{{Opcode: "all-reduce", Type: "f32", Count: 1}, {Opcode: "while", Count: 1}}},
		{Stack: []hlo.Location{beside}, Added: []changes.Step{{Opcode: "scatter", Type: "f32", Count: 9}, {Opcode: "while", Count: 1}}},
	}
	for _, edited := range [][]int{{20, 21}, {21}} {
		list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", cause)}, Edits: edits(t, "models/train.py", 99, edited...)}, nil)
		if len(list) != 1 || list[0].Source.Line != edited[0] {
			t.Errorf("of edits at %v: %+v", edited, list)
		}
	}
}

// Of edited lines whose kernels are priced, the one whose kernels take longest leads: a product, not what moves more.
func TestLineThatTakesLongest(t *testing.T) {
	product, moves := kernel(line("attend", 20), 64), kernel(line("attend", 21), 1<<20)
	product.Work[price.ProductF32], moves.Work[price.Far] = 1<<30, 1<<20
	p := changed("f", root(changes.KindCode, "new: dot, add", product.Source, product, moves))
	for name, want := range map[string]int{"cpu": 20, "": 21} {
		p.Variants[0].New.Device = price.Named(name)
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 20, 21)}, nil)
		if len(list) != 1 || list[0].Source.Line != want {
			t.Errorf("on %q: %+v", name, list)
		}
	}
}

// What follows a product does not make it larger: of two edits the one before it leads, although no operation of the model is on it but one that repeats rows.
func TestEditBeforeWhatGrew(t *testing.T) {
	measured := func(side string) *facts.Report {
		return factstest.Measure(t, filepath.Join("../../testdata/cases/cpu-rows_repeated", side+".tar.xz"), facts.Options{})
	}
	told := edits(t, "pairs.py", 1200, 1172, 1174)
	programs := changes.CompareEdited(measured("before"), measured("after"), inEdits(told)).Programs
	list := changesOf(judgedTarget{Programs: programs, Edits: told}, nil)
	if len(list) != 1 || list[0].Source.Line != 1172 || !strings.HasPrefix(list[0].Title, "2 products compute 4 times as much: ") {
		t.Errorf("%+v", list)
	}
}

// A line that uses what an edit binds is placed at the edit, although operations are on the edit too, and not at a new function that nothing calls.
func TestEditThatALineUses(t *testing.T) {
	const was = "def lookup(tables):\n    pooled = pool(tables).cast()\n    return exchange(pooled)\n\n\ndef loss(x):\n    return x\n"
	now := strings.Replace(was, ".cast()", "", 1) + "\n\ndef accuracy(x):\n    return x > 0\n"
	for opcode, edited := range map[string]bool{"all-to-all": true, "dynamic-slice": false} { // what a loop reads follows from what is computed elsewhere
		cause := root(changes.KindCode, "new: "+opcode, line("lookup", 3), kernel(line("lookup", 3), 64))
		cause.Edits = []changes.Edit{{Stack: []hlo.Location{line("lookup", 3)}, Added: []changes.Step{{Opcode: opcode, Type: "f32", Count: 1}}}}
		p := changed("f", cause)
		p.Variants[0].New.Kernels = append(p.Variants[0].New.Kernels, kernel(line("lookup", 2), 64))
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, was, was, now)}, nil)
		if len(list) != 1 || list[0].Source.Edited != edited || edited && list[0].Source.Line != 2 {
			t.Errorf("%s: %+v", opcode, list)
		}
	}
}

// A donation that is no longer asked for is placed where jit compiles the program, although its operations pass through the same edit, and another program is
// compiled in another way as well.
func TestEditOfDonationBesideOperations(t *testing.T) {
	const was, now = "x = 1\n@partial(jax.jit, donate_argnums=0)\ndef f(x, key):\n    y = x\n    return loss(y, key)\n", "x = 1\n@jax.jit\ndef f(x, rng):\n    y = x\n    return loss(y, rng)\n"
	dir := t.TempDir()
	for _, text := range []string{was, now} {
		for file, content := range map[string]string{"eval.py": strings.ReplaceAll(text, "def f", "def g"), "train.py": text} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if text == was {
			testfile.Commit(t, dir)
		}
	}
	told, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
	if unknown != "" {
		t.Fatal(unknown)
	}
	lost := root(changes.KindDonation, "no longer updated in place: x", line("main", 60), kernel(line("f", 5), 64))
	list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", lost)}, Edits: told}, nil)
	if len(list) != 1 || list[0].Source.File != "train.py" || list[0].Source.Line != 2 {
		t.Errorf("%+v", list)
	}
}

// An edited line without operations leads before the edited call of its function if the operations use what it binds.
func TestEditWithoutOperations(t *testing.T) {
	const source = "def gru(p, x):\n    w = p['w'].astype(x.dtype)\n    name = 'gru'\n    return x @ w\n\n\ndef apply(p, x):\n    y = gru(p, x)\n    return y\n"
	const cast, name, call = "    w = p['w'].astype(x.dtype)\n", "    name = 'gru'\n", "    return x @ w\n\n\ndef apply(p, x):\n    y = gru(p, x)\n"
	otherCall := strings.Replace(call, "y = gru(p, x)", "y = gru(p, x + 0)", 1)
	for now, want := range map[string]int{
		"    w = p['w']\n" + name + otherCall:    2,
		cast + "    name = 'cell'\n" + otherCall: 8,
		cast + "    name = 'cell'\n" + call:      3,
		cast + name + otherCall:                  8,
	} {
		cause := root(changes.KindCode, "dot: bf16 → f32", line("gru", 4))
		cause.Edits = []changes.Edit{{Stack: []hlo.Location{line("gru", 4), line("apply", 8)}, Added: []changes.Step{{Opcode: "dot", Type: "f32", Count: 1}}}}
		list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", cause)}, Edits: editsOfSource(t, source, cast+name+call, now)}, nil)
		if len(list) != 1 || list[0].Source.Line != want {
			t.Errorf("%q: %+v, wanted line %d", now, list, want)
		}
	}
}

// A title that begins with a call of the host is placed at the line that calls it, however much is new beside it.
func TestEditThatWaits(t *testing.T) {
	told, clip := line("loss", 20), line("loss", 21)
	cause := root(changes.KindCode, "a new host callback; new: 90 reduce", clip)
	cause.Edits = []changes.Edit{
		{Stack: []hlo.Location{clip}, Added: []changes.Step{{Opcode: "reduce", Type: "f32", Count: 90}}},
		{Stack: []hlo.Location{told}, Added: []changes.Step{{Opcode: "xla_ffi_python_cpu_callback", Count: 1}}},
	}
	list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", cause)}, Edits: edits(t, "models/train.py", 99, 20, 21)}, nil)
	if len(list) != 1 || list[0].Source.Line != 20 {
		t.Errorf("%+v", list)
	}
}

// What a program computes is not placed at an edited option of jit, above the function that it passes through.
func TestCodeBesideAnOptionOfJit(t *testing.T) {
	const source = "@partial(\n    jax.jit,\n    donate_argnums=(0, 1),\n)\ndef step(x):\n    return grad(loss)(x)\n\n\ndef loss(x):\n    return x\n\n\ndef body(x):\n    return x\n"
	const was, now = "(0, 1),\n)\ndef step(x):\n    return grad(loss)(x)\n\n\ndef loss(x):\n    return x\n\n\ndef body(x):\n", "(0,),\n)\ndef step(x):\n    return grad(loss)(x)\n\n\ndef loss(x):\n    return x\n\n\ndef body(x):\n    print(x)\n"
	forward, backward := root(changes.KindCode, "a new host callback", line("body", 14)), root(changes.KindCode, "16 new host callbacks", line("loss", 10))
	forward.Edits = []changes.Edit{{Stack: []hlo.Location{line("body", 14), line("loss", 10), line("step", 6)}}}
	backward.Edits = []changes.Edit{{Stack: []hlo.Location{line("loss", 10), line("step", 6)}}}
	lost := root(changes.KindDonation, "no longer updated in place: y", line("main", 60))
	list := changesOf(judgedTarget{Programs: []*changes.Program{changed("step", forward, backward, lost)}, Edits: editsOfSource(t, source, was, now)}, nil)
	if len(list) != 2 || list[0].Source.Line != 14 || list[1].Source.Line != 3 || list[1].Kind != changes.KindDonation || len(list[1].Details) > 0 {
		t.Errorf("%+v", list)
	}
}

// Other arguments are placed at an edit outside of the functions that compute, and what such a function no longer computes at its own edit.
func TestEditOfArguments(t *testing.T) {
	const source = "def step(x):\n    told = {'loss': x, 'norm': norm(x)}\n    return told\n\n\nclass Config:\n    width = 8\n"
	const was, now = "'norm': norm(x)}\n    return told\n\n\nclass Config:\n    width = 8", "}\n    return told\n\n\nclass Config:\n    width = 6"
	for _, c := range []struct {
		was, now string
		want     []int
	}{{was, now, []int{2, 7}}, {"width = 8", "width = 6", []int{7}}, {"'norm': norm(x)", "", []int{2}}} {
		gone := root(changes.KindCode, "gone: reduce", line("step", 3))
		gone.Edits = []changes.Edit{{Stack: []hlo.Location{line("step", 3)}, Removed: []changes.Step{{Opcode: "reduce", Count: 1}}}}
		p := changed("step", root(changes.KindArguments, "w: f32[8] → f32[6]", line("main", 60)), gone)
		p.Variants[0].New.Kernels = []facts.Kernel{kernel(line("step", 3), 64)}
		var got []int
		for _, change := range changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, source, c.was, c.now)}, nil) {
			got = append(got, change.Source.Line)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: lines %v, wanted %v", c.now, got, c.want)
		}
	}
}

// A program that is compiled again because it computes something else is placed at the edited line that does so; because of a value, at the call.
func TestEditThatMakesAnotherCompilation(t *testing.T) {
	for opcode, want := range map[string]int{"slice": 20, "constant": 60} {
		p := changed("f")
		p.Old.Variants = []*facts.Variant{{Signature: signature}}
		again := &facts.Variant{Signature: "(x: f32[16])"}
		again.CallSite, again.Differing = line("main", 60), []facts.Op{{Opcode: opcode, Source: line("crop", 20)}}
		p.New.Variants = append(p.New.Variants, again)
		p.Variants = append(p.Variants, &changes.Variant{New: again})
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 20, 60)}, nil)
		if len(list) != 1 || list[0].Source.Line != want {
			t.Errorf("%s: %+v, wanted line %d", opcode, list, want)
		}
	}
}

// One more compilation for a static value is placed where jit compiles the program, not at the call or where jit compiles another one. With an argument of another
// shape it is placed at the call. What else an edit of the call did is one change with it.
func TestEditOfStaticArguments(t *testing.T) {
	const was = "g = jax.jit(other)\n\nf = jax.jit(step)\n\ndef main():\n    print(f(x, 1))\n"
	now := strings.NewReplacer("jit(other)", "jit(other, donate_argnums=0)", "jit(step)", "jit(step, static_argnums=1)", "f(x, 1)", "f(x, 2)").Replace(was)
	told := editsOfSource(t, was, was, now)
	for name, want := range map[string]int{"": 3, "x": 6} {
		p := changed("f", root(changes.KindCode, "gone: subtract", line("main", 6)))
		p.Old.Variants = []*facts.Variant{{Signature: signature}}
		p.Recompile = []changes.ArgumentChange{{Name: name, Kind: "shape", Values: []string{"f32[1]", "f32[2]"}}}
		again := &facts.Variant{Signature: "(x: f32[16])"}
		again.CallSite = line("main", 6)
		p.New.Variants = append(p.New.Variants, again)
		p.Variants = append(p.Variants, &changes.Variant{New: again})
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: told}, nil)
		if len(list) != 1 || list[0].Source.Line != want || !strings.HasPrefix(list[0].Title, "compiled again") {
			t.Errorf("%q: %+v, wanted line %d", name, list, want)
		}
	}
}

// One more compilation is placed at the edited line that makes the argument that it has besides.
func TestEditThatMakesAnArgument(t *testing.T) {
	p := changed("f")
	x := facts.Parameter{Name: "x", Shape: "f32[8]"}
	old, again := &facts.Variant{Signature: signature}, &facts.Variant{Signature: "(x: f32[8], p1: f32[])"}
	old.Params = []facts.Parameter{x}
	again.Params, again.CallSite = []facts.Parameter{x, {Name: "p1", Shape: "f32[]", Source: line("update", 20)}}, line("main", 60)
	p.Old.Variants, p.New.Variants = []*facts.Variant{old}, []*facts.Variant{old, again}
	p.Variants = append(p.Variants, &changes.Variant{New: again})
	list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 10, 20)}, nil)
	if len(list) != 1 || list[0].Source.Line != 20 {
		t.Errorf("%+v", list)
	}
}

// What is gone from a function is placed at the edit of that function: the lines that it was on are not known.
func TestEditOfWhatIsGone(t *testing.T) {
	const source = "def step(x):\n    y = f(x)\n    told = {'loss': y, 'norm': norm(y)}\n    return y, told\n\n\ndef main():\n    print(step(1))\n"
	gone := root(changes.KindCode, "gone: sqrt", line("main", 8))
	gone.Edits = []changes.Edit{{Within: "step", Removed: []changes.Step{{Opcode: "sqrt", Count: 1}}}}
	for now, want := range map[string]int{"{'loss': y}": 3, "{'loss': y, 'norm': norm(y)}  # all": 8} {
		p := changed("step", gone, root(changes.KindResults, "1 result is gone: f32[]", line("mlp", 19)))
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, source, "{'loss': y, 'norm': norm(y)}", now)}, nil)
		if want == 3 && (len(list) != 1 || list[0].Source.Line != 3 || !list[0].Source.Edited) {
			t.Errorf("%s: %+v, wanted one change at line 3", now, list)
		}
		if want == 8 && (len(list) != 2 || list[0].Source.Edited || list[1].Source.Edited) {
			t.Errorf("%s: %+v, wanted no edited line", now, list)
		}
	}
}

// What is gone from a function stands at the edit that computed it; else at one that returns before it, also of a function around it. A check that fails is no edit.
func TestEditThatComputedWhatIsGone(t *testing.T) {
	const source = "import jax\n\n\n\ndef step(x):\n    a = x\n    b = f(x)\n    c = 1\n    y = a * b\n    return jax.tree.map(lambda g: g * y, x)\n\n\ndef main():\n    print(step(1))\n"
	for what, c := range map[string]struct {
		within, old, now string
		line             int
	}{
		"computed":             {"step", "    a = x\n    b = f(x)\n    c = 1\n    y = a * b", "    a = x + 1\n    b = f(x)\n    c = 1\n    y = a", 9},
		"returned before":      {"step", "    c = 1\n", "    c = 1\n    if c:\n        return x\n", 9},
		"around it":            {"step.<locals>.<lambda>", "    c = 1\n", "    c = 1\n    if c:\n        return x\n", 9},
		"only a check came in": {"step", "    c = 1\n", "    c = 1\n    if c:\n        raise ValueError(c)\n", 14},
	} {
		gone := root(changes.KindCode, "gone: multiply", line("main", 14))
		gone.Edits = []changes.Edit{{Within: c.within, Removed: []changes.Step{{Opcode: "multiply", Count: 1}}}}
		p := changed("step", gone)
		p.Variants[0].New.Kernels = []facts.Kernel{kernel(line("main", 14), 64)}
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, source, c.old, c.now)}, nil)
		if len(list) != 1 || list[0].Source.Line != c.line || list[0].Source.Edited != (c.line != 14) {
			t.Errorf("%s: %+v, wanted line %d", what, list, c.line)
		}
	}
}

// All that is in 64 bits is one change at the line that switches them on, also where other edited lines compute in them.
func TestSwitchTo64Bits(t *testing.T) {
	const source = "config.update('jax_enable_x64', False)\n\n\ndef step(x):\n    return f(x)\n\n\ndef main():\n    print(step(1))\n"
	told := editsOfSource(t, strings.Replace(source, "f(x)", "g(x)", 1), strings.Replace(source, "f(x)", "g(x)", 1), strings.Replace(source, "False", "True", 1))
	wide := root(changes.KindCode, "dot: f32 → f64", line("step", 5), kernel(line("step", 5), 64))
	wide.Edits = []changes.Edit{{Source: line("step", 5), Stack: []hlo.Location{line("step", 5)}, Added: []changes.Step{{Opcode: "dot", Type: "f64", Count: 1}}}}
	p := changed("step", wide, root(changes.KindArguments, "x: f32 → f64", line("main", 9)))
	p.Variants[0].New.Facts["dtypes.f64"] = 3
	list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: told}, nil)
	if len(list) != 1 || list[0].Source.Line != 1 || !list[0].Source.Edited {
		t.Errorf("%+v, wanted one change at line 1", list)
	}
	for line, want := range map[string]int{"h(x, 64)": 1, "h(x, float64)": 5} { // a size is no type
		source := strings.Replace(source, "f(x)", "g(x)", 1)
		asked := editsOfSource(t, source, source, strings.Replace(strings.Replace(source, "False", "True", 1), "g(x)", line, 1))
		list = changesOf(judgedTarget{Programs: []*changes.Program{changed("step", wide)}, Edits: asked}, nil)
		if len(list) != 1 || list[0].Source.Line != want {
			t.Errorf("%s: %+v, wanted line %d", line, list, want)
		}
	}
	moved := editsOfSource(t, "config.update('jax_enable_x64', True)\n\n\ndef step(x):\n    return g(x)\n", "config.update('jax_enable_x64', True)\n\n\ndef step(x):\n    return g(x)\n", "config.update('jax_enable_x64', False)\n\n\ndef step(x):\n    return f(x)\n")
	list = changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: moved}, nil)
	if !slices.ContainsFunc(list, func(c result.Change) bool { return c.Title == "dot: f32 → f64" && c.Source.Line == 5 }) {
		t.Errorf("where they are switched off: %+v, wanted the dot at line 5", list)
	}
	wide.Edits[0].Added[0].Type = "f32"
	list = changesOf(judgedTarget{Programs: []*changes.Program{changed("step", wide)}, Edits: told}, nil)
	if len(list) != 1 || list[0].Source.Line != 5 {
		t.Errorf("in 32 bits: %+v, wanted line 5", list)
	}
}

// TensorFlow names a function without the one around it. The lines of both are one edit.
func TestEditOfAnInnerFunction(t *testing.T) {
	const source = "def penalty(x):\n    return g(x)\n"
	told := editsOfSource(t, source, "    return g(x)\n", "    def one(y):\n        return g(y)\n\n    return map_fn(one, x)\n")
	p := changed("step", root(changes.KindCode, "a loop is new", line("penalty", 5)), root(changes.KindCode, "new: pad", line("one", 3)))
	if list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: told}, nil); len(list) != 1 {
		t.Errorf("%+v, wanted one change", list)
	}
}

// What a program returns in another shape is why another one takes it so: both are one change.
func TestResultThatAnotherProgramTakes(t *testing.T) {
	for taken, want := range map[string]int{"f32[2,64]": 1, "f32[3,64]": 2} {
		init := changed("init", root(changes.KindResults, "the result f32[1,64] is now f32[2,64]", line("init", 3)))
		init.Variants[0].Old.Result, init.Variants[0].New.Result = "f32[1,64]", "f32[2,64]"
		step := changed("step", root(changes.KindArguments, "state: f32[1,64] → "+taken, hlo.Location{}))
		step.Variants[0].Old.Params, step.Variants[0].New.Params = []facts.Parameter{{Name: "state", Shape: "f32[1,64]"}}, []facts.Parameter{{Name: "state", Shape: taken}}
		if list := changesOf(judgedTarget{Programs: []*changes.Program{init, step}}, nil); len(list) != want {
			t.Errorf("%s: %d changes, wanted %d: %s", taken, len(list), want, titles(list))
		}
	}
}

// What a program computes in the type that an argument has now follows from the argument.
func TestTypeOfAnArgument(t *testing.T) {
	for computed, want := range map[string]string{"f32": "mu: bf16[8] → f32[8]", "f64": "add: bf16 → f64; mu: bf16[8] → f32[8]"} {
		follows := root(changes.KindCode, "add: bf16 → "+computed, line("update", 7))
		follows.Edits = []changes.Edit{{Added: []changes.Step{{Opcode: "add", Type: computed, Count: 1}}, Removed: []changes.Step{{Opcode: "add", Type: "bf16", Count: 1}}}}
		p := changed("step", root(changes.KindArguments, "mu: bf16[8] → f32[8]", hlo.Location{}), follows)
		other := facts.Parameter{Name: "params", Shape: "bf16[512]", Bytes: 1024}
		p.Variants[0].Old.Params = []facts.Parameter{other, {Name: "mu", Shape: "bf16[8]", Bytes: 16}}
		p.Variants[0].New.Params = []facts.Parameter{other, {Name: "mu", Shape: "f32[8]", Bytes: 32}}
		if list := changesOf(judgedTarget{Programs: []*changes.Program{p}}, nil); titles(list) != want {
			t.Errorf("%s: %s, wanted %s", computed, titles(list), want)
		}
	}
}

// Operations that are gone, and those that only have another type, follow from the edit that operations pass through, not from an edit of the same file that may not
// even run. Operations that came do not.
func TestEditThatOperationsPassThrough(t *testing.T) {
	const source = "def loss(x):\n    return x\n\n\ndef other(x):\n    return x\n"
	add := func(dtype string) []changes.Step { return []changes.Step{{Opcode: "add", Type: dtype, Count: 1}} }
	for want, e := range map[string][]changes.Edit{
		"models/train.py:2":                    {{Removed: add("f32")}},
		"models/train.py:2 ":                   {{Removed: add("f32"), Added: add("bf16")}},
		"models/train.py:2, models/train.py:6": {{Added: add("f32")}},
	} {
		told := editsOfSource(t, source, "    return x\n\n\ndef other(x):\n    return x\n", "    return x + 1\n\n\ndef other(x):\n    return x - 1\n")
		second := root(changes.KindCode, "what differs besides", hlo.Location{})
		second.Edits = e
		p := changed("loss", root(changes.KindCode, "a product is new", line("loss", 2), kernel(line("loss", 2), 64)), second)
		var at []string
		for _, c := range changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: told}, nil) {
			at = append(at, fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line))
		}
		if got := strings.Join(at, ", "); got != strings.TrimSpace(want) {
			t.Errorf("%+v: %s, wanted %s", e, got, want)
		}
	}
}

// Of edits that no operation passes through, the place of operations that are gone is one that sets a name which the cause's line uses. Another float leaves the
// operations as they are.
func TestEditOfASetting(t *testing.T) {
	const source = "%s\n\n\nSTEPS = 6\n\n\ndef loss(x):\n    return x * STEPS + EPS + DEPTH\n"
	for first, want := range map[string]string{"EPS = 1e-6": "models/train.py:4", "WIDTH = 1": "models/train.py:4", "DEPTH = 1": "models/train.py:1"} {
		was := fmt.Sprintf(source, first)
		now := strings.NewReplacer("1e-6", "1e-5", "= 1\n", "= 2\n", "STEPS = 6", "STEPS = 5").Replace(was)
		gone := root(changes.KindCode, "gone: 4 dot", line("loss", 8))
		gone.Edits = []changes.Edit{{Removed: []changes.Step{{Opcode: "dot", Type: "f32", Count: 4}}}}
		p := changed("loss", gone)
		p.Variants[0].New.Kernels = []facts.Kernel{kernel(line("loss", 8), 64)}
		c := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: editsOfSource(t, was, was, now)}, nil)[0]
		if got := fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line); got != want {
			t.Errorf("%s: %s, wanted %s", first, got, want)
		}
	}
}

// What jax.checkpoint newly computes again stands at the line that sets it, not at one that its operations pass through. The head of a class is no place beside another.
func TestEditOfACheckpoint(t *testing.T) {
	const source = "class Config:\n    width = 1\n    remat = False\n\n\ndef loss(x):\n    return x * 2\n"
	again := func(scope string, at hlo.Location) facts.Statement {
		return facts.Statement{Scope: scope, Type: "f32", Do: []string{"dot", "tanh"}, OpName: scope + "/tanh", Source: at, Stacks: []*facts.Stack{{Location: at}}}
	}
	const forward, rematted = "jit(f)/jvp()", "jit(f)/transpose(jvp())/checkpoint/rematted_computation"
	old, fresh := &facts.Variant{Signature: "()"}, &facts.Variant{Signature: "()"}
	old.Model = []facts.Statement{again(forward, line("loss", 7))}
	fresh.Model = []facts.Statement{again(forward, line("loss", 7)), again(rematted, line("loss", 7))}
	fresh.Kernels = []facts.Kernel{kernel(line("loss", 7), 64)}
	was := strings.Replace(source, "* 2", "* 2.0", 1)
	told := editsOfSource(t, was, was, strings.NewReplacer("remat = False", "remat = True", "Config:", "Config(Base):", "* 2.0", "* 2").Replace(was))
	dumped := func(v *facts.Variant) *facts.Report {
		return &facts.Report{Programs: []*facts.Program{{Name: "f", Variants: []*facts.Variant{v}}}}
	}
	report := changes.CompareEdited(dumped(old), dumped(fresh), inEdits(told))
	list := changesOf(judgedTarget{Programs: report.Programs, Edits: told}, nil)
	if len(list) != 1 || list[0].Source.Line != 3 || list[0].Title != "rematerialized for the backward pass: dot, tanh" {
		t.Errorf("%+v", list)
	}
}
