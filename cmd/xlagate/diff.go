package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
)

func diffCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "diff",
		Usage:     "show what changed between two dumps, modules or baselines, in the model's own words",
		ArgsUsage: "OLD NEW",
		Category:  dumps,
		Flags: append(append(outputFlags(&to, report.Inspect.Names()), readFlags()...),
			&cli.BoolFlag{Name: "exit-code", Usage: "exit with 1 if they are not identical"},
			&cli.BoolFlag{Name: "passes", Usage: "name the first pass after which they differ"},
			&cli.BoolFlag{Name: "all", Usage: "include the framework's one-op helper programs"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return wrongUsage("diff takes two dumps, not %d; xlagate diff OLD NEW", c.NArg())
			}
			both, err := sides(c, w, c.Args().Slice(), gate.Run{AnyStage: true, Passes: c.Bool("passes"), KeepModules: to.holds("html")})
			if err != nil {
				return err
			}
			d := compared(both)
			err = write(c, w, to.list, d, report.Diff)
			if err == nil && c.Bool("exit-code") && !d.Identical {
				return verdict(gate.ExitFindings)
			}
			return err
		},
	}
}

// sides measures dumps, or reads baselines. It fails if one could not be read completely.
func sides(c *cli.Context, w world, paths []string, how gate.Run) ([]*facts.Report, error) {
	if err := gate.CheckDumps(paths...); err != nil {
		return nil, err
	}
	var list []*facts.Report
	for _, path := range paths {
		rep, err := baselineSide(path)
		if rep == nil && err == nil {
			rep, err = measuredWith(c, w, path, how)
		}
		if err == nil {
			list = append(list, rep)
			err = unread(w, rep)
		} else {
			err = incomplete(w, err)
		}
		if err != nil {
			return nil, errors.Join(err, closeAll(list))
		}
	}
	return list, nil
}

func compared(sides []*facts.Report) *changes.Report {
	changes.NameGraphs(sides[0], sides[1])
	d := changes.Compare(sides[0], sides[1])
	changes.FillPasses(d, sides[0].Passes, sides[1].Passes)
	return d
}

func closeAll(reports []*facts.Report) error {
	errs := phrase.Map(reports, func(r *facts.Report) error { return r.Close() })
	return errors.Join(errs...)
}

// baselineSide reads one side of a diff as a stored baseline, nil if it is none.
func baselineSide(name string) (*facts.Report, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, nil
	case info.IsDir():
		return folderSide(name)
	case !strings.HasSuffix(name, ".jsonl"):
		return nil, nil
	}
	p, err := baseline.LoadProgram(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return named(&baseline.Set{Programs: []*baseline.Program{p}}, name), nil
}

// folderSide reads a folder as the baseline of a target, or of the only target below it; nil if it is neither.
func folderSide(name string) (*facts.Report, error) {
	store := os.DirFS(name)
	targets := []string{"."} // the folder itself, or else those below it
	if !holdsBaseline(store, ".") {
		targets, _ = baseline.Targets(store) // reading it as a dump reports what cannot be listed
	}
	targets = slices.DeleteFunc(targets, func(dir string) bool { return !holdsBaseline(store, dir) })
	switch len(targets) {
	case 0:
		return nil, nil
	case 1:
		set, err := baseline.Load(store, targets[0])
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return named(set, name), nil
	}
	return nil, wrongUsage("%s holds the baselines of %d targets (%s); name the folder of one: %s", name, len(targets), strings.Join(targets, ", "), path.Join(name, targets[0]))
}

// holdsBaseline reports whether a folder holds baseline files, readable or not.
func holdsBaseline(store fs.FS, dir string) bool {
	entries, _ := fs.ReadDir(store, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if e.IsDir() || path.Ext(e.Name()) != ".jsonl" {
			return false
		}
		data, err := fs.ReadFile(store, path.Join(dir, e.Name()))
		return err == nil && bytes.Contains(data, []byte(`"schema":"xlagate.baseline/`))
	})
}

func named(set *baseline.Set, name string) *facts.Report {
	r := set.Report()
	r.Dump = name
	return r
}
