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
		module, release, err := openModule(file, nil)
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
		{10, 0, "negate"}, {22, 0, "negate"}, {23, 1, "negate"}, {200, 1, "negate"}, {200, 1, "bitcast"}, {300, 1, "negate"},
	} {
		m, err := hlo.ParseText([]byte(doubling(c.links, c.leaf)), "chain.txt")
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(m)
		w := &walk{m: m, alike: r.alike(), judged: map[uint64]judgement{}, chains: map[string]bool{}}
		n, err := w.count()
		if refused := errors.Is(err, errTooDeep); refused != (c.refused > 0) || !refused && n != 1<<c.links {
			t.Errorf("%d links of %s: %d launches, %v", c.links, c.leaf, n, err)
		}
	}
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
