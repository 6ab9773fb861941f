package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// lookedAgain measures the dumps of a result that are still there and compares them as the gate did, for the views that draw kernels. A dump
// that is not the one that was judged is left out with a warning.
func (s *showing) lookedAgain(r *result.Result) []webpage.Looked {
	var seen []webpage.Looked
	for i := range r.Targets {
		t := &r.Targets[i]
		if _, err := os.Stat(t.Dump); err != nil {
			continue
		}
		l, err := s.lookAgain(t)
		switch {
		case err != nil:
			s.w.warn(fmt.Sprintf("the kernels of %s are not shown: %v", t.Name, err))
		case !judgedSame(t, l.Programs):
			s.w.warn(fmt.Sprintf("the kernels of %s are not shown: %s is not the dump that was judged", t.Name, t.Dump))
		default:
			seen = append(seen, l)
		}
	}
	return seen
}

// lookAgain compares the dump of one target by the configuration that is above it.
func (s *showing) lookAgain(t *result.Target) (webpage.Looked, error) {
	out := webpage.Looked{Target: t.Name}
	dump := absoluteOr(t.Dump)
	file, err := config.Find(filepath.Dir(dump))
	if err != nil {
		return out, err
	}
	cfg, err := loadConfig(file, "")
	if err != nil {
		return out, err
	}
	cfg.Targets = slices.DeleteFunc(cfg.Targets, func(c config.Target) bool { return c.Name != t.Name })
	for i := range cfg.Targets {
		cfg.Targets[i].Dump, cfg.Targets[i].Capture = dump, nil // what is shown runs nothing
	}
	o := withoutConfig(s.c, s.w, gate.Options{Request: gate.Request{Dumps: []string{dump}}})
	o.Config, o.Dir = cfg, cfg.Dir
	if _, err := os.Stat(t.Baseline); err == nil && t.Baseline != gate.BaselineOf(o) {
		o.Against = absoluteOr(t.Baseline)
	}
	o.KeepModules, o.Seen = true, func(_ string, programs []*diff.Program) { out.Programs = programs }
	_, err = gate.Check(s.c.Context, o)
	return out, err
}

// judgedSame reports whether programs have the fingerprints in a result.
func judgedSame(t *result.Target, programs []*diff.Program) bool {
	known := map[string]bool{}
	for i := range t.Programs {
		for _, v := range t.Programs[i].Variants {
			known[v.Fingerprint] = true
		}
	}
	for _, p := range programs {
		for _, v := range p.Variants {
			if v.New != nil && !known[v.New.Fingerprint] {
				return false
			}
		}
	}
	return len(programs) > 0
}
