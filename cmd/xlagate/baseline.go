package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func baselineCommand(w world) *cli.Command {
	flags := func() []cli.Flag {
		return []cli.Flag{configFlag(), baselineFlag()}
	}
	return &cli.Command{
		Name: "baseline", Usage: "inspect and maintain the stored baseline", UsageText: "xlagate baseline COMMAND", Category: theGate,
		Action: noCommand,
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the accepted targets and programs", Flags: flags(), Action: func(c *cli.Context) error { return listBaseline(c, w) }},
			{Name: "show", Usage: "print what was accepted for a program", ArgsUsage: "[PROGRAM]", Flags: flags(), Action: func(c *cli.Context) error { return showBaseline(c, w) }},
			{Name: "verify", Usage: "read every file, and report what was cut off, edited or merged by hand", Flags: flags(), Action: func(c *cli.Context) error { return verifyBaseline(c, w) }},
			{Name: "prune", Usage: "remove the files that the configuration no longer covers", Flags: flags(), Action: func(c *cli.Context) error { return pruneBaseline(c, w) }},
		},
	}
}

// baselineOptions returns the options that say where the baseline is.
func baselineOptions(c *cli.Context, w world) (gate.Options, error) {
	o, err := newOptions(c, w, gate.Run{})
	if err != nil {
		return o, err
	}
	if o.Config, err = loadConfig(c.String("config"), o.Dir); err != nil {
		return o, err
	}
	if err := baseline.CheckPlace(o.Baseline); err != nil {
		return o, gate.UsageError{Message: "--baseline " + err.Error()}
	}
	if finished, _ := gate.FinishAccept(o); finished { // opening the baseline reports what cannot be finished
		o.Config, err = loadConfig(c.String("config"), o.Dir)
	}
	return o, err
}

// stored opens the baseline for reading.
func stored(c *cli.Context, w world) (fs.FS, error) {
	o, err := baselineOptions(c, w)
	if err != nil {
		return nil, err
	}
	store, err := gate.OpenBaseline(c.Context, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, incomplete(w, &gate.Unreadable{Where: gate.BaselineOf(o), Message: "there is no baseline", Fix: "xlagate accept --reason \"why\" writes one"})
	}
	return store, incomplete(w, err)
}

// eachStored reads every program of every target.
func eachStored(c *cli.Context, w world, do func(target string, p *baseline.Program) error) error {
	store, err := stored(c, w)
	if err != nil {
		return err
	}
	targets, err := baseline.Targets(store)
	if err != nil {
		return err
	}
	for _, target := range targets {
		set, err := baseline.Load(store, target)
		if errors.Is(err, baseline.ErrNone) {
			continue
		}
		if err != nil {
			return incomplete(w, err)
		}
		for _, p := range set.Programs {
			if err := do(target, p); err != nil {
				return err
			}
		}
	}
	return c.Context.Err()
}

func listBaseline(c *cli.Context, w world) error {
	return eachStored(c, w, func(target string, p *baseline.Program) error {
		return w.printf("%-24s %-24s %s  %s\n", target, p.Name, phrase.Counted(float64(len(p.Variants)), "", "variants"), tools(p.Toolchain))
	})
}

func tools(t facts.Toolchain) string {
	parts := phrase.Filter([]string{t.Framework, t.Versions[t.Framework], t.Backend, t.Device}, func(s string) bool { return s != "" })
	return strings.Join(parts, " ")
}

func showBaseline(c *cli.Context, w world) error {
	shown := 0
	err := eachStored(c, w, func(target string, p *baseline.Program) error {
		if c.NArg() > 0 && c.Args().First() != p.Name && c.Args().First() != target+"/"+p.Name {
			return nil
		}
		shown++
		var text strings.Builder
		if err := baseline.Show(&text, target, p); err != nil {
			return err
		}
		return w.printf("%s", text.String())
	})
	if err == nil && shown == 0 {
		return wrongUsage("no program %q in the baseline; `xlagate baseline list` lists them", c.Args().First())
	}
	return err
}

// verifyBaseline finds files that were cut off, edited by hand or merged badly.
func verifyBaseline(c *cli.Context, w world) error {
	store, err := stored(c, w)
	if err != nil {
		return err
	}
	files, wrong, err := baseline.Verify(store)
	if err != nil {
		return incomplete(w, err)
	}
	code := gate.ExitPass
	for _, one := range wrong {
		w.printf("%v\n", one)
		code = max(code, gate.ExitFindings)
		if broken := (*baseline.Error)(nil); errors.As(one, &broken) {
			w.printf("  fix: %s\n", broken.Fix)
		}
		if !errors.Is(one, baseline.ErrEdited) {
			code = gate.ExitIncomplete
		}
	}
	fmt.Fprintf(w.out, "%s, %d wrong\n", phrase.Counted(float64(files), "", "files"), len(wrong))
	if code != gate.ExitPass {
		return verdict(code)
	}
	return nil
}

func pruneBaseline(c *cli.Context, w world) error {
	o, err := baselineOptions(c, w)
	if err != nil {
		return err
	}
	done, err := gate.Prune(c.Context, o)
	if err != nil {
		return incomplete(w, err)
	}
	for _, p := range done {
		w.printf("removed  %s (%s): %s\n", p.Name, phrase.Counted(float64(p.Files), "", "files"), p.Why)
	}
	if len(done) == 0 {
		fmt.Fprintln(w.out, "nothing to prune")
	}
	return nil
}

func trendCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "trend",
		Usage:     "show how the accepted facts changed, commit by commit, and why",
		ArgsUsage: "[PROGRAM]",
		Category:  theGate,
		Flags: append(outputFlags(&to, report.Trend.Names()), configFlag(), baselineFlag(), quietFlag(),
			&cli.StringFlag{Name: "since", Usage: "start after `REF`: a commit, a branch or a tag"},
			&cli.StringFlag{Name: "fact", Usage: "show the facts that match `GLOB`: price.*, memory.peak_bytes"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongUsage("trend takes at most one program, not %d", c.NArg())
			}
			o, err := baselineOptions(c, w)
			if err != nil {
				return err
			}
			t, err := gate.Trend(c.Context, o, c.String("since"))
			if err != nil {
				return incomplete(w, err)
			}
			if err := narrow(c, t); err != nil {
				return err
			}
			return write(c, w, to.list, t, report.Trend)
		},
	}
}

// narrow keeps the series of the program and the facts that the flags name.
func narrow(c *cli.Context, t *result.Trend) error {
	if program := c.Args().First(); program != "" {
		names := slices.Compact(phrase.Map(t.Series, func(s result.TrendSeries) string { return s.Program }))
		t.Series = phrase.Filter(t.Series, func(s result.TrendSeries) bool { return facts.Fits(program, s.Program) })
		if len(t.Series) == 0 {
			return wrongUsage("no program matches %q%s; accepted were %s", program, phrase.DidYouMean(program, names), phrase.List(phrase.Within(names, 8), "and"))
		}
	}
	if fact := c.String("fact"); fact != "" && report.OnlyFacts(t, fact) == 0 {
		return wrongUsage("no accepted fact matches %q; -f csv lists all", fact)
	}
	return nil
}
