package facts

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// What is counted beforehand is what the walk finds, in every real module.
func TestCountEqualsWalk(t *testing.T) {
	for _, name := range []string{
		"gpu-0.8.3-collectives", "gpu-0.8.3-scan", "gpu-h100-rnn_grad_scan", "gpu-0.10-train", "gpu-0.10-sort", "gpu-0.5.3-cond", "gpu-0.5.3-mlp",
	} {
		d := open(t, name)
		for _, m := range d.Modules {
			eachStage(t, m, func(file string, m *hlo.Module) {
				w, err := newReader(m).walk()
				if err != nil {
					t.Fatal(err)
				}
				if n, err := w.count(); n != int64(len(w.launches)) || err != nil {
					t.Errorf("%s: %d launches counted, %d walked: %v", file, n, len(w.launches), err)
				}
			})
		}
	}
}

func eachStage(t *testing.T, m *dump.Module, do func(file string, m *hlo.Module)) {
	t.Helper()
	for i := range m.Stages {
		file := m.Stages[i].HLO()
		if file == nil {
			continue
		}
		module, release, err := openModule(file)
		if err != nil {
			t.Fatal(err)
		}
		do(file.Path, module)
		if err := release(); err != nil {
			t.Error(err)
		}
	}
}

// A chain of calls that each repeat the next is refused before anything is made of its launches.
func TestCallsThatMultiply(t *testing.T) {
	for _, c := range []struct {
		links, refused int
		leaf           string
	}{
		{10, 0, "negate"}, {16, 0, "negate"}, {17, 1, "negate"}, {200, 1, "negate"}, {200, 1, "bitcast"}, {300, 1, "negate"},
	} {
		m, err := hlo.ParseText([]byte(doubling(c.links, c.leaf)), "chain.txt")
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(m)
		w := &walk{m: m, alike: r.alike(), classified: map[uint64]classification{}, chains: map[string]bool{}}
		n, err := w.count()
		if refused := errors.Is(err, errTooDeep); refused != (c.refused > 0) || !refused && n != 1<<c.links {
			t.Errorf("%d links of %s: %d launches, %v", c.links, c.leaf, n, err)
		}
	}
}

// A fusion of fusions that each repeat the next is refused as well, and in whichever way its operations call one another.
func TestFusionsThatMultiply(t *testing.T) {
	inside := map[string]string{
		"fusion":      "fusion(%[1]s), kind=kLoop, calls=%[2]s",
		"call":        "call(%[1]s), to_apply=%[2]s",
		"while":       "while(%[1]s), condition=%%cond, body=%[2]s",
		"conditional": "conditional(%%k, %[1]s, %[1]s), true_computation=%[2]s, false_computation=%[2]s",
	}
	for name, call := range inside {
		for links, refused := range map[int]bool{10: false, 40: true, 200: true} {
			m, err := hlo.ParseText([]byte(fused(links, call)), "chain.txt")
			if err != nil {
				t.Fatal(err)
			}
			r := newReader(m)
			w, err := r.walk()
			if errors.Is(err, errTooDeep) != refused {
				t.Errorf("%d links of %s: %v", links, name, err)
			}
			if refused || err != nil {
				continue
			}
			bodies := w.bodyOf(w.launches[0].id)
			if k := r.kernel(w.launches[0]); int64(k.Ops.Len()) > bodies || k.Ops.Len() < 1<<links {
				t.Errorf("%d links of %s: %d operations, %d counted", links, name, k.Ops.Len(), bodies)
			}
		}
	}
}

// bodyOf is what is counted beforehand of what a launch holds.
func (w *walk) bodyOf(id hlo.InstrID) (n int64) {
	_, bodies := w.bodies()
	for _, c := range w.m.Callees(id) {
		n += bodies[c]
	}
	return n
}

// fused is a module of one fusion that does its innermost operation 2^links times or more.
func fused(links int, call string) string {
	var b strings.Builder
	b.WriteString("HloModule chain\n\n%cond (q: f32[4]) -> pred[] {\n  %q = f32[4]{0} parameter(0)\n  ROOT %t = pred[] constant(true)\n}\n\n")
	b.WriteString("%c0 (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n  ROOT %r = f32[4]{0} negate(%p)\n}\n\n")
	for i := 1; i <= links; i++ {
		inner := fmt.Sprintf("%%c%d", i-1)
		fmt.Fprintf(&b, "%%c%d (p: f32[4]) -> f32[4] {\n  %%p = f32[4]{0} parameter(0)\n  %%k = pred[] constant(true)\n", i)
		fmt.Fprintf(&b, "  %%a = f32[4]{0} "+call+"\n  ROOT %%b = f32[4]{0} "+call+"\n}\n\n", "%p", inner, "%a", inner)
	}
	fmt.Fprintf(&b, "ENTRY %%main (x: f32[4]) -> f32[4] {\n  %%x = f32[4]{0} parameter(0)\n  ROOT %%z = f32[4]{0} fusion(%%x), kind=kLoop, calls=%%c%d\n}\n", links)
	return b.String()
}

// doubling is a module that runs its innermost operation 2^links times.
func doubling(links int, leaf string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HloModule chain\n\n%%c0 (p: f32[4]) -> f32[4] {\n  %%p = f32[4]{0} parameter(0)\n  ROOT %%r = f32[4]{0} %s(%%p)\n}\n\n", leaf)
	for i := 1; i <= links; i++ {
		entry := ""
		if i == links {
			entry = "ENTRY "
		}
		fmt.Fprintf(&b, "%s%%c%d (p.%d: f32[4]) -> f32[4] {\n  %%p.%d = f32[4]{0} parameter(0)\n", entry, i, i, i)
		fmt.Fprintf(&b, "  %%a.%d = f32[4]{0} call(%%p.%d), to_apply=%%c%d\n  ROOT %%b.%d = f32[4]{0} call(%%a.%d), to_apply=%%c%d\n}\n\n", i, i, i-1, i, i, i-1)
	}
	return b.String()
}
