package changes

import (
	"fmt"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// storm is a program that was compiled for many batch sizes, from a first one on.
func storm(variants, arguments, first int) *facts.Program {
	p := &facts.Program{Name: "f"}
	for n := range variants {
		v := &facts.Variant{Signature: fmt.Sprintf("(x: f32[%d])", first+n), Compiled: facts.Compiled{Fingerprint: fmt.Sprint(first + n)}}
		for i := range arguments {
			v.Params = append(v.Params, facts.Parameter{Name: fmt.Sprintf("x%d", i), Shape: fmt.Sprintf("f32[%d,%d]", first+n, i)})
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

// BenchmarkPairStorm pairs two storms that share no batch size.
func BenchmarkPairStorm(b *testing.B) {
	old, fresh := storm(2000, 100, 1), storm(2000, 100, 10_000)
	for b.Loop() {
		if pairs := pairVariants(old, fresh); len(pairs) != 2000 {
			b.Fatalf("%d pairs", len(pairs))
		}
	}
}

// BenchmarkExplainStorm explains the compilations of a program whose arguments have no names: one has an argument more.
func BenchmarkExplainStorm(b *testing.B) {
	p := &facts.Program{Name: "f"}
	for n := range 2 {
		v := &facts.Variant{}
		for i := range 2000 + n {
			v.Params = append(v.Params, facts.Parameter{Name: fmt.Sprintf("p%d", i), Shape: fmt.Sprintf("f32[%d]", (i+n*7)%13)})
		}
		p.Variants = append(p.Variants, v)
	}
	for b.Loop() {
		if len(Explain(p)) == 0 {
			b.Fatal("nothing differs")
		}
	}
}
