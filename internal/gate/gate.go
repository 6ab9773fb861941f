// Package gate joins the stages: configuration → targets → facts → difference from the baseline → rules → result. It decides the
// verdict and the exit code, and it prints nothing.
package gate

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// The exit codes of the contract.
const (
	ExitPass       = 0
	ExitFindings   = 1
	ExitUsage      = 2
	ExitIncomplete = 3
	ExitSkip       = 125
)

// Options is what one run of the gate is given.
type Options struct {
	Request
	Environment
	Run
}

// Request is what the configuration and the command line ask for.
type Request struct {
	Config       *config.Config
	Dumps        []string          // replace the dump of the only target
	ByTarget     map[string]string // NAME=DUMP
	Targets      []string          // check these only; empty: all
	Against      string            // a dump to compare with instead of the stored baseline
	Baseline     string            // overrides the configuration's
	FailOn       string            // overrides the configuration's
	Logs         []string
	AllowMissing []string // of Inputs: what the baseline holds and the dump may lack
	Profiles     []string // profiles that are outside the dump
	Command      []string // what to run and gate
	Cache        string   // where captures keep compiled programs; "" to compile all
}

// Environment is what surrounds a run.
type Environment struct {
	Dir       string // the working directory, from which command-line paths start
	Root      string // the repository: source paths below it are written relative to it
	Stdin     io.Reader
	Captured  io.Writer // receives what captured commands print
	Now       time.Time
	Version   string
	Warn      func(string)         // says what a person should know and no verdict depends on
	Assembler *artifacts.Assembler // see facts.Options

	// Reviewed is the commit whose configuration alone may name commands to run, where a stranger's checkout may be around; "" elsewhere.
	Reviewed string

	// Last is the result of the check before this one; nil if none is known.
	Last *result.Result

	// Edits returns the lines that were edited, or why they are not known; nil without git.
	Edits func() (edits *git.Edits, unknown string)
}

// Run is how dumps are read.
type Run struct {
	Jobs       int
	MaxMemory  int64 // see facts.Options
	EveryStage bool  // list the modules of every stage, not only those that the facts need
	AnyStage   bool  // of a single file that was named on its own, measure whatever stage it is
	Passes     bool  // say what each pass of the compiler left, where it was dumped
	// KeepModules leaves the modules of a measured dump open until its report is closed.
	KeepModules bool
	// Own are findings that the earlier side of an upgrade has by itself. They count only if they are further beyond their limit now.
	Own []result.Finding
	// Seen receives the matched programs of each target.
	Seen func(target string, programs []*changes.Program)

	base      func() (fs.FS, error) // the baseline, opened once
	device    string                // that the configuration names for the target; "" for none
	samples   bool                  // that the configuration says the target has several compiles
	limit     *facts.ReadLimit      // of all targets
	among     bool                  // there are several targets: each is spoken of by its name
	waiting   string                // how many of them are looked at later, for people
	checking  bool                  // what is found of one of them is said at once
	accepting bool                  // the command is accept: messages name it
	replacing bool                  // it replaces the baseline, whatever that holds
}

// UsageError is a call that makes no sense: exit code 2.
type UsageError struct{ Message string }

// Error is the message.
func (e UsageError) Error() string { return e.Message }

// Check runs the gate. It returns an error for a wrong call or if there is nothing to run on; all other problems are in the result.
func Check(ctx context.Context, o Options) (*result.Result, error) {
	o.checking = true
	targets, err := lookAll(ctx, o)
	if err != nil {
		return nil, err
	}
	return judgeAll(o, targets), nil
}

