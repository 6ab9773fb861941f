package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var toolchain = rule.Rule{
	ID:    "toolchain",
	Title: "compiler, framework and device are those of the baseline, or as pinned",
	Why: "A new compiler changes thousands of lines of optimized HLO without any change of the model. Findings next to an upgrade make sense only if the upgrade is known: " +
		"accept it in a change of its own.",
	Reads: []rule.Input{},
	Options: []rule.Option{
		{Key: "pin", Type: rule.Pairs, Sense: rule.Demands, Doc: "the required values, as globs: { jaxlib: \"0.10.*\", backend: gpu, device: \"*H100*\" }; by default those of the baseline"},
		{Key: "ignore", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "parts that may differ: framework, backend, device, or a version's name"},
	},
	Budget:  &rule.Metric{Noun: "differences of the toolchain", Better: rule.Lower, Difference: true},
	Bounds:  []string{"pin"},
	Fails:   rule.Example{On: "gpu-softmax_barrier/before", Base: "cpu-softmax_barrier/before", Config: "- { rule: toolchain }", Says: "another toolchain: backend cpu → gpu"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: toolchain, pin: { backend: gpu } }"},
	Fix:     "Accept the upgrade by itself, before or after the change of the model; or pin the compiler's version in the job.",
	Threads: []string{"pytorch/xla#8008"},
	Whole:   true,
	Accepts: []string{"*", "kernel list"},
	Target:  checkToolchain,
}

func checkToolchain(c *rule.Context, t *rule.Target) {
	now := parts(t.Report.Toolchain)
	pins := c.Pairs("pin")
	var wrong []string
	switch {
	case pins != nil:
		wrong = againstPins(now, pins)
	case t.Base == nil:
		c.Gap("there is no baseline", "xlagate accept --reason \"…\", or pin: the versions")
		return
	default:
		wrong = toolchainChanges(c, parts(t.Base.Toolchain), now)
	}
	a := c.Budget("toolchain", float64(len(wrong)))
	a.Upgrade = true
	if t.Base != nil {
		a.Base = new(float64(len(againstPins(parts(t.Base.Toolchain), pins))))
	}
	if f := c.JudgePinned(a); f != nil {
		f.Message = "another toolchain: " + strings.Join(phrase.First(wrong, 6), ", ")
		f.Cause, f.Evidence.After = &diff.Cause{Kind: diff.KindToolchain, Title: "other differences may come from the compiler"}, wrong
	}
}

// parts names everything about a toolchain that is known, but for its flags.
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

// toolchainChanges lists the parts that are not as they were. One that only one side knows says nothing.
func toolchainChanges(c *rule.Context, was, now map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if value, known := now[name]; known && value != was[name] && !phrase.AnyGlob(c.List("ignore"), name) {
			out = append(out, fmt.Sprintf("%s %s → %s", name, was[name], value))
		}
	}
	return out
}

var flags = rule.Rule{
	ID:    "flags",
	Title: "XLA's flags are those of the baseline, or as pinned",
	Why: "A flag that was set for an experiment and stayed, or one that a container image lost, changes every program at once. Nobody looks for it in the model's diff, where " +
		"it is not.",
	Reads: []rule.Input{},
	Options: []rule.Option{
		{Key: "require", Type: rule.Pairs, Sense: rule.Demands, Doc: "flags that must be set, with their values as globs: { xla_gpu_enable_triton_gemm: \"false\" }"},
		{Key: "forbid", Type: rule.Globs, Sense: rule.Demands, Doc: "flags that must have their default value"},
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "flags that may differ from the baseline"},
		{Key: "only_effective", Type: rule.Switch, Sense: rule.Caps, Default: false, Doc: "allow other flags while every program is compiled to the same code"},
	},
	Budget:  &rule.Metric{Noun: "flags not as agreed", Better: rule.Lower, Difference: true},
	Bounds:  []string{"require", "forbid"},
	Fails:   rule.Example{On: "cpu-unfused/after", Config: "- { rule: flags }", Says: "1 flag is not as agreed: xla_disable_hlo_passes at its default → fusion"},
	Passes:  rule.Example{On: "cpu-unfused/before", Config: "- { rule: flags, forbid: [xla_disable_hlo_passes] }"},
	Fix:     "Look at XLA_FLAGS, LIBTPU_INIT_ARGS and compiler_options of the job, and at defaults that the framework's version changed.",
	Threads: []string{"pytorch/xla#8008"},
	Whole:   true,
	Accepts: []string{"*", "kernel list"},
	Target:  checkFlags,
}

