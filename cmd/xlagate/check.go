package main

import (
	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func checkCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "check",
		Usage:     "hold a dump against the rules and the baseline: the gate",
		ArgsUsage: "[DUMP…] [-- COMMAND…]",
		Category:  theGate,
		Description: "xlagate check                          the targets of xlagate.yaml\n" +
			"xlagate check build/xla                a dump\n" +
			"xlagate check -- python train.py       run a command and gate what it compiled",
		Flags: append(append(append(configFlags(), outputFlags(&to, report.Formats())...), postFlags()...),
			&cli.StringFlag{Name: "comment", Value: "off", Category: githubHeading, Usage: "`auto`: in a job of GitHub Actions, say on the pull request what was found"},
			failOnFlag(), allowMissingFlag(),
			&cli.BoolFlag{Name: "bisect", Usage: "exit 125 instead of 2 and 3, for git bisect run"},
			shardFlag(),
		),
		Action: func(c *cli.Context) error {
			o, err := gateOptions(c, w)
			if err != nil {
				return err
			}
			if o.FailOn, err = oneOf(c, "fail-on"); err != nil {
				return err
			}
			if _, err := oneOf(c, "comment"); err != nil {
				return err
			}
			if err := checkPostFlags(c); err != nil {
				return err
			}
			if !o.Shard.Whole() {
				return checkPart(c, w, to.list, o)
			}
			r, err := gate.Check(c.Context, o)
			if err != nil {
				return err
			}
			r.Origin = origin(c, w)
			keepLast(c, o, r)
			if err := show(c, w, &to, r); err != nil {
				return err
			}
			announce(c, w, o, r)
			return verdictOf(r)
		},
	}
}
