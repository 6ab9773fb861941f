package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

func upgradeCommand(w world) *cli.Command {
	var to outputs
	of := slices.DeleteFunc(configFlags(), func(f cli.Flag) bool { return slices.Contains([]string{"against", "target", "cache"}, f.Names()[0]) })
	return &cli.Command{
		Name:      "upgrade",
		Usage:     "compile the same programs with another version of JAX or its compiler, and report what costs more",
		ArgsUsage: "--to REQUIREMENT [-- COMMAND…]",
		Category:  theGate,
		Description: "xlagate upgrade --to jax==0.10.2 -- python train.py                       compared with what is installed\n" +
			"xlagate upgrade --to jax==0.10.2 --from jax==0.9.2 -- python train.py     compared with another version\n" +
			"xlagate upgrade --to jax==0.10.2 --accept -- python train.py              and take the new baseline from it\n" +
			"xlagate upgrade --to jax==0.10.2 --bisect -- python train.py              find the release that makes it worse",
		Flags: append(append(of, outputFlags(&to, report.Result.Names())...),
			&cli.StringSliceFlag{Name: "to", Usage: "the new `REQUIREMENT`, as pip takes it: jax==0.10.2, --pre; repeatable"},
			&cli.StringSliceFlag{Name: "from", Usage: "the old `REQUIREMENT` (default: what is installed); repeatable"},
			&cli.StringFlag{Name: "target", Usage: "use the rules and the capture: of the target `NAME`, if there are several"},
			&cli.StringFlag{Name: "keep", Usage: "keep environments and dumps in `DIR`"},
			&cli.BoolFlag{Name: "bisect", Usage: "find the first released version that breaks a rule, and write a reproducer"},
			&cli.BoolFlag{Name: "passes", Usage: "name the first compiler pass after which programs differ"},
			&cli.BoolFlag{Name: "accept", Usage: "accept what the new environment compiles"},
			&cli.DurationFlag{Name: "timeout", Usage: "stop the command after `TIME`: 90s, 20m", DefaultText: "never"},
			failOnFlag(),
		),
		Action: func(c *cli.Context) error {
			own, command := split(c)
			switch {
			case len(c.StringSlice("to")) == 0:
				return wrongUsage("upgrade needs --to, the version to try; xlagate upgrade --to jax==VERSION -- COMMAND…")
			case len(own) > 0:
				return wrongUsage("the command goes after --; xlagate upgrade --to jax==VERSION -- COMMAND…")
			case c.Bool("bisect") && c.Bool("accept"):
				return wrongUsage("give --bisect or --accept, not both")
			}
			return incomplete(w, upgrade(c, w, &to, command))
		},
	}
}

// upgrading is a command, and what compares its compilations.
type upgrading struct {
	*cli.Context
	w   world
	o   gate.Options
	run capture.Options
	dir string // of environments and dumps
}

