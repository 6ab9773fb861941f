package tensorflow

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/testfile"
)

// log is a real log of package logs.
func log(t *testing.T, name string) *dump.File {
	t.Helper()
	return dump.InMemory(name+".log", testfile.Unpack(t, "../logs/testdata/"+name+".txt.gz"))
}

// told is what a log says, in one line for each kind: programs that were compiled, retraces, notes by kind, cuts of PyTorch/XLA.
func told(l *Logs) string {
	var lines []string
	compiles := 0
	for _, n := range l.Compiles {
		compiles += n
	}
	lines = append(lines, fmt.Sprintf("%d compiles of %d programs", compiles, len(l.Compiles)))
	if len(l.Misses) > 0 {
		lines = append(lines, fmt.Sprintf("%d misses", len(l.Misses)))
	}
	notes := map[string]int{}
	for _, n := range l.Notes {
		notes[string(n.Kind)]++
	}
	for _, kind := range slices.Sorted(maps.Keys(notes)) {
		lines = append(lines, fmt.Sprintf("%d %s", notes[kind], kind))
	}
	if len(l.GraphBreaks) > 0 {
		lines = append(lines, fmt.Sprintf("%d cuts", len(l.GraphBreaks)))
	}
	return strings.Join(lines, ", ")
}

// Every kind of line in the real logs of JAX, TensorFlow and PyTorch/XLA is counted.
func TestWhatLogsTell(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"jax-0.10.2-cache-1", "1 compiles of 1 programs, 1 compile-time"},
		{"jax-0.10.2-cache-2", "1 compiles of 1 programs, 1 compile-time"},
		{"jax-0.10.2-explain", "12 compiles of 3 programs, 7 misses, 12 compile-time"},
		{"jax-0.10.2-jit_in_loop", "4 compiles of 1 programs, 3 misses, 4 compile-time"},
		{"jax-0.10.2-remat", "0 compiles of 0 programs, 1 involuntary-remat"},
		{"jax-0.10.2-several", "0 compiles of 0 programs"},
		{"jax-0.10.2-spills", "0 compiles of 0 programs, 1 spill"},
		{"jax-0.4.30-misses", "28 compiles of 11 programs, 17 misses, 28 compile-time"},
		{"jax-0.4.35-cache-2", "1 compiles of 1 programs, 1 compile-time"},
		{"jax-0.6.2-misses", "28 compiles of 11 programs, 17 misses, 28 compile-time"},
		{"tf-compiles-tf221", "4 compiles of 1 programs, 4 compile-time"},
		{"tf-errors-tf212", "0 compiles of 0 programs, 5 uncompilable-op"},
		{"tf-errors-tf221", "0 compiles of 0 programs, 4 uncompilable-op"},
		{"tf-several-tf221", "0 compiles of 0 programs, 1 uncompilable-op"},
		{"tf-vlog-tf221", "3 compiles of 3 programs, 3 compile-time"},
		{"torch-metrics", "2 compiles of 1 programs, 1 compile-time"},
		{"torch-reasons", "3 compiles of 1 programs, 3 cuts"},
		{"torch-save_tensors", "2 compiles of 1 programs"},
		{"torch-several", "0 compiles of 0 programs"},
	} {
		f := Read(nil, []*dump.File{log(t, c.name)}, []string{"module_0001.main.1"})
		if got := told(f.Logs); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.name, got, c.want)
		}
	}
}

// What ended a run is a problem, which says where, and what was lost by it: all where nothing was compiled, else what was being compiled.
func TestFailuresInLogs(t *testing.T) {
	const unequal = "TypeError at jaxfail2.py:3 in layer: dot_general requires contracting dimensions to have the same shape, got (4,) and (5,)"
	const traced = "TracerBoolConversionError while JAX traces train_step at jaxfail.py:11: Attempted boolean conversion of traced array with shape bool[]"
	const memory = "RuntimeError at compile.py:13: Error preparing computation: Out of memory allocating 8796093022208 bytes"
	const product = "RuntimeError at shape.py:4 in step: mm(): cannot matrix-multiply tensors f32[4,8] and f32[4,8]"
	const nothing, lost = "; nothing was compiled", "; what it ended was not compiled"
	for _, c := range []struct{ name, without, with string }{ // without and with modules
		{"jax-0.10.2-failed-shapes", unequal + nothing, unequal + lost},
		{"jax-0.10.2-failed-tracing", traced + nothing, traced + lost},
		{"torch-failed-memory", memory + nothing, memory + lost},
		{"torch-failed-shapes", product + nothing, product + lost},
		{"tf-failed-running-tf221", "InvalidArgumentError at hvd.py:25 in train_step: Trying to access resource w/1 (defined @ /srv/app/hvd.py:4) located in device " +
			"/job:localhost/replica:0/task:0/device:CPU:0 from device /job:localhost/replica:0/task:0/device:CPU:1" + nothing, ""},
		{"tf-errors-tf221", "", ""}, // operations that XLA cannot compile
	} {
		for modules, want := range map[string]string{"": c.without, "module_0001.main.1": c.with} {
			var got []string
			for _, p := range Read(nil, []*dump.File{log(t, c.name)}, strings.Fields(modules)).Problems {
				got = append(got, p.Message)
			}
			if strings.Join(got, "\n") != want {
				t.Errorf("%s, modules %q: %q, wanted %q", c.name, modules, got, want)
			}
		}
	}
}

