package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var dtypeFloor = rule.Rule{
	ID:    "dtype-floor",
	Title: "matrix products stay in their narrow types",
	Why:   "One float32 weight, or an FP8 pattern that no longer matches, makes a bfloat16 model multiply in float32, at an eighth of the speed.",
	Options: []rule.Option{
		{Key: "dtypes", Type: rule.Words, Enum: rule.TypeWords, Default: narrowTypes, Doc: "the types that products may be in"},
		{Key: "min_share", Type: rule.Share, Doc: "the smallest share of the products' arithmetic that must be in these types"},
		{Key: "allow", Type: rule.Globs, Empty: true, Doc: "op_names of products that may be in any type"},
		{
			Key: "no_wider", Type: rule.Switch, Default: false, Compares: true,
			Doc: "compare with the baseline instead of with dtypes: no more products in a wider type, no collective of the model that sends a wider one, and no value of a wider type in several functions of the model. On TPU, the f32 of a product counts as bf16, in which it is multiplied; on CPU, the type in the model counts",
		},
		{Key: "max_converts", Type: rule.Count, Doc: "how many conversions between floating-point types there may be"},
	},
	Needs:   facts.ProductsTotal,
	Budget:  &rule.Metric{Noun: "wide products", Better: rule.Lower},
	Forbids: true,
	Bounds:  []string{"min_share"},
	Fails:   rule.Example{On: "tpu-wide_weights/after", Config: "- { rule: dtype-floor }", Says: "2 wide products: at most 0 allowed"},
	Passes:  rule.Example{On: "tpu-wide_weights/before", Config: "- { rule: dtype-floor, dtypes: [bf16] }"},
	Fix:     "Cast the wide operand where it is made; look at parameters in float32 and at promotions with NumPy scalars.",
	Threads: []string{"pytorch/xla#9662", "jax-ml/jax#22313", "tensorflow/tensorflow#59768", "jax-ml/jax#16698"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if c.On("no_wider") {
			checkWider(c, v)
		} else {
			checkWide(c, v)
		}
		if limit, set := c.Number("max_converts"); set {
			c.Compare(c.AmountOf(rule.Metric{Fact: facts.ConvertsCount, Noun: "conversions"}, facts.ConvertsCount), rule.MostBy("max_converts", limit))
		}
	},
}

// narrowTypes are the types of sixteen bits and fewer.
var narrowTypes = []string{
	"bf16", "f16", "f8e5m2", "f8e4m3", "f8e4m3fn", "f8e3m4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "f8e8m0fnu", "f6e3m2fn", "f6e2m3fn",
	"f4e2m1fn", "s8", "u8", "s4", "u4", "s2", "u2", "s1", "u1",
}

func checkWide(c *rule.Context, v *changes.Variant) {
	wide := phrase.Filter(v.New.Products, func(m *facts.Product) bool {
		return !slices.Contains(c.List("dtypes"), m.Type) && !phrase.AnyGlob(c.List("allow"), m.OpName)
	})
	a := c.Budget("products", float64(len(wide)))
	if v.Old != nil {
		was, known := wideBefore(c, v.Old)
		a.SetBase(known && c.List("allow") == nil, was)
	}
	have, of := narrowShare(v.New.Products, wide)
	of = "of the products' " + of + " is in " + strings.Join(phrase.First(c.List("dtypes"), 4), ", ")
	for _, f := range c.JudgeShare(a, "min_share", "products.share", have, of) {
		f.Cause, f.Evidence = productCause(wide)
	}
}

// wideBefore counts the wide products of a baseline, which holds no more than their number in each type.
func wideBefore(c *rule.Context, v *facts.Variant) (n float64, known bool) {
	n, known = v.Facts[facts.ProductsTotal]
	for _, dtype := range c.List("dtypes") {
		n -= v.Facts[facts.ProductType.Of(dtype)]
	}
	return n, known
}

// narrowShare is the share of arithmetic in narrow products; of their number where the arithmetic of some is not known.
func narrowShare(all, wide []*facts.Product) (share float64, of string) {
	if len(all) == 0 {
		return 1, "number"
	}
	total, known := arithmetic(all)
	if !known {
		return 1 - float64(len(wide))/float64(len(all)), "number"
	}
	part, _ := arithmetic(wide)
	return 1 - part/total, "arithmetic"
}

