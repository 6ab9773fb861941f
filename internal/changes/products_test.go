package changes

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
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
