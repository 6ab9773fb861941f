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
			"xlagate upgrade --to jax==0.10.2 --accept -- python train.py              and take the new baseline from it",
		Flags: append(append(of, outputFlags(&to, report.Formats())...),
			&cli.StringSliceFlag{Name: "to", Usage: "the new `REQUIREMENT`, as pip takes it: jax==0.10.2, --pre; repeatable"},
			&cli.StringSliceFlag{Name: "from", Usage: "the old `REQUIREMENT` (default: what is installed); repeatable"},
			&cli.StringFlag{Name: "target", Usage: "use the rules and the capture: of the target `NAME`, if there are several"},
			&cli.StringFlag{Name: "keep", Usage: "keep environments and dumps in `DIR`"},
			&cli.BoolFlag{Name: "passes", Usage: "name the first compiler pass after which programs differ"},
			&cli.BoolFlag{Name: "accept", Usage: "accept what the new environment compiles"},
			&cli.DurationFlag{Name: "timeout", Usage: "stop the command after `TIME`: 90s, 20m"},
			failOnFlag(),
		),
		Action: func(c *cli.Context) error {
			own, command := split(c)
			switch {
			case len(c.StringSlice("to")) == 0:
				return wrongUsage("upgrade needs --to, the version to try; xlagate upgrade --to jax==VERSION -- COMMAND…")
			case len(own) > 0:
				return wrongUsage("the command goes after --; xlagate upgrade --to jax==VERSION -- COMMAND…")
			}
			return upgrade(c, w, &to, command)
		},
	}
}

