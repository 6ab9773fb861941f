package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// measuredTarget is one target after it was measured.
type measuredTarget struct {
	config.Target
	dump       string        // as the user named it
	dumps      []string      // the files and folders that it is in
	report     *facts.Report // nil when it could not be checked
	base       *facts.Report // nil without a baseline
	baseName   string        // what base was read from
	baseUnread bool          // it is there, or was named, but could not be read
	set        *baseline.Set // the stored baseline, nil when there is none or a dump replaces it
	programs   []*changes.Program
	problems   []result.Problem
	notes      []result.Note
	unasked    []*facts.Program // of the dump, neither included nor excluded
	left       []string         // programs of the dump that the configuration leaves out
	again      bool             // it is read from a result
	judged     int              // how many times a rule of the configuration or of a pack checked something
	temp       string           // where a captured dump is until it was read
	made       string           // what the capture compiled and restored, for people
	release    func(where string) (*rule.Release, error)
}

// lookAll looks at every target of the configuration.
func lookAll(ctx context.Context, o Options) ([]*measuredTarget, error) {
	targets, err := targets(o)
	if err != nil {
		return nil, err
	}
	if o.base == nil {
		from := o
		o.base = sync.OnceValues(func() (fs.FS, error) { return OpenBaseline(ctx, from) })
	}
	out := phrase.Map(targets, func(t config.Target) *measuredTarget { return &measuredTarget{Target: t} })
	atOnce, turns := o.atOnce(targets, accelerators), out
	o.limit = facts.NewReadLimit(o.Jobs, o.MaxMemory)
	announced := o.announced(len(targets))
	slots := semaphore.NewWeighted(int64(atOnce))
	var looking errgroup.Group
	var asking sync.WaitGroup
	defer asking.Wait()
	switch captures := capturing(targets); {
	case captures && len(targets) > 1:
		turns = o.inTurn(out)
	case !captures && len(o.Command) == 0:
		asking.Go(func() { _, _ = o.edits() }) // while the dumps are measured; checkFresh needs them
	}
	for i, l := range turns {
		taken := 1
		if o.alone(l.Target) {
			taken = atOnce
		}
		waited := slots.Acquire(ctx, int64(taken))
		looking.Go(func() error {
			if waited == nil {
				defer slots.Release(int64(taken))
				if err := dump.Guard(func() error { l.look(ctx, announced(l, len(turns)-1-i)); return nil }); err != nil {
					l.fail(err)
				}
			}
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("stopped at target %s: %w", l.Name, err)
			}
			return nil
		})
	}
	if err := looking.Wait(); err != nil {
		return nil, err
	}
	for _, l := range out {
		if l.report != nil && l.Capture == nil && len(o.Command) == 0 {
			l.checkFresh(ctx, o)
		}
	}
	return out, nil
}

// declared lists the targets of a configuration: without any there is one.
func declared(cfg *config.Config) []config.Target {
	if len(cfg.Targets) == 0 {
		return []config.Target{{Name: "default", Samples: 1}}
	}
	return cfg.Targets
}

// targets combines the configuration with the command line.
func targets(o Options) ([]config.Target, error) {
	list := slices.Clone(declared(o.Config))
	for _, name := range o.Targets {
		if !slices.ContainsFunc(list, func(t config.Target) bool { return t.Name == name }) {
			return nil, noTarget("--target "+name, name, list)
		}
	}
	if len(o.Targets) > 0 {
		list = slices.DeleteFunc(list, func(t config.Target) bool { return !slices.Contains(o.Targets, t.Name) })
	}
	for i := range list {
		if list[i].Dump != "" {
			list[i].Dump = absolute(o.Config.Dir, list[i].Dump)
		}
	}
	if err := fromCommandLine(o, list); err != nil {
		return nil, err
	}
	// The dump of --against is read once for each target.
	all := append([]string{}, o.Dumps...)
	for _, t := range list {
		if len(o.Dumps)+len(o.Command) == 0 {
			all = append(all, t.Dump)
		}
		all = append(all, o.Against)
	}
	if err := CheckDumps(all...); err != nil {
		return nil, err
	}
	command := "check"
	if o.accepting {
		command = "accept"
	}
	for _, t := range list {
		if t.Dump == "" && t.Capture == nil && len(o.Command) == 0 && !(len(o.Dumps) > 0 && len(list) == 1) {
			return nil, UsageError{fmt.Sprintf("target %s has no dump: name one (xlagate %[2]s DUMP), set dump: or capture: in %[3]s, or run a command (xlagate %[2]s -- python train.py)", t.Name, command, o.Config.Path)}
		}
	}
	return list, nil
}

