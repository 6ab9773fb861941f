package main

import (
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/webpage"
)

func checkCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "check",
		Usage:     "check a dump against the rules and the baseline",
		ArgsUsage: "[DUMP…] [-- COMMAND…]",
		Category:  theGate,
		Description: "xlagate check                          the targets of xlagate.yaml\n" +
			"xlagate check build/xla                a dump\n" +
			"xlagate check -- python train.py       run a command and gate what it compiled",
		Flags: append(slices.Concat(configFlags(), outputFlags(&to, report.Result.Names()), postFlags()),
			choice(&cli.StringFlag{Name: "comment", Value: "off", Category: githubHeading, Usage: "`auto`: in a job of GitHub Actions, comment on the pull request"}),
			failOnFlag(), allowMissingFlag(),
			&cli.BoolFlag{Name: "bisect", Usage: "exit 125 instead of 2 and 3, for git bisect run"},
		),
		Action: func(c *cli.Context) error {
			o, err := gateOptions(c, w)
			if err != nil {
				return err
			}
			return checkOnce(c, w, &to, o)
		},
	}
}

// checkOnce checks, shows the result and keeps it for accept. HTML shows the compared programs, so they are kept for it.
func checkOnce(c *cli.Context, w world, to *outputs, o gate.Options) error {
	var seen []webpage.Looked
	if to.holds("html") {
		o.KeepModules, o.Seen = true, func(target string, programs []*changes.Program) {
			seen = append(seen, webpage.Looked{Target: target, Programs: programs})
		}
	}
	if l := lastCheck(w); l != nil && l.config == absoluteOr(o.Config.Path) {
		if last, err := l.result(); err == nil {
			o.Last = last.WithoutAccept() // it stays in memory during the check
		}
	}
	r, err := gate.Check(c.Context, o)
	if err != nil {
		return err
	}
	r.Origin = origin(c, w)
	keepLast(w, o, r)
	posted := postOfCheck(c, w)
	posted.judge(c, o, r)
	err = show(c, w, to, r, func(ro *report.Options) {
		if ro.Looked = seen; seen != nil {
			ro.Edits, _ = o.Edits()
			ro.Beside = absoluteOr(o.Config.Dir)
		}
	})
	if err != nil {
		return err
	}
	posted.announce(c, w, o, r)
	return verdictOf(r)
}

// absoluteOr is a path from the root, as it is where the working directory is not known.
func absoluteOr(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
