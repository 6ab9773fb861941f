package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/result"
)

// loadBase finds what the target is compared with. No baseline is no error here: the rules that need one say so.
func (l *looked) loadBase(ctx context.Context, o Options) {
	if o.Against != "" {
		path := absolute(o.Dir, o.Against)
		l.baseName = o.Against
		paths, err := existing([]string{path})
		if err == nil {
			l.base, err = measureAll(ctx, o, paths, nil, 1)
		}
		if err != nil {
			l.fail(err)
		}
		return
	}
	where := BaselineOf(o)
	l.baseName = where
	store, err := OpenStore(ctx, o, where)
	if err == nil {
		l.set, err = baseline.Load(store, l.name)
	}
	switch {
	case errors.Is(err, baseline.ErrNone) || errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.problems = append(l.problems, result.Problem{Target: l.name, Rule: "baseline-present", File: where, Message: err.Error(), Mend: "restore it from git, or write it anew: xlagate accept"})
	default:
		l.base = l.set.Report()
	}
}

// BaselineOf says where the baseline lies.
func BaselineOf(o Options) string {
	if o.Baseline != "" {
		return o.Baseline
	}
	return o.Config.Baseline
}

// StoreDir is the directory of a baseline that can be written.
func StoreDir(o Options) string {
	if o.Baseline != "" {
		return absolute(o.Dir, o.Baseline)
	}
	return absolute(o.Config.Dir, o.Config.Baseline)
}

// OpenStore opens a baseline for reading: a directory or git:REF:PATH.
func OpenStore(ctx context.Context, o Options, where string) (fs.FS, error) {
	if baseline.Remote(where) {
		return baseline.Open(ctx, where, o.Config.Dir)
	}
	dir := StoreDir(o)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is a file; the baseline is a directory", dir)
		}
		return nil, err
	}
	return os.DirFS(dir), nil
}
