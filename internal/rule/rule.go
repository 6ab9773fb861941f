// Package rule says what a rule is: its description, which is data, the settings of an entry in xlagate.yaml, the program or target that
// it looks at, and how an amount is compared with limits and with the baseline. It holds the languages of a rule file, too: shapes with
// wildcards ([Shape]) and expressions in CEL ([Expression]). The rules themselves are in package rules.
//
// A rule looks at programs that were matched with their baseline ([changes.Program]) and reports findings. It reads no files and
// decides nothing about exit codes, waivers or output.
package rule

import (
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// Rule is one check with its description. The docs, the JSON Schema, `xlagate explain` and the SARIF help are made from it.
type Rule struct {
	ID       string
	Title    string   // one line: what is true if the rule passes
	Category Category // that of its section of the catalogue
	Why      string   // what is lost without it
	Reads    []Input  // what must have been dumped; by default the optimized module
	Needs    facts.ID // a fact that every variant has if the first of these was dumped; "" if the rule checks that itself
	Options  []Option // besides the common keys
	NeedsOne []string // keys; an entry must have at least one of them
	// Without lists common keys that an entry may not have because they have no effect, each with the reason.
	Without map[string]string
	Budget  *Metric  // what max, min, equal, max_increase and max_decrease bound; nil: the rule counts nothing and takes none of them
	Forbids bool     // without a bound the count must be zero; otherwise it must not exceed the baseline
	Bounds  []string // options of its own that bound what it counts
	Level   string   // of its findings where the settings name none; "": error
	Fails   Example
	Passes  Example
	Fix     string   // what to do about a finding
	Threads []string // public issue threads about what it catches
	Since   int      // the version of the configuration that introduced it, if that is not the first
	Whole   bool     // it looks at a target as a whole: entries are for no program of their own
	// Unacceptable says that a finding stays whatever is accepted: no baseline makes it right.
	Unacceptable bool
	// Always marks an integrity rule: on without being named, and not to be turned off.
	Always bool
	// Check finds what is wrong with an entry's options beyond their types, when the configuration is read; may be nil.
	Check func(*Settings) []Refusal
	// Variant looks at one matched variant that the dump holds, Program at a whole program, Target at a whole target. A rule has at most one of them.
	// A rule without any has the fact of its Budget judged. An integrity rule that the gate itself enforces has no Budget either.
	// Variant is not called for a variant that the baseline lacks if the rule OnlyCompares.
	Variant func(*Context, *changes.Variant)
	Program func(*Context, *changes.Program)
	Target  func(*Context, *Target)
}

// OnlyCompares reports whether the rule counts differences from the baseline and nothing else.
func (r *Rule) OnlyCompares() bool { return r.Budget != nil && r.Budget.Difference && r.Bounds == nil }

// Example is an entry under `rules:`, the real dump that it runs on, and the result.
type Example struct {
	// On names the dump in the repository's testdata. The baseline of "pair/after" is "pair/before"; that of "pair/before" is itself.
	On     string
	Base   string // the baseline, where it is another dump
	Config string // as YAML
	Says   string // the finding's message; "" where there is none
}

// Category groups the rules in lists.
type Category string

// The categories of rules, in the order in which they are listed.
const (
	Kernels     Category = "kernels and fusions"
	Compilation Category = "compilation"
	Memory      Category = "memory and donation"
	Collectives Category = "collectives and sharding"
	Types       Category = "types and layout"
	Frameworks  Category = "tensorflow and pytorch/xla"
	CostFacts   Category = "cost"
	Integrity   Category = "integrity"
	Custom      Category = "rules of one's own"
)

// Input is something that a dump may hold.
type Input string

// The inputs that rules read.
const (
	Optimized        Input = "the optimized module"
	Unoptimized      Input = "the unoptimized module"
	BufferAssignment Input = "the buffer assignment"
	Graphs           Input = "TensorFlow graphs"
	Log              Input = "a compile log"
	Metrics          Input = "metrics of PyTorch/XLA"
	Baseline         Input = "the baseline"
	Thunks           Input = "the thunk sequence"
	Code             Input = "LLVM IR or PTX"
	PTX              Input = "PTX"
	Codegen          Input = "the module after code generation"
	Samples          Input = "a second compile"
	Schedule         Input = "a scheduled module"
)

// writtenBy names the framework that alone writes an input.
var writtenBy = map[Input]string{Graphs: "tensorflow", Metrics: facts.TorchFramework}

// Metric is a fact with a direction: the metric says which way is worse, not the author of a rule file.
type Metric struct {
	Fact     facts.ID // "" where only the rule counts it
	Or       facts.ID // the fact that stands for it where it was not dumped; only JudgeFact reads it
	Weighted facts.ID // the same fact with loops counted as often as they run, where there is one
	Unit     string   // "bytes", "seconds", "nanoseconds", "share" or ""
	Better   Direction
	Noun     string // "kernels", "temporary memory": how messages call it
	// Unrecorded names what no baseline records, if none records the metric: then max_increase and max_decrease cannot be used.
	Unrecorded string
	// Difference says that the rule counts differences: from its Bounds if the entry sets one of them, else from the baseline.
	Difference bool
}

// FactMetric is the metric of a fact; unit and direction are those of the table of facts.
func FactMetric(fact facts.ID, noun string) *Metric {
	about := facts.About(fact)
	return &Metric{Fact: fact, Weighted: about.Weighted, Unit: about.Unit, Better: about.Better, Noun: noun}
}

// Direction says which way a metric gets better.
type Direction = facts.Direction

// The directions.
const (
	Lower  = facts.Lower
	Higher = facts.Higher
	Exact  = facts.Exact
)

// Target is one dump, for rules that look at more than one program.
type Target struct {
	Name     string
	Dump     string
	Report   *facts.Report
	Base     *facts.Report // nil without a baseline
	Programs []*changes.Program
	Accept   string // what to type if it has no baseline

	// LeftOutBy names the key of the configuration that leaves a program out, "" where none does.
	LeftOutBy func(program string) string

	// Release compares the dump with the baseline of another revision. It is nil where a result is judged again, without a repository.
	Release func(where string) (*Release, error)
}

// Release is a dump in comparison with the baseline of a release.
type Release struct {
	Programs []*changes.Program
	Accepted func(program string) string // the reasons for what was accepted since
}
