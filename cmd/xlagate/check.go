package main

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/webpage"
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
			&cli.BoolFlag{Name: "watch", Usage: "check again whenever the dump, the rules, the baseline or a captured command's sources change"},
			shardFlag(),
		),
		Action: func(c *cli.Context) error {
			o, err := checkOptions(c, w)
			if err != nil {
				return err
			}
			if _, err := oneOf(c, "comment"); err != nil {
				return err
			}
			if err := checkPostFlags(c); err != nil {
				return err
			}
			switch {
			case c.Bool("watch"):
				return checkAgain(c, w, &to, o)
			case !o.Shard.Whole():
				return checkPart(c, w, to.list, o)
			}
			var seen []webpage.Looked
			if to.holds("html") {
				o.KeepModules, o.Seen = true, func(target string, programs []*diff.Program) {
					seen = append(seen, webpage.Looked{Target: target, Programs: programs})
				}
			}
			r, err := gate.Check(c.Context, o)
			if err != nil {
				return err
			}
			r.Origin = origin(c, w)
			keepLast(c, o, r)
			err = showWith(c, w, &to, r, func(ro *report.Options) {
				if ro.Looked = seen; seen != nil {
					ro.Edits, _ = o.Edits()
					ro.Beside = absoluteOr(o.Config.Dir)
				}
			})
			if err != nil {
				return err
			}
			announce(c, w, o, r)
			return verdictOf(r)
		},
	}
}

// absoluteOr is a path from the root, as it is where the working directory is not known.
func absoluteOr(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
