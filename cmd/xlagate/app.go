package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

// world is everything outside the program: tests give another.
type world struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// say says what a person should know and no verdict depends on.
func (w world) say(text string) { fmt.Fprintf(w.err, "xlagate: %s\n", text) }

// warn says what went wrong besides.
func (w world) warn(text string) { w.say("warning: " + text) }

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, w world) int {
	a := newApp(w)
	if len(args) > 2 && args[1] == completeWord {
		fmt.Fprint(w.out, strings.Join(append(complete(a, args[2:]), ""), "\n"))
		return gate.ExitPass
	}
	err := told(func() error { return a.RunContext(ctx, permute(a, args)) })
	var v verdict
	if ctx.Err() != nil && err != nil && !errors.As(err, &v) {
		err = ctx.Err() // whatever else it was said to be
	}
	code := exitCode(w, err)
	if bisecting(args) && (code == gate.ExitUsage || code == gate.ExitIncomplete) {
		return gate.ExitSkip
	}
	return code
}

// told turns a panic into an error: what was not looked at to its end is "could not look", and not wrong usage, as which Go would end.
func told(do func() error) (err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("%w\n  this is a defect of xlagate: please report it, with the command and its input", dump.Caught(failure))
		}
	}()
	return do()
}

func newApp(w world) *cli.App {
	a := &cli.App{
		Name:                      "xlagate",
		Usage:                     "gate a model's pull requests on what XLA compiled",
		Reader:                    w.in,
		Writer:                    w.out,
		ErrWriter:                 w.err,
		Version:                   version(),
		HideHelpCommand:           true,
		Flags:                     []cli.Flag{cli.HelpFlag}, // the library adds it only where no command is called help
		DisableSliceFlagSeparator: true,                     // a comma may stand in a file's name
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usageError,
		Action:                    noCommand,
		Commands: []*cli.Command{
			initCommand(w), checkCommand(w), acceptCommand(w), baselineCommand(w),
			captureCommand(w), inspectCommand(w), diffCommand(w),
			factsCommand(w), mergeCommand(w),
			reportCommand(w), commentCommand(w),
			rulesCommand(w), explainCommand(w), schemaCommand(w), completionCommand(w), versionCommand(w), helpCommand(),
		},
	}
	makeStrict(a.Commands)
	return a
}

// verdict carries an exit code past the CLI library.
type verdict int

// Error is empty: what was to be said was said.
func (v verdict) Error() string { return "" }

// verdictOf is what a result's exit code makes of a command.
func verdictOf(r *result.Result) error {
	if r.ExitCode == gate.ExitPass {
		return nil
	}
	return verdict(r.ExitCode)
}

// exitCode says what went wrong, if anything, and turns it into the contract's exit code.
func exitCode(w world, err error) int {
	var v verdict
	var wrong config.Errors
	var usage gate.UsageError
	switch {
	case err == nil:
		return gate.ExitPass
	case errors.As(err, &v):
		return int(v)
	case errors.As(err, &wrong):
		fmt.Fprintln(w.err, wrong)
		return gate.ExitUsage
	case errors.As(err, &usage):
		w.say(usage.Message)
		return gate.ExitUsage
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; nothing was decided")
	}
	w.say(err.Error())
	return gate.ExitIncomplete
}

func bisecting(args []string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == "--bisect" || a == "-bisect" || a == "--bisect=true" {
			return true
		}
	}
	return false
}

func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return dir, nil
}
