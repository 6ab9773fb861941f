package facts

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
	"github.com/xlagate/xlagate/internal/testfile"
)

// Everything that is measured of real dumps, word for word: of each kind of compiler and version one, so that whatever a change of the
// reading moves is seen where it moves.
func TestMeasured(t *testing.T) {
	own, err := filepath.Glob("testdata/*.tar.gz")
	if err != nil || len(own) == 0 {
		t.Fatal(err, "no dumps")
	}
	versions, err := filepath.Glob("../../testdata/dumps/*.tar.xz")
	if err != nil || len(versions) == 0 {
		t.Fatal(err, "no dumps")
	}
	pairs := []string{"../../testdata/tpu-softmax_barrier/before.tar.xz", "../../testdata/tpu-precision/after.tar.xz", "../../testdata/cpu-result_gathered/after.tar.xz"}
	for _, file := range slices.Concat(own, versions, pairs) {
		name, _, _ := strings.Cut(filepath.Base(file), ".tar.")
		if name == "tpu-v5e-sharded" {
			continue // too much to be read again
		}
		if slices.Contains(pairs, file) {
			name = filepath.Base(filepath.Dir(file))
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testfile.Golden(t, filepath.Join("testdata/measured", name+".txt"), spelled(t, file))
		})
	}
}

// spelled is what is measured of a dump, one thing a line.
func spelled(t *testing.T, file string) string {
	t.Helper()
	d, err := dump.Open(context.Background(), file, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := Measure(context.Background(), d, Options{AllStages: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &speller{}
	tools := r.Toolchain
	s.line("%s %s %s", tools.Framework, tools.Backend, tools.Device)
	s.pairs("version", tools.Versions)
	s.pairs("flag", tools.Flags)
	for _, p := range r.Problems {
		s.line("problem %s: %s; fix: %s", strings.TrimPrefix(p.File, file), p.Message, p.Fix)
	}
	for _, p := range r.Programs {
		s.program("program", p)
	}
	for _, p := range r.Helpers {
		s.program("helper", p)
	}
	s.clusters(r.Clusters)
	return s.String()
}

type speller struct{ strings.Builder }

func (s *speller) line(format string, args ...any) {
	s.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (s *speller) pairs(word string, values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s.line("%s %s=%s", word, key, values[key])
	}
}

func (s *speller) program(word string, p *Program) {
	s.line("\n%s %s main=%v", word, p.Name, p.Main)
	for _, v := range p.Variants {
		s.line("\nvariant %s → %s", v.Signature, v.Result)
		s.line("modules %v elsewhere %v missing %v called %s", v.Modules, v.Elsewhere, v.Missing, spelledPlace(v.CallSite))
		for _, fact := range slices.Sorted(maps.Keys(v.Facts)) {
			s.line("  %s %v", fact, v.Facts[fact])
		}
		for _, p := range v.Params {
			s.line("  param %s%s", p.Name, set("shape", p.Shape, "layout", p.Layout, "sharding", p.Sharding, "spec", p.Spec, "bytes", p.Bytes, "aliased", p.Aliased,
				"donated", p.Donated, "unused", p.Unused, "constant", p.Constant))
		}
		for _, o := range v.Outputs {
			s.line("  output %+v", o)
		}
		for i := range v.Kernels {
			s.kernel(i, &v.Kernels[i])
		}
		s.besides(v)
	}
}

func (s *speller) kernel(i int, k *Kernel) {
	s.line("  kernel %d %s %s%s", i, k.Name, k.Kind, set("class", k.Class, "fusion", k.Fusion, "do", each(k.Do), "root", k.Root, "out", k.Out, "layout", k.Layout, "in", k.In,
		"target", k.Target, "attrs", k.Attrs, "groups", k.Groups, "axes", k.Axes, "function", k.Function, "written", k.Written, "bytes", k.Bytes, "flops", k.Flops,
		"op_name", k.OpName, "op_type", k.OpType, "at", spelledPlace(k.Source), "times", k.Times, "loop", k.Loop, "in_loop", k.InLoop, "in_entry", k.InEntry,
		"result", k.Result, "async", k.Async, "beside", k.Overlapped, "from", k.From))
	if k.Plan != nil {
		s.line("    plan %+v", *k.Plan)
	}
	for _, op := range k.Ops {
		s.line("    %s%s", spelledOp(*op.Op), set("from", op.From))
	}
	for _, op := range k.Outs {
		s.line("    leaves %s", spelledOp(op))
	}
}

// besides is what is measured next to kernels.
func (s *speller) besides(v *Variant) {
	for _, k := range v.Constants {
		s.line("  constant %s%s", k.Shape, set("bytes", k.Bytes, "value", k.Value, "op_name", k.OpName, "at", spelledPlace(k.Source)))
	}
	for _, b := range v.Buffers {
		s.line("  buffer %s%s", b.Shape, set("bytes", b.Bytes, "op_name", b.OpName, "at", spelledPlace(b.Source)))
	}
	for _, m := range v.Model {
		s.line("  model %s%s", m.Scope, set("type", m.Type, "do", m.Do, "op_name", m.OpName, "op_type", m.OpType, "at", spelledPlace(m.Source)))
	}
	for _, w := range v.Barriers {
		s.line("  wall %s behind %d", spelledOp(w.Op), len(w.Inputs))
	}
	for _, p := range v.Products {
		s.line("  product %s%s", p.Opcode, set("type", p.Type, "shape", p.Shape, "precision", p.Precision, "flops", p.Flops, "op_name", p.OpName, "at", spelledPlace(p.Source)))
	}
	for _, op := range v.Differing {
		s.line("  unlike %s %s", spelledOp(op), op.Attrs)
	}
	for _, op := range v.Results {
		s.line("  returns %s", spelledOp(op))
	}
}

func (s *speller) clusters(c *tensorflow.Clusters) {
	if c == nil {
		return
	}
	s.line("\nclusters%s", set("ran", c.Ran, "why", c.Why, "graphs", c.Graphs, "eager", c.Eager, "pipeline", c.Pipeline, "clustered", c.Clustered))
	for _, one := range c.Clusters {
		s.line("  cluster %s%s", one.Name, set("function", one.Function, "ops", one.Ops, "size", one.Size, "modules", one.Modules))
	}
	for _, op := range c.Unclustered {
		s.line("  left out %s %s%s", op.Op, op.Node, set("function", op.Function, "device", op.Device, "system", op.System, "left", op.Left, "reason", op.Reason, "at", spelledPlace(op.Source)))
	}
}

func spelledOp(op Op) string {
	return op.Opcode + set("shape", op.Shape, "layout", op.Layout, "op_name", op.OpName, "at", spelledPlace(op.Source))
}

func spelledPlace(at hlo.Location) string {
	if at.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}

// set spells the pairs whose value is not that of nothing.
func set(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		switch value := fmt.Sprint(pairs[i+1]); value {
		case "", "0", "false", "[]", "map[]":
		default:
			fmt.Fprintf(&b, " %s=%s", pairs[i], value)
		}
	}
	return b.String()
}
