package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
)

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
		Registry: registryClient(c, w), Logs: c.StringSlice("log"), Jobs: c.Int("jobs"), MaxMemory: maxMemory(c), Warn: w.say, Progress: progress(c, w), Cache: factsCache(c), Dir: dir, Root: repositoryRoot(w), Stdin: w.in, Stdout: w.err, Stderr: w.err,
		Now: time.Now(), Version: version(),
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

// surroundings adds what is known without a configuration.
func surroundings(c *cli.Context, w world, o gate.Options) gate.Options {
	o.Config, o.Root, o.Jobs, o.Stdin, o.Registry = &config.Config{}, repositoryRoot(w), c.Int("jobs"), w.in, registryClient(c, w)
	o.MaxMemory, o.Warn, o.Progress = maxMemory(c), w.say, progress(c, w)
	return o
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