// For each operation that XLA could not compile there is one note, with the line if any repetition of the error names it.
func TestUncompilableOnce(t *testing.T) {
	const both = "load _Arg s06_errors.py:72; python_call EagerPyFunc s06_errors.py:20; strings AsString s06_errors.py:25; printing StringFormat s06_errors.py:45"
	for name, want := range map[string]string{
		"tf-errors-tf212": both + "; while_TensorArrayV2Write_cond_true_180 TensorListResize s06_errors.py:64", "tf-errors-tf221": both,
	} {
		l := Read(nil, []*dump.File{log(t, name), log(t, name)}, nil).Logs
		var got []string
		for _, n := range l.Uncompilable() {
			got = append(got, fmt.Sprintf("%s %s %s:%d", n.Program, n.Op, path.Base(n.Where.File), n.Where.Line))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q", name, got)
		}
		for i := range l.Notes { // the first repetition names no line
			if l.Notes[i].Op == "AsString" {
				l.Notes[i].Where = hlo.Location{}
				break
			}
		}
		if again := l.Uncompilable(); len(again) != len(got) || again[2].Where.Line != 25 {
			t.Errorf("%s: %v", name, again)
		}
	}
	if notes := (*Logs)(nil).Uncompilable(); notes != nil {
		t.Errorf("no log has %v", notes)
	}
}

// Counters say how often PyTorch/XLA compiled where a log has them; else the graphs that it names do.
func TestGraphsAndCounters(t *testing.T) {
	for names, want := range map[string]struct {
		compiles, cuts int
		counters       bool
	}{
		"torch-reasons": {3, 3, false}, "torch-metrics": {2, 0, true}, "torch-reasons torch-metrics": {2, 3, true}, "torch-metrics torch-reasons": {2, 3, true},
		"torch-save_tensors": {2, 0, false}, "torch-reasons torch-reasons": {3, 6, false}, "jax-0.10.2-spills": {0, 0, false},
	} {
		var files []*dump.File
		for _, name := range strings.Fields(names) {
			files = append(files, log(t, name))
		}
		l := Read(nil, files, nil).Logs
		if l.Compiles[NamelessGraph] != want.compiles || len(l.GraphBreaks) != want.cuts || l.Metrics != want.counters {
			t.Errorf("%s: %v, counters %v, cuts %v", names, l.Compiles, l.Metrics, l.GraphBreaks)
		}
		for _, cut := range l.GraphBreaks {
			if cut.Reason == "" || path.Base(cut.Where.File) != "torch_rows.py" || cut.Inputs == 0 {
				t.Errorf("%s: %+v", names, cut)
			}
		}
	}
}

// A log that cannot be read is a problem, which names the file once.
func TestUnreadableLog(t *testing.T) {
	f := dump.FileAt(path.Join(t.TempDir(), "gone.log"), 1<<20)
	if p := Read(nil, []*dump.File{f}, nil).Problems; len(p) == 0 || p[0].File != f.Path || strings.Contains(p[0].Message, f.Path) {
		t.Errorf("%v", p)
	}
	if got := dump.Reason(&fs.PathError{Op: "open", Path: "/a/b", Err: fs.ErrNotExist}); got != "file does not exist" {
		t.Error(got)
	}
}

// The place of a collective is what it separates.
func TestPlaceOfACollective(t *testing.T) {
	for want, c := range map[string]Collective{
		"": {}, "behind f": {From: []string{"f"}}, "before g and h": {To: []string{"g", "h"}}, "between f and g": {From: []string{"f"}, To: []string{"g"}},
	} {
		if got := c.Place(); got != want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Functions are called in module names as XLA spells them.
func TestModuleName(t *testing.T) {
	for in, want := range map[string]string{
		"__inference_<lambda>_15": "a_inference__lambda__15", "__inference_step_41": "a_inference_step_41", "cluster_0": "cluster_0", "a/b": "a_b",
	} {
		if got := ModuleName(in); got != want {
			t.Errorf("%s is %s", in, got)
		}
	}
}
