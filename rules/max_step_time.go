package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxStepTime = rule.Rule{
	ID:    "max-step-time",
	Title: "the predicted step time does not grow",
	Why: "No count shows step time: one more kernel may be faster, and the same kernels may be slower. The prediction prices every launch by what it " +
		"computes, moves, sends and waits for on the target's device; docs/price.md says how good it is. Work that moves into a call of unknown cost " +
		"would look cheaper, so launches without a price may not increase, and a hand-written kernel that changed is a warning.",
	Budget: rule.FactMetric(facts.PriceStep, "predicted step time"),
	Fails: rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-step-time, max: 20us, max_increase: 2% }",
		Says: "51.8 µs of predicted step time: at most 20 µs allowed; up from 21.2 µs in the baseline (+143.9 %), max_increase 2 %"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-step-time, max: 1s }"},
	Fix:     "Look at the kernels that came: can the edit do with fewer, in a narrower type, or outside of the loop? `xlagate inspect DUMP` lists what each takes. If the target runs on another device than the dump's, set `device:`.",
	Threads: []string{"openxla/xla#27322"},
	Options: []rule.Option{
		{Key: "unsure", Type: rule.Word, Enum: []string{"error", "warning", "info"}, Default: "warning", Doc: "the level of growth that the error of the price may explain"},
	},
	Variant: func(c *rule.Context, v *changes.Variant) {
		if !v.New.Facts.Known(facts.PriceStep) {
			why, devices := c.Target.Report.Unpriced(v.New)
			c.Unjudged("its step has no price: "+why, fmt.Sprintf("write the device below the target in xlagate.yaml, such as device: %s; there are %s",
				devices[0], phrase.List(devices, "and")))
			return
		}
		before := len(c.Findings)
		c.JudgeFact(*c.Rule.Budget)
		for _, f := range c.Findings[before:] {
			weigh(c, v, f)
		}
		if v.Knows(facts.PriceUnpriced) && (c.MaxIncrease != nil || !c.AbsolutelyBounded()) {
			checkUnpriced(c, v)
		}
	},
}

// weigh lowers the level of growth that is not sure: its middle is beyond what may be, and its lower end is not. Where the baseline has no price, nothing says how sure
// it is, and a limit that the baseline breaks is broken without any growth.
func weigh(c *rule.Context, v *changes.Variant, f *rule.Finding) {
	if !v.Knows(facts.PriceStep) || c.Max != nil && v.Old.Facts[facts.PriceStep] > *c.Max {
		return
	}
	f.Unsure = c.Text("unsure")
	growth, was := v.StepInterval(), v.Old.Facts[facts.PriceStep]
	least, allowed := was+growth.Low, was
	if c.MaxIncrease != nil {
		allowed += c.MaxIncrease.Of(was)
	}
	if c.Max != nil && least > *c.Max || (f.Drift || c.MaxIncrease != nil) && least > allowed {
		return
	}
	f.Level = f.Unsure
	f.Message += "; " + phrase.Between(growth.Low/was, growth.High/was)
	if f.Level != "error" {
		f.Message += ": probably slower, measure it"
	}
}

func unpriced(k *facts.Kernel) bool { return k.Work[price.Unknown] > 0 }

// checkUnpriced finds launches that gained no price: work that moves into an unknown call looks cheaper than it is. So does an unknown call
// in the place of another.
func checkUnpriced(c *rule.Context, v *changes.Variant) {
	m := rule.Metric{Fact: facts.PriceUnpriced, Noun: "launches without a price"}
	a := c.AmountOf(m, m.Fact)
	has := phrase.Count(int(a.Actual), "launch has", "launches have")
	says := fmt.Sprintf("%s no price: at most %s in the baseline", has, phrase.Number(v.Old.Facts[m.Fact]))
	if a.Actual <= v.Old.Facts[m.Fact] {
		known := map[string]bool{}
		for k := range v.Old.KernelsThat(unpriced) {
			known[k.Target] = true
		}
		a.Actual = v.New.CountKernels(func(k *facts.Kernel) bool { return unpriced(k) && !known[k.Target] })
		a.SetBase(true, 0)
		says = phrase.Count(int(a.Actual), "launch", "launches") + " without a price calls what the baseline does not"
	}
	level, counted := "", unpriced
	if a.Actual == 0 || a.Base != nil && a.Actual <= *a.Base { // a kernel that was written by hand and is another one now may cost more or less: nothing says
		known := map[string]bool{}
		for k := range v.Old.KernelsThat(unpriced) {
			known[k.Print] = true
		}
		level, counted = c.Text("unsure"), func(k *facts.Kernel) bool { return unpriced(k) && k.Function != "" && !known[k.Print] }
		a.Subject, a.Actual = "kernels without a price", v.New.CountKernels(counted)
		a.SetBase(true, 0)
		says = phrase.Count(int(a.Actual), "kernel", "kernels") + " without a price changed, and nothing says what that costs: measure it"
	}
	if f := c.Compare(a, rule.NoMore); f != nil {
		f.Message, f.Level = says, level
		f.Cause, f.Evidence = v.Growth(counted)
	}
}
