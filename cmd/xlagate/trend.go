package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func trendCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "trend",
		Usage:     "what was accepted over the commits of the baseline, with the reasons",
		ArgsUsage: "[PROGRAM]",
		Category:  theGate,
		Flags: append(outputFlags(&to, report.TrendFormats()), configFlag(), baselineFlag(), quietFlag(),
			&cli.StringFlag{Name: "since", Usage: "only what changed behind `REF`, a commit, a branch or a tag"},
			&cli.StringFlag{Name: "fact", Usage: "only facts that match the `GLOB`, as in price.* or memory.peak_bytes"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongUsage("trend takes one program at most, not %d", c.NArg())
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
			return writeAll(c, w, orText(to.list), func(out output, o report.Options, dst io.Writer) error {
				return report.Trend(dst, t, out.format, o)
			})
		},
	}
}

// narrow leaves the series of the program and the facts that were asked for.
func narrow(c *cli.Context, t *result.Trend) error {
	if program := c.Args().First(); program != "" {
		var kept []result.TrendSeries
		var names []string
		for _, s := range t.Series {
			if match.Glob(program, s.Program) {
				kept = append(kept, s)
			}
			if len(names) == 0 || names[len(names)-1] != s.Program {
				names = append(names, s.Program)
			}
		}
		if t.Series = kept; len(kept) == 0 {
			return wrongUsage("no program matches %q%s; accepted were %s", program, match.DidYouMean(program, names), phrase.List(phrase.Within(names, 8), "and"))
		}
	}
	if fact := c.String("fact"); fact != "" && report.OnlyFacts(t, fact) == 0 {
		return wrongUsage("no accepted fact matches %q; -f csv lists all", fact)
	}
	return nil
}
