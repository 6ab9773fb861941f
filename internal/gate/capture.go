package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/rules"
)

// captured runs a command and returns where it dumped: a temporary folder. The folder stays if the command fails, so that a person can look at it,
// but not if a person interrupts the command.
func (l *measuredTarget) captured(ctx context.Context, o Options, run capture.Options) ([]string, error) {
	to, err := os.MkdirTemp("", "xlagate-dump-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the dump: %w", err)
	}
	run.To, run.Cache, run.Stdout, run.Stderr = filepath.Join(to, "dump"), o.Cache, o.Captured, o.Captured
	outcome, err := capture.Run(ctx, run)
	if outcome != nil {
		for _, note := range outcome.Notes {
			o.warn(note)
		}
		if outcome.Log != "" {
			l.Logs = append(l.Logs, outcome.Log)
		}
	}
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), os.RemoveAll(to))
	}
	if err != nil {
		return nil, CaptureFailed(l.dump, to, err)
	}
	l.temp, l.made = to, fmt.Sprintf("compiled %d, restored %s ", outcome.Compiled, phrase.Some(outcome.Restored, "program"))
	return []string{outcome.Dir}, nil
}

// CaptureOptions say how the command of a target is run, in the folder of its configuration.
func CaptureOptions(c *config.Capture, dir string) capture.Options {
	run := capture.Options{Argv: []string{"sh", "-c", c.Run}, Env: os.Environ(), Dir: dir, Timeout: c.Timeout}
	for key, value := range c.Env {
		run.Env, run.Keep = append(run.Env, key+"="+value), append(run.Keep, key)
	}
	return run
}

// MayCapture returns an error if only a stranger's configuration names the command of a target: [Environment.Reviewed] names none, or another one.
func (o Options) MayCapture(ctx context.Context, t config.Target) error {
	if o.Reviewed == "" {
		return nil
	}
	file := filepath.Base(o.Config.Path)
	if data, err := git.Run(ctx, o.Config.Dir, "show", o.Reviewed+":./"+file); err == nil {
		reviewed, err := config.Parse(rules.All, file, data)
		if err == nil && slices.ContainsFunc(reviewed.Targets, func(r config.Target) bool { return r.Name == t.Name && reflect.DeepEqual(r.Capture, t.Capture) }) {
			return nil
		}
	}
	return &Unreadable{
		Where: t.Capture.Run,
		Message: fmt.Sprintf("it is not run: this job has the repository's secrets, and the %s of the base branch (%.12s) does not name this command for target %s",
			file, o.Reviewed, t.Name),
		Fix: "dump in a job of pull_request, which has no secrets, upload the dump there, and check it here: xlagate check DUMP",
	}
}

// CaptureFailed adds to the error of a capture what to do about it. What the command dumped nevertheless is in a folder; "" if that is gone.
func CaptureFailed(command, folder string, err error) error {
	failed, fix := (*capture.ExitError)(nil), ""
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fix = "fix the name of the command, or install the program"
	case errors.As(err, &failed):
		err, fix = failed, "run the command by itself first, until it succeeds"
		if folder != "" {
			fix += "; what it dumped is in " + folder
		}
	case errors.Is(err, capture.ErrNothingDumped):
		fix = `run what compiles the model; where the program sets XLA_FLAGS, append to them: os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_…"`
	case errors.Is(err, capture.ErrFromCache):
		fix = "remove --tf_xla_persistent_cache_directory from the program's TF_XLA_FLAGS"
	default:
		return err
	}
	return &Unreadable{Where: command, Message: err.Error(), Fix: fix}
}
