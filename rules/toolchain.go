package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var toolchain = rule.Rule{
	ID:    "toolchain",
	Title: "compiler, framework, libraries and device are those of the baseline, or as pinned",
	Why:   "A new compiler changes thousands of lines of optimized HLO without any change of the model. Accept an upgrade by itself.",
	Reads: []rule.Input{},
	Options: []rule.Option{
		{Key: "pin", Type: rule.Pairs, Doc: "the required values, as globs: { jaxlib: \"0.10.*\", backend: gpu, device: \"*H100*\" }; by default those of the baseline"},
		{Key: "ignore", Type: rule.Globs, Empty: true, Doc: "parts that may differ: framework, backend, device, or a version's name"},
	},
	Budget: &rule.Metric{Noun: "differences of the toolchain", Better: rule.Lower, Difference: true},
	Bounds: []string{"pin"},
	Fails: rule.Example{On: "gpu-softmax_barrier/before", Base: "cpu-softmax_barrier/before",
		Config: "- { rule: toolchain }", Says: "another toolchain: backend cpu → gpu"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: toolchain, pin: { backend: gpu } }"},
	Fix:     "Accept the upgrade by itself, before or after the change of the model; or pin the compiler's version in the job.",
	Threads: []string{"pytorch/xla#8008"},
	Whole:   true,
	Target: func(c *rule.Context, t *rule.Target) {
		now := withLibraries(t.Report.Toolchain)
		pins := c.Pairs("pin")
		var wrong []string
		switch {
		case pins != nil:
			wrong = againstPins(now, pins)
		case t.Base == nil:
			c.BaseGap("there is no baseline", "xlagate accept --reason \"why\", or pin: the versions")
			return
		default:
			wrong = toolchainChanges(c, withLibraries(t.Base.Toolchain), now)
		}
		a := c.Budget("toolchain", float64(len(wrong)))
		if t.Base != nil {
			a.Base = new(float64(len(againstPins(withLibraries(t.Base.Toolchain), pins))))
		}
		if f := c.Judge(a); f != nil {
			f.Message = "another toolchain: " + strings.Join(phrase.First(wrong, 6), ", ")
			f.Cause, f.Evidence.After = &changes.Cause{Kind: changes.KindToolchain, Title: "other differences may come from the compiler"}, wrong
		}
	},
}

// withLibraries adds the installed packages that operations come from, which set no flags, to the parts of a toolchain.
func withLibraries(t facts.Toolchain) map[string]string {
	out := parts(t)
	maps.Copy(out, t.Libraries)
	return out
}

// parts names everything about a toolchain that decides the flags and is known.
func parts(t facts.Toolchain) map[string]string {
	out := map[string]string{"framework": t.Framework, "backend": t.Backend, "device": t.Device}
	maps.Copy(out, t.Versions)
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}

func againstPins(now, pins map[string]string) []string {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		switch value, known := now[name]; {
		case !known:
			wrong = append(wrong, fmt.Sprintf("%s is not known, %s wanted", name, pins[name]))
		case !phrase.Glob(pins[name], value):
			wrong = append(wrong, fmt.Sprintf("%s is %s, %s wanted", name, value, pins[name]))
		}
	}
	return wrong
}

// toolchainChanges lists the parts of the toolchain that differ. A part that only one side knows says nothing.
func toolchainChanges(c *rule.Context, was, now map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if value, known := now[name]; known && value != was[name] && !phrase.AnyGlob(c.List("ignore"), name) {
			out = append(out, fmt.Sprintf("%s %s → %s", name, was[name], value))
		}
	}
	return out
}
