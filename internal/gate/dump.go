package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// Unreadable is a dump or baseline that could not be checked, with what fixes it.
type Unreadable = baseline.Error

// unreadable returns the [Unreadable] in an error, nil if there is none.
func unreadable(err error) *Unreadable {
	var u *Unreadable
	errors.As(err, &u)
	return u
}

const fixNoDump = "run the job that dumps, or xlagate capture --to DIR -- COMMAND; XLA dumps with XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text\""

// OnDisk reports whether a dump is a path, and not the standard input.
func OnDisk(path string) bool { return path != "-" }

// CheckDumps refuses dumps of which two are the standard input.
func CheckDumps(paths ...string) error {
	if len(phrase.Filter(paths, func(p string) bool { return !OnDisk(p) })) > 1 {
		return UsageError{"\"-\" is the standard input, which can be read only once; write the other dump to a file"}
	}
	return nil
}

// existing fails if one of the paths does not exist. The error names it as seen from dir.
func existing(dir string, paths ...string) ([]string, error) {
	for _, p := range paths {
		if !OnDisk(p) {
			continue
		}
		if _, err := os.Stat(p); err != nil {
			return nil, &Unreadable{Where: belowDir(dir, p), Message: "no dump: there is no such file or directory", Fix: fixNoDump}
		}
	}
	return paths, nil
}

// belowDir is a path as seen from a directory that it is below; any other stays as it is.
func belowDir(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// MeasureDump opens and measures one dump, with logs that are outside of it.
func MeasureDump(ctx context.Context, o Options, path string, logs []string) (*facts.Report, error) {
	d, err := dump.Open(ctx, path, dump.Options{Stdin: o.Stdin, Limit: dump.Limit(o.MaxMemory)})
	if err != nil && path == "-" && ctx.Err() == nil {
		err = &Unreadable{Where: path, Message: err.Error(), Fix: "make sure that the command before the pipe succeeds (set -o pipefail)"}
	}
	if err != nil {
		return nil, err
	}
	opts := facts.Options{
		Jobs: o.Jobs, MaxMemory: o.MaxMemory, Limit: o.limit, Warn: o.Warn, Root: o.Root, AllStages: o.EveryStage || o.Passes, AnyStage: o.EveryStage || o.AnyStage,
		Samples: o.samples, KeepModules: o.KeepModules, Passes: o.Passes, Logs: logs, Profiles: o.Profiles, Assembler: o.Assembler,
	}
	if d := price.Named(o.device); d != nil {
		opts.Backend = string(d.Family)
	}
	r, err := facts.Measure(ctx, d, opts)
	if ctx.Err() == nil { // an interrupted reader may still read it
		err = errors.Join(err, d.Close())
	}
	return r, err
}

// Distinct refuses dumps that are the same or are in each other: one compilation would count twice.
func Distinct(paths []string) error {
	for i, path := range paths {
		for _, other := range paths[:i] {
			switch p, o := resolved(path), resolved(other); {
			case path == "-": // see CheckDumps
			case p == o:
				return UsageError{fmt.Sprintf("the dump %s is named twice; name it once", path)}
			case within(o, p):
				return UsageError{fmt.Sprintf("the dump %s is inside the dump %s; name one of them", path, other)}
			case within(p, o):
				return UsageError{fmt.Sprintf("the dump %s is inside the dump %s; name one of them", other, path)}
			}
		}
	}
	return nil
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved is the absolute path without links, as far as there is such a file.
func resolved(path string) string {
	if !OnDisk(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

func (o Options) warn(text string) {
	if o.Warn != nil {
		o.Warn(text)
	}
}
