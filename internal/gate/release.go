package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/rule"
)

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
		text := baseline.Format(&baseline.Program{Program: *p, Toolchain: l.report.Toolchain}, nil, "")
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
