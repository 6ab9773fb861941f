package rules

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var noRecompilation = rule.Rule{
	ID:    "no-recompilation",
	Title: "a program is not compiled again for every shape",
	Why: "A new shape, dtype, static value or closed-over constant compiles the whole program again: seconds to minutes in which the device waits. " +
		"Frameworks do it silently.",
	Options: []rule.Option{
		{Key: "max_variants", Type: rule.Count, Sense: rule.Caps, Means: "max", Doc: "how many compilations a program may have; by default, no more than in the baseline"},
		{Key: "ignore_args", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "arguments that may differ"},
	},
	Budget:     &rule.Metric{Noun: "compilations", Better: rule.Lower},
	Fails:      rule.Example{On: "recompile-shapes", Config: "- { rule: no-recompilation, max_variants: 1 }", Says: "compiled 3 times, 1 allowed: x: f32[8,128] → f32[16,128] → f32[32,128]"},
	Passes:     rule.Example{On: "recompile-shapes_fixed", Config: "- { rule: no-recompilation, max_variants: 1 }"},
	Fix:        "Pad or bucket the argument that varies, pass the value as an array instead of a static argument or closure, and create the jitted function once, outside of the loop.",
	Threads:    []string{"tensorflow/tensorflow#81896", "vllm-project/vllm#14580", "google-deepmind/mujoco#2306", "jax-ml/jax#31319"},
	FromSource: true,
	Accepts:    []string{"variants"},
	Program:    checkNoRecompilation,
}

func checkNoRecompilation(c *rule.Context, p *diff.Program) {
	if p.New == nil {
		return
	}
	a := c.Budget("variants", float64(p.New.Compilations()-ignoredVariants(c, p)))
	if p.Old != nil {
		a.Base = new(float64(p.Old.Compilations()))
	}
	if f := c.Judge(a); f != nil {
		f.Message = fmt.Sprintf("compiled %s, %s", phrase.Times(a.Actual), permitted(c, a, f.Limit))
		if a.Actual > 1 {
			f.Message += ": " + whyCompiled(p)
		}
		f.Cause = p.CompiledAgain(c.Target.Report.Logs)
		for i, v := range p.New.Variants {
			if added := p.Added(); len(added) > 0 && !slices.Contains(added, v) {
				continue // it was accepted
			}
			f.Evidence.After = append(f.Evidence.After, tellingArguments(p, i)+"  "+strings.Join(v.Modules, ", "))
		}
	}
}

// tellingArguments returns the arguments in which a variant differs from the others; all if there are none.
func tellingArguments(p *diff.Program, variant int) string {
	var list []string
	for _, a := range p.Recompile {
		if a.Name != "" && variant < len(a.Values) {
			list = append(list, a.Name+": "+a.Values[variant])
		}
	}
	if len(list) == 0 {
		return p.New.Variants[variant].Signature
	}
	return strings.Join(phrase.First(list, 4), ", ")
}

// permitted says how often a program may be compiled: "1 allowed", "1 in the baseline".
func permitted(c *rule.Context, a rule.Amount, limit any) string {
	switch {
	case c.Max != nil && a.Actual > *c.Max, c.Equal != nil:
		return fmt.Sprintf("%v allowed", limit)
	case *a.Base == limit:
		return fmt.Sprintf("%v in the baseline", limit)
	}
	return fmt.Sprintf("%v in the baseline, at most %v allowed", *a.Base, limit)
}

// ignoredVariants counts the variants that differ from an earlier one only in arguments that may differ.
func ignoredVariants(c *rule.Context, p *diff.Program) int {
	globs := c.List("ignore_args")
	if globs == nil {
		return 0
	}
	for _, a := range p.Recompile {
		if !phrase.AnyGlob(globs, a.Name) {
			return 0
		}
	}
	return len(p.New.Variants) - 1
}

// whyCompiled says what differs from compile to compile, and what PyTorch/XLA says of it. Where a graph ended because a value in it was
// asked for, that is why the arguments differ.
func whyCompiled(p *diff.Program) string {
	why, cuts := strings.Join(p.Differences(), "; "), diff.Cuts(p.New)
	switch {
	case cuts == "":
		return why
	case len(diff.ValueReads([]*diff.Program{p})) > 0:
		return "PyTorch/XLA compiled it " + cuts + "; " + why
	}
	return why + "; PyTorch/XLA compiled it " + cuts
}

