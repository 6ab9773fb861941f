package gate

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// JudgeByBase judges the facts of a result by the rules of the base branch, once with its own baseline and once with the baseline of the pull request. A
// finding of the first judgement alone is one that the pull request accepts. A finding of both is one that the rules of the pull request do not ask for.
// A trusted result was judged by the rules and the baseline of the pull request. Any other may have been judged by any rules.
func JudgeByBase(o Options, base, head Policy, own *result.Result, trusted bool) (*result.Policy, error) {
	out := &result.Policy{Flags: head.Flags.given(), Own: base.Config.Policy == "own"}
	var err error
	if out.Accepts, err = acceptances(judged(base.Config, own), base.Store, head.Store); err != nil {
		return nil, err
	}
	sameRules := trusted && base.File == head.File && bytes.Equal(base.Text, head.Text) && len(out.Flags) == 0
	if sameRules && len(out.Accepts) == 0 {
		return out, nil
	}
	o.Config = base.Config
	under, err := rejudge(o, base.Store, own)
	still := own
	if err == nil && !sameRules {
		still, err = rejudge(o, head.Store, own)
	}
	if err != nil {
		return nil, err
	}
	if head.Flags.Against+head.Flags.Baseline != "" && !hasBaseline(base) { // the base branch compares by the command line alone
		for _, r := range []*result.Result{under, still} {
			r.Problems = slices.DeleteFunc(r.Problems, func(p result.Problem) bool { return p.Rule == "baseline-present" })
		}
	}
	all := disputes(under, own, base.Config)
	out.Loosened = disputes(still, own, base.Config)
	unchecked := lessChecked(still, under)
	for _, f := range all {
		switch {
		case slices.ContainsFunc(out.Loosened, f.SameAs):
		case !unchecked[f.Target]:
			out.Accepted = append(out.Accepted, f)
		default: // a baseline that is gone accepts nothing
			out.Loosened = append(out.Loosened, f)
		}
	}
	loosened, accepted := failingChanges(out.Loosened, base.Config), failingChanges(out.Accepted, base.Config)
	maps.DeleteFunc(accepted, func(change string, _ bool) bool { return loosened[change] })
	out.LoosenedChanges, out.AcceptedChanges = len(loosened), len(accepted)
	return out, nil
}

// lessChecked lists the targets that could not be checked in a result as far as in another.
func lessChecked(r, other *result.Result) map[string]bool {
	known, less := map[result.Problem]bool{}, map[string]bool{} // there may be thousands
	for _, p := range other.Problems {
		known[p] = true
	}
	for _, p := range r.Problems {
		less[p.Target] = less[p.Target] || !known[p]
	}
	return less
}

// failingChanges are the changes by which disputes would fail the check. What could not be checked is one of its own.
func failingChanges(disputes []result.Dispute, cfg *config.Config) map[string]bool {
	changes := map[string]bool{}
	for _, f := range disputes {
		if f.ID == "" {
			changes[f.Target+" "+f.Message] = true
		} else if fails(f.Level, cfg.FailOn) {
			changes[f.Change] = true
		}
	}
	return changes
}

// disputes lists what a result finds and the pull request's own does not, or does not fail by. What could not be checked is listed as an error.
func disputes(r, own *result.Result, cfg *config.Config) (list []result.Dispute) {
	shown, failing := map[string]bool{}, map[string]bool{} // by the pull request's own rules
	for i := range own.Findings {
		f := &own.Findings[i]
		shown[f.ID] = shown[f.ID] || !f.Waived && f.Level != "info"
		failing[f.ID] = own.ExitCode != ExitPass && shown[f.ID] && (f.Level == "error" || own.Summary.Errors == 0)
	}
	for _, f := range r.Findings {
		known := shown[f.ID] && (failing[f.ID] || !fails(f.Level, cfg.FailOn))
		if !known && !f.Waived && f.Level != "info" {
			list = append(list, result.Dispute{ID: f.ID, Change: f.Change, Rule: f.Rule, Level: f.Level, Target: f.Target, Program: f.Program, Message: f.Message})
		}
	}
	for _, p := range r.Problems {
		if own.ExitCode == ExitPass || !slices.ContainsFunc(own.Problems, func(o result.Problem) bool { return o.Target == p.Target && o.Rule == p.Rule }) {
			list = append(list, result.Dispute{Rule: p.Rule, Level: "error", Target: p.Target, Message: p.Message})
		}
	}
	return list
}

