package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxPeakBytes = rule.Rule{
	ID:    "max-peak-bytes",
	Title: "the program needs no more memory at its peak",
	Why:   "Arguments, outputs, constants and temporaries together decide whether a program fits on the device.",
	Reads: []rule.Input{rule.BufferAssignment},
	Options: []rule.Option{
		{
			Key: "memory_space", Type: rule.Text,
			Doc: "only this memory space: on a TPU default, vmem, smem, hbm or host, elsewhere color_1 and so on; by default the main memory. On a TPU, the main memory and what is made in vmem may together not grow by more than max_increase either",
		},
		minGrowth,
	},
	Budget: rule.FactMetric(facts.MemoryPeak, "peak memory"),
	Fails: rule.Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max_increase: 5% }",
		Says: "193.0 KiB of peak memory: up from 129.0 KiB in the baseline (+49.6 %), max_increase 5 %"},
	Passes:  rule.Example{On: "cpu-unfused/after", Config: "- { rule: max-peak-bytes, max: 1MiB }"},
	Fix:     "Look at the buffers that are kept now: can they be donated, computed again, or in a narrower type? `xlagate inspect DUMP -o peak.html` shows which are live at the peak. On a TPU, the peak may be one of vmem, the fast memory, which the compiler fills first.",
	Threads: []string{"jax-ml/jax#30627", "openxla/xla#17124"},
	Check:   checkSpace,
	Variant: func(c *rule.Context, v *changes.Variant) {
		if space := c.Text("memory_space"); space != "" {
			judgeSpace(c, v, space)
			return
		}
		found := len(c.Findings)
		if c.JudgeFact(*c.Rule.Budget); len(c.Findings) == found {
			judgeHeld(c, v)
		}
	},
}

// namedSpaces are the memory spaces of a TPU, in the order of their colors.
var namedSpaces = []string{"default", "vmem", "smem", "hbm", "host"}

// checkSpace finds names of memory spaces that none has: a misspelt one would take nothing for ever.
func checkSpace(s *rule.Settings) []rule.Refusal {
	space := s.Text("memory_space")
	digits, numbered := strings.CutPrefix(space, "color_")
	if space == "" || slices.Contains(namedSpaces, space) || numbered && isCount(digits) {
		return nil
	}
	err := fmt.Errorf("memory_space %q does not exist; expected %s, or color_1 and so on", space, strings.Join(namedSpaces, ", "))
	return []rule.Refusal{{Path: []string{"memory_space"}, Err: err}}
}

// isCount tells a number from 1, as it is printed.
func isCount(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 31)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == digits
}

// judgeSpace holds what a program takes of one memory space against the settings. Where there are several, one that is not used is not listed.
func judgeSpace(c *rule.Context, v *changes.Variant, space string) {
	fact := facts.MemorySpace.Of(space)
	if name, other := tpuName(space); other && c.Target.Report.Toolchain.Backend == "tpu" {
		c.Gap(fmt.Sprintf("a TPU's %s is called %s", space, name), "memory_space: "+name)
		return
	}
	if !hasSpaces(v.New) {
		if v.New.Facts.Known(facts.MemoryTemp) {
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

// judgeHeld holds what a program keeps in all memory spaces of a TPU against the baseline. The compiler keeps in the fast memory what fits: of a small model
// most, of a large one little, and the rest goes to the main memory.
func judgeHeld(c *rule.Context, v *changes.Variant) {
	if !v.New.Facts.Known(facts.MemoryHeld) || v.Old == nil || c.AbsolutelyBounded() && c.MaxIncrease == nil {
		return
	}
	m := *c.Rule.Budget
	m.Fact, m.Noun = facts.MemoryHeld, "peak memory with vmem"
	rule.Explain(c.JudgeGrowth(c.AmountOf(m, m.Fact)), v.FactGrowth, m.Fact)
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
func hasSpaces(v *facts.Variant) bool { return len(v.Facts.Members(facts.MemorySpace)) > 0 }