var maxCompilations = rule.Rule{
	ID:    "max-compilations",
	Title: "no more compilations in a run than before",
	Why: "Every compilation stops the device for seconds to minutes, and five hundred in one step have been seen. Unlike no-recompilation, this rule counts them all, " +
		"also equal ones, of one program or of the whole run, and trusts a log that lists more than the dump holds.",
	Options: []rule.Option{
		{Key: "per", Type: rule.Word, Sense: rule.Neither, Enum: []string{"program", "target"}, Default: "program", Doc: "bound each program by itself, or all programs together"},
	},
	Budget:     &rule.Metric{Noun: "compilations", Better: rule.Lower},
	Fails:      rule.Example{On: "recompile-jit_in_loop", Config: "- { rule: max-compilations, max: 1 }", Says: "4 compilations: at most 1 allowed"},
	Passes:     rule.Example{On: "recompile-jit_in_loop_fixed", Config: "- { rule: max-compilations, max: 1 }"},
	Fix:        "Create the jitted function once, outside of the loop; pad or bucket shapes; warm up before serving.",
	Threads:    []string{"jax-ml/jax#4255", "jax-ml/jax#31319", "pytorch/xla#2511", "pytorch/xla#4741", "vllm-project/vllm#14580"},
	FromSource: true,
	Accepts:    []string{"variants"},
	Target:     checkMaxCompilations,
}

func checkMaxCompilations(c *rule.Context, t *rule.Target) {
	total := c.Budget("compilations", 0)
	var most *diff.Program
	was := 0.0
	for _, p := range t.Programs {
		if p.New == nil || !c.Covers(t.Name, p.Name) {
			continue
		}
		a := compiled(c, p)
		if c.Text("per") == "program" {
			if f := c.At(p, nil).Judge(a); f != nil {
				f.Cause = p.CompiledAgain(c.Target.Report.Logs)
			}
			continue
		}
		total.Actual += a.Actual
		if a.Base != nil {
			was += *a.Base
		}
		if most == nil || a.Actual > compiled(c, most).Actual {
			most = p
		}
	}
	if c.Text("per") == "target" && most != nil {
		if t.Base != nil {
			total.Base = &was
		}
		if f := c.Judge(total); f != nil {
			f.Cause = &diff.Cause{Kind: diff.KindArguments, Title: fmt.Sprintf("most of them are of %s: %v", most.Name, compiled(c, most).Actual)}
		}
	}
}

// compiled counts the compilations of a program: the modules in the dump, or those that a log saw where they are more.
func compiled(c *rule.Context, p *diff.Program) rule.Amount {
	a := c.Budget("compilations", float64(p.New.Compilations()))
	if logs := c.Target.Report.Logs; logs != nil {
		a.Actual += float64(max(0, logs.Compiles[p.Name]-dumped(c.Target, p.Name)))
	}
	if p.Old != nil {
		a.Base = new(float64(p.Old.Compilations()))
	}
	return a
}

// dumped counts the modules in the dump of what a log calls by a program's name. Nameless graphs of PyTorch/XLA are numbered, and its log
// counts those with names among them.
func dumped(t *rule.Target, name string) int {
	n := 0
	for _, p := range t.Programs {
		rest, same := strings.CutPrefix(p.Name, name)
		numbered := same && strings.Trim(rest, "-0123456789") == ""
		if p.New != nil && (numbered || name == tensorflow.NamelessGraph) {
			n += p.New.Compilations()
		}
	}
	return n
}

var maxHelperModules = rule.Rule{
	ID:    "max-helper-modules",
	Title: "few operations run outside of jitted functions",
	Why: "An operation on arrays outside of a jitted function is a program of its own: compiled, cached and launched by itself. A hundred of them at start-up take " +
		"a minute that no profile of the step shows.",
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "helper programs to leave out"},
	},
	Budget:   &rule.Metric{Noun: "helper modules", Better: rule.Lower, Unrecorded: "the helper programs"},
	NeedsOne: []string{"max", "min", "equal"},
	Level:    "warning",
	Fails:    rule.Example{On: "recompile-eager_helpers", Config: "- { rule: max-helper-modules, max: 0 }", Says: "4 helper modules: at most 0 allowed"},
	Passes:   rule.Example{On: "recompile-eager_helpers", Config: "- { rule: max-helper-modules, max: 20 }"},
	Fix:      "Move the operations into the jitted function, or do them with NumPy before the arrays go to the device.",
	Threads:  []string{"jax-ml/jax#19654"},
	Target:   checkMaxHelperModules,
}