// acceptances lists the programs whose accepted facts differ in two baselines.
func acceptances(targets []config.Target, base, head fs.FS) (list []result.Acceptance, err error) {
	for _, t := range targets {
		old, err := accepted(base, t.Name, false)
		if err != nil {
			return nil, fmt.Errorf("read the baseline of the base branch: %w", err)
		}
		fresh, err := accepted(head, t.Name, false)
		if err != nil {
			return nil, fmt.Errorf("read the baseline of the pull request: %w", err)
		}
		for _, name := range acceptedPrograms(old, fresh) {
			was, is := old.Find(name), fresh.Find(name)
			switch {
			case is == nil:
				list = append(list, result.Acceptance{Target: t.Name, Program: name, Removed: true})
			case was == nil || is.ReasonSince(was) != "" || !baseline.Same(was, is):
				list = append(list, result.Acceptance{Target: t.Name, Program: name, Reason: is.ReasonSince(was)})
			}
		}
	}
	return list, nil
}

// acceptedPrograms lists the programs of baselines by name.
func acceptedPrograms(sets ...*baseline.Set) []string {
	names := map[string]bool{}
	for _, set := range sets {
		if set == nil {
			continue
		}
		for _, p := range set.Programs {
			names[p.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// hasBaseline reports whether a policy has a baseline.
func hasBaseline(p Policy) bool {
	if p.Store == nil {
		return false
	}
	names, err := baseline.Targets(p.Store)
	return err != nil || len(names) > 0
}

// rejudge judges the facts of a result by another policy, such as the base branch's, without a dump. The store is that policy's baseline, nil if it
// has none. A result holds the same facts as a baseline; a rule that needs more, such as a log, does not make the new result incomplete.
func rejudge(o Options, store fs.FS, from *result.Result) (*result.Result, error) {
	wanted := map[string]bool{} // a result may come from anybody, and have any number of targets
	for _, t := range judged(o.Config, from) {
		wanted[t.Name] = true
	}
	read := map[string]*stored{}
	for i := range from.Targets {
		t := &from.Targets[i]
		if read[t.Name] != nil || !wanted[t.Name] {
			continue
		}
		var err error
		if read[t.Name], err = readTarget(store, t, false); err != nil {
			return nil, err
		}
	}
	return judgeStored(o, from, read), nil
}

// stored is a target of a result: its programs as accepting them would write them, and its baseline.
type stored struct {
	*result.Target
	programs []*baseline.Program
	set      *baseline.Set
}

// readTarget reads a target of a result, and its baseline, which may be damaged if it is replaced.
func readTarget(store fs.FS, t *result.Target, replaced bool) (*stored, error) {
	programs, err := programsOf(t)
	if err != nil {
		return nil, err
	}
	set, err := accepted(store, t.Name, replaced)
	return &stored{t, programs, set}, err
}

// judgeStored judges the targets of a result that were read.
func judgeStored(o Options, from *result.Result, read map[string]*stored) *result.Result {
	r := newResult(o)
	r.Partial = from.Partial
	for _, t := range judged(o.Config, from) {
		l := reported(t, read[t.Name])
		found := judge(r, o, l)
		addChanges(r, o, l, withoutUnseen(found, l))
	}
	r.Problems = slices.DeleteFunc(r.Problems, func(p result.Problem) bool { return !slices.Contains(rejudgedRules, p.Rule) })
	finish(r, o)
	return r
}

// rejudgedRules are the rules whose problems can be derived from a result under another policy.
var rejudgedRules = []string{"target-ran", "baseline-present", "facts-complete"}

// judged lists the targets of a configuration, of a partial result those that are in it. Without any it lists those of the result.
func judged(cfg *config.Config, from *result.Result) []config.Target {
	switch {
	case len(cfg.Targets) > 0 && from.Partial != nil:
		there := map[string]bool{}
		for i := range from.Targets {
			there[from.Targets[i].Name] = true
		}
		return phrase.Filter(cfg.Targets, func(t config.Target) bool { return there[t.Name] })
	case len(cfg.Targets) > 0:
		return cfg.Targets
	}
	return phrase.Map(from.Targets, func(t result.Target) config.Target { return config.Target{Name: t.Name, Samples: 1} })
}

// reported returns a target as a result describes it, nil for one that it does not have.
func reported(t config.Target, from *stored) *measuredTarget {
	l := &measuredTarget{Target: t, again: true}
	if from == nil {
		l.problems = append(l.problems, result.Problem{Target: t.Name, Rule: "target-ran", Message: "the target was not checked"})
		return l
	}
	l.report, l.dump, l.set = (&baseline.Set{Target: t.Name, Graphs: from.Graphs, Programs: from.programs}).Report(), from.Dump, from.set
	for _, p := range l.report.Programs {
		for _, v := range p.Variants {
			lacking := phrase.Filter(inputs, func(in input) bool { return in.part || !v.Facts.Known(in.fact) })
			v.Missing = phrase.Map(lacking, func(in input) string { return in.name })
		}
	}
	if l.set != nil {
		l.base, l.baseName = l.set.Report(), "the base branch's"
	}
	leavesOut := leftOutBy(t)
	for _, name := range from.LeftOut {
		if leavesOut(name) == "" {
			l.problems = append(l.problems, result.Problem{Target: t.Name, Rule: "target-ran",
				Message: fmt.Sprintf("program %s was left out by programs.include or programs.exclude", name)})
		}
	}
	l.compare(nil)
	return l
}

// maxReported bounds the kernels of one target: a small result from an untrusted run can expand to many.
const maxReported = 2_000_000

// programsOf returns the programs of a target as accepting everything would write them. It fails if they contradict the facts that the result shows.
func programsOf(t *result.Target) ([]*baseline.Program, error) {
	programs := make([]*baseline.Program, len(t.Programs))
	var kernels atomic.Int64
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for i := range t.Programs {
		reading.Go(func() error {
			p := &t.Programs[i]
			if p.Accept.IsZero() || kernels.Load() > maxReported {
				return nil
			}
			program, err := baseline.Parse(t.Name+"/"+p.Name, p.Accept.Text())
			if err != nil {
				return fmt.Errorf("the result holds no usable facts: %w", err)
			}
			for _, v := range program.Variants {
				kernels.Add(int64(len(v.Kernels) + len(v.Modules)))
			}
			if err := agrees(p, program); err != nil {
				return fmt.Errorf("the result of %s/%s contradicts itself; it was edited: %w", t.Name, p.Name, err)
			}
			programs[i] = program
			return nil
		})
	}
	err := reading.Wait()
	if kernels.Load() > maxReported {
		err = fmt.Errorf("the result's facts of target %s stand for more than %d kernels", t.Name, maxReported)
	}
	return slices.DeleteFunc(programs, func(p *baseline.Program) bool { return p == nil }), err
}

// agrees returns an error where the text that accepting a program would write contradicts the facts beside it.
func agrees(shown *result.Program, text *baseline.Program) error {
	if text.Name != shown.Name {
		return fmt.Errorf("its baseline is that of %s", text.Name)
	}
	if len(text.Variants) != len(shown.Variants) {
		return fmt.Errorf("it has %d variants, its baseline %d", len(shown.Variants), len(text.Variants))
	}
	for i, v := range text.Variants {
		s := &shown.Variants[i]
		if v.Signature != s.Signature {
			return fmt.Errorf("variant %d is %s, in its baseline %s", i+1, s.Signature, v.Signature)
		}
		for _, name := range slices.Sorted(maps.Keys(v.Facts)) {
			if is, there := s.Facts[name]; !there || is != v.Facts[name] {
				return fmt.Errorf("%s of %s is %v, in its baseline %v", name, v.Signature, is, v.Facts[name])
			}
		}
		launches := changes.Count(facts.KernelsTotal, v.Kernels)
		if total, there := v.Facts[facts.KernelsTotal]; there && total != launches {
			return fmt.Errorf("%s has %v kernels, its baseline lists %v", v.Signature, total, launches)
		}
	}
	return nil
}
