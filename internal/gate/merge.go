package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Input is a result that is merged, and the file that it came in.
type Input struct {
	File string
	*result.Result
	Unread *Unreadable // why there is no result in it
}

// Merge joins the parts of a run and judges them, and joins the results of a matrix. The order of inputs and earlier merges make no difference. A
// target that is missing, doubled or incomplete is a problem; parts that cannot be judged yet stay in the result, so that it can be merged with the
// rest. The configuration may be nil if there are no parts: then no targets are declared.
func Merge(ctx context.Context, o Options, inputs []Input) *result.Result {
	whole, parts := split(inputs)
	complaints := slices.Concat(unreadInputs(inputs), duplicateTargets(inputs), unjoinable(o, parts))
	if len(parts) > 0 && len(complaints) == 0 {
		judged, complaint := judgeParts(ctx, o, parts)
		if complaint == nil {
			whole, parts = append(whole, judged), nil
		} else {
			complaints = append(complaints, *complaint)
		}
	}
	out := newResult(o)
	for _, r := range whole {
		add(out, r)
	}
	for _, p := range parts {
		out.Targets = append(out.Targets, p.Target)
		out.Problems = append(out.Problems, p.problems...)
	}
	out.Problems = append(out.Problems, append(complaints, missingTargets(o.Config, inputs)...)...)
	conclude(out, o)
	return out
}

// part is one part of one target, with what could not be checked in it.
type part struct {
	result.Target
	shard    dump.Shard
	file     string
	problems []result.Problem
}

// split separates parts from results that are whole.
func split(inputs []Input) (whole []*result.Result, parts []part) {
	for _, in := range withResult(inputs) {
		rest := *in.Result
		rest.Targets = nil
		own := map[string]bool{}
		for _, t := range in.Targets {
			if t.Part == nil {
				rest.Targets = append(rest.Targets, t)
				continue
			}
			s, _ := dump.ParseShard(t.Part.Shard)
			own[t.Name] = true
			parts = append(parts, part{t, s, in.File, problemsOf(in.Result, t.Name)})
		}
		rest.Problems = slices.DeleteFunc(slices.Clone(in.Problems), func(p result.Problem) bool { return p.Pending || own[p.Target] })
		whole = append(whole, &rest)
	}
	return whole, parts
}

func problemsOf(r *result.Result, target string) []result.Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p result.Problem) bool { return p.Pending || p.Target != target })
}

// add adds a result that was judged already.
func add(out, r *result.Result) {
	out.Targets = append(out.Targets, r.Targets...)
	out.Changes = append(out.Changes, r.Changes...)
	out.Findings = append(out.Findings, r.Findings...)
	out.Problems = append(out.Problems, r.Problems...)
	out.Notes = append(out.Notes, r.Notes...)
	out.Headroom = append(out.Headroom, r.Headroom...)
	out.Summary.Checks += r.Summary.Checks
}

// conclude sorts a merged result, removes duplicates, counts and decides the verdict.
func conclude(out *result.Result, o Options) {
	order(out, o.Config)
	out.Problems = slices.CompactFunc(out.Problems, func(a, b result.Problem) bool { return a == b })
	out.Changes = slices.CompactFunc(out.Changes, func(a, b result.Change) bool { return a.Target == "" && reflect.DeepEqual(a, b) })
	out.Findings = slices.CompactFunc(out.Findings, func(a, b result.Finding) bool { return a.Target == "" && reflect.DeepEqual(a, b) })
	count(out)
	decide(out, failOn(o))
}

// byTarget groups parts, each target's in their order.
func byTarget(parts []part) map[string][]part {
	groups := map[string][]part{}
	for _, p := range parts {
		groups[p.Name] = append(groups[p.Name], p)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b part) int { return a.shard.Index - b.shard.Index })
	}
	return groups
}

// mostKept is how many bytes of packed facts merge keeps in memory unpacked, where they take some twenty times as much.
const mostKept = 8 << 20

