// Command xlagate is a regression-checking CI gate for what XLA compiles.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), capture.Interruptions()...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if os.Getenv("GOGC") == "" {
		pace()
	}
	os.Exit(run(ctx, os.Args, world{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}))
}

// world is everything outside the program. Tests replace it.
type world struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// say writes a line on the error stream. No verdict depends on it.
func (w world) say(text string) { w.tell("xlagate: " + text) }

// tell writes a message on the error stream. Names in it come from files that others wrote.
func (w world) tell(text string) { fmt.Fprintln(w.err, report.Message(text)) }

// printf writes a message on the output, as tell does.
func (w world) printf(format string, values ...any) error {
	_, err := fmt.Fprint(w.out, report.Message(fmt.Sprintf(format, values...)))
	return err
}

func (w world) warn(text string) { w.say("warning: " + text) }

func run(ctx context.Context, args []string, w world) int {
	a := newApp(w)
	if len(args) > 2 && args[1] == completeWord {
		fmt.Fprint(w.out, strings.Join(append(complete(a, args[2:]), ""), "\n"))
		return gate.ExitPass
	}
	err := recovered(func() error {
		if own, command := forgotten(a, args); command != "" {
			return wrongUsage("%q is a command, not a dump; put -- before it: xlagate %s -- %s", command, phrase.Shell(own), command)
		}
		return a.RunContext(ctx, permute(a, args))
	})
	var v verdict
	if ctx.Err() != nil && err != nil && !errors.As(err, &v) {
		err = ctx.Err() // the interruption is the cause, whatever the error says
	}
	code := exitCode(w, err)
	if bisecting(args) && (code == gate.ExitUsage || code == gate.ExitIncomplete) {
		return gate.ExitSkip
	}
	return code
}

// recovered turns a panic into an error. A panic ends a Go program with exit code 2, which means wrong usage; the right code is 3.
func recovered(do func() error) (err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("%w\n  this is a bug in xlagate: please report it, with the command and its input", dump.Caught(failure))
		}
	}()
	return do()
}

func newApp(w world) *cli.App {
	a := &cli.App{
		Name:                      "xlagate",
		Usage:                     "gate a model's pull requests on what XLA compiled",
		UsageText:                 "xlagate COMMAND [arguments and flags, in any order]\nxlagate help COMMAND lists a command's flags",
		Reader:                    w.in,
		Writer:                    w.out,
		ErrWriter:                 w.err,
		Version:                   version(),
		HideHelpCommand:           true,
		Flags:                     []cli.Flag{cli.HelpFlag}, // the library adds it only when no command is called help
		DisableSliceFlagSeparator: true,                     // a file name may contain a comma
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usageError,
		Action:                    noCommand,
		Commands: []*cli.Command{
			initCommand(w), checkCommand(w), acceptCommand(w), baselineCommand(w), trendCommand(w), upgradeCommand(w),
			captureCommand(w), inspectCommand(w), factsCommand(w), diffCommand(w), exportCommand(w),
			mergeCommand(w), reportCommand(w), commentCommand(w),
			rulesCommand(w), explainCommand(w), schemaCommand(w), completionCommand(w), versionCommand(w), helpCommand(),
		},
	}
	makeStrict(a.Commands)
	return a
}

// verdict carries an exit code past the CLI library.
type verdict int

// Error returns "": the result is already printed.
func (v verdict) Error() string { return "" }

// verdictOf returns the error that ends the command with the result's exit code.
func verdictOf(r *result.Result) error {
	if r.ExitCode == gate.ExitPass {
		return nil
	}
	return verdict(r.ExitCode)
}

// exitCode prints the error, if any, and returns the exit code for it.
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
		w.tell(wrong.Error())
		return gate.ExitUsage
	case errors.As(err, &usage):
		w.say(usage.Message)
		return gate.ExitUsage
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; there is no verdict")
	}
	w.say(err.Error())
	return gate.ExitIncomplete
}

func bisecting(args []string) bool {
	if at := slices.Index(args, "--"); at >= 0 {
		args = args[:at]
	}
	asks := func(a string) bool { return a == "--bisect" || a == "-bisect" || a == "--bisect=true" }
	return len(args) > 1 && args[1] == "check" && slices.ContainsFunc(args[2:], asks)
}

func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return dir, nil
}