func arithmetic(products []*facts.Product) (flops float64, known bool) {
	known = true
	for _, m := range products {
		flops += float64(m.Flops)
		known = known && m.Flops > 0
	}
	return flops, known
}

// checkWider counts the products that became wider than they were.
func checkWider(c *rule.Context, v *changes.Variant) {
	if v.Old == nil {
		return
	}
	known := v.Old.Facts.Known(facts.ProductsTotal)
	w := widened(c, v)
	if scaled := unscaled(v); scaled.measure() > w.measure() {
		w = scaled
	}
	for _, other := range []widening{sent(v), leaked(v)} {
		if w.measure() == 0 && other.measure() > 0 {
			w, known = other, true
		}
	}
	a := c.Budget("products.wider", w.measure())
	a.Noun, a.Difference = w.noun()+" in a wider type", true
	a.SetBase(known, 0)
	if f := c.Judge(a); f != nil {
		f.Message = phrase.Counted(a.Actual, "", w.noun()) + " " + w.sentence()
		f.Cause, f.Evidence = v.EditThat(w.widens)
	}
}

// widened compares the products of the optimized module or, where more of them are wider, those of the unoptimized one.
func widened(c *rule.Context, v *changes.Variant) widening {
	w := widening{tpu: c.Target.Report.Toolchain.Backend == "tpu", was: v.Old.Facts.Members(facts.ProductType), is: v.New.Facts.Members(facts.ProductType)}
	model := widening{was: v.Old.Facts.Members(facts.AskedType), is: v.New.Facts.Members(facts.AskedType)}
	if len(model.was) > 0 && model.measure() > w.measure() {
		return model
	}
	return w
}

// unscaled counts the arrays that the model no longer converts to a floating-point type of eight bits or fewer. It leaves out those of products that are gone,
// or that multiply eight bits now. The optimized module does not tell this if the device does not multiply such types, or if the compiler does not see that it
// could.
func unscaled(v *changes.Variant) widening {
	w := widening{scaled: true, of: "arrays", was: scaledDown(v.Old), is: scaledDown(v.New)}
	wide, narrow := productsAsked(v.Old)
	wideNow, narrowNow := productsAsked(v.New)
	w.is[""] = sum(w.was) - sum(w.is) - 2*max(0, narrowNow-narrow) - 2*max(0, wide+narrow-wideNow-narrowNow)
	return w
}

// scaledDown counts the model's conversions to floating-point types of eight bits or fewer.
func scaledDown(v *facts.Variant) map[string]float64 {
	return floatsByType(v, func(s changes.Step) bool { return s.Opcode == "convert" && new(widening).bits(s.Type) <= 8 })
}

// productsAsked counts the products that the model asks for in more than eight bits, and in fewer.
func productsAsked(v *facts.Variant) (wide, narrow float64) {
	for t, n := range changes.ProductsByType(v) {
		if new(widening).bits(t) <= 8 {
			narrow += n
		} else {
			wide += n
		}
	}
	return wide, narrow
}

// sent compares the types in which the collectives of the model send numbers. It does not ask what the transfer costs: a loop may hide that, until the network
// is slower or the loop faster.
func sent(v *changes.Variant) widening {
	return widening{of: "collectives", was: floatsByType(v.Old, isSent), is: floatsByType(v.New, isSent)}
}

// leaked compares the types in which the model computes, if several functions compute in wider ones now. Code that means to compute in a wider type casts in
// one function, and casts back. A promotion goes on into the functions behind it.
func leaked(v *changes.Variant) widening {
	w := widening{of: "values", was: floatsByType(v.Old, changes.Step.Computes), is: floatsByType(v.New, changes.Step.Computes)}
	if w.measure() == 0 {
		return w
	}
	functions := map[string]bool{}
	for _, e := range v.Model.Edits {
		if e.Source.File != "" && w.widens(e) {
			functions[e.Source.File+"\x00"+e.Source.NamedFunction()] = true
		}
	}
	if len(functions) < 2 {
		return widening{}
	}
	return w
}

