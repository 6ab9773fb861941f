package xlagate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
	"github.com/xlagate/xlagate/internal/testfile"
)

// dumped measures a real dump with everything in it.
func dumped(t *testing.T, path string, opts facts.Options) *facts.Report {
	t.Helper()
	opts.AllStages, opts.Assembler = true, artifacts.NewAssembler(testfile.Assembler(t, "."))
	return factstest.Measure(t, path, opts)
}

// program is the only variant of a program that must be there.
func program(t *testing.T, r *facts.Report, name string) *facts.Variant {
	t.Helper()
	for _, p := range r.Programs {
		if p.Name == name {
			return p.Variants[0]
		}
	}
	t.Fatalf("%s holds no program %s; problems %v", r.Dump, name, r.Problems)
	return nil
}

// dumpRows holds what docs/dumps.md says of each kind of dump against a real one. The row's title stands there word for word.
var dumpRows = []struct {
	title string
	path  string
	opts  facts.Options
	see   func(*testing.T, *facts.Report)
}{
	{"TensorFlow jit_compile", "testdata/dumps/tf-2.6.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if v := program(t, r, "cam"); v.Facts["kernels.total"] != 13 || !strings.Contains(v.Modules[0], "config_proto___n_007") {
			t.Errorf("%v of %v", v.Facts["kernels.total"], v.Modules)
		}
	}},
	{"TensorFlow jit_compile, recompiled for a constant", "testdata/tf-recompile-axis_tensor/dump.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if len(r.Programs) != 1 || len(r.Programs[0].Variants) != 2 {
			t.Fatalf("%d programs", len(r.Programs))
		}
		for i, v := range r.Programs[0].Variants {
			if len(v.Differing) == 0 {
				t.Errorf("variant %d: what the constant decides is not known", i)
			}
		}
	}},
	{"TensorFlow autoclustering", "testdata/tf-clusters-unclusterable/dump.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if len(r.Clusters.Clusters) != 3 || len(r.Clusters.UserOps()) != 9 {
			t.Fatalf("%d clusters, %d operations left out", len(r.Clusters.Clusters), len(r.Clusters.UserOps()))
		}
		for _, c := range r.Clusters.Clusters {
			if !strings.Contains(c.Module, "."+c.Name+"__") {
				t.Errorf("%s was compiled into %q", c.Name, c.Module)
			}
		}
		for _, op := range r.Clusters.UserOps() {
			if op.Reason == "" {
				t.Errorf("nobody knows why %s stays outside", op.Op)
			}
		}
	}},
	{"TF_DUMP_GRAPH_PREFIX", "internal/facts/testdata/tf-clusters-groups.tar.gz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if !r.Clusters.Ran || r.Clusters.Clustered != 11 || r.Clusters.Clusters[0].Function != "outer" {
			t.Errorf("%+v", r.Clusters)
		}
	}},
	{"experimental_get_compiler_ir", "internal/dump/testdata/tf-compiler-ir.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		v := program(t, r, "dense")
		if v.Facts["kernels.total"] == 0 || v.Facts["memory.argument_bytes"] != 32<<10 || v.InputPrint == "" || len(r.Problems) > 0 {
			t.Errorf("%v, problems %v", v.Facts, r.Problems)
		}
	}},
	{"An error log of jit_compile", "testdata/tf-recompile-axis_fixed/dump.tar.xz", facts.Options{Logs: []string{"internal/logs/testdata/tf-errors-tf221.txt.gz"}}, func(t *testing.T, r *facts.Report) {
		named := slices.ContainsFunc(r.Logs.Notes, func(n tensorflow.LogNote) bool {
			return n.Kind == logs.Uncompilable && n.Op == "AsString" && n.Where.Line == 25 && n.Program == "strings"
		})
		if !named {
			t.Errorf("%+v", r.Logs.Notes)
		}
	}},
	{"HLO text", "testdata/cpu-fusion_callback_barrier/before.tar.xz", facts.Options{}, sameProgram},
	{"HLO proto", "testdata/cpu-fusion_callback_barrier/proto.tar.xz", facts.Options{}, sameProgram},
	{"HLO proto, compressed", "testdata/cpu-fusion_callback_barrier/proto_compressed.tar.xz", facts.Options{}, sameProgram},
	{"dot only", "internal/dump/testdata/dot-only.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if len(r.Drawings) != 2 || r.Drawings[1].Kernels == 0 || !r.Drawings[1].Main {
			t.Errorf("%+v", r.Drawings)
		}
		problem(t, r, "cannot be had from a drawing")
	}},
	{"url only", "testdata/dumps/url.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) { problem(t, r, "only a link (url)") }},
	{"Snapshots", "internal/dump/testdata/snapshots-optimized.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		problem(t, r, "the dump holds snapshots, but no module")
	}},
	{"After every pass", "testdata/dumps/passes.tar.xz", facts.Options{Passes: true}, func(t *testing.T, r *facts.Report) {
		stages := r.Passes[0].Stages
		changed := 0
		for i := 1; i < len(stages); i++ {
			if stages[i].Changed(&stages[i-1]) {
				changed++
			}
		}
		if len(stages) != 25 || changed != 7 || stages[14].Fusions != 2 {
			t.Errorf("%d stages, %d changes, %+v", len(stages), changed, stages[14])
		}
	}},
	{"Companion files", "internal/facts/testdata/gpu-0.10-train.tar.gz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		v := r.Programs[0].Variants[0]
		if v.Facts["launches.known"] == 0 || len(v.Buffers) == 0 && v.Facts["memory.temp_bytes"] > 0 {
			t.Errorf("%v, %d buffers", v.Facts, len(v.Buffers))
		}
	}},
	{"PTX, with `ptxas` at hand", "testdata/gpu-kernel_body/after.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		v := program(t, r, "layer")
		if o := v.Kernels[0].Occupancy; v.Facts["registers.max"] != 255 || v.Facts["spills.bytes"] != 48 || o == nil || o.Limited != "registers" || v.Kernels[0].Source.Line != 221 {
			t.Errorf("%v registers, %v spilled, %+v", v.Facts["registers.max"], v.Facts["spills.bytes"], o)
		}
	}},
	{"CPU", "testdata/dumps/profiled.tar.xz", facts.Options{}, on("cpu", "", 33)},
	{"NVIDIA", "testdata/dumps/gpu-a100.tar.xz", facts.Options{}, on("gpu", "NVIDIA A100-SXM4-80GB", 27)},
	{"AMD", "testdata/dumps/gpu-mi300x.tar.xz", facts.Options{}, on("gpu", "MI300X", 25)},
	{"TPU", "testdata/dumps/tpu-v2.tar.xz", facts.Options{}, onTPU("TPU v2", 8)},
	{"TPU", "testdata/dumps/tpu-v3.tar.xz", facts.Options{}, onTPU("TPU v3", 8)},
	{"TPU", "testdata/dumps/tpu-v4.tar.xz", facts.Options{}, onTPU("TPU v4", 8)},
	{"TPU", "testdata/dumps/tpu-v6e.tar.xz", facts.Options{}, onTPU("TPU v6 lite", 8)},
	{"TPU", "testdata/dumps/tpu-7x.tar.xz", facts.Options{}, onTPU("TPU7x", 8)},
	{"JAX", "testdata/dumps/jax-0.4.13.tar.xz", facts.Options{}, misc(36, 2)},
	{"JAX", "testdata/dumps/jax-0.4.35.tar.xz", facts.Options{}, misc(35, 2)},
	{"JAX", "testdata/dumps/jax-0.6.2.tar.xz", facts.Options{}, misc(29, 0)},
	{"JAX", "testdata/dumps/jax-0.8.3.tar.xz", facts.Options{}, misc(29, 0)},
	{"JAX", "testdata/dumps/jax-0.10.2.tar.xz", facts.Options{}, misc(29, 0)},
	{"JAX", "testdata/dumps/jax-0.12.0.1.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		v := program(t, r, "tensor_parallel_mlp")
		if v.Facts["kernels.total"] != 4 || v.Facts["collectives.all-reduce.count"] != 2 || v.Facts["memory.argument_bytes"] == 0 || v.Params[0].Spec != "P('data', None)" {
			t.Errorf("%v, %+v", v.Facts, v.Params)
		}
	}},
	{"TensorFlow", "testdata/dumps/tf-2.3.tar.xz", facts.Options{}, cam(14)},
	{"TensorFlow", "testdata/dumps/tf-2.6.tar.xz", facts.Options{}, cam(13)},
	{"TensorFlow", "testdata/dumps/tf-2.12.tar.xz", facts.Options{}, cam(13)},
	{"TensorFlow", "testdata/dumps/tf-2.21.tar.xz", facts.Options{}, cam(13)},
	{"TensorFlow", "testdata/dumps/tf-1.14.tar.xz", facts.Options{}, initialValues},
	{"TensorFlow", "testdata/dumps/tf-1.15.tar.xz", facts.Options{}, initialValues},
	{"XLA before 2019", "testdata/dumps/tf-1.12-text.tar.xz", facts.Options{Passes: true}, func(t *testing.T, r *facts.Report) {
		if v := program(t, r, "cluster_0"); len(r.Programs[0].Variants) != 1 || v.Facts["memory.output_bytes"] != 24 || len(r.Passes[0].Stages) != 4 || len(r.Clusters.Clusters) != 3 || len(r.Problems) > 0 {
			t.Errorf("%v, passes %+v, clusters %+v, problems %v", v.Facts, r.Passes, r.Clusters, r.Problems)
		}
	}},
	{"XLA before 2019", "testdata/dumps/tf-1.12-dots.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		problem(t, r, "only passes were drawn")
		if len(r.Problems) != 2 || len(r.Drawings) != 2 || len(r.Clusters.Clusters) != 3 || r.Clusters.Clusters[0].Module == "" {
			t.Errorf("drawings %+v, clusters %+v, problems %v", r.Drawings, r.Clusters, r.Problems)
		}
	}},
	{"TensorFlow", "testdata/tf-named/dump.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		problem(t, r, "ValueError at train.py:18 in broken: Dimensions must be equal")
		for name, want := range map[string]string{
			"pick":      "(images: f32[4,8], labels: f32[4,2], dense/kernel: f32[8,16], mul_y: f32[2])", // axis is a constant there
			"cluster_0": "(images: f32[4,8], dense/kernel: f32[8,16])",
		} {
			if got := program(t, r, name).Signature; got != want {
				t.Errorf("%s%s", name, got)
			}
		}
	}},
	{"PyTorch/XLA", "internal/facts/testdata/torch-xla-mlp.tar.gz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if r.Toolchain.Framework != "torch_xla" || !strings.HasPrefix(r.Programs[0].Name, "SyncTensorsGraph") {
			t.Errorf("%+v, %s", r.Toolchain, r.Programs[0].Name)
		}
	}},
	{"PyTorch/XLA", "testdata/torch-rows/watched.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		if cut := r.Programs[0].Variants[0].GraphBreak; cut == nil || !strings.Contains(cut.Reason, "access tensor value") || cut.Where.Line != 20 {
			t.Errorf("%s was compiled because of %+v", r.Programs[0].Name, cut)
		}
	}},
	{"Collectives", "testdata/cpu-sharding_allgather/after.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		v := r.Programs[0].Variants[0]
		if v.Facts["collectives.all-reduce.count"] != 3 || v.Facts["collectives.all-reduce.bytes"] != 4104 {
			t.Errorf("%v", v.Facts)
		}
		for i := range v.Kernels {
			if k := &v.Kernels[i]; k.Class == facts.ClassCollective && k.Groups == "" {
				t.Errorf("%s runs in groups that are not known", k.Name)
			}
		}
	}},
	{"Logs", "testdata/recompile-shapes/dump.tar.xz", facts.Options{Logs: []string{"internal/logs/testdata/jax-0.10.2-shapes.txt.gz"}}, func(t *testing.T, r *facts.Report) {
		if len(r.Logs.Misses) == 0 || r.Logs.Misses[0].Where.Line == 0 {
			t.Errorf("%+v", r.Logs)
		}
	}},
	{"Profiles", "testdata/dumps/profiled.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) {
		p := r.Profile
		if len(p.Files) != 1 || p.Runs["train_step"] != 5 || len(p.Unknown) != 0 || len(p.Hot) != 44 {
			t.Fatalf("%v, %v, %v, %d instructions", p.Files, p.Runs, p.Unknown, len(p.Hot))
		}
		for _, h := range p.Hot {
			if h.Kernel == nil || h.Count%5 != 0 {
				t.Errorf("%s is %v and ran %d times", h.Name, h.Kernel, h.Count)
			}
		}
		if src := p.Hot[0].Kernel.Source; filepath.Base(src.File) != "train.py" || src.Line != 7 {
			t.Errorf("the hottest is of %v", src)
		}
	}},
	{"Several processes, restarts, subfolders", "internal/dump/testdata/tf-timestamps.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) { unlost(t, r, 0) }},
	{"Several processes, restarts, subfolders", "internal/dump/testdata/subfolder.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) { unlost(t, r, 0) }},
	{"Several processes, restarts, subfolders", "internal/dump/testdata/tf-shared.tar.xz", facts.Options{}, func(t *testing.T, r *facts.Report) { problem(t, r, "several runs or processes") }},
	{"Several processes, restarts, subfolders", "internal/dump/testdata/tf-stdout.log.xz", facts.Options{}, func(t *testing.T, r *facts.Report) { unlost(t, r, 0) }},
}

func problem(t *testing.T, r *facts.Report, message string) {
	t.Helper()
	if !slices.ContainsFunc(r.Problems, func(p facts.Problem) bool { return strings.Contains(p.Message, message) && p.Fix != "" }) {
		t.Errorf("no problem says %q: %v", message, r.Problems)
	}
}

// unlost holds that every module is compiled for one program once: nothing is lost or counted twice.
func unlost(t *testing.T, r *facts.Report, problems int) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range slices.Concat(r.Programs, r.Helpers) {
		for _, v := range p.Variants {
			for _, m := range slices.Concat(v.Modules, v.Elsewhere) {
				if seen[m] {
					t.Errorf("%s is counted twice", m)
				}
				seen[m] = true
			}
		}
	}
	if len(seen) == 0 || len(r.Problems) != problems || len(r.Ignored) > 0 {
		t.Errorf("%d modules, problems %v, unknown %v", len(seen), r.Problems, r.Ignored)
	}
}

