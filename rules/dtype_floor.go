package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

var dtypeFloor = rule.Rule{
	ID:       "dtype-floor",
	Title:    "matrix products stay in the narrow types that they are meant for",
	Category: rule.Types,
	Why: "One float32 weight, or an FP8 pattern that no longer matches, makes a bfloat16 model multiply in float32: an eighth of the speed on a device whose " +
		"matrix units want sixteen bits or eight.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "dtypes", Type: rule.Words, Sense: rule.Caps, Enum: rule.TypeWords, Default: narrowTypes, Doc: "the types that products may be in"},
		{Key: "min_share", Type: rule.Share, Sense: rule.Demands, InPlace: true, Doc: "the least share of the products' arithmetic that must be in these types, instead of all of it"},
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "op_names of products that may be in any type"},
		noWider,
		{Key: "max_converts", Type: rule.Count, Sense: rule.Caps, Doc: "how many conversions between floating-point types there may be"},
	},
	Budget:  &rule.Metric{Noun: "wide products", Better: rule.Lower},
	Forbids: true,
	Bounds:  []string{"min_share"},
	Fails:   rule.Example{On: "tpu-wide_weights/after", Config: "- { rule: dtype-floor }", Says: "2 wide products: at most 0 allowed"},
	Passes:  rule.Example{On: "tpu-wide_weights/before", Config: "- { rule: dtype-floor, dtypes: [bf16] }"},
	Fix:     "Cast the operand that is wide where it is made, not where it is used; look at parameters in float32 and at promotions with NumPy scalars.",
	Threads: []string{"pytorch/xla#9662", "jax-ml/jax#22313", "tensorflow/tensorflow#59768", "jax-ml/jax#16698"},
	Since:   "1",
	Accepts: []string{"products.*", "asked.*", "scaled.*", "converts.*", "dtypes.*", "ledger"},
	Program: checkDtypeFloor,
}

// narrowTypes are the types of sixteen bits and fewer.
var narrowTypes = []string{
	"bf16", "f16", "f8e5m2", "f8e4m3", "f8e4m3fn", "f8e3m4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "f8e8m0fnu", "f6e3m2fn", "f6e2m3fn",
	"f4e2m1fn", "s8", "u8", "s4", "u4", "s2", "u2", "s1", "u1",
}

func checkDtypeFloor(c *rule.Context, p *diff.Program) {
	for _, v := range rule.Live(p) {
		if _, ok := v.New.Facts[facts.ProductsTotal]; !ok {
			c.Uncovered(p.Name, rule.Optimized, rule.DumpFix)
			continue
		}
		if c.On(noWider.Key) {
			checkWider(c, p, v)
		} else {
			checkWide(c, p, v)
		}
		checkConverts(c, p, v)
	}
}

func checkWide(c *rule.Context, p *diff.Program, v *diff.Variant) {
	wide := wideProducts(c, v.New)
	a := rule.Amount{
		Program: p, Variant: v, Subject: "products", Noun: "wide products", Better: rule.Lower, Actual: float64(len(wide)),
		Cause: func() (*diff.Cause, result.Evidence) { return productCause(wide) },
	}
	if v.Old != nil {
		was, ok := wideBefore(c, v.Old)
		a.Baseline(ok && c.List("allow") == nil, was)
	}
	have, of := narrowShare(v.New.Products, wide)
	c.JudgeShare(a, rule.Portion{
		Key: "min_share", Subject: "products.share", Have: have,
		Of: "of the products' " + of + " is in " + strings.Join(phrase.First(c.List("dtypes"), 4), ", "),
	})
}

func wideProducts(c *rule.Context, v *facts.Variant) []*facts.Product {
	var wide []*facts.Product
	for _, m := range v.Products {
		if !slices.Contains(c.List("dtypes"), m.Type) && !match.AnyGlob(c.List("allow"), m.OpName) {
			wide = append(wide, m)
		}
	}
	return wide
}

// wideBefore counts the wide products of a baseline, which holds no more than their number in each type.
func wideBefore(c *rule.Context, v *facts.Variant) (n float64, ok bool) {
	n, ok = v.Facts[facts.ProductsTotal]
	for _, dtype := range c.List("dtypes") {
		n -= v.Facts[facts.ProductType.Of(dtype)]
	}
	return n, ok
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

// productCause names the product that computes most.
func productCause(products []*facts.Product) (*diff.Cause, result.Evidence) {
	var e result.Evidence
	if len(products) == 0 {
		return nil, e
	}
	most := products[0]
	for _, m := range products {
		if m.Flops > most.Flops || m.Flops == most.Flops && most.Source.File == "" && m.Source.File != "" {
			most = m
		}
		e.After = diff.AddLine(e.After, describeProduct(m))
	}
	return &diff.Cause{Title: "the largest is " + describeProduct(most), OpName: most.OpName, Source: most.Source}, e
}

func describeProduct(m *facts.Product) string {
	text := fmt.Sprintf("%s of %s → %s", m.Opcode, m.Type, m.Shape)
	if m.Precision != "default" {
		text += " at " + m.Precision
	}
	if m.OpName != "" {
		text += "  " + m.OpName
	}
	if m.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", path.Base(m.Source.File), m.Source.Line)
	}
	return text
}

func checkConverts(c *rule.Context, p *diff.Program, v *diff.Variant) {
	limit, ok := c.Number("max_converts")
	if !ok {
		return
	}
	a := c.AmountOf(p, v, rule.Metric{Noun: "conversions", Better: rule.Lower}, facts.ConvertsCount)
	a.Subject = string(facts.ConvertsCount)
	c.With(func(s *rule.Settings) {
		s.Max, s.Min, s.Equal, s.MaxIncrease, s.MaxDecrease = &limit, nil, nil, nil, nil
	}).Hold(a)
}