func checkMaxHelperModules(c *rule.Context, t *rule.Target) {
	var names []string
	var n float64
	for _, p := range t.Report.Helpers {
		if c.Covers(t.Name, p.Name) && !phrase.AnyGlob(c.List("allow"), p.Name) {
			names = append(names, fmt.Sprintf("%s (%d)", p.Name, p.Compilations()))
			n += float64(p.Compilations())
		}
	}
	if f := c.Judge(c.Budget("helper modules", n)); f != nil {
		sort.Strings(names)
		f.Cause = &diff.Cause{Title: strings.Join(phrase.First(names, 6), ", "), Source: helperSource(t.Report.Helpers)}
	}
}

// helperSource is the first line of the model that made a helper.
func helperSource(helpers []*facts.Program) (at hlo.Location) {
	for _, p := range helpers {
		for _, v := range p.Variants {
			if at = v.FirstSource(); at.File != "" {
				return at
			}
		}
	}
	return at
}

var maxCompileTime = rule.Rule{
	ID:    "max-compile-time",
	Title: "compile time stays within its budget",
	Why: "One commit of the compiler or one unrolled loop can take compile time from 22 to 98 seconds, and every developer and every restart pays for it. " +
		"It is the one fact that depends on the machine, so leave some margin.",
	Reads: []rule.Input{rule.Log},
	Options: []rule.Option{
		{Key: "per", Type: rule.Word, Sense: rule.Demands, Enum: []string{"compilation", "program"}, Default: "compilation", Doc: "bound the longest compilation of a program, or all of them together"},
	},
	Budget:   &rule.Metric{Unit: "seconds", Noun: "compile time", Better: rule.Lower, Unrecorded: "times, which depend on the machine"},
	NeedsOne: []string{"max", "min", "equal"},
	Level:    "warning",
	Fails:    rule.Example{On: "recompile-shapes", Config: "- { rule: max-compile-time, max: 1ms }", Says: "42.6 ms of compile time: at most 1 ms allowed"},
	Passes:   rule.Example{On: "recompile-shapes", Config: "- { rule: max-compile-time, max: 10m }"},
	Fix:      "Look for loops that were unrolled, constants that are folded at compile time, and a persistent compilation cache that is not used.",
	Threads:  []string{"jax-ml/jax#21250", "jax-ml/jax#40416", "pytorch/xla#6816"},
	Target:   checkMaxCompileTime,
}

const logFix = "give the log that the run wrote: --log FILE, or log: in the target; xlagate capture keeps it"

func checkMaxCompileTime(c *rule.Context, t *rule.Target) {
	times := compileTimes(t.Report.Logs)
	if len(times) == 0 {
		c.Uncovered(rule.Log, logFix+"; JAX writes compile times with JAX_LOG_COMPILES=1")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if c.Covers(t.Name, name) {
			judgeTimes(c.At(&diff.Program{Name: name}, nil), times[name])
		}
	}
}

// compileTimes lists what the logs say about compile times, by program.
func compileTimes(said *tensorflow.Logs) map[string][]tensorflow.LogNote {
	times := map[string][]tensorflow.LogNote{}
	if said == nil {
		return times
	}
	for _, n := range said.Notes {
		if n.Kind == logs.CompileTime {
			times[n.Program] = append(times[n.Program], n)
		}
	}
	return times
}

func judgeTimes(c *rule.Context, notes []tensorflow.LogNote) {
	longest, sum := notes[0], 0.0
	for _, n := range notes {
		sum += n.Value
		if n.Value > longest.Value {
			longest = n
		}
	}
	a := c.Budget("compile time", longest.Value)
	if c.Text("per") == "program" {
		a.Actual = sum
	}
	if f := c.Judge(a); f != nil {
		summary := fmt.Sprintf("%d compilations, the longest took %s (%s)", len(notes), phrase.Show(longest.Value, "seconds"), longest.Log)
		if len(notes) == 1 {
			summary = "compiled once (" + longest.Log + ")"
		}
		f.Cause = &diff.Cause{Title: summary, Source: longest.Where}
	}
}
