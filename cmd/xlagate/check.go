package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
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
			failOnFlag(),
			&cli.BoolFlag{Name: "bisect", Usage: "exit 125 instead of 2 and 3, for git bisect run"},
			shardFlag(),
		),
		Action: func(c *cli.Context) error {
			o, err := gateOptions(c, w)
			if err != nil {
				return err
			}
			if o.FailOn, err = oneOf(c, "fail-on", "", "error", "warning", "never"); err != nil {
				return err
			}
			if _, err := oneOf(c, "comment", "", "auto", "off"); err != nil {
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
			if err := show(c, w, &to, r); err != nil {
				return err
			}
			announce(c, w, o, r)
			if r.ExitCode != 0 {
				return verdict(r.ExitCode)
			}
			return nil
		},
	}
}

// show writes a result in every format that was asked for. When all go to files, a text summary still goes to the standard output.
func show(c *cli.Context, w world, to *outputs, r *result.Result) error {
	list := to.list
	if !c.Bool("quiet") && !toScreen(list) {
		list = append(list, output{format: "text"})
	}
	return writeAll(c, w, list, func(out output, o report.Options, dst writer) error {
		return report.Result(dst, r, out.format, o)
	})
}

func toScreen(list []output) bool {
	for _, o := range list {
		if o.path == "" || o.path == "-" {
			return true
		}
	}
	return false
}

func oneOf(c *cli.Context, flag string, allowed ...string) (string, error) {
	value := c.String(flag)
	for _, a := range allowed {
		if value == a {
			return value, nil
		}
	}
	return "", wrongUsage("--%s is %q; expected one of %s", flag, value, strings.Join(allowed[1:], ", "))
}

// gateOptions puts flags, arguments and the configuration together.
func gateOptions(c *cli.Context, w world) (gate.Options, error) {
	dir, err := workingDir()
	if err != nil {
		return gate.Options{}, err
	}
	cfg, err := loadConfig(c.String("config"), dir)
	if err != nil {
		return gate.Options{}, err
	}
	dumps, command := split(c)
	o := gate.Options{
		Config: cfg, Dumps: dumps, Command: command, ByTarget: map[string]string{}, Against: c.String("against"), Baseline: c.String("baseline"),
		Registry: registryClient(c, w), Logs: c.StringSlice("log"), Jobs: c.Int("jobs"), MaxMemory: maxMemory(c), Warn: w.warn, Progress: progress(c, w), Cache: factsCache(c), Dir: dir, Root: repositoryRoot(w), Stdin: w.in, Stdout: w.err, Stderr: w.err,
		Now: today(), Version: version(),
	}
	if err := checkBaseline(o.Baseline); err != nil {
		return o, err
	}
	if command != nil && len(command) == 0 {
		return o, wrongUsage("%s needs a command behind --; there is none", c.Command.HelpName)
	}
	if len(dumps) > 0 && len(command) > 0 {
		return o, wrongUsage("give a dump or a command, not both")
	}
	for _, pair := range c.StringSlice("target") {
		name, dump, ok := strings.Cut(pair, "=")
		if !ok || name == "" || dump == "" {
			return o, wrongUsage("--target is %q; expected NAME=DUMP", pair)
		}
		if o.ByTarget[name] != "" {
			return o, wrongUsage("--target names the dump of %s twice; name it once", name)
		}
		o.ByTarget[name] = dump
	}
	o.Shard, err = chosenShard(c)
	return o, err
}

func loadConfig(path, dir string) (*config.Config, error) {
	name := path
	if path == "" {
		found, err := config.Find(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, wrongUsage("no %s here or above; `xlagate init DUMP` makes one", config.FileName)
		}
		if err != nil {
			return nil, err
		}
		path, name = found, near(dir, found)
	}
	cfg, err := config.Load(path, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrongUsage("there is no %s; `xlagate init DUMP` makes an %s", path, config.FileName)
	}
	var wrong config.Errors
	if err != nil && !errors.As(err, &wrong) {
		return nil, gate.UsageError{Message: err.Error()}
	}
	return cfg, err
}

// near is a path as one types it in a folder.
func near(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}
