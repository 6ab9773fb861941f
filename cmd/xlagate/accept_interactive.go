package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/review"
)

// decide asks a person about each change, and puts the accepted ones and the reason into the options. Without an accepted change Only is empty.
func decide(c *cli.Context, w world, o gate.Options, a *gate.AcceptOptions) error {
	in, isFile := w.in.(*os.File)
	out, outIsFile := w.out.(*os.File)
	switch {
	case len(a.Only) > 0 || a.Tighten:
		return wrongUsage("accept -i asks about each change; leave --only and --tighten out")
	case !isFile || !outIsFile || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())):
		return wrongUsage("accept -i asks at a terminal, and this is none; accept by id: xlagate accept --only ID --reason \"…\"")
	}
	if a.From == nil {
		r, err := gate.Check(c.Context, o)
		if err != nil {
			return err
		}
		keepLast(c, o, r)
		a.From = r
	}
	if len(a.From.Problems) > 0 {
		sayProblems(w, "the review", a.From.Problems)
		return verdict(gate.ExitIncomplete)
	}
	if len(review.Open(a.From)) == 0 {
		fmt.Fprintln(w.out, "no change breaks a rule; record what is there now: xlagate accept --reason \"…\"")
		return nil
	}
	decided, err := asked(in, out, a, reportOptions(c, w, output{}))
	if errors.Is(err, review.ErrLeft) {
		return gate.UsageError{Message: err.Error()}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(w.out, decided)
	for _, change := range decided.Rejected {
		fmt.Fprintf(w.out, "undo     %s:%d: %s\n", change.Source.File, change.Source.Line, change.Title)
	}
	return nil
}

// asked walks through the changes with the terminal in raw mode, which gives each key at once.
func asked(in, out *os.File, a *gate.AcceptOptions, o report.Options) (*review.Decided, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read single keys of the terminal: %w", err)
	}
	defer term.Restore(int(in.Fd()), before)
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "reason: ") // it ends lines as a raw terminal needs them
	decided, err := review.Walk(in, screen, a.From, o)
	if err != nil {
		return nil, err
	}
	for len(decided.Accepted) > 0 && a.Reason == "" {
		line, err := screen.ReadLine()
		if err != nil {
			return nil, review.ErrLeft
		}
		a.Reason = strings.TrimSpace(line)
	}
	a.Only = decided.IDs()
	return decided, nil
}
