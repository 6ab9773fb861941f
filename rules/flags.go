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

var flags = rule.Rule{
	ID:    "flags",
	Title: "XLA's flags are those of the baseline, or as pinned",
	Why: "A flag that was set for an experiment and stayed, or one that a container image lost, changes every program at once. Some change no operation: without " +
		"optimization of its code (xla_backend_optimization_level: 0) a program takes twice as long. In a pack the rule compares flags of the same toolchain only.",
	Reads: []rule.Input{},
	Options: []rule.Option{
		{Key: "require", Type: rule.Pairs, Doc: "flags that must be set, with their values as globs: { xla_gpu_enable_triton_gemm: \"false\" }"},
		{Key: "forbid", Type: rule.Globs, Doc: "flags that must have their default value"},
		{Key: "allow", Type: rule.Globs, Empty: true, Doc: "flags that may differ from the baseline"},
		{Key: "only_effective", Type: rule.Switch, Default: false, Doc: "allow other flags while every program is compiled to the same code"},
	},
	Budget:  &rule.Metric{Noun: "flags not as agreed", Better: rule.Lower, Difference: true},
	Bounds:  []string{"require", "forbid"},
	Fails:   rule.Example{On: "cpu-unfused/after", Config: "- { rule: flags }", Says: "1 flag is not as agreed: xla_disable_hlo_passes at its default → fusion"},
	Passes:  rule.Example{On: "cpu-unfused/before", Config: "- { rule: flags, forbid: [xla_disable_hlo_passes] }"},
	Fix:     "Look at XLA_FLAGS, LIBTPU_INIT_ARGS and compiler_options of the job, and at defaults that the framework's version changed.",
	Threads: []string{"pytorch/xla#8008"},
	Whole:   true,
	Target: func(c *rule.Context, t *rule.Target) {
		if why, fix := flagsMissing(c, t); why != "" {
			c.Gap(why, fix)
			return
		}
		if c.Pack != "" && len(toolchainChanges(c, parts(t.Base.Toolchain), parts(t.Report.Toolchain))) > 0 {
			c.Gap("another toolchain sets other flags", "xlagate accept --reason \"why\"")
			return
		}
		var wrong []string
		a := c.Budget("flags", 0)
		if c.BoundedByOwn() {
			wrong = disagreedFlags(c, t.Report.Toolchain)
		} else if !c.On("only_effective") || slices.ContainsFunc(t.Programs, func(p *changes.Program) bool { return p.Change != "same" }) {
			wrong = flagChanges(c, t.Base.Toolchain.Flags, t.Report.Toolchain.Flags)
		}
		a.Actual = float64(len(wrong))
		if t.Base != nil {
			a.Base = new(float64(len(disagreedFlags(c, t.Base.Toolchain))))
		}
		if f := c.Judge(a); f != nil {
			f.Message = phrase.Are(len(wrong), "flag") + " not as agreed: " + strings.Join(phrase.First(wrong, 6), ", ")
			f.Cause, f.Evidence.After = &changes.Cause{Kind: changes.KindFlags, Title: "compiled with other flags: " + strings.Join(phrase.First(wrong, 2), ", ")}, wrong
		}
	},
}

// flagsMissing says why there are no flags to look at, and what to do; "" where there are.
func flagsMissing(c *rule.Context, t *rule.Target) (why, fix string) {
	own := c.BoundedByOwn()
	switch {
	case !own && t.Base == nil:
		return "there is no baseline", "xlagate accept --reason \"why\", or require: and forbid: flags"
	case len(t.Report.Programs)+len(t.Report.Helpers) == 0:
		return "the dump holds no module", "dump again, with XLA's flags beside the modules"
	case t.Report.Toolchain.FlagsUntold():
		return "the dump does not hold XLA's flags", "keep module_….debug_options in the dump; JAX before 0.6 does not write it: leave the rule out there"
	case !own && t.Base.Toolchain.FlagsUntold():
		return "the baseline was accepted from a dump without XLA's flags", "xlagate accept --reason \"why\" writes them down, or require: and forbid: flags"
	}
	return "", ""
}

// disagreedFlags lists the flags that are not as the settings require and forbid.
func disagreedFlags(c *rule.Context, t facts.Toolchain) []string {
	required := c.Pairs("require")
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if value, set := t.Flag(name); !set || !phrase.Glob(required[name], value) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, %s wanted", name, orDefault(t.Flags, name), required[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Flags)) {
		if phrase.AnyGlob(c.List("forbid"), name) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, its default wanted", name, t.Flags[name]))
		}
	}
	return wrong
}

func orDefault(flags map[string]string, name string) string {
	if value, set := flags[name]; set {
		return value
	}
	return "at its default"
}

// flagChanges lists the flags that one side sets and the other does not, or sets to something else.
func flagChanges(c *rule.Context, was, now map[string]string) []string {
	var out []string
	for _, name := range eitherHas(was, now) {
		if orDefault(was, name) != orDefault(now, name) && !phrase.AnyGlob(c.List("allow"), name) {
			out = append(out, fmt.Sprintf("%s %s → %s", name, orDefault(was, name), orDefault(now, name)))
		}
	}
	return out
}