func fromCommandLine(o Options, list []config.Target) error {
	if err := Distinct(o.Dumps); err != nil {
		return err
	}
	if len(o.Dumps) > 0 && len(o.ByTarget) > 0 {
		return UsageError{fmt.Sprintf("%q and --target both name a dump; name each target's dump once", o.Dumps[0])}
	}
	if len(o.Dumps) > 0 && len(list) > 1 {
		return UsageError{fmt.Sprintf("%q could be the dump of any of %d targets; write --target NAME=DUMP", o.Dumps[0], len(list))}
	}
	if len(o.Command) > 0 && len(list) > 1 {
		return UsageError{fmt.Sprintf("the command could make the dump of any of %d targets; use capture: in %s", len(list), o.Config.Path)}
	}
	if len(o.Logs) > 0 && len(list) > 1 {
		return UsageError{fmt.Sprintf("%q could be the log of any of %d targets; write log: below one of them in %s", o.Logs[0], len(list), o.Config.Path)}
	}
	for name, path := range o.ByTarget {
		i := slices.IndexFunc(list, func(t config.Target) bool { return t.Name == name })
		if i < 0 {
			return noTarget("--target "+name+"="+path, name, list)
		}
		list[i].Dump, list[i].Capture = absolute(o.Dir, path), nil
	}
	return nil
}

func noTarget(flag, name string, list []config.Target) error {
	names := phrase.Map(list, func(t config.Target) string { return t.Name })
	slices.Sort(names)
	return UsageError{fmt.Sprintf("%s: there is no target %q; there are %s", flag, name, strings.Join(names, ", "))}
}

