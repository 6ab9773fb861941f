package logs

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/testfile"
)

// sample reads one of the compressed logs in testdata.
func sample(t testing.TB, name string) []byte { return testfile.Unpack(t, "testdata/"+name+".txt.gz") }

// counts writes how many events of each kind there are.
func counts(events []Event) string {
	n := map[Kind]int{}
	for _, e := range events {
		n[e.Kind]++
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		out = append(out, fmt.Sprintf("%s %d", k, n[k]))
	}
	return strings.Join(out, ", ")
}

func of(events []Event, kind Kind) []Event {
	var out []Event
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

func TestRead(t *testing.T) {
	for name, want := range map[string]string{
		"jax-0.4.20-explain":     "compile 12",
		"jax-0.4.30-misses":      "compile 28, retrace 17",
		"jax-0.4.35-explain":     "compile 12, retrace 7",
		"jax-0.6.2-explain":      "compile 12, retrace 7",
		"jax-0.6.2-misses":       "compile 28, retrace 17",
		"jax-0.10.2-explain":     "compile 12, retrace 7",
		"jax-0.10.2-shapes":      "compile 3, retrace 2",
		"jax-0.10.2-static_args": "compile 4, retrace 3",
		"jax-0.10.2-weak_types":  "compile 7, retrace 4",
		"jax-0.10.2-jit_in_loop": "compile 4, retrace 3",
		"jax-0.4.35-cache-1":     "compile 1",
		"jax-0.4.35-cache-2":     "compile 1",
		"jax-0.6.2-cache-1":      "compile 1",
		"jax-0.6.2-cache-2":      "compile 1",
		"jax-0.10.2-cache-1":     "compile 1",
		"jax-0.10.2-cache-2":     "compile 1",
		"jax-0.4.35-remat":       "involuntary-remat 2",
		"jax-0.6.2-remat":        "involuntary-remat 1",
		"jax-0.10.2-remat":       "involuntary-remat 1",
		"jax-0.10.2-spills":      "spill 1",
		"tf-errors-tf212":        "uncompilable-op 5",
		"tf-errors-tf221":        "uncompilable-op 4",
		"tf-vlog-tf212":          "compile 3, left-out 29",
		"tf-vlog-tf221":          "compile 3, left-out 29",
		"tf-compiles-tf221":      "compile 4",
		"torch-metrics":          "compile-time 1, compiles 1, metrics 1",
		"torch-save_tensors":     "graph 3",
		"torch-reasons":          "graph 3",
	} {
		if got := counts(Read(sample(t, name))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// An argument is named as a call names it.
func TestArgument(t *testing.T) {
	for path, want := range map[string]string{"x": "x", "input path [0][1]['w']": "argument 1['w']", "input path [1]['beta']": "argument beta", "input path [1]['params']['w']": "argument params['w']"} {
		if got := argument(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Of two values of a class, the fields that differ are told.
func TestUnlike(t *testing.T) {
	for _, c := range [][4]string{
		{"2", "3", "2", "3"},
		{"'relu'", "'gelu'", "'relu'", "'gelu'"},
		{"Config(dim=64, lr=0.1, seed=0)", "Config(dim=64, lr=0.2, seed=0)", "Config(…, lr=0.1, …)", "Config(…, lr=0.2, …)"},
		{"Config(dim=64, lr=0.1)", "Config(dim=64, lr=0.25)", "Config(…, lr=0.1)", "Config(…, lr=0.25)"},
		{"Config(dim=64, lr=0.1)", "Config(dim=32, lr=0.1)", "Config(dim=64, …)", "Config(dim=32, …)"},
		{"Config(dim=64)", "Config(dim=32)", "Config(dim=64)", "Config(dim=32)"},
		{"A(x=1)", "B(x=1)", "A(x=1)", "B(x=1)"},
		{"A(x=1)", "A(x=1, y=2)", "A(…)", "A(…, y=2)"},
		{"A(x=1)", "A(x=1)", "A(x=1)", "A(x=1)"},
		{"Config(dims=(64, 128), lr=0.1)", "Config(dims=(64, 256), lr=0.1)", "Config(dims=(64, 128), …)", "Config(dims=(64, 256), …)"},
		{"Model(name='a, b', at=At(x=1, y=2))", "Model(name='a, b', at=At(x=1, y=3))", "Model(…, at=At(x=1, y=2))", "Model(…, at=At(x=1, y=3))"},
		{"A(x=1, y=2)", "A(y=2)", "A(x=1, …)", "A(…)"},
		{"A(a=1, b=2", "A(a=1, b=3", "A(a=1, b=2", "A(a=1, b=3"},
		{"[(1, 2), (3, 4)]", "[(1, 2), (3, 5)]", "[(1, 2), (3, 4)]", "[(1, 2), (3, 5)]"},
		{"'f(a, b)'", "'f(a, c)'", "'f(a, b)'", "'f(a, c)'"},
		{"", "A()", "", "A()"},
		{"A(", "A(x=1)", "A(", "A(x=1)"},
	} {
		if was, is := unlike(c[0], c[1]); was != c[2] || is != c[3] {
			t.Errorf("%s, %s: %s, %s, want %s, %s", c[0], c[1], was, is, c[2], c[3])
		}
	}
}

// Each version explains a retrace in its own words, which are kept.
func TestRetraceReasons(t *testing.T) {
	for version, want := range map[string][]string{
		"0.4.35": {"at x, seen f32[2,4], but now given f32[3,4]", "JAX gave no reason"},
		"0.6.2":  {"x: f32[2,4] → f32[3,4]", "now 3 and before 2"},
		"0.10.2": {"x: f32[2,4] → f32[3,4]", "static argument 1: 2 → 3"},
	} {
		got := of(Read(sample(t, "jax-"+version+"-explain")), Retrace)
		first := got[0]
		if first.Program != "predict" || first.Text != want[0] || first.Where != (Location{File: "/srv/mdl/recomp.py", Line: 16, Column: 4, Function: "<module>"}) {
			t.Errorf("%s: %+v", version, first)
		}
		if got[2].Program != "power" || !strings.HasPrefix(got[2].Text, want[1]) {
			t.Errorf("%s: %+v", version, got[2])
		}
		if again := got[3]; again.Program != "<lambda>" || !strings.Contains(again.Text, "defined anew") {
			t.Errorf("%s: %+v", version, again)
		}
	}
	weak := of(Read(sample(t, "jax-0.10.2-weak_types")), Retrace)[1]
	if weak.Text != "s: one call passes a Python number or a value of its weak type, another an array of type f32[]" {
		t.Errorf("%+v", weak)
	}
}

// JAX before 0.5 names functions by where they are. Whatever the version says, the function and the line of its call are read.
func TestMissesOfOlderVersions(t *testing.T) {
	was := map[string]map[int]string{
		"0.4.30": {
			34: "train_step: at x, seen f32[4,8], but now given f32[8,8]; at y, seen f32[4,4], but now given f32[8,4]",
			67: "apply: at x, seen f32[2,8], but now given f32[3,8]",
			74: "<unnamed wrapped function>: at x, seen f32[4], but now given f32[5]",
			82: "mixed: JAX gave no reason",
		},
		"0.6.2": {
			34: "train_step: x: f32[4,8] → f32[8,8]; y: f32[4,4] → f32[8,4]",
			74: "shifted: x: f32[4] → f32[5]",
			87: "product: key with different tracing context, e.g. due to config or context manager",
		},
	}
	for version, want := range was {
		got := map[int]string{}
		for _, e := range of(Read(sample(t, "jax-"+version+"-misses")), Retrace) {
			got[e.Where.Line] = e.Program + ": " + e.Text
		}
		for line, text := range want {
			if !strings.HasPrefix(got[line], text) {
				t.Errorf("%s, line %d:\n%s, want\n%s", version, line, got[line], text)
			}
		}
	}
}

func TestUncompilable(t *testing.T) {
	var got []string
	for _, e := range of(Read(sample(t, "tf-errors-tf221")), Uncompilable) {
		got = append(got, fmt.Sprintf("%s %s %s:%d %s", e.Program, e.Op, filepath.Base(e.Where.File), e.Where.Line, e.Text))
	}
	want := []string{
		"__inference_load_10 _Arg s06_errors.py:72 No registered '_Arg' OpKernel for XLA_CPU_JIT devices with T=DT_STRING",
		"__inference_python_call_15 EagerPyFunc s06_errors.py:20 No registered 'EagerPyFunc' OpKernel for XLA_CPU_JIT devices",
		"__inference_strings_21 AsString s06_errors.py:25 No registered 'AsString' OpKernel for XLA_CPU_JIT devices",
		"__inference_printing_77 StringFormat s06_errors.py:45 No registered 'StringFormat' OpKernel for XLA_CPU_JIT devices",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestRemat(t *testing.T) {
	for version, want := range map[string]Event{
		"0.4.35": {Op: "a", Node: "%param"},
		"0.6.2":  {Program: "f", Op: "jit(f)/jit(main)/add", Node: "%add.4", Where: Location{File: "/srv/mdl/remat.py", Line: 8}},
		"0.10.2": {Program: "f", Op: "jit(f)/add", Node: "%add.2"},
	} {
		got := of(Read(sample(t, "jax-"+version+"-remat")), Remat)[0]
		want.Kind, want.Line, want.Text, want.logger = Remat, 1, "the partitioner replicates it on every device, to go from sharding {devices=[2,1,4]<=[4,2]T(1,0)} to {devices=[1,8,1]<=[8]}", got.logger
		if got != want {
			t.Errorf("%s: %+v", version, got)
		}
	}
}

func TestTorch(t *testing.T) {
	metrics := Read(sample(t, "torch-metrics"))
	if n := of(metrics, Compiles)[0].Value; n != 2 {
		t.Errorf("%v compilations, want 2", n)
	}
	if s := of(metrics, CompileTime)[0].Value; s != 2.896358377 {
		t.Errorf("compilations took %v s", s)
	}
	graphs := of(Read(sample(t, "torch-save_tensors")), Graph)
	if graphs[0].Key == graphs[1].Key || graphs[1].Key != graphs[2].Key || graphs[0].Where.Line != 16 || graphs[0].Where.Function != "train" {
		t.Errorf("%+v", graphs)
	}
}

// Why each graph was compiled follows the framework's own frames.
func TestTorchReasons(t *testing.T) {
	var got []string
	for _, e := range of(Read(sample(t, "torch-reasons")), Graph) {
		got = append(got, fmt.Sprintf("%s: %s %s:%d, %v inputs", e.Text, e.Where.Function, filepath.Base(e.Where.File), e.Where.Line, e.Value))
	}
	want := []string{
		"most likely user code trying to access tensor value before torch_xla.sync: train_step torch_rows.py:20, 6 inputs",
		"user torch_xla.sync: <module> torch_rows.py:30, 13 inputs",
		"user torch_xla.sync: <module> torch_rows.py:30, 21 inputs",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// What torch_xla's sources print, made by hand: no program that falls back was at hand.
func TestTorchByHand(t *testing.T) {
	const log = `[MetricsData; step=0]
Counter: aten::nonzero
  Value: 3
Metric: CompileTime
  TotalSamples: 2
  Accumulator: 01m02s003ms004.500us
Counter: aten::nonzero
  Value: 7
pt-xla-profiler: Op(s) not lowered: aten::nonzero, aten::unique2,  Please open a GitHub issue with the above op lowering requests.

Compilation Analysis: ================================================================================
Compilation Analysis: Compilation Cause
Compilation Analysis:   most likely user code trying to access tensor value before mark_step
Compilation Analysis: Graph Info: 
Compilation Analysis:   Graph Hash: 1d86ecb4
Compilation Analysis:   Number of Graph Inputs: 3
Compilation Analysis: Python Frame Triggered Execution: 
Compilation Analysis:   mark_step (/opt/lib/python3.11/site-packages/torch_xla/core/xla_model.py:1055)
Compilation Analysis:   step (/srv/train.py:41)
Compilation Analysis: --------------------------------------------------------------------------------
Compilation Analysis: Compilation Cause
`
	events := Read([]byte(log))
	if got := counts(events); got != "compile-time 1, cpu-fallback 2, graph 1, metrics 1, unreadable 1" {
		t.Fatal(got)
	}
	if f := of(events, Fallback); f[0].Op != "aten::nonzero" || f[0].Value != 7 || f[1].Op != "aten::unique2" || f[1].Value != 0 {
		t.Errorf("%+v", f)
	}
	if s := of(events, CompileTime)[0].Value; s != 62.0030045 {
		t.Errorf("compilations took %v s", s)
	}
	if g := of(events, Graph)[0]; g.Key != "1d86ecb4" || g.Where.Line != 41 || !strings.HasPrefix(g.Text, "most likely user code") {
		t.Errorf("%+v", g)
	}
}

// JAX has no name for what jnp.argmax reduces with. Its first trace is no retrace, however often there is one.
func TestUnknownFunctions(t *testing.T) {
	const miss = "WARNING: TRACING CACHE MISS at f.py:3:5 (main) costing 1.2 ms because:\n  never seen function:\n    <unknown> id=139721260832448\n"
	if got := counts(Read([]byte(miss + miss))); got != "" {
		t.Error(got)
	}
}

// A graph whose compilation has no reason, as where an operation runs on the CPU, is counted where the others are: the order of the graphs tells which is which.
func TestTorchGraphWithoutReason(t *testing.T) {
	const reason = "Compilation Analysis: Compilation Cause\nCompilation Analysis:   user torch_xla.sync\nCompilation Analysis:   Graph Hash: 1d86\n" +
		"Compilation Analysis: ---\n"
	var kinds []Kind
	for _, e := range Read([]byte(reason + "Computation hash: aa\n\nComputation hash: bb\n" + reason + "Computation hash: cc\n")) {
		kinds = append(kinds, e.Kind)
	}
	if want := []Kind{Graph, Compiled, Graph}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// A known line whose form is new must not vanish, and must not be read as something else.
func TestUnreadable(t *testing.T) {
	for _, line := range []string{
		"Finished XLA compilation of jit(f), at last",
		"TRACING CACHE MISS at an unknown place",
		"TRACING CACHE MISS at f.py:3 (main):\nno indented lines",
		"TRACING CACHE MISS at f.py:3 (main):\n  never seen function:\n    f, of a.py:1",
		"Detected unsupported operations when trying to compile graph f: AsString",
		"Found uncompilable node x",
		"[spmd] Involuntary full rematerialization. Bad luck.",
		"I0000 x.cc:1] Compiled f 1 times, compile time: long",
		"Counter: aten::foo\nnothing",
		"Metric: CompileTime\n  TotalSamples: 1",
		"TensorsGraphInfo:\n  f (a.py:1)",
		"it must be a compile-time constant",
		"I x.cc:1]   XLA arg two shape: f32[] name: a TF arg 3 node name: ",
		"I x.cc:1]   XLA arg 2 of shape f32[]",
		"I x.cc:1] mark_for_compilation_pass.cc:1] Could not contract <a> and <b>",
	} {
		if got := counts(Read([]byte(line))); got != "unreadable 1" {
			t.Errorf("%q: %s", line, got)
		}
	}
}

// TensorFlow names a function when it begins to compile it, and then each argument that it passes: variables by name, which a number makes unique.
func TestTensorFlowArguments(t *testing.T) {
	const log = `2026-11-21 08:32:17.580267: I tensorflow/compiler/tf2xla/xla_compiler.cc:794] XlaCompiler::CompileFunction __inference_step_81[_XlaMustCompile=true]
I0000 00:00:1795248301.034657   17398 xla_compiler.cc:1268]   XLA arg 0 shape: f32[8,16] name:  TF arg 0 node name: 
I0000 00:00:1795248301.034658   17398 xla_compiler.cc:1268]   XLA arg 1 shape: (f32[0], s32[]) name: dense/kernel/0 TF arg 2 node name: 
I0000 00:00:1795248301.034659   17398 xla_compiler.cc:1268]   XLA arg 2 shape: f32[4] name: dense/bias TF arg 3 node name: 
`
	want := []Event{
		{Value: 0, Key: "0"}, {Value: 1, Key: "2", Text: "dense/kernel"}, {Value: 2, Key: "3", Text: "dense/bias"},
	}
	got := of(Read([]byte(log)), Argument)
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		w.Kind, w.Line, w.Program, w.logger = Argument, i+2, "__inference_step_81[_XlaMustCompile=true]", got[i].logger
		if got[i] != w {
			t.Errorf("%+v, wanted %+v", got[i], w)
		}
	}
}

// Autoclustering's messages name the node, its operation where they have it, and the reason.
func TestLeftOut(t *testing.T) {
	const pass = "I tensorflow/compiler/jit/mark_for_compilation_pass.cc:1468] "
	for _, c := range []struct {
		line string
		want []string
	}{
		{pass + "Rejecting Unique: it is dynamic.", []string{"Unique <> it is dynamic"}},
		{pass + "Isolating Assert: it has effects.", []string{"Assert <> it has effects"}},
		{pass + "Rejecting all that follows: it is late.", nil},
		{pass + "Could not contract <Exp #4> -> <add + 2 others #7> because contracting the edge would create a cycle via [AsString].",
			[]string{"Exp <> it cannot join add: contracting the edge would create a cycle via [AsString]", "add <> it cannot join Exp: contracting the edge would create a cycle via [AsString]"}},
		{"I x.cc:1] Found uncompilable node Unique (op Unique): Unique op", []string{"Unique <Unique> Unique op"}},
		{"mark_for_compilation_pass.cc:1468 without a message", nil},
	} {
		var got []string
		for _, e := range of(Read([]byte(c.line)), LeftOut) {
			got = append(got, fmt.Sprintf("%s <%s> %s", e.Node, e.Op, e.Text))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, wanted %q", c.line, got, c.want)
		}
	}
}

// PyTorch/XLA writes days by themselves.
func TestTorchDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"05s195ms079.227us": 5195079227, "01m02s000ms000.000us": 62 * time.Second, "1d02h03m04s005ms": 26*time.Hour + 3*time.Minute + 4005*time.Millisecond, "0.5us": 500,
	} {
		if got, err := torchDuration(in); got != want || err != nil {
			t.Errorf("%s is %v, %v, wanted %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "1 day", "xd1s", "1d", "5"} {
		if got, err := torchDuration(in); err == nil {
			t.Errorf("%q is %v", in, got)
		}
	}
}

func TestNothing(t *testing.T) {
	const log = "hello\nCompiled cluster using XLA!  This line is logged at most once\nI0 x.cc:1] Compiled cluster using XLA!  This line\nCounter: rows\n  Value: 3\nMetric: ExecuteTime\n"
	if got := Read([]byte(log)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := Read(nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// A retrace at the same line twice is two retraces; one that two handlers print is one.
func TestEcho(t *testing.T) {
	const miss = "TRACING CACHE MISS at a.py:3 (main):\n  for f defined at a.py:1\n  different input types:\n  * at x, now f32[2] and before f32[1]\n"
	if got := counts(Read([]byte(miss + miss))); got != "retrace 2" {
		t.Error(got)
	}
	if got := counts(Read([]byte("WARNING:jax._src.pjit:" + miss + "WARNING:2026-11-21 09:59:17,276:jax._src.pjit:1346: " + miss))); got != "retrace 1" {
		t.Error(got)
	}
}

// FuzzRead: whatever the bytes, the reader ends, and each event names a line of the log.
func FuzzRead(f *testing.F) {
	var seeds [][]byte
	for _, name := range []string{"jax-0.4.35-explain", "jax-0.6.2-explain", "jax-0.10.2-explain", "jax-0.6.2-cache-1", "jax-0.10.2-remat",
		"tf-errors-tf212", "tf-compiles-tf221", "torch-metrics", "torch-reasons"} {
		seeds = append(seeds, sample(f, name))
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		lines := strings.Count(string(data), "\n") + 1
		for _, e := range Read(data) {
			if e.Line < 1 || e.Line > lines || e.Kind == "" {
				t.Fatalf("%+v in a log of %d lines", e, lines)
			}
		}
		return nil
	}, seeds...)
}

func TestSpills(t *testing.T) {
	got := Read(sample(t, "jax-0.10.2-spills"))
	if len(got) != 1 || got[0].Op != "accumulate" || got[0].Value != 48 || got[0].Line != 6 {
		t.Errorf("got %+v", got)
	}
	cut := Read([]byte("ptxas warning : Registers are spilled to local memory in function 'accu"))
	if len(cut) != 1 || cut[0].Kind != Unreadable {
		t.Errorf("a line that was cut off: %+v", cut)
	}
}
