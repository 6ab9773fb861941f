package main

import (
	"path/filepath"
	"slices"
	"time"

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
		Usage:     "check a dump against the rules and the baseline: the gate",
		ArgsUsage: "[DUMP…] [-- COMMAND…]",
		Category:  theGate,
		Description: "xlagate check                          the targets of xlagate.yaml\n" +
			"xlagate check build/xla                a dump\n" +
			"xlagate check -- python train.py       run a command and gate what it compiled",
		Flags: append(slices.Concat(configFlags(), outputFlags(&to, report.Formats()), postFlags(), shardFlags()),
			choice(&cli.StringFlag{Name: "comment", Value: "off", Category: githubHeading, Usage: "`auto`: in a job of GitHub Actions, comment on the pull request"}),
			failOnFlag(), allowMissingFlag(),
			&cli.BoolFlag{Name: "bisect", Usage: "exit 125 instead of 2 and 3, for git bisect run"},
			&cli.BoolFlag{Name: "watch", Usage: "check again whenever the dump, the rules, the baseline or a captured command's sources change"},
		),
		Action: func(c *cli.Context) error {
			o, err := gateOptions(c, w)
			if err != nil {
				return err
			}
			switch {
			case c.Bool("watch"):
				return checkAgain(c, w, &to, o)
			case !o.Shard.Whole():
				return checkPart(c, w, to.list, o)
			}
			return checkOnce(c, w, &to, o)
		},
	}
}

// checkOnce checks, shows the result and keeps it for accept. HTML and pictures show the compared programs, so they are kept for these.
func checkOnce(c *cli.Context, w world, to *outputs, o gate.Options) error {
	var seen []webpage.Looked
	if to.holds("html") || c.Bool("pictures") {
		o.KeepModules, o.Seen = true, func(target string, programs []*diff.Program) {
			seen = append(seen, webpage.Looked{Target: target, Programs: programs})
		}
	}
	if before, _ := lastChecked(c, w); before == "" {
		o.CacheOnly = true // few checks in a fresh environment are followed by another, and putting facts there is a sixth of the work
	}
	kept := keptFor(c, to, &o)
	r := kept.result(c, w)
	if r == nil {
		var err error
		o.Last, _ = loadLast(c, o.Config.Path)
		if r, err = gate.Check(c.Context, o); err != nil {
			return err
		}
		r.Origin = origin(c, w)
		kept.keep(r, keepLast(c, o, r))
	}
	err := showWith(c, w, to, r, func(ro *report.Options) {
		if ro.Looked = seen; seen != nil {
			ro.Edits, _ = o.Edits()
			ro.Beside = absoluteOr(o.Config.Dir)
		}
	})
	if err != nil {
		return err
	}
	announce(c, w, o, r, seen)
	return verdictOf(r)
}

// pollEvery is how often check --watch looks at the files.
const pollEvery = 500 * time.Millisecond

// checkAgain checks whenever files change, until a person ends it. The exit code is that of the last check.
func checkAgain(c *cli.Context, w world, to *outputs, o gate.Options) error {
	if !o.Shard.Whole() || c.Bool("bisect") || c.String("comment") != "off" {
		return wrongUsage("check --watch is interactive; leave out --shard, --bisect and --comment")
	}
	files, err := gate.NewWatch(c.Context, o)
	if err != nil {
		return err
	}
	for {
		if err == nil {
			err = checkOnce(c, w, to, o)
		}
		if c.Context.Err() != nil {
			return err
		}
		last := error(verdict(exitCode(w, err)))
		w.say("watching; ^C stops")
		changed, stopped := files.Wait(c.Context, pollEvery)
		if stopped != nil {
			return last
		}
		w.say(gate.Relative(o.Dir, changed) + " changed")
		var next gate.Options
		if next, err = gateOptions(c, w); err != nil {
			continue // the configuration is being edited
		}
		var more *gate.Watch
		if more, err = gate.NewWatch(c.Context, next); err == nil {
			o, files = next, more
		}
	}
}

// absoluteOr is a path from the root, as it is where the working directory is not known.
func absoluteOr(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