func absolute(dir, path string) string {
	if !OnDisk(path) || filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

// look measures the target and its baseline and matches them. What fails becomes a problem.
func (l *measuredTarget) look(ctx context.Context, o Options) {
	if l.Capture != nil && o.among {
		defer l.tell(ctx, o, time.Now())
	}
	paths, err := l.paths(ctx, o)
	if err != nil {
		l.fail(err)
		return
	}
	l.dumps, o.device, o.samples = paths, l.Device, l.Samples > 1
	reports, err := MeasureDumps(ctx, o, paths, append(absoluteAll(o.Config.Dir, l.Logs), o.Logs...))
	if err == nil {
		l.report, err = l.asOne(reports)
	}
	if l.temp != "" && err == nil && l.report.Logs != nil {
		for i := range l.report.Logs.Notes { // the folder will be gone
			note := &l.report.Logs.Notes[i]
			note.Log = strings.TrimPrefix(note.Log, filepath.Join(l.temp, "dump")+string(filepath.Separator))
		}
	}
	if l.temp != "" && (err == nil || ctx.Err() != nil) {
		err = errors.Join(err, os.RemoveAll(l.temp))
	}
	if err != nil {
		l.fail(err)
		return
	}
	l.loadBase(ctx, o)
	l.compare(func(l hlo.Location) string {
		edits, _ := o.edits()
		return changes.EditOf(l, edits)
	})
	known := map[string]func() (*rule.Release, error){}
	l.release = func(where string) (*rule.Release, error) {
		if known[where] == nil {
			known[where] = sync.OnceValues(func() (*rule.Release, error) { return l.compareRelease(ctx, o, where) })
		}
		return known[where]()
	}
}

// compare matches the included programs with the baseline.
func (l *measuredTarget) compare(edited changes.Edited) {
	l.report.Device = l.Device
	changes.NameGraphs(l.baseReport(), l.report)
	l.restrict()
	l.programs = l.compared(edited)
}

// compared returns the differences of the included programs from the baseline.
func (l *measuredTarget) compared(edited changes.Edited) []*changes.Program {
	base := l.baseReport()
	d := changes.CompareEdited(base, l.report, edited)
	changes.FillPasses(d, base.Passes, l.report.Passes)
	if l.set != nil {
		return d.Programs
	}
	included := l.inclusion()
	return slices.DeleteFunc(d.Programs, func(p *changes.Program) bool { return p.New == nil && !included(p.Name) })
}

// baseReport returns the baseline, which may be empty.
func (l *measuredTarget) baseReport() *facts.Report {
	if l.base == nil {
		return &facts.Report{}
	}
	return l.base
}

func absoluteAll(dir string, paths []string) []string {
	return phrase.Map(paths, func(p string) string { return absolute(dir, p) })
}

// fail records an error as a problem of the target.
func (l *measuredTarget) fail(err error) {
	p := result.Problem{Target: l.Name, Rule: "target-ran", File: l.dump, Message: err.Error(), Fix: "dump it again: xlagate capture --to DIR -- COMMAND"}
	if u := unreadable(err); u != nil {
		p.File, p.Message, p.Fix = u.Where, u.Message, u.Fix
	}
	l.problems = append(l.problems, p)
}

// paths finds the dump: from the command line, captured, or where the configuration says.
func (l *measuredTarget) paths(ctx context.Context, o Options) ([]string, error) {
	switch {
	case len(o.Dumps) > 0:
		l.dump = strings.Join(o.Dumps, " ")
		return existing(o.Dir, absoluteAll(o.Dir, o.Dumps)...)
	case len(o.Command) > 0:
		l.dump = strings.Join(o.Command, " ")
		return l.captured(ctx, o, capture.Options{Argv: o.Command, Env: os.Environ(), Dir: o.Dir})
	case l.Capture != nil:
		l.dump = l.Capture.Run
		if err := o.MayCapture(ctx, l.Target); err != nil {
			return nil, err
		}
		o.warn("running " + l.Capture.Run + o.waiting)
		return l.captured(ctx, o, CaptureOptions(l.Capture, o.Config.Dir))
	}
	l.dump = belowDir(o.Dir, l.Dump)
	if !OnDisk(l.Dump) || !strings.ContainsAny(l.Dump, "*?[{") {
		return existing(o.Dir, l.Dump)
	}
	matches, err := doublestar.FilepathGlob(l.Dump)
	if err != nil {
		return nil, &Unreadable{Where: l.dump, Message: fmt.Sprintf("the pattern is invalid: %v", err), Fix: "fix dump: in the configuration"}
	}
	if len(matches) == 0 {
		return nil, &Unreadable{Where: l.dump, Message: "no dump: the pattern matches no file", Fix: "run the job that dumps, or fix dump: in the configuration"}
	}
	slices.Sort(matches)
	return matches, nil
}

// MeasureDumps measures dumps of one run, with logs that are outside of them.
func MeasureDumps(ctx context.Context, o Options, paths, logs []string) ([]*facts.Report, error) {
	var reports []*facts.Report
	for _, path := range paths {
		r, err := MeasureDump(ctx, o, path, logs)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
		logs = nil // they are about the run, and counted once
	}
	return reports, nil
}

// asOne joins the reports of a target's dumps.
func (l *measuredTarget) asOne(reports []*facts.Report) (*facts.Report, error) {
	if l.Samples == 1 {
		return facts.Merge(reports), nil
	}
	all, err := facts.Samples(reports, l.Samples)
	if err != nil {
		const fix = "compile the model that many times, each time into a directory of its own, and name them all with a glob; or fix samples: in the configuration"
		return nil, &Unreadable{Where: l.dump, Message: err.Error(), Fix: fix}
	}
	return all, nil
}

// restrict keeps the programs that the configuration includes; a pattern that includes nothing is a problem.
func (l *measuredTarget) restrict() {
	const excluded = "fix programs.exclude in the configuration"
	kept, all := l.included(), l.report.Programs
	if len(all)+len(l.report.Helpers) == 0 { // where nothing could be read that alone is wrong, not that each pattern matches nothing
		if l.reportProblems(l.report); len(l.problems) > 0 {
			return
		}
	}
	for _, pattern := range l.Include {
		switch {
		case includes(kept, pattern):
		case includes(all, pattern), includes(l.report.Helpers, pattern):
			l.didNotRun(fmt.Sprintf("programs.exclude leaves out all that matches %q", pattern), excluded)
		default:
			l.missing(pattern)
		}
	}
	if len(l.Include) > 0 {
		l.unasked = l.leftOut()
	}
	included := l.inclusion()
	l.left = slices.DeleteFunc(programNames(all), included)
	l.report.Programs = kept
	l.reportProblems(l.report)
	switch {
	case len(kept) > 0, l.report.Clusters != nil, len(l.problems) > 0:
	case len(all) > 0:
		l.didNotRun("programs.exclude leaves out every program of the dump", excluded)
	default:
		helpers := ""
		if n := len(l.report.Helpers); n > 0 {
			helpers = fmt.Sprintf(" of the model's own, only %d of the framework's one-op helpers", n)
		}
		l.didNotRun("the dump holds no program"+helpers, "make the run compile the model's own function, or name the program under programs.include")
	}
}

// didNotRun reports that the target could not be checked.
func (l *measuredTarget) didNotRun(message, fix string) {
	l.problems = append(l.problems, result.Problem{Target: l.Name, Rule: "target-ran", File: l.dump, Message: message, Fix: fix})
}

// included lists the programs that the configuration includes, helpers too where it names some.
func (l *measuredTarget) included() []*facts.Program {
	all := l.report.Programs
	if len(l.Include) > 0 {
		all = slices.Clone(all)
		for _, h := range l.report.Helpers {
			if !slices.ContainsFunc(all, func(p *facts.Program) bool { return p.Name == h.Name }) {
				all = append(all, h)
			}
		}
	}
	included := l.inclusion()
	kept := phrase.Filter(all, func(p *facts.Program) bool { return included(p.Name) })
	slices.SortFunc(kept, func(a, b *facts.Program) int { return strings.Compare(a.Name, b.Name) })
	return kept
}

// inclusion returns a function that reports whether the configuration includes a program of a name.
func (l *measuredTarget) inclusion() func(program string) bool {
	leavesOut := leftOutBy(l.Target)
	return func(program string) bool { return leavesOut(program) == "" }
}

// leftOutBy returns a function that names the key of a target that leaves a program out; "" if none does.
func leftOutBy(t config.Target) func(program string) string {
	wanted, unwanted := phrase.NewGlobs(t.Include), phrase.NewGlobs(t.Exclude)
	return func(program string) string {
		switch {
		case fits(unwanted, program):
			return "programs.exclude"
		case len(t.Include) > 0 && !fits(wanted, program):
			return "programs.include"
		}
		return ""
	}
}

// fits reports whether patterns fit one of the names of a program.
func fits(patterns *phrase.Globs, program string) bool {
	return slices.ContainsFunc(facts.Names(program), patterns.Fits)
}

// includes reports whether a pattern fits one of the programs.
func includes(programs []*facts.Program, pattern string) bool {
	return slices.ContainsFunc(programs, func(p *facts.Program) bool { return facts.Fits(pattern, p.Name) })
}

// reportProblems adds the problems of the dump, without those of excluded programs.
func (l *measuredTarget) reportProblems(r *facts.Report) {
	t := l.Target // a problem knows the name of the module only, so it concerns every function of that name
	t.Include = phrase.Map(t.Include, facts.PlainName)
	leavesOut := leftOutBy(t)
	for _, p := range r.Problems {
		if p.Program != "" && leavesOut(p.Program) != "" {
			continue
		}
		l.problems = append(l.problems, result.Problem{Target: l.Name, Rule: "facts-complete", File: p.File, Message: p.Message, Fix: p.Fix})
	}
}
