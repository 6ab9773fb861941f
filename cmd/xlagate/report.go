package main

import (
	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/report"
)

func reportCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "report",
		Usage:     "render a result again, in any format",
		ArgsUsage: "RESULT.json",
		Flags:     append(outputFlags(&to, report.Formats()), quietFlag()),
		Category:  results,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("report takes one result; xlagate report RESULT.json -f markdown")
			}
			r, err := readResult(w, c.Args().First())
			if err != nil {
				return incomplete(w, err)
			}
			return show(c, w, &to, r)
		},
	}
}