func upgrade(c *cli.Context, w world, to *outputs, command []string) (err error) {
	u, err := newUpgrading(c, w, command)
	if err != nil {
		return err
	}
	var p pinned
	if c.Bool("bisect") {
		if p, err = pinnedIn(c.StringSlice("from"), c.StringSlice("to")); err != nil {
			return err
		}
	}
	if u.dir = c.String("keep"); u.dir == "" {
		if u.dir, err = os.MkdirTemp("", "xlagate-upgrade-*"); err != nil {
			return fmt.Errorf("make a folder for the environments: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(u.dir)) }()
	}
	before, after, err := u.bothEnds()
	if err != nil {
		return err
	}
	if c.Bool("bisect") {
		return u.bisect(to, p, before, after)
	}
	r, err := u.compare(before, after, c.Bool("passes"))
	if err != nil {
		return err
	}
	if err := show(c, w, to, r); err != nil {
		return err
	}
	why := gate.Upgraded(before.Toolchain, after.Toolchain)
	if c.Bool("accept") {
		u.o.Dumps, u.o.Logs = []string{after.Dir}, append(u.o.Logs, after.Log)
		done, err := gate.Accept(c.Context, u.o, gate.AcceptOptions{Reason: why, Before: func(planned *gate.Accepted) { sayLeft(w, planned) }})
		if err == nil && !c.Bool("quiet") {
			sayAccepted(w, done)
		}
		return err
	}
	if !c.Bool("quiet") {
		again := ""
		if len(command) > 0 {
			again = " -- " + phrase.Shell(command)
		}
		fmt.Fprintf(w.err, "xlagate: the new baseline, once the requirement is changed: xlagate accept --reason %q%s\n", why, again)
	}
	return verdictOf(r)
}

// newUpgrading takes the command from behind --, or from the target.
func newUpgrading(c *cli.Context, w world, command []string) (u *upgrading, err error) {
	u = &upgrading{Context: c, w: w}
	if u.o, err = upgradeOptions(c, w); err != nil {
		return nil, err
	}
	target, err := chosenTarget(c, u.o.Config)
	if err != nil {
		return nil, err
	}
	if target != nil {
		u.o.Targets = []string{target.Name}
	}
	switch {
	case len(command) > 0:
		u.run = capture.Options{Argv: command, Env: os.Environ()}
	case target == nil || target.Capture == nil:
		return nil, wrongUsage("upgrade needs a command after --, or a target with capture:; xlagate upgrade --to jax==VERSION -- COMMAND…")
	default:
		u.run = gate.CaptureOptions(target.Capture, u.o.Config.Dir)
		err = u.o.MayCapture(c.Context, *target)
	}
	u.run.Timeout = cmp.Or(c.Duration("timeout"), u.run.Timeout)
	u.run.Stdin, u.run.Stdout, u.run.Stderr = piped(w.in), w.err, w.err
	return u, err
}

// upgradeOptions takes rules and baseline from the configuration; without one the rules are those that are recommended.
func upgradeOptions(c *cli.Context, w world) (gate.Options, error) {
	o, err := gateOptions(c, w)
	var usage gate.UsageError
	if errors.As(err, &usage) && !c.IsSet("config") && !c.Bool("accept") {
		cfg, err := config.Parse(rules.All, config.FileName, []byte("version: 1\nextends: [recommended]\n"))
		if err != nil {
			return o, err
		}
		o, err = newOptions(c, w, gate.Run{})
		o.Config = cfg
		return o, err
	}
	o.Command = nil
	return o, err
}

// chosenTarget is the only target, or the one that --target names; nil where the configuration has none.
func chosenTarget(c *cli.Context, cfg *config.Config) (*config.Target, error) {
	name := c.String("target")
	chosen := phrase.Pick(cfg.Targets, func(t *config.Target) bool { return name == "" || t.Name == name })
	switch {
	case len(chosen) == 1:
		return chosen[0], nil
	case len(cfg.Targets) == 0 && name == "":
		return nil, nil
	}
	names := phrase.Map(cfg.Targets, func(t config.Target) string { return t.Name })
	return nil, wrongUsage("upgrade looks at one target; name it with --target: %s", strings.Join(names, ", "))
}

// compiled is what the command compiled in one environment.
type compiled struct {
	*capture.Outcome
	run capture.Options // how it ran there
}

// bothEnds captures the command in the present environment, or one that --from changes, and in the one that --to changes.
func (u *upgrading) bothEnds() (before, after compiled, err error) {
	from, to := u.StringSlice("from"), u.StringSlice("to")
	if before.run, err = u.environment("before", from); err != nil {
		return before, after, err
	}
	if after.run, err = u.environment("after", to); err != nil {
		return before, after, err
	}
	if before.Outcome, err = u.captured(before.run, from); err != nil {
		return before, after, err
	}
	u.w.say("compiled with " + tools(before.Toolchain))
	if after.Outcome, err = u.captured(after.run, to); err != nil {
		return before, after, err
	}
	u.w.say("compiled with " + tools(after.Toolchain))
	if gate.Upgraded(before.Toolchain, after.Toolchain) == "" {
		return before, after, &gate.Unreadable{Where: strings.Join(u.run.Argv, " "), Message: "both environments compiled with " + tools(after.Toolchain) + ": the command does not run the Python that is found first in PATH, or the requirement is met already",
			Fix: "name another version, or name the command by its interpreter: -- python train.py"}
	}
	return before, after, nil
}

// environment returns how the command is captured with some requirements changed; without any in the present environment.
func (u *upgrading) environment(name string, requirements []string) (capture.Options, error) {
	dir, opts := filepath.Join(u.dir, name), u.run
	opts.To, opts.Passes = filepath.Join(dir, "dump"), u.Bool("passes") || u.Bool("bisect")
	if len(requirements) == 0 {
		return opts, nil
	}
	u.w.say("installing " + strings.Join(requirements, " "))
	opts, err := capture.InChanged(u.Context.Context, opts, filepath.Join(dir, "environment"), requirements)
	if errors.Is(err, capture.ErrNoPython) {
		return opts, &gate.Unreadable{Where: strings.Join(opts.Argv, " "), Message: err.Error()}
	}
	if err != nil {
		return opts, &gate.Unreadable{Where: strings.Join(requirements, " "), Message: err.Error(), Fix: "make sure that pip can install it beside the present packages"}
	}
	return opts, nil
}

func (u *upgrading) captured(run capture.Options, requirements []string) (*capture.Outcome, error) {
	with := cmp.Or(strings.Join(requirements, " "), "the present packages")
	out, err := captured(u.Context, u.w, phrase.Shell(u.run.Argv)+" with "+with, run)
	var failed *gate.Unreadable
	if len(requirements) > 0 && errors.As(err, &failed) {
		failed.Fix += "; or name a version with which it succeeds"
	}
	return out, err
}

func (u *upgrading) compare(before, after compiled, passes bool) (*result.Result, error) {
	o := u.o
	o.Against, o.Dumps, o.Logs = before.Dir, []string{after.Dir}, append(slices.Clip(o.Logs), after.Log)
	return gate.CheckUpgrade(u.Context.Context, o, passes)
}