func checkFlags(c *rule.Context, t *rule.Target) {
	if why, fix := flagsMissing(c, t); why != "" {
		c.Gap(why, fix)
		return
	}
	var wrong []string
	a := c.Budget("flags", 0)
	a.Upgrade = true
	if c.BoundedByOwn() {
		wrong = disagreedFlags(c, t.Report.Toolchain)
	} else if !c.On("only_effective") || anyChanged(t) {
		wrong = flagChanges(c, t.Base.Toolchain.Flags, t.Report.Toolchain.Flags)
	}
	a.Actual = float64(len(wrong))
	if t.Base != nil {
		a.Base = new(float64(len(disagreedFlags(c, t.Base.Toolchain))))
	}
	if f := c.JudgePinned(a); f != nil {
		f.Message = phrase.Are(len(wrong), "flag") + " not as agreed: " + strings.Join(phrase.First(wrong, 6), ", ")
		f.Cause, f.Evidence.After = &diff.Cause{Kind: diff.KindFlags, Title: "the program was compiled with other flags"}, wrong
	}
}

// flagsMissing says why there are no flags to look at, and what to do; "" where there are.
func flagsMissing(c *rule.Context, t *rule.Target) (why, fix string) {
	own := c.BoundedByOwn()
	switch {
	case !own && t.Base == nil:
		return "there is no baseline", "xlagate accept --reason \"…\", or require: and forbid: flags"
	case t.Report.Toolchain.FlagsUntold():
		return "the dump does not hold XLA's flags", "keep module_….debug_options in the dump; JAX before 0.6 does not write it: leave the rule out there"
	case !own && t.Base.Toolchain.FlagsUntold():
		return "the baseline was accepted from a dump without XLA's flags", "xlagate accept --reason \"…\" writes them down, or require: and forbid: flags"
	}
	return "", ""
}

// anyChanged reports whether a program changed.
func anyChanged(t *rule.Target) bool {
	return slices.ContainsFunc(t.Programs, func(p *diff.Program) bool { return p.Change != "same" })
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
	all := map[string]bool{}
	for _, side := range []map[string]string{was, now} {
		for name := range side {
			all[name] = true
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if orDefault(was, name) != orDefault(now, name) && !phrase.AnyGlob(c.List("allow"), name) {
			out = append(out, fmt.Sprintf("%s %s → %s", name, orDefault(was, name), orDefault(now, name)))
		}
	}
	return out
}

var stableCompile = rule.Rule{
	ID:    "stable-compile",
	Title: "several compiles of the same source give the same program",
	Why: "With autotuning and ties in the fusion pass, some compilers produce another program in every process: three different ones in six runs have been seen. Numbers that change by " +
		"themselves teach people to ignore the gate.",
	Reads: []rule.Input{rule.Samples},
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "facts that may differ: kernels.*, cost.*"},
	},
	Budget:  &rule.Metric{Noun: "unstable facts", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-set_order_shuffled/*", Config: "- { rule: stable-compile }", Says: "17 facts are different from compile to compile, in 2 compiles: cost.bytes_accessed, cost.flops, cost.transcendentals, cost.weighted_bytes_accessed, cost.weighted_flops, dtypes.f32, 11 more"},
	Passes:  rule.Example{On: "cpu-set_order_sorted/*", Config: "- { rule: stable-compile }"},
	Fix:     "If the source is traced differently each time, sort what is iterated over. If the compiler differs, pin autotuning results (--xla_gpu_load_autotune_results_from), turn autotuning off for the dump, or report the unstable pass.",
	Threads: []string{"openxla/xla#49047", "openxla/xla#15229"},
	Variant: checkStableCompile,
}

func checkStableCompile(c *rule.Context, v *diff.Variant) {
	if c.Target.Report.Samples < 2 {
		c.Uncovered(rule.Samples, "compile several times, each into a folder of its own, and set samples: 2 in the target")
		return
	}
	names := flapping(c, v.New)
	a := c.Count("unstable facts", func(v *facts.Variant) float64 { return float64(len(flapping(c, v))) })
	if f := c.Forbid(a); f != nil {
		f.Message = fmt.Sprintf("%s different from compile to compile, in %d compiles: %s", phrase.Are(len(names), "fact"), c.Target.Report.Samples, strings.Join(phrase.First(names, 6), ", "))
		f.Cause = &diff.Cause{Title: variesIn(v.New), Source: v.New.FirstSource()}
	}
}

// variesIn reports whether the source or the compiler varies.
func variesIn(v *facts.Variant) string {
	if v.InputVaries {
		return "the model was traced to another program each time: the order of a set or a random value decides what it computes"
	}
	return "the compiler made another program of the same input"
}

// flapping are the facts that differ from compile to compile. What a run is predicted to cost is worked out from the others, and no fact of the compile.
func flapping(c *rule.Context, v *facts.Variant) []string {
	return phrase.Filter(v.Unstable, func(fact string) bool {
		return !facts.About(facts.ID(fact)).Derived && !phrase.AnyGlob(c.List("allow"), fact)
	})
}