func upgrade(c *cli.Context, w world, to *outputs, command []string) (err error) {
	o, err := upgradeOptions(c, w)
	if err != nil {
		return err
	}
	dir := c.String("keep")
	if dir == "" {
		if dir, err = os.MkdirTemp("", "xlagate-upgrade-*"); err != nil {
			return fmt.Errorf("make a folder for the environments: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	run, err := upgradeCommandOf(c, o.Config, command)
	if err != nil {
		return err
	}
	if len(command) == 0 {
		if err := o.MayCapture(c.Context, o.Config.Targets[0]); err != nil {
			return incomplete(w, err)
		}
	}
	run.Stdin, run.Stdout, run.Stderr = piped(w.in), w.err, w.err
	before, after, err := compiledTwice(c, w, dir, run)
	if err != nil {
		return err
	}
	if tools(before.Toolchain) == tools(after.Toolchain) {
		return incomplete(w, &gate.Unreadable{Where: strings.Join(run.Argv, " "), Message: "both environments compiled with " + tools(after.Toolchain) + ": the command does not run the Python that is found first in PATH, or the requirement is met already",
			Fix: "name another version, or name the command by its interpreter: -- python train.py"})
	}
	o.Against, o.Dumps, o.Logs = before.Dir, []string{after.Dir}, append(o.Logs, after.Log)
	r, err := gate.CheckUpgrade(c.Context, o, c.Bool("passes"))
	if err != nil {
		return err
	}
	if err := show(c, w, to, r); err != nil {
		return err
	}
	why := tools(before.Toolchain) + " → " + tools(after.Toolchain)
	if !c.Bool("accept") {
		if !c.Bool("quiet") {
			again := ""
			if len(command) > 0 {
				again = " -- " + phrase.Shell(command)
			}
			fmt.Fprintf(w.err, "xlagate: the new baseline, once the requirement is changed: xlagate accept --reason %q%s\n", why, again)
		}
		return verdictOf(r)
	}
	return acceptUpgrade(c, w, o, why)
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
	if err != nil {
		return o, err
	}
	chosen, err := chosenTarget(c, o.Config)
	o.Config = &chosen
	return o, err
}

// chosenTarget is the configuration with the only target, if it has one, or with the one that --target names.
func chosenTarget(c *cli.Context, cfg *config.Config) (config.Config, error) {
	chosen := *cfg
	name := c.String("target")
	chosen.Targets = slices.DeleteFunc(slices.Clone(cfg.Targets), func(t config.Target) bool { return name != "" && t.Name != name })
	if len(chosen.Targets) == 1 || len(cfg.Targets) == 0 && name == "" {
		return chosen, nil
	}
	names := phrase.Map(cfg.Targets, func(t config.Target) string { return t.Name })
	return chosen, wrongUsage("upgrade looks at one target; name it with --target: %s", strings.Join(names, ", "))
}

// upgradeCommandOf is how the command is captured: the one behind --, or that of the target.
func upgradeCommandOf(c *cli.Context, cfg *config.Config, command []string) (capture.Options, error) {
	timeout := c.Duration("timeout")
	if len(command) > 0 {
		return capture.Options{Argv: command, Env: os.Environ(), Timeout: timeout}, nil
	}
	if len(cfg.Targets) == 0 || cfg.Targets[0].Capture == nil {
		return capture.Options{}, wrongUsage("upgrade needs a command after --, or a target with capture:; xlagate upgrade --to jax==VERSION -- COMMAND…")
	}
	run := gate.CaptureOptions(cfg.Targets[0].Capture, cfg.Dir)
	run.Timeout = cmp.Or(timeout, run.Timeout)
	return run, nil
}

// compiledTwice captures the command in the present environment, or one that --from changes, and in the one that --to changes.
func compiledTwice(c *cli.Context, w world, dir string, run capture.Options) (before, after *capture.Outcome, err error) {
	from, err := environmentOf(c, w, filepath.Join(dir, "before"), c.StringSlice("from"), run)
	if err != nil {
		return nil, nil, err
	}
	to, err := environmentOf(c, w, filepath.Join(dir, "after"), c.StringSlice("to"), run)
	if err != nil {
		return nil, nil, err
	}
	if before, err = captured(c, w, phrase.Shell(run.Argv), from); err != nil {
		return nil, nil, err
	}
	w.say("compiled with " + tools(before.Toolchain))
	if after, err = captured(c, w, phrase.Shell(run.Argv), to); err != nil {
		return nil, nil, err
	}
	w.say("compiled with " + tools(after.Toolchain))
	return before, after, nil
}

// environmentOf returns how the command is captured with some requirements changed; without any in the present environment.
func environmentOf(c *cli.Context, w world, dir string, requirements []string, opts capture.Options) (capture.Options, error) {
	opts.To = filepath.Join(dir, "dump")
	if c.Bool("passes") {
		opts.Env = append(slices.Clip(opts.Env), "XLA_FLAGS="+strings.TrimSpace(os.Getenv("XLA_FLAGS")+" --xla_dump_hlo_pass_re=.*"))
	}
	if len(requirements) == 0 {
		return opts, nil
	}
	w.say("installing " + strings.Join(requirements, " "))
	opts, err := capture.InChanged(c.Context, opts, filepath.Join(dir, "environment"), requirements)
	if errors.Is(err, capture.ErrNoPython) {
		return opts, incomplete(w, &gate.Unreadable{Where: strings.Join(opts.Argv, " "), Message: err.Error()})
	}
	if err != nil {
		return opts, incomplete(w, &gate.Unreadable{Where: strings.Join(requirements, " "), Message: err.Error(), Fix: "make sure that pip can install it beside the present packages"})
	}
	return opts, nil
}

// acceptUpgrade writes what the changed environment compiled as the baseline.
func acceptUpgrade(c *cli.Context, w world, o gate.Options, why string) error {
	o.Against = ""
	done, err := gate.Accept(c.Context, o, gate.AcceptOptions{Reason: why, Before: func(planned *gate.Accepted) { sayLeft(w, planned) }})
	if err != nil {
		return incomplete(w, err)
	}
	if !c.Bool("quiet") {
		sayAccepted(w, done)
	}
	return nil
}