// sameProgram holds the three forms of one module to the same facts.
func sameProgram(t *testing.T, r *facts.Report) {
	text := dumped(t, "testdata/cpu-fusion_callback_barrier/before.tar.xz", facts.Options{})
	for _, p := range text.Programs {
		v, want := program(t, r, p.Name), p.Variants[0]
		if v.Fingerprint != want.Fingerprint || v.Signature != want.Signature {
			t.Errorf("%s %s, in the text %s %s", v.Fingerprint, v.Signature, want.Fingerprint, want.Signature)
		}
		for fact, n := range want.Facts {
			if got, ok := v.Facts[fact]; ok && got != n {
				t.Errorf("%s is %v, in the text %v", fact, got, n)
			}
		}
	}
}

func on(backend, device string, kernels float64) func(*testing.T, *facts.Report) {
	return func(t *testing.T, r *facts.Report) {
		if r.Toolchain.Backend != backend || r.Toolchain.Device != device || len(r.Problems) > 0 || len(r.Ignored) > 0 {
			t.Errorf("%+v, problems %v, unknown %v", r.Toolchain, r.Problems, r.Ignored)
		}
		if n := r.Programs[0].Variants[0].Facts["kernels.total"]; n != kernels {
			t.Errorf("%v kernels", n)
		}
	}
}

