package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxStepTime = rule.Rule{
	ID:    "max-step-time",
	Title: "the predicted step time does not grow",
	Why: "Programs are tuned for step time, and no count shows it: one more kernel may be faster, and the same kernels may be slower. The prediction prices every " +
		"launch on a device by what it computes, moves, sends and waits for. It models the device and does not depend on the machine that computes it; docs/price.md says how good it is. " +
		"Work that moves into a call of unknown cost would look cheaper, so launches without a price may not increase.",
	Budget:  rule.FactMetric(facts.PriceStep, "predicted step time"),
	Fails:   rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-step-time, max: 20us, max_increase: 2% }", Says: "87.8 µs of predicted step time: at most 20 µs allowed; up from 21.2 µs in the baseline (+313.4 %), max_increase 2 %"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: max-step-time, max: 1s }"},
	Fix:     "`xlagate inspect` lists the kernels that take longest, `xlagate diff` those that became more expensive. If the target runs on another device than the dump's, set `device:`.",
	Threads: []string{"openxla/xla#27322"},
	Accepts: []string{"price.*", "cost.*", "kernels.*", "fusions.*", "copies.*", "transposes.*", "collectives.*", "loops.*", "kernel list"}, // the price follows from the launches
	Variant: func(c *rule.Context, v *diff.Variant) {
		c.JudgeFact(*c.Rule.Budget)
		if v.Knows(facts.PriceUnpriced) && (c.MaxIncrease != nil || !c.AbsolutelyBounded()) {
			checkUnpriced(c, v)
		}
	},
}

func unpriced(k *facts.Kernel) bool { return k.Work[price.Unknown] > 0 }

// checkUnpriced finds launches that gained no price: work that moves into an unknown call looks cheaper than it is. So does an unknown call
// in the place of another.
func checkUnpriced(c *rule.Context, v *diff.Variant) {
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
	if f := c.ForbidMore(a); f != nil {
		f.Message = says
		f.Cause, f.Evidence = v.Growth(unpriced)
	}
}

var maxPeakBytes = rule.Rule{
	ID:      "max-peak-bytes",
	Title:   "the program needs no more memory at its peak",
	Why:     "Arguments, outputs, constants and temporaries together decide whether a program fits on the device.",
	Reads:   []rule.Input{rule.BufferAssignment},
	Options: []rule.Option{memorySpace, minGrowth},
	Budget:  rule.FactMetric(facts.MemoryPeak, "peak memory"),
	Fails:   rule.Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max_increase: 5% }", Says: "193.0 KiB of peak memory: up from 129.0 KiB in the baseline (+49.6 %), max_increase 5 %"},
	Passes:  rule.Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max: 1MiB }"},
	Fix:     "See which part grew (xlagate inspect): arguments, outputs, constants or temporaries. Each has its own rule, with its own fix.",
	Threads: []string{"jax-ml/jax#30627", "openxla/xla#17124"},
	Accepts: []string{"memory.*"},
	Check:   checkSpace,
	Variant: func(c *rule.Context, v *diff.Variant) {
		if space := c.Text(memorySpace.Key); space != "" {
			judgeSpace(c, v, space)
		} else {
			c.JudgeFact(*c.Rule.Budget)
		}
	},
}

// memorySpace counts one memory space alone.
var memorySpace = rule.Option{
	Key: "memory_space", Type: rule.Text, Sense: rule.Neither,
	Doc: "count only this memory space of the buffer assignment: on a TPU default, vmem, smem, hbm or host, elsewhere color_1 and so on; by default the peak of the main memory",
}

// namedSpaces are the memory spaces of a TPU, in the order of their colors.
var namedSpaces = []string{"default", "vmem", "smem", "hbm", "host"}

// checkSpace finds names of memory spaces that none has: a misspelt one would take nothing for ever.
func checkSpace(s *rule.Settings) []rule.Refusal {
	space := s.Text(memorySpace.Key)
	digits, numbered := strings.CutPrefix(space, "color_")
	if space == "" || slices.Contains(namedSpaces, space) || numbered && isCount(digits) {
		return nil
	}
	err := fmt.Errorf("memory_space %q does not exist; expected %s, or color_1 and so on", space, strings.Join(namedSpaces, ", "))
	return []rule.Refusal{{Path: []string{memorySpace.Key}, Err: err}}
}

// isCount tells a number from 1, as it is printed.
func isCount(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 31)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == digits
}

// judgeSpace holds what a program takes of one memory space against the settings. Where there are several, one that is not used is not listed.
func judgeSpace(c *rule.Context, v *diff.Variant, space string) {
	fact := facts.MemorySpace.Of(space)
	if name, other := tpuName(space); other && c.Target.Report.Toolchain.Backend == "tpu" {
		c.Gap(fmt.Sprintf("a TPU's %s is called %s", space, name), "memory_space: "+name)
		return
	}
	if !hasSpaces(v.New) {
		if _, assigned := v.New.Facts[facts.MemoryTemp]; assigned {
			c.Gap("its buffer assignment has one memory space only", "leave memory_space out; max-temp-bytes and max-allocation-bytes need no live ranges")
			return
		}
		c.Uncovered(rule.BufferAssignment, rule.DumpFix)
		return
	}
	m := *c.Rule.Budget
	m.Fact, m.Noun = fact, "memory in "+space
	a := c.AmountOf(m, fact)
	if v.Old != nil {
		a.Base = nil
		a.SetBase(hasSpaces(v.Old), v.Old.Facts[fact])
	}
	rule.Explain(c.Judge(a), v.FactGrowth, fact)
}

// tpuName is what a memory space that is named by its number is called on a TPU.
func tpuName(space string) (string, bool) {
	for color, name := range namedSpaces {
		if space == fmt.Sprintf("color_%d", color) {
			return name, true
		}
	}
	return "", false
}

// hasSpaces reports whether the use of each memory space is known.
func hasSpaces(v *facts.Variant) bool {
	for id := range v.Facts {
		if _, is := facts.MemorySpace.Member(id); is {
			return true
		}
	}
	return false
}
