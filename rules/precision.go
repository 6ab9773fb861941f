package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var precision = rule.Rule{
	ID:    "precision",
	Title: "matrix products keep their precision",
	Why: "jax.default_matmul_precision and similar settings decide how many passes a product takes: highest is six times the work on a TPU, default " +
		"may be too coarse for a loss.",
	Options: []rule.Option{
		{Key: "precisions", Type: rule.Words, Doc: "the allowed precisions: default, high, highest, or an algorithm such as dot_bf16_bf16_f32_x3; by default those of the baseline"},
		{
			Key: "no_higher", Type: rule.Switch, Default: false, Compares: true,
			Doc: "forbid only products of a higher precision than in the baseline",
		},
		{Key: "op_name", Type: rule.Glob, Doc: "only products of this part of the model"},
	},
	Needs:   facts.ProductsTotal,
	Budget:  &rule.Metric{Noun: "products of another precision", Better: rule.Lower, Difference: true},
	Bounds:  []string{"precisions"},
	Fails:   rule.Example{On: "tpu-precision/after", Config: "- { rule: precision, precisions: [default] }", Says: "1 product of another precision: at most 0 allowed"},
	Passes:  rule.Example{On: "tpu-precision/before", Config: "- { rule: precision, precisions: [default] }"},
	Fix:     "Set the precision on the product that needs it (precision=), not for the whole program.",
	Threads: []string{"jax-ml/jax#22313"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if c.List("precisions") == nil {
			samePrecision(c, v)
		} else {
			checkPrecisions(c, v)
		}
	},
}

// checkPrecisions holds every product to what is allowed.
func checkPrecisions(c *rule.Context, v *changes.Variant) {
	other := phrase.Filter(v.New.Products, func(m *facts.Product) bool {
		return !slices.Contains(c.List("precisions"), m.Precision) && inPart(c, m.OpName)
	})
	a := c.Budget("precision", float64(len(other)))
	if v.Old != nil {
		was, ok := v.Old.Facts[facts.ProductsTotal]
		for _, name := range c.List("precisions") {
			was -= v.Old.Facts[facts.ProductPrecision.Of(name)]
		}
		a.SetBase(ok && c.Text("op_name") == "", was)
	}
	rule.Explain(c.Judge(a), productCause, other)
}

// samePrecision compares how many products there are of each precision with the baseline.
func samePrecision(c *rule.Context, v *changes.Variant) {
	if v.Old == nil {
		return
	}
	total, ok := v.Old.Facts[facts.ProductsTotal]
	more, rises, falls := 0.0, []string{}, []string{}
	for _, name := range eitherHas(v.Old.Facts.Members(facts.ProductPrecision), v.New.Facts.Members(facts.ProductPrecision)) {
		switch was, is := v.Old.Facts[facts.ProductPrecision.Of(name)], v.New.Facts[facts.ProductPrecision.Of(name)]; {
		case is > was:
			more += is - was
			rises = append(rises, fmt.Sprintf("%s at %s, up from %s", phrase.Number(is), name, phrase.Number(was)))
		case is < was:
			falls = append(falls, fmt.Sprintf("%s at %s, down from %s", phrase.Number(is), name, phrase.Number(was)))
		}
	}
	changed := more - max(0, v.New.Facts[facts.ProductsTotal]-total)
	if c.On("no_higher") {
		changed, _ = crossed(v.Old.Facts.Members(facts.ProductPrecision), v.New.Facts.Members(facts.ProductPrecision), passes)
	}
	a := c.Budget("precision", changed)
	a.SetBase(ok, 0)
	if f := c.Judge(a); f != nil {
		f.Message = "products changed their precision: " + strings.Join(append(rises, falls...), "; ")
		out := phrase.Filter(v.New.Products, func(m *facts.Product) bool {
			name := facts.ProductPrecision.Of(m.Precision)
			return v.New.Facts[name] > v.Old.Facts[name]
		})
		f.Cause, f.Evidence = productCause(out)
	}
}

// passes is how often a product of a precision multiplies: the name of an algorithm ends with it. A matrix unit takes six passes for all of f32.
func passes(precision string) int {
	if _, times, found := strings.Cut(precision, "_x"); found {
		n, _ := strconv.Atoi(times)
		return n
	}
	switch precision {
	case "high":
		return 3
	case "highest", "dot_f32_f32_f32":
		return 6
	}
	return 1
}
