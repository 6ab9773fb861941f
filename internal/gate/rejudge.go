package gate

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Rejudge judges the facts of a result by another policy, such as the base branch's, without a dump. The store is that policy's baseline, nil if it
// has none. A result holds the same facts as a baseline; a rule that needs more, such as a log, does not make the new result incomplete.
func Rejudge(o Options, store fs.FS, from *result.Result) (*result.Result, error) {
	r := newResult(o)
	for _, t := range judged(o.Config, from) {
		l, err := reported(t, store, from)
		if err != nil {
			return nil, err
		}
		found := judge(r, o, l)
		addChanges(r, o, l, withoutUpgrade(r, o, l, found))
	}
	r.Problems = slices.DeleteFunc(r.Problems, func(p result.Problem) bool { return !slices.Contains(rejudgedRules, p.Rule) })
	finish(r, o)
	return r, nil
}

// rejudgedRules are the rules whose problems can be derived from a result under another policy.
var rejudgedRules = []string{"target-ran", "baseline-present", "facts-complete"}

// judged lists the targets of a configuration; without any, those of the result.
func judged(cfg *config.Config, from *result.Result) []config.Target {
	if len(cfg.Targets) > 0 {
		return cfg.Targets
	}
	return phrase.Map(from.Targets, func(t result.Target) config.Target { return config.Target{Name: t.Name, Samples: 1} })
}

// reported returns a target as a result describes it.
func reported(t config.Target, store fs.FS, from *result.Result) (*measuredTarget, error) {
	l := &measuredTarget{Target: t, again: true}
	at := slices.IndexFunc(from.Targets, func(r result.Target) bool { return r.Name == t.Name })
	if at < 0 {
		l.problems = append(l.problems, result.Problem{Target: t.Name, Rule: "target-ran", Message: "the target was not checked"})
		return l, nil
	}
	report, err := reportOf(&from.Targets[at])
	if err != nil {
		return nil, err
	}
	l.report, l.dump = report, from.Targets[at].Dump
	for _, p := range report.Programs {
		for _, v := range p.Variants {
			v.Missing = missingOf(v)
		}
	}
	if l.set, err = loadAccepted(store, t.Name); err != nil {
		return nil, err
	}
	if l.set != nil {
		l.base, l.baseName = l.set.Report(), "the base branch's"
	}
	l.compare(nil)
	return l, nil
}

// maxReported bounds the kernels of one target: a small result from an untrusted run can expand to many.
const maxReported = 2_000_000

// reportOf returns the facts that a target of a result holds.
func reportOf(t *result.Target) (*facts.Report, error) {
	programs, err := programsOf(t)
	set := baseline.Set{Target: t.Name, Graphs: t.Graphs, Programs: programs}
	if err != nil {
		return nil, err
	}
	return set.Report(), nil
}

// programsOf returns the programs of a target as accepting everything would write them. It fails if they contradict the facts that the result shows.
func programsOf(t *result.Target) (programs []*baseline.Program, err error) {
	kernels := 0
	for i := range t.Programs {
		p := &t.Programs[i]
		if p.Accept.IsZero() {
			continue
		}
		text, err := p.Accept.Text()
		if err != nil {
			return nil, err
		}
		program, err := baseline.Parse(t.Name+"/"+p.Name, []byte(text))
		if err != nil {
			return nil, fmt.Errorf("the result holds no usable facts: %w", err)
		}
		for _, v := range program.Variants {
			kernels += len(v.Kernels) + len(v.Modules)
		}
		if kernels > maxReported {
			return nil, fmt.Errorf("the result's facts of target %s stand for more than %d kernels", t.Name, maxReported)
		}
		if err := agrees(p, program); err != nil {
			return nil, fmt.Errorf("the result of %s/%s contradicts itself; it was edited: %w", t.Name, p.Name, err)
		}
		programs = append(programs, program)
	}
	return programs, nil
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
		launches := diff.Count(facts.KernelsTotal, v.Kernels)
		if total, there := v.Facts[facts.KernelsTotal]; there && total != launches {
			return fmt.Errorf("%s has %v kernels, its baseline lists %v", v.Signature, total, launches)
		}
	}
	return nil
}