func isSent(s changes.Step) bool { return changes.IsCollective(s.Opcode) }

// floatsByType counts the operations of a model on floating-point numbers that fit, by type.
func floatsByType(v *facts.Variant, fits func(changes.Step) bool) map[string]float64 {
	types := map[string]float64{}
	for i := range v.Model {
		s := &v.Model[i]
		if !strings.HasPrefix(strings.TrimPrefix(s.Type, "b"), "f") {
			continue
		}
		for _, op := range s.Do {
			if fits(changes.Step{Opcode: op, Type: s.Type, Count: 1}) {
				types[s.Type]++
			}
		}
	}
	return types
}

func sum[N int | float64](counts map[string]N) (n N) {
	for _, m := range counts {
		n += m
	}
	return n
}

// widening is how many products went from narrow types to wide ones. What is merely added, or merely gone, did not.
type widening struct {
	tpu     bool
	scaled  bool               // arrays by what they are scaled down to; "" for those that no longer are
	of      string             // what is counted, if not products: "collectives", "values", "arrays"
	was, is map[string]float64 // products by type
	narrow  int                // the bits of the widest narrow type
}

// measure finds the width that most products crossed.
func (w *widening) measure() float64 {
	most, edge := crossed(w.was, w.is, w.bits)
	if most > 0 {
		w.narrow = edge
	}
	return most
}

// crossed finds the rank that most products crossed upwards: as many as there are more above it, but no more than there are fewer below.
func crossed(was, is map[string]float64, rank func(string) int) (most float64, edge int) {
	names := eitherHas(was, is)
	for _, at := range names {
		var more, fewer float64
		for _, name := range names {
			if rank(name) > rank(at) {
				more += is[name] - was[name]
			} else {
				fewer += was[name] - is[name]
			}
		}
		if n := min(more, fewer); n > most {
			most, edge = n, rank(at)
		}
	}
	return most, edge
}

// eitherHas lists the names that either side has, in order.
func eitherHas[V any](was, is map[string]V) []string {
	seen := map[string]V{}
	maps.Copy(seen, was)
	maps.Copy(seen, is)
	return slices.Sorted(maps.Keys(seen))
}

// bits is the width of what the device multiplies: the first number in the type's name. A TPU multiplies f32 in bf16, in as many passes
// as the precision asks for, and its compiler writes down either.
func (w *widening) bits(dtype string) int {
	switch {
	case w.tpu && dtype == "f32":
		dtype = "bf16"
	case dtype == "":
		return 16
	}
	n := 0
	for _, r := range dtype {
		switch digit := r >= '0' && r <= '9'; {
		case digit:
			n = 10*n + int(r-'0')
		case n > 0:
			return n
		}
	}
	return n
}

func (w *widening) noun() string { return cmp.Or(w.of, "products") }

func (w *widening) sentence() string {
	what := "in a wider type than in the baseline"
	if w.scaled {
		what = "no longer scaled down to eight bits"
	}
	return what + ": " + w.moves()
}

// moves says of which types there are more or fewer.
func (w *widening) moves() string {
	var parts []string
	for _, t := range eitherHas(w.was, w.is) {
		if w.is[t] != w.was[t] && t != "" {
			parts = append(parts, fmt.Sprintf("%s %s → %s", t, phrase.Number(w.was[t]), phrase.Number(w.is[t])))
		}
	}
	return strings.Join(parts, ", ")
}

// widens reports whether an edit of the model makes a product wide, or no longer scales operands down.
func (w *widening) widens(e changes.Edit) bool {
	if w.scaled {
		return slices.ContainsFunc(e.Removed, func(s changes.Step) bool { return s.Opcode == "convert" && w.was[s.Type] > w.is[s.Type] })
	}
	return slices.ContainsFunc(e.Added, w.isWide)
}

func (w *widening) isWide(s changes.Step) bool {
	if w.bits(s.Type) <= w.narrow {
		return false
	}
	switch w.of {
	case "collectives":
		return isSent(s)
	case "values":
		return s.Computes()
	}
	return s.Opcode == "convolution" || strings.HasSuffix(s.Opcode, "dot")
}
