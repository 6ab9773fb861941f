package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

func captureCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "capture", Usage: "run a command with the dump flags set, and record the toolchain beside the dump",
		ArgsUsage: "--to DIR -- COMMAND…", OnUsageError: usageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "where the dump goes: a `DIR` that is new, empty or was written by a capture"},
			&cli.DurationFlag{Name: "timeout", Usage: "how long the command may take"},
		},
		Action: func(c *cli.Context) error {
			before, command := split(c)
			switch {
			case c.String("to") == "":
				return gate.UsageError{Message: "capture needs --to DIR; xlagate capture --to DIR -- COMMAND…"}
			case len(command) == 0 || len(before) > 0:
				return gate.UsageError{Message: "capture needs a command behind --; xlagate capture --to DIR -- COMMAND…"}
			}
			return runCapture(c, w, command)
		},
	}
}

func runCapture(c *cli.Context, w world, command []string) error {
	out, err := capture.Run(c.Context, capture.Options{
		Argv: command, Env: os.Environ(), To: c.String("to"), Timeout: c.Duration("timeout"), Stdin: w.in, Stdout: w.out, Stderr: w.err,
	})
	if out != nil {
		for _, note := range out.Notes {
			fmt.Fprintf(w.err, "xlagate: %s\n", note)
		}
	}
	var failed *capture.ExitError
	switch {
	case errors.As(err, &failed), errors.Is(err, capture.ErrNothingDumped):
		sayProblems(w, c.String("to"), []result.Problem{{Message: err.Error(), Mend: "run the command by itself first, until it ends well"}})
		return verdict(gate.ExitIncomplete)
	case err != nil:
		return err
	}
	fmt.Fprintf(w.err, "xlagate: dumped to %s (%s); look at it: xlagate inspect %s\n", c.String("to"), tools(out.Toolchain), c.String("to"))
	return nil
}
