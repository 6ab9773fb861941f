package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/gate"
)

func captureCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "capture", Usage: "run a command with the dump flags set, and record the toolchain beside the dump",
		ArgsUsage: "--to DIR -- COMMAND…", Category: dumps,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "write the dump to `DIR`, which is new, empty, or of an earlier capture"},
			cacheFlag(),
			&cli.DurationFlag{Name: "timeout", Usage: "stop the command after `TIME`: 90s, 20m", DefaultText: "never"},
		},
		Action: func(c *cli.Context) error {
			before, command := split(c)
			switch {
			case c.String("to") == "":
				return wrongUsage("capture needs --to DIR; xlagate capture --to DIR -- COMMAND…")
			case len(command) == 0 || len(before) > 0:
				return wrongUsage("capture needs a command after --; xlagate capture --to DIR -- COMMAND…")
			}
			to := c.String("to")
			out, err := capturedTo(c, w, to, command)
			if err == nil {
				w.say(fmt.Sprintf("dumped to %s (%s); look at it: xlagate inspect %s", to, tools(out.Toolchain), to))
			}
			return err
		},
	}
}

func capturedTo(c *cli.Context, w world, dir string, command []string) (*capture.Outcome, error) {
	out, err := captured(c, w, cmp.Or(c.String("to"), dir), capture.Options{
		Argv: command, Env: os.Environ(), To: dir, Cache: c.String("cache"), Timeout: c.Duration("timeout"), Stdin: piped(w.in), Stdout: w.out, Stderr: w.err,
	})
	return out, incomplete(w, err)
}

// captured runs a capture, and says what is to be known of it and what went wrong with what it was to make.
func captured(c *cli.Context, w world, what string, opts capture.Options) (*capture.Outcome, error) {
	out, err := capture.Run(c.Context, opts)
	if out != nil {
		for _, note := range out.Notes {
			w.say(note)
		}
	}
	if c.Context.Err() != nil {
		return nil, c.Context.Err()
	}
	if err != nil {
		return nil, gate.CaptureFailed(what, "", err)
	}
	return out, nil
}

// piped returns the standard input unless it is a terminal: the command runs in its own process group, and a terminal stops a background
// group that reads from it.
func piped(in io.Reader) io.Reader {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return in
}
