package changes

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// Products that multiply another type are told at the conversion that is new, if as many came as went and no title says so.
func TestProductsOfAnotherType(t *testing.T) {
	values := func(products map[string]float64) *facts.Variant {
		v := &facts.Variant{Facts: facts.Values{facts.ProductsTotal: 9}}
		for dtype, n := range products {
			v.Facts[facts.ProductType.Of(dtype)] = n
		}
		return v
	}
	convert := func(dtype string) []Step { return []Step{{Opcode: "convert", Type: dtype, Count: 3}} }
	was := map[string]float64{"bf16": 5}
	for _, c := range []struct {
		name   string
		is     map[string]float64
		title  string
		second string
	}{
		{"two products", map[string]float64{"bf16": 3, "f32": 2}, "new: 3 convert", "2 products: bf16 → f32; new: 3 convert"},
		{"it is said", map[string]float64{"bf16": 3, "f32": 2}, "2 dot, tanh: bf16 → f32", "2 dot, tanh: bf16 → f32"},
		{"something else is said", map[string]float64{"bf16": 3, "f32": 2}, "2 tanh: bf16 → f32", "2 products: bf16 → f32; 2 tanh: bf16 → f32"},
		{"one is new", map[string]float64{"bf16": 5, "f32": 1}, "new: dot", "new: dot"},
		{"one more", map[string]float64{"bf16": 3, "f32": 3}, "new: dot", "new: dot"},
		{"two types", map[string]float64{"bf16": 3, "f32": 1, "s8": 1}, "new: 2 convert", "new: 2 convert"},
		{"none", was, "new: 3 convert", "new: 3 convert"},
	} {
		causes := []Cause{
			{Kind: KindCode, Title: "turned", Edits: []Edit{{Added: convert("f32"), Removed: convert("bf16")}}},
			{Kind: KindCode, Title: c.title, Edits: []Edit{{Added: convert("f32")}}},
		}
		(&Variant{Old: values(was), New: values(c.is)}).nameProducts(causes)
		if causes[0].Title != "turned" || causes[1].Title != c.second {
			t.Errorf("%s: %q and %q, wanted %q", c.name, causes[0].Title, causes[1].Title, c.second)
		}
	}
	gone := []Cause{{Kind: KindCode, Title: "gone: 4 convert", Edits: []Edit{{Removed: convert("bf16")}}}}
	(&Variant{Old: values(was), New: values(map[string]float64{"bf16": 3, "f32": 2})}).nameProducts(gone)
	if gone[0].Title != "2 products: bf16 → f32; gone: 4 convert" {
		t.Errorf("where conversions only went: %q", gone[0].Title)
	}
}

// As many products as before that compute more are told, unless an argument, a sharding or a product that the model asks for says why.
func TestProductsThatGrew(t *testing.T) {
	products := func(out string, flops ...int64) (list []facts.Kernel) {
		for _, n := range flops {
			form := &facts.Form{Do: facts.Opcodes{{Opcode: "dot", Times: 1}}, Root: "dot", Out: out, Flops: n}
			form.Work[price.ProductF32] = float64(n)
			list = append(list, facts.Kernel{Form: form, Site: &facts.Site{}})
		}
		return list
	}
	was := products("f32[8,8]", 100, 50)
	pad := []Step{{Opcode: "pad", Type: "f32", Count: 1}}
	for name, c := range map[string]struct {
		is    []facts.Kernel
		added []Step
		size  string // of the argument, now
		kind  string
		want  string
	}{
		"both":             {products("f32[20,8]", 250, 125), pad, "f32[8]", KindCode, "2 products compute 2.5 times as much: f32[8,8] → f32[20,8]"},
		"within":           {products("f32[8,8]", 400, 200), pad, "f32[8]", KindCode, "2 products compute 4 times as much"},
		"one of two":       {append(products("f32[8,8]", 50), products("f32[32,8]", 400)...), pad, "f32[8]", KindCode, "a product computes 4 times as much: f32[8,8] → f32[32,8]"},
		"less than twice":  {products("f32[12,8]", 150, 75), pad, "f32[8]", KindCode, ""},
		"one more":         {products("f32[32,8]", 400, 200, 100), pad, "f32[8]", KindCode, ""},
		"a larger batch":   {products("f32[32,8]", 400, 200), pad, "f32[32]", KindCode, ""},
		"another sharding": {products("f32[32,8]", 400, 200), pad, "f32[8]", KindSharding, ""},
		"a constraint":     {products("f32[32,8]", 400, 200), []Step{{Opcode: constraint + "P('x')", Count: 1}}, "f32[8]", KindCode, ""},
		"a product is new": {products("f32[32,8]", 400, 200), []Step{{Opcode: "dot", Type: "f32", Count: 1}}, "f32[8]", KindCode, ""},
	} {
		s := &suspect{Cause: Cause{Kind: c.kind, Before: was, After: c.is}, edits: []*Edit{{Added: c.added}}}
		v := &Variant{Params: []ParamChange{{Old: &facts.Parameter{Shape: "f32[8]"}, New: &facts.Parameter{Shape: c.size}}}}
		got := ""
		if old, fresh, first := s.grownProducts(v); first != nil {
			got = growthTitle(old, fresh)
		}
		if got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}
