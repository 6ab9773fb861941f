package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func factsCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "facts",
		Usage:     "only extract facts, as JSON: the unit of work that a cluster runs",
		ArgsUsage: "DUMP…",
		Category:  manyMachines,
		Flags: append(readFlags(),
			&cli.StringFlag{Name: "shard", Usage: "only part `I/N` of the modules"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`"},
			logFlag(),
		),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return wrongUsage("facts needs a dump; xlagate facts DUMP…")
			}
			part, err := parseShard(c.String("shard"))
			if err != nil {
				return err
			}
			return writeFacts(c, w, part)
		},
	}
}

func writeFacts(c *cli.Context, w world, part gate.Shard) error {
	if err := errors.Join(gate.CheckDumps(c.Args().Slice()...), gate.Distinct(c.Args().Slice())); err != nil {
		return err
	}
	var reports []*facts.Report
	o := gate.Options{EveryStage: true, Logs: c.StringSlice("log")}
	for _, path := range c.Args().Slice() {
		rep, err := measuredWith(c, w, path, o)
		if err != nil {
			return incomplete(w, err)
		}
		reports = append(reports, rep)
		o.Logs = nil // they are about the run, and counted once
	}
	rep := facts.Merge(reports)
	part.Cut(rep)
	out := output{format: "json", path: c.String("output")}
	err := writeAll(c, w, []output{out}, func(out output, o report.Options, dst writer) error {
		return report.Inspect(dst, rep, out.format, o)
	})
	if err != nil {
		return err
	}
	return unread(w, rep)
}
