package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
)

// world is everything outside the program: tests give another.
type world struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, w world) int {
	a := newApp(w)
	err := a.RunContext(ctx, permute(a, args))
	code := exitCode(w, err)
	if bisecting(args) && (code == gate.ExitUsage || code == gate.ExitIncomplete) {
		return gate.ExitSkip
	}
	return code
}

func newApp(w world) *cli.App {
	return &cli.App{
		Name:                 "xlagate",
		Usage:                "gate a model's pull requests on what XLA compiled",
		Reader:               w.in,
		Writer:               w.out,
		ErrWriter:            w.err,
		HideVersion:          true,
		Suggest:              true,
		EnableBashCompletion: true,
		ExitErrHandler:       func(*cli.Context, error) {},
		OnUsageError:         usageError,
		CommandNotFound:      nil,
		Action:               noCommand,
		Commands: []*cli.Command{
			initCommand(w), checkCommand(w), captureCommand(w), acceptCommand(w), baselineCommand(w), diffCommand(w), inspectCommand(w),
			factsCommand(w), mergeCommand(w), reportCommand(w), commentCommand(w), rulesCommand(w), explainCommand(w), schemaCommand(w),
			completionCommand(w), versionCommand(w),
		},
	}
}

func usageError(_ *cli.Context, err error, _ bool) error {
	return gate.UsageError{Message: err.Error()}
}

func noCommand(c *cli.Context) error {
	if c.Args().Present() {
		return gate.UsageError{Message: fmt.Sprintf("unknown command %q%s (`xlagate help` lists them)", c.Args().First(), suggestion(c))}
	}
	if err := cli.ShowAppHelp(c); err != nil {
		return err
	}
	return verdict(gate.ExitUsage) // a job whose arguments came out empty must not be green
}

func suggestion(c *cli.Context) string {
	if near := cli.SuggestCommand(c.App.Commands, c.Args().First()); near != "" {
		return "; " + strings.ToLower(near[:1]) + near[1:]
	}
	return ""
}

// verdict carries an exit code past the CLI library.
type verdict int

// Error is empty: what was to be said was said.
func (v verdict) Error() string { return "" }

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
		fmt.Fprintf(w.err, "xlagate: %s\n", usage.Message)
		return gate.ExitUsage
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; nothing was decided")
	}
	fmt.Fprintf(w.err, "xlagate: %s\n", err)
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

// permute moves flags before positional arguments: the CLI library takes every flag behind an argument for another argument, and
// a gate must not swallow a flag. What stands behind "--" stays.
func permute(a *cli.App, args []string) []string {
	flags := a.Flags
	commands := a.Commands
	at := 1
	for at < len(args) {
		next := commandNamed(commands, args[at])
		if next == nil {
			break
		}
		flags, commands = next.Flags, next.Subcommands
		at++
	}
	var front, back []string
	rest := args[min(at, len(args)):]
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			back = append(back, rest[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			back = append(back, arg)
			continue
		}
		front = append(front, arg)
		if takesValue(flags, arg) && i+1 < len(rest) {
			i++
			front = append(front, rest[i])
		}
	}
	out := append([]string{}, args[:min(at, len(args))]...)
	return append(append(out, front...), guard(back)...)
}

// guard keeps the library from reading positional arguments as flags.
func guard(back []string) []string {
	if len(back) > 0 && back[0] == "--" {
		return append([]string{"--"}, back...)
	}
	return back
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue reports whether the argument behind a flag belongs to it.
func takesValue(flags []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				_, boolean := f.(*cli.BoolFlag)
				return !boolean
			}
		}
	}
	return false
}

// split separates a command's own arguments from the command behind "--".
func split(c *cli.Context) (own, command []string) {
	args := c.Args().Slice()
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:]
		}
	}
	return args, nil
}

func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return dir, nil
}

func today() time.Time { return time.Now() }
