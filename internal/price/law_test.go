package price

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/hlo/hlotest"
)

// A program costs the same as text and as proto.
func TestTextAndProtoCostTheSame(t *testing.T) {
	for _, name := range pairs(t) {
		text, proto := readDump(t, "pairs/"+name+".txt"), readDump(t, "pairs/"+name+".hlo.pb")
		if a, b := entryCost(text), entryCost(proto); a != b {
			t.Errorf("%s: %+v as text, %+v as proto", name, a, b)
		}
	}
}

// Whatever XLA's grammar allows, in each form a module costs what XLA's own analysis says.
func TestCostIsThatOfXLA(t *testing.T) {
	for _, made := range hlotest.MadeByXLA(t, "../hlo/testdata/xla") {
		var want Cost
		if _, err := fmt.Sscan(made.Cost, &want.Flops, &want.Transcendentals, &want.BytesAccessed); err != nil {
			t.Fatal(err)
		}
		for form, src := range made.Forms() {
			m, err := hlo.Parse(src, made.Name)
			if err != nil {
				t.Fatal(err)
			}
			if got := entryCost(m); got != want {
				t.Errorf("%s, %s: %+v, want %+v", made.Name, form, got, want)
			}
		}
	}
}

// Names, and in which order instructions stand, cost nothing.
func TestCostIgnoresNamesAndOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for _, name := range pairs(t) {
		source := string(readFile(t, "pairs/"+name+".txt"))
		if !strings.Contains(source, "ENTRY %") {
			continue
		}
		if a, b := entryCost(parse(t, source)), entryCost(parse(t, hlotest.Shuffle(source, random))); !closeTo(a, b) {
			t.Errorf("%s: %+v, renamed and reordered %+v", name, a, b)
		}
	}
}

// closeTo allows for sums in another order.
func closeTo(a, b Cost) bool {
	near := func(x, y float64) bool { return x-y <= 1e-9*max(x, -x) && y-x <= 1e-9*max(x, -x) }
	return near(a.Flops, b.Flops) && near(a.Transcendentals, b.Transcendentals) && near(a.BytesAccessed, b.BytesAccessed)
}

// entryOnly is a module of one computation.
func entryOnly(body string) string { return "HloModule m\n\nENTRY %e {\n" + body + "}\n" }

// A matrix product costs what it multiplies: twice as much of any dimension is twice as much work.
func TestCostOfAProductGrowsWithIt(t *testing.T) {
	for _, size := range [][3]int{{8, 16, 32}, {16, 16, 32}, {8, 32, 32}, {8, 16, 64}, {1, 1, 1}} {
		m, k, n := size[0], size[1], size[2]
		source := entryOnly(fmt.Sprintf("  %%a = f32[%d,%d] parameter(0)\n  %%b = f32[%d,%d] parameter(1)\n  ROOT %%r = f32[%d,%d] dot(%%a, %%b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", m, k, k, n, m, n))
		want := Cost{Flops: float64(2 * m * k * n), BytesAccessed: float64(4 * (m*k + k*n + m*n))}
		if got := entryCost(parse(t, source)); got != want {
			t.Errorf("%v: %+v, wanted %+v", size, got, want)
		}
	}
}

// Elements cost by what is done to them and how large they are.
func TestCostOfElements(t *testing.T) {
	for _, c := range []struct {
		dtype, op string
		want      Cost
	}{
		{"f32", "negate", Cost{Flops: 64, BytesAccessed: 512}}, {"bf16", "negate", Cost{Flops: 64, BytesAccessed: 256}}, {"f64", "negate", Cost{Flops: 64, BytesAccessed: 1024}}, {"s8", "negate", Cost{Flops: 64, BytesAccessed: 128}},
		{"f32", "tanh", Cost{Transcendentals: 64, BytesAccessed: 512}}, {"f32", "exponential", Cost{Transcendentals: 64, BytesAccessed: 512}}, {"f32", "copy", Cost{BytesAccessed: 512}}, {"f32", "bitcast", Cost{}},
	} {
		source := entryOnly(fmt.Sprintf("  %%a = %s[8,8] parameter(0)\n  ROOT %%r = %s[8,8] %s(%%a)\n", c.dtype, c.dtype, c.op))
		if got := entryCost(parse(t, source)); got != c.want {
			t.Errorf("%s of %s: %+v, wanted %+v", c.op, c.dtype, got, c.want)
		}
	}
}

// What is computed twice costs twice; what is computed in one fusion is read and written once.
func TestCostOfAFusion(t *testing.T) {
	const apart = "  %a = f32[8] parameter(0)\n  %b = f32[8] tanh(%a)\n  ROOT %r = f32[8] negate(%b)\n"
	const fused = "HloModule m\n\n%f {\n  %a = f32[8] parameter(0)\n  %b = f32[8] tanh(%a)\n  ROOT %r = f32[8] negate(%b)\n}\n\nENTRY %e {\n  %a = f32[8] parameter(0)\n  ROOT %r = f32[8] fusion(%a), kind=kLoop, calls=%f\n}\n"
	if got, want := entryCost(parse(t, entryOnly(apart))), (Cost{Flops: 8, Transcendentals: 8, BytesAccessed: 128}); got != want {
		t.Errorf("apart: %+v", got)
	}
	if got, want := entryCost(parse(t, fused)), (Cost{Flops: 8, Transcendentals: 8, BytesAccessed: 64}); got != want {
		t.Errorf("fused: %+v", got)
	}
}

// A program that hands on its argument costs nothing.
func TestCostOfNothing(t *testing.T) {
	if got := entryCost(parse(t, entryOnly("  ROOT %a = f32[8] parameter(0)\n"))); got != (Cost{}) {
		t.Errorf("%+v", got)
	}
}

// entryCost prices a module as XLA does: the entry computation with all that it calls, the body of a loop once.
func entryCost(m *hlo.Module) Cost {
	return Analyze(m.Alike(), m.Users(), nil).Comp(m.Entry)
}
