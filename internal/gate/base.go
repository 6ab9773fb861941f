package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// loadBase finds what the target is compared with. A missing baseline is no error here: the rules that need one report it.
func (l *measuredTarget) loadBase(ctx context.Context, o Options) {
	if o.Against != "" {
		path := absolute(o.Dir, o.Against)
		l.baseName = o.Against
		paths, err := existing(o.Dir, path)
		var reports []*facts.Report
		if err == nil {
			reports, err = MeasureDumps(ctx, o, paths, nil)
		}
		if err != nil {
			l.baseUnread = true
			l.fail(err)
			return
		}
		l.base = facts.Merge(reports)
		return
	}
	where := BaselineOf(o)
	l.baseName = where
	var err error
	l.set, err = l.readStored(o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.baseUnread = true
		l.problems = append(l.problems, baseProblem(l.Name, where, err))
	case l.set != nil:
		l.base = l.set.Report()
	}
}

// readStored reads the stored baseline, nil where there is none.
func (l *measuredTarget) readStored(o Options) (*baseline.Set, error) {
	store, err := o.base()
	if err != nil {
		return nil, err
	}
	return accepted(store, l.Name, o.replacing)
}

// accepted reads a target's baseline, nil where there is none. Of one that is replaced as a whole, files may be damaged.
func accepted(store fs.FS, target string, replaced bool) (*baseline.Set, error) {
	load := baseline.Load
	if replaced {
		load = baseline.Read
	}
	if store == nil {
		return nil, nil
	}
	set, err := load(store, target)
	if errors.Is(err, baseline.ErrNone) {
		return nil, nil
	}
	return set, err
}

func baseProblem(target, where string, err error) result.Problem {
	p := result.Problem{Target: target, Rule: "baseline-present", File: where, Message: err.Error(),
		Fix: "restore it from git, or write it anew: xlagate accept --reason \"why\""}
	if u := unreadable(err); u != nil {
		p.Message, p.Fix = u.Message, u.Fix
		if u.Where != where && !filepath.IsAbs(u.Where) { // a file of the baseline
			p.File = path.Join(where, u.Where)
		}
	}
	return p
}

// BaselineOf says where the baseline is.
func BaselineOf(o Options) string {
	return cmp.Or(o.Baseline, o.Config.Baseline)
}

// howToAccept says what makes a first baseline in a place.
func howToAccept(where string) string {
	const accept = "xlagate accept --reason \"why\""
	const commit = ", then commit what it writes"
	switch ref, folder, err := baseline.CutGit(where); {
	case !baseline.Remote(where) || err != nil:
		return accept + commit
	case baseline.Fixed(ref):
		return "name a revision that holds one: git log --oneline -- " + folder + " lists those that changed it"
	case ref == "HEAD":
		return accept + " --baseline " + folder + commit
	default:
		return accept + " --baseline " + folder + commit + " to " + ref
	}
}

// baselinePlace is where the baseline is. A directory that the command line names starts from the working directory.
func baselinePlace(o Options) baseline.Place {
	p := baseline.Place{Where: BaselineOf(o), Dir: o.Config.Dir, Config: o.Config.Path}
	if o.Baseline != "" && !baseline.Remote(o.Baseline) {
		p.Dir = o.Dir
	}
	return p
}

// FinishAccept finishes an accept that was killed while it changed the baseline, and reports whether there was one: it may have changed the
// configuration as well.
func FinishAccept(o Options) (bool, error) { return baselinePlace(o).Finish() }

// OpenBaseline opens the baseline for reading. One that is not there is [fs.ErrNotExist].
func OpenBaseline(ctx context.Context, o Options) (fs.FS, error) {
	return baselinePlace(o).Open(ctx)
}

// editBaseline opens the baseline for changing.
func editBaseline(ctx context.Context, o Options) (*baseline.Edit, error) {
	edit, err := baselinePlace(o).Edit(ctx)
	if errors.Is(err, baseline.ErrFixed) {
		return nil, UsageError{err.Error()}
	}
	return edit, err
}

// compareRelease compares what accepting the dump would write: prices depend on what they are compared with, so the measured report stays as it is.
func (l *measuredTarget) compareRelease(ctx context.Context, o Options, where string) (*rule.Release, error) {
	store, err := baseline.Place{Where: where, Dir: o.Config.Dir}.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline")
	} else if err != nil {
		return nil, err
	}
	old, err := baseline.Load(store, l.Name)
	if errors.Is(err, baseline.ErrNone) {
		return nil, fmt.Errorf("there is no baseline of target %s", l.Name)
	} else if err != nil {
		return nil, err
	}
	fresh := &baseline.Set{Target: l.Name}
	for _, p := range l.report.Programs {
		text := baseline.Format(l.asBaseline(p), nil, "")
		program, err := baseline.Parse(p.Name, text)
		if err != nil {
			return nil, fmt.Errorf("compare %s with %s: %w", p.Name, where, err)
		}
		fresh.Programs = append(fresh.Programs, program)
	}
	report := fresh.Report()
	report.Device = l.report.Device
	return &rule.Release{
		Programs: changes.Compare(old.Report(), report).Programs,
		Accepted: func(program string) string {
			if now := l.set.Find(program); now != nil {
				return now.ReasonSince(old.Find(program))
			}
			return ""
		},
	}, nil
}
