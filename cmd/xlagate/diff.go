package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func diffCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "diff",
		Usage:     "what changed between two dumps, modules or baselines, in the model's own words",
		ArgsUsage: "OLD NEW",
		Category:  dumps,
		Flags: append(append(outputFlags(&to, report.ViewFormats()), readFlags()...),
			&cli.BoolFlag{Name: "exit-code", Usage: "exit 1 when they are not identical"},
			&cli.BoolFlag{Name: "passes", Usage: "name the first pass after which they differ"},
			&cli.BoolFlag{Name: "all", Usage: "the framework's one-op helper programs too"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return wrongUsage("diff takes two dumps, not %d; xlagate diff OLD NEW", c.NArg())
			}
			d, err := difference(c, w, to.holds("html"))
			if err != nil {
				return err
			}
			err = writeAll(c, w, orText(to.list), func(out output, o report.Options, dst io.Writer) error {
				o.All = c.Bool("all")
				return report.Diff(dst, d, out.format, o)
			})
			if err == nil && c.Bool("exit-code") && !d.Identical {
				return verdict(gate.ExitFindings)
			}
			return err
		},
	}
}

// difference measures and compares both sides. It fails if a side could not be read completely.
func difference(c *cli.Context, w world, keep bool) (*diff.Report, error) {
	if err := gate.CheckDumps(c.Args().Slice()...); err != nil {
		return nil, err
	}
	var sides []*facts.Report
	for _, path := range c.Args().Slice() {
		rep, err := side(c, w, path, keep)
		if err != nil {
			return nil, incomplete(w, err)
		}
		if err := unread(w, rep); err != nil {
			return nil, err
		}
		sides = append(sides, rep)
	}
	diff.NameGraphs(sides[0], sides[1])
	d := diff.Compare(sides[0], sides[1])
	diff.FillPasses(d, sides[0].Passes, sides[1].Passes)
	return d, nil
}

// side measures a dump, or reads a baseline.
func side(c *cli.Context, w world, path string, keep bool) (*facts.Report, error) {
	if rep, err := baselineSide(c, w, path); rep != nil || err != nil {
		return rep, err
	}
	return measuredWith(c, w, path, gate.Options{Run: gate.Run{AnyStage: true, Passes: c.Bool("passes"), KeepModules: keep}})
}