// CheckUpgrade compares two dumps of the same programs from two toolchains. It reports growth as if the model had grown, since nothing else differs.
// With passes it names the compiler pass after which each program first differs, where the dumps hold the passes.
func CheckUpgrade(ctx context.Context, o Options, passes bool) (*result.Result, error) {
	o.Passes = passes
	o.Edits = func() (*git.Edits, string) { return &git.Edits{}, "" } // both are compiled from the same source
	targets, err := lookAll(ctx, o)
	if err != nil {
		return nil, err
	}
	r := judgeAll(o, targets)
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Accept = "" // not in the baseline that is in use
		c.Details = append(c.Details, firstPasses(targets, c)...)
	}
	return r, nil
}

// firstPasses names the passes after which the variants of a change first differ.
func firstPasses(targets []*measuredTarget, c *result.Change) []string {
	var said []string
	for _, t := range targets {
		for _, p := range t.programs {
			for _, v := range p.Variants {
				if v.FirstPass != "" && c.IsIn(t.Name, p.Name) {
					said = changes.AddNew(said, "first differs "+v.FirstPass)
				}
			}
		}
	}
	return said
}

// judgeAll runs the rules on all targets.
func judgeAll(o Options, targets []*measuredTarget) *result.Result {
	r := newResult(o)
	for _, t := range targets {
		if o.Seen != nil && t.report != nil {
			o.Seen(t.Name, t.programs)
		}
		r.Notes = append(r.Notes, t.notes...)
		found := findings(r, o, t)
		noteUpgrade(r, t)
		noteNumerics(r, t)
		addChanges(r, o, t, found)
	}
	// A rule of the user's own that matches no program would always pass.
	unmatched := phrase.Filter(o.Config.Rules, func(s *rule.Settings) bool { return s.Pack == "" && s.Level != "off" && !matchesAny(s, targets) })
	if len(targets) < len(declared(o.Config)) {
		r.Partial = &result.Partial{Config: o.Config.Sum, Unmatched: phrase.Map(unmatched, func(s *rule.Settings) string { return s.Place })}
	} else {
		addUnmatched(r, unmatched)
	}
	// A target that only integrity rules checked is a problem, unless another problem explains it.
	for _, t := range targets {
		said := slices.ContainsFunc(r.Problems, func(p result.Problem) bool { return p.Target == "" || p.Target == t.Name })
		if t.judged > 0 || said {
			continue
		}
		r.Problems = append(r.Problems, result.Problem{
			Target: t.Name, Rule: "target-ran", Message: fmt.Sprintf("target %s is not covered: no rule checked it", t.Name),
			Fix: "name rules for it, turn one on, or extend a pack: extends: [recommended]",
		})
	}
	finish(r, o)
	r.SetOptions(o.acceptOptions())
	o.completeFixes(r.Problems, r.Notes)
	return r
}

// withoutUnseen drops findings about missing programs if a part of the dump could not be read: they may be in that part, and the result is incomplete
// anyway.
func withoutUnseen(found []judgedFinding, l *measuredTarget) []judgedFinding {
	if len(l.problems) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(f judgedFinding) bool { return f.Rule == "orphan-baseline" })
}

func newResult(o Options) *result.Result {
	return &result.Result{Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: o.Version},
		Changes: []result.Change{}, Findings: []result.Finding{}, Targets: []result.Target{}}
}

// finish waives, sorts, counts and decides.
func finish(r *result.Result, o Options) {
	waive(r, o)
	joinImprovements(r)
	if r.Partial == nil {
		unusedWaivers(r, o)
		noteSlack(r, o)
	}
	noteHeadroom(r)
	noteLost(r, o.Last)
	order(r, o.Config)
	count(r)
	decide(r, failOn(o))
	r.Bound()
}

func failOn(o Options) string {
	switch {
	case o.FailOn != "":
		return o.FailOn
	case o.Config != nil:
		return o.Config.FailOn
	}
	return "error"
}