// onTPU looks at one sharded function that was compiled for every generation: the collectives are the model's, and the same on all.
func onTPU(device string, kernels float64) func(*testing.T, *facts.Report) {
	return func(t *testing.T, r *facts.Report) {
		on("tpu", device, kernels)(t, r)
		f := program(t, r, "f").Facts
		for fact, want := range map[facts.ID]float64{
			"collectives.all-gather.count": 1, "collectives.all-gather.bytes": 65536, "collectives.all-reduce.count": 1,
			"collectives.all-reduce.bytes": 131072, "collectives.all-to-all.count": 1, "collectives.collective-permute.count": 1,
			"collectives.reduce-scatter.count": 1, "collectives.reduce-scatter.bytes": 131072,
		} {
			if f[fact] != want {
				t.Errorf("%s is %v, not %v", fact, f[fact], want)
			}
		}
		if f["cost.estimated_cycles"] == 0 {
			t.Error("the compiler's estimate is lost")
		}
	}
}

// misc looks at one function through versions of JAX: what the model is stays the same, what the compiler makes of it does not.
func misc(kernels, loops float64) func(*testing.T, *facts.Report) {
	return func(t *testing.T, r *facts.Report) {
		v := program(t, r, "misc")
		if v.Facts["kernels.total"] != kernels || v.Facts["loops.while"] != loops || v.Facts["memory.argument_bytes"] == 0 || len(r.Problems) > 0 {
			t.Errorf("%v, problems %v", v.Facts, r.Problems)
		}
		if gspmd := program(t, r, "gspmd").Facts; gspmd["kernels.total"] != 2 || gspmd["collectives.all-reduce.count"] != 2 || gspmd["collectives.all-reduce.bytes"] != 260 {
			t.Errorf("%v", gspmd)
		}
	}
}

