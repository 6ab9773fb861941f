package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/config"
)

// captured runs a command and returns where it dumped. The dump lies below the system's temporary folder and is left there when
// the run fails, so that a person can look, but not when a person ends it.
func (l *looked) captured(ctx context.Context, o Options, argv []string, c *config.Capture) ([]string, error) {
	l.dump = strings.Join(argv, " ")
	to, err := os.MkdirTemp("", "xlagate-dump-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the dump: %w", err)
	}
	opts := capture.Options{Argv: argv, Env: os.Environ(), Dir: o.Dir, To: filepath.Join(to, "dump"), Stdin: nil, Stdout: o.Stdout, Stderr: o.Stderr}
	if c != nil {
		l.dump, opts.Dir, opts.Timeout = c.Run, o.Config.Dir, c.Timeout
		for k, v := range c.Env {
			opts.Env = append(opts.Env, k+"="+v)
		}
	}
	outcome, err := capture.Run(ctx, opts)
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
		return nil, unreadableCommand(l.dump, to, err)
	}
	l.temp = to
	return []string{outcome.Dir}, nil
}

func unreadableCommand(what, to string, err error) error {
	var failed *capture.ExitError
	fix := "run it by itself first, until it ends well; what it dumped lies in " + to
	if errors.As(err, &failed) {
		return &Unreadable{File: what, Message: failed.Error(), Fix: fix}
	}
	return &Unreadable{File: what, Message: err.Error(), Fix: fix}
}

func (o Options) warn(text string) {
	if o.Warn != nil {
		o.Warn(text)
	}
}
