package facts

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

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
		w, err := newReader(m).walk()
		n := len(w.launches)
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
		for links, refused := range map[int]bool{8: false, 40: true, 200: true} {
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
			if k := r.kernel(w.launches[0]); int64(len(k.Ops)) > w.sum.operations || len(k.Ops) < 1<<links {
				t.Errorf("%d links of %s: %d operations, %d counted", links, name, len(k.Ops), w.sum.operations)
			}
		}
	}
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