// cam looks at one function through versions of TensorFlow.
func cam(kernels float64) func(*testing.T, *facts.Report) {
	return func(t *testing.T, r *facts.Report) {
		v := program(t, r, "cam")
		if v.Signature != "(arg0: f32[64,128], arg1: f32[128,32])" || v.Facts["kernels.total"] != kernels || v.Facts["memory.argument_bytes"] != 49152 {
			t.Errorf("%s: %v", v.Signature, v.Facts)
		}
	}
}

// initialValues looks at the initial values of a line's slope and offset, in a cluster.
func initialValues(t *testing.T, r *facts.Report) {
	if v := program(t, r, "cluster_0"); v.Facts["kernels.total"] != 2 || v.Facts["memory.output_bytes"] != 24 || len(r.Problems) > 0 {
		t.Errorf("%v, problems %v", v.Facts, r.Problems)
	}
}

func TestDumps(t *testing.T) {
	page, err := os.ReadFile("docs/dumps.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range dumpRows {
		t.Run(row.title+"/"+filepath.Base(row.path), func(t *testing.T) {
			if !strings.Contains(string(page), "\n- "+row.title+": ") {
				t.Errorf("docs/dumps.md has no row %q", row.title)
			}
			report := dumped(t, row.path, row.opts)
			row.see(t, report)
			for _, p := range report.Programs {
				nameable(t, p.Variants[0].Facts, named)
			}
		})
	}
	if len(named) < 20 {
		t.Errorf("the dumps know too little: %v", named)
	}
}