// count fills in the summary. A change that breaks nothing counts for no level.
func count(r *result.Result) {
	s := result.Summary{Changes: len(r.Changes), Checks: r.Summary.Checks, Targets: len(r.Targets)}
	for _, t := range r.Targets {
		s.Programs += len(t.Programs)
	}
	for i := range r.Changes {
		switch c := &r.Changes[i]; {
		case c.Waived:
			s.Waived++
		case c.Level == "error":
			s.Errors++
		case c.Level == "warning":
			s.Warnings++
		case len(c.Findings) > 0:
			s.Infos++
		}
	}
	r.Summary = s
}

// decide sets the verdict and the exit code from what was found and what could not be checked.
func decide(r *result.Result, failOn string) {
	switch s := r.Summary; {
	case len(r.Problems) > 0:
		r.Verdict, r.ExitCode = "incomplete", ExitIncomplete
	case s.Checks == 0:
		r.Problems = append(r.Problems, result.Problem{Message: "no rule checked anything; name rules, or extend a pack: extends: [recommended]"})
		r.Verdict, r.ExitCode = "incomplete", ExitIncomplete
	case s.Errors > 0 && fails("error", failOn), s.Warnings > 0 && fails("warning", failOn):
		r.Verdict, r.ExitCode = "fail", ExitFindings
	default:
		r.Verdict, r.ExitCode = "pass", ExitPass
	}
}

// fails reports whether findings of a level fail a check.
func fails(level, failOn string) bool {
	return level == "error" && failOn != "never" || level == "warning" && failOn == "warning"
}

// addUnmatched adds a problem for each rule that matches no program.
func addUnmatched(r *result.Result, unmatched []*rule.Settings) {
	for _, s := range unmatched {
		text := "program " + strings.Trim(fmt.Sprintf("%q", s.Programs), "[]")
		if len(s.Targets) > 0 {
			text += ", target " + strings.Trim(fmt.Sprintf("%q", s.Targets), "[]")
		}
		r.Problems = append(r.Problems, result.Problem{
			Rule: s.Rule.ID, File: s.Place,
			Message: fmt.Sprintf("rule %s matches no program: %s%s", s.Rule.ID, text, meantProgram(s, r)),
			Fix:     "`xlagate inspect DUMP` lists the programs; fix the pattern or remove the rule",
		})
	}
}

// meantProgram returns `; did you mean "…"?` with the program that is most like a misspelled one of a rule.
func meantProgram(s *rule.Settings, r *result.Result) string {
	var known []string
	for i := range r.Targets {
		for _, p := range r.Targets[i].Programs {
			known = append(known, p.Name)
		}
	}
	for _, name := range s.Programs {
		if meant := phrase.DidYouMean(name, known); meant != "" {
			return meant
		}
	}
	return ""
}

func matchesAny(s *rule.Settings, targets []*measuredTarget) bool {
	for _, t := range targets {
		if t.report == nil || len(t.programs) == 0 && len(t.problems) > 0 { // what could not be checked is a problem of its own
			return true
		}
		if s.Rule.Target != nil && (len(s.Programs) == 0 || slices.Contains(s.Programs, "*")) && s.Covers(t.Name, "*") {
			return true
		}
		if t.holds(s) {
			return true
		}
	}
	return false
}

// holds reports whether settings cover a program that their rule can judge. This is a program of the dump. For a rule about the whole target it may also be a
// helper, or a program that only a log names.
func (l *measuredTarget) holds(s *rule.Settings) bool {
	covers := func(name string) bool { return s.Covers(l.Name, name) }
	if len(covered(s, l.Name, l.programs)) > 0 {
		return true
	}
	if s.Rule.Target == nil {
		return false
	}
	if slices.ContainsFunc(l.report.Helpers, func(p *facts.Program) bool { return covers(p.Name) }) {
		return true
	}
	return l.report.Logs != nil && slices.ContainsFunc(l.report.Logs.Notes, func(n tensorflow.LogNote) bool { return covers(n.Program) })
}

func (o Options) edits() (edits *git.Edits, unknown string) {
	if o.Edits == nil {
		return nil, git.NoRepository
	}
	return o.Edits()
}
