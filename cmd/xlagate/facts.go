package main

import (
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func factsCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "facts",
		Usage:     "print the facts of a dump as JSON",
		ArgsUsage: "DUMP…",
		Category:  dumps,
		Flags:     append(readFlags(), &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`"}, logFlag()),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return wrongUsage("facts needs a dump; xlagate facts DUMP…")
			}
			return writeFacts(c, w)
		},
	}
}

// writeFacts measures dumps and writes their facts. The error carries exit code 3 if something could not be read.
func writeFacts(c *cli.Context, w world) error {
	paths := c.Args().Slice()
	o, err := newOptions(c, w, gate.Run{EveryStage: true})
	if err == nil {
		err = errors.Join(gate.CheckDumps(paths...), gate.Distinct(paths))
	}
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := there(path); err != nil {
			return incomplete(w, err)
		}
	}
	reports, err := gate.MeasureDumps(c.Context, o, paths, o.Logs)
	if err != nil {
		return incomplete(w, err)
	}
	rep := facts.Merge(reports)
	err = writeAll(c, w, []output{{format: "json", path: c.String("output")}}, func(out output, o report.Options, dst io.Writer) error {
		o.OneLine = true
		return report.Inspect.Render(dst, rep, out.format, o)
	})
	if err != nil {
		return err
	}
	return unread(w, rep)
}