// nameable holds that an expression of one's own may name facts of every group.
func nameable(t *testing.T, n facts.Values, named map[string]bool) {
	t.Helper()
	for fact := range n {
		group, name, _ := strings.Cut(string(fact), ".")
		if !named[group] {
			named[group] = true
			if _, err := rule.CompileExpression(fmt.Sprintf("facts.%s[%q] <= 0", group, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Names that no compiler at hand writes: Graphcore's passes, and a back end that nobody knows. The content is real.
func TestForeignBackends(t *testing.T) {
	graph, err := os.ReadFile("internal/artifacts/testdata/jax-0.10.2.dot.gz")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{
		"module_0003.0000.IPU.after_pipeline-start.before_allocation-finder.dot.gz",
		"module_0003.0041.IPU.after_allocation-finder.before_forward-allocation.dot.gz",
		"module_0012.0017.IPU.after_allocation-finder.before_forward-allocation.dot.gz",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), graph, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := dumped(t, dir, facts.Options{})
	if r.Toolchain.Backend != "ipu" || len(r.Drawings) != 2 || !strings.HasPrefix(r.Drawings[0].Stage, "0041.") || len(r.Problems) != 2 {
		t.Errorf("%+v, %+v, problems %v", r.Toolchain, r.Drawings, r.Problems)
	}
	main := 0
	for _, d := range r.Drawings {
		if d.Main {
			main++
		}
	}
	if main != 1 {
		t.Errorf("%d main programs", main)
	}
}

func TestUnknownBackend(t *testing.T) {
	dir := t.TempDir()
	d, err := dump.Open(t.Context(), "testdata/dumps/profiled.tar.xz", dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, release, err := d.Modules[0].Optimized().File(dump.KindHLOText).Bytes()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "module_0001.jit_train_step.npu_after_optimizations.txt"), text, 0o600)
	}
	if err != nil || release() != nil {
		t.Fatal(err)
	}
	on("npu", "", 33)(t, dumped(t, dir, facts.Options{}))
}
