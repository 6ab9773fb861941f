package main

import (
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func factsCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "facts",
		Usage:     "only extract facts, as JSON: the unit of work that a cluster runs",
		ArgsUsage: "DUMP…",
		Category:  manyMachines,
		Flags: append(readFlags(),
			shardFlag(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`"},
			logFlag(),
		),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return wrongUsage("facts needs a dump; xlagate facts DUMP…")
			}
			s, err := chosenShard(c)
			if err != nil {
				return err
			}
			return writeFacts(c, w, s)
		},
	}
}

// writeFacts measures each dump, or this machine's part of it.
func writeFacts(c *cli.Context, w world, s dump.Shard) error {
	o := gate.Options{Run: gate.Run{EveryStage: true}, Request: gate.Request{Logs: c.StringSlice("log")}, Environment: gate.Environment{Version: version()}}
	dealt := s
	if s.Whole() {
		dealt = dump.Shard{Count: 1}
	}
	shares, err := measuredShares(c, w, dump.NewDealer(dealt), o)
	if err != nil {
		return incomplete(w, err)
	}
	var parts []result.Part
	if !s.Whole() {
		part, err := gate.FactsPart(o, s, shares)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	return deliverFacts(c, w, []output{{format: "json", path: c.String("output")}}, gate.Partial(shares), parts)
}

func measuredShares(c *cli.Context, w world, dealer *dump.Dealer, o gate.Options) ([]*facts.Share, error) {
	if err := errors.Join(gate.CheckDumps(c.Args().Slice()...), gate.Distinct(c.Args().Slice())); err != nil {
		return nil, err
	}
	for _, path := range c.Args().Slice() {
		if err := there(path); err != nil {
			return nil, err
		}
	}
	return gate.MeasureShares(c.Context, withoutConfig(c, w, o), dealer, c.Args().Slice(), o.Logs)
}

// deliverFacts writes facts. The error carries exit code 3 if something could not be read.
func deliverFacts(c *cli.Context, w world, list []output, rep *facts.Report, parts []result.Part) error {
	err := writeAll(c, w, list, func(out output, o report.Options, dst io.Writer) error {
		o.Parts = parts
		return report.Inspect(dst, rep, out.format, o)
	})
	if err != nil {
		return err
	}
	return unread(w, rep)
}