// judgeParts joins the parts of every target and judges them. If the parts are large, only a few targets are in memory at once. The problem says why
// the parts cannot be joined.
func judgeParts(ctx context.Context, o Options, parts []part) (*result.Result, *result.Problem) {
	o.Baseline = cmp.Or(o.Baseline, parts[0].Part.Baseline)
	o.base = opener(ctx, o)
	groups := byTarget(parts)
	list := slices.DeleteFunc(slices.Clone(declared(o.Config)), func(t config.Target) bool { return groups[t.Name] == nil })
	targets, joins := make([]*measuredTarget, len(list)), make([]chan error, len(list))
	join := func(i int) {
		targets[i], joins[i] = &measuredTarget{Target: list[i]}, make(chan error, 1)
		go func() { joins[i] <- targets[i].join(ctx, o, groups[list[i].Name]) }()
	}
	packed := 0
	for _, p := range parts {
		packed += len(p.Part.Facts) + len(p.Part.AgainstFacts)
	}
	many := packed > cmp.Or(o.keeps, mostKept) && len(list) > 1
	ahead := min(runtime.GOMAXPROCS(0), len(list))
	for i := range ahead {
		join(i)
	}
	r, last := newResult(o), &rejoined{}
	for i, t := range targets {
		if err := <-joins[i]; err != nil {
			p := pending(t.Name, "its parts do not belong together: "+err.Error())
			return nil, &p
		}
		addJudged(r, o, t)
		if i+ahead < len(list) {
			join(i + ahead)
		}
		if many {
			t.forget()
			last.promise(r.Targets[len(r.Targets)-1].Programs, func() (*measuredTarget, error) {
				again := &measuredTarget{Target: t.Target}
				return again, again.join(ctx, o, groups[t.Name])
			})
		}
	}
	return completed(r, o, targets), nil
}

// forget drops what judging needs of a target and later steps do not.
func (l *measuredTarget) forget() {
	l.base = nil
	if l.report != nil {
		l.report = &facts.Report{Helpers: namesOnly(l.report.Helpers), Logs: l.report.Logs}
	}
	for i, p := range l.programs {
		l.programs[i] = &diff.Program{Name: p.Name}
	}
}

func namesOnly(programs []*facts.Program) []*facts.Program {
	named := make([]*facts.Program, len(programs))
	for i, p := range programs {
		named[i] = &facts.Program{Name: p.Name}
	}
	return named
}

// rejoined holds the target that was joined again last, to say what accepting it writes.
type rejoined struct {
	one      sync.Mutex
	target   *result.Program // its first one, which tells targets apart
	programs []result.Program
}

// promise replaces the texts of what accepting a target's programs writes by texts that join the target again when they are read.
func (j *rejoined) promise(programs []result.Program, join func() (*measuredTarget, error)) {
	for i := range programs {
		if programs[i].Accept.IsZero() {
			continue
		}
		programs[i].Accept = result.LaterText(func() (string, error) {
			j.one.Lock()
			defer j.one.Unlock()
			if j.target != &programs[0] {
				target, err := join()
				if err != nil {
					return "", fmt.Errorf("join the parts of target %s again: %w", target.Name, err)
				}
				var whole result.Target
				describe(&whole, target)
				j.target, j.programs = &programs[0], whole.Programs
			}
			return j.programs[i].Accept.Text()
		})
	}
}

// join assembles a target from its parts, as look does from the dump. The error says why parts do not fit together.
func (l *measuredTarget) join(ctx context.Context, o Options, parts []part) error {
	l.dump = parts[0].Dump
	fresh, base, failures := unpack(parts)
	if fresh == nil {
		if l.problems = failures; len(failures) == 0 {
			return errors.New("one holds no facts and does not say why")
		}
		return nil
	}
	reports, err := joinPacked(fresh)
	if err != nil {
		return err
	}
	if l.report, err = l.asOne(reports); err != nil {
		l.fail(err)
		return nil
	}
	first := parts[0].Part
	switch {
	case first.Against == "":
		l.loadBase(ctx, o)
	case base == nil:
		l.baseUnread = true
	default:
		if reports, err = joinPacked(base); err != nil {
			return err
		}
		l.baseName, l.base = first.Against, facts.Merge(reports)
	}
	l.problems = append(l.problems, failures...)
	l.compare(o.edited())
	return nil
}

// unpack lists the packed facts of the dump and of the dump that it is compared with, in the order of the parts. A list is nil if a part has no
// facts; failures say why.
func unpack(parts []part) (fresh, base []string, failures []result.Problem) {
	for _, p := range parts {
		for _, problem := range p.problems {
			if problem.Rule == "target-ran" && !slices.Contains(failures, problem) {
				failures = append(failures, problem)
			}
		}
		fresh, base = append(fresh, p.Part.Facts), append(base, p.Part.AgainstFacts)
	}
	if slices.Contains(base, "") {
		base = nil
	}
	if slices.Contains(fresh, "") {
		fresh = nil
	}
	return fresh, base, failures
}

// pending is a problem of merging: another merge may solve it.
func pending(target, message string) result.Problem {
	return result.Problem{
		Target: target, Rule: "target-ran", Message: fmt.Sprintf("target %s: %s", target, message), Pending: true,
		Fix: "look at the jobs of that target, and merge the results of one run only",
	}
}

// unreadInputs returns a problem for each input that holds no result.
func unreadInputs(inputs []Input) []result.Problem {
	var out []result.Problem
	for _, in := range inputs {
		if in.Unread != nil {
			out = append(out, result.Problem{Rule: "target-ran", File: in.Unread.Where, Message: in.Unread.Message, Fix: in.Unread.Fix, Pending: true})
		}
	}
	return out
}

// duplicateTargets finds targets that are in two results: one would hide the other.
func duplicateTargets(inputs []Input) []result.Problem {
	var out []result.Problem
	first := map[string]string{}
	inParts := map[string]string{}
	for _, in := range withResult(inputs) {
		for _, t := range in.Targets {
			if t.Part != nil {
				inParts[t.Name] = in.File
			} else if other, twice := first[t.Name]; twice {
				out = append(out, pending(t.Name, fmt.Sprintf("it is in %s and in %s: one would hide the other", other, in.File)))
			} else {
				first[t.Name] = in.File
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inParts)) {
		if other, twice := first[name]; twice {
			out = append(out, pending(name, fmt.Sprintf("it is complete in %s, and a part of it is in %s", other, inParts[name])))
		}
	}
	return out
}

// unjoinable finds parts that cannot be joined: some are missing or there twice, or they are not of one run.
func unjoinable(o Options, parts []part) []result.Problem {
	groups, names := byTarget(parts), map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if why := whyUnjoinable(o, groups[name]); why != "" {
			names[why] = append(names[why], name)
		}
	}
	return phrase.Map(slices.Sorted(maps.Keys(names)), func(why string) result.Problem { return sameProblem(names[why], why) })
}

// sameProblem makes one problem for all targets with the same reason.
func sameProblem(targets []string, why string) result.Problem {
	p := pending(targets[0], why)
	if more := len(targets) - 1; more > 0 {
		p.Target, p.Message = "", fmt.Sprintf("target %s, and %d more: %s", targets[0], more, why)
	}
	return p
}

// whyUnjoinable returns why the parts of one target cannot be joined, "" when they can.
func whyUnjoinable(o Options, parts []part) string {
	var found []dump.ShardFound
	for _, p := range parts {
		if p.shard.Whole() {
			return fmt.Sprintf("%s says that it is part %q, which does not exist", p.file, p.Part.Shard)
		}
		if why := whyForeign(o, &p, &parts[0]); why != "" {
			return why
		}
		found = append(found, dump.ShardFound{Shard: p.shard, File: p.file})
	}
	if why := dump.ShardComplaint(found); why != "" {
		return "it " + why
	}
	return ""
}

// whyForeign returns why a part belongs to another run than the first or cannot be judged here; "" if neither is so.
func whyForeign(o Options, p, first *part) string {
	switch {
	case p.Part.Version != o.Version || p.Part.Form != facts.ShareForm():
		return fmt.Sprintf("%s was measured by another build of xlagate (%s) than this one (%s): use the same for all", p.file, p.Part.Version, o.Version)
	case o.Config == nil:
		return "parts are judged by their configuration, and there is none here: -c xlagate.yaml"
	case p.Part.Config != o.Config.Sum:
		return fmt.Sprintf("%s was measured under another configuration: %s is not %s, or was changed in between", p.file, p.Part.ConfigFile, o.Config.Path)
	case p.Part.Baseline != first.Part.Baseline:
		return fmt.Sprintf("%s is compared with the baseline %q, %s with %q", first.file, first.Part.Baseline, p.file, p.Part.Baseline)
	case p.Part.Against != first.Part.Against:
		return fmt.Sprintf("%s is compared with the dump %q, %s with %q", first.file, first.Part.Against, p.file, p.Part.Against)
	}
	return ""
}

// missingTargets finds targets that are declared and in none of the results.
func missingTargets(cfg *config.Config, inputs []Input) []result.Problem {
	if cfg == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, in := range withResult(inputs) {
		for _, t := range in.Targets {
			seen[t.Name] = true
		}
	}
	var out []result.Problem
	for _, t := range cfg.Targets {
		if !seen[t.Name] {
			out = append(out, pending(t.Name, fmt.Sprintf("it (%s) is in none of the results: its job did not run or did not upload", t.Place)))
		}
	}
	return out
}

// withResult leaves out what could not be read.
func withResult(inputs []Input) []Input {
	return slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return in.Unread != nil })
}
