package main

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/rules"
)

// newOptions returns what the flags that a command has ask for, and what surrounds the program.
func newOptions(c *cli.Context, w world, run gate.Run) (gate.Options, error) {
	run.Jobs, run.MaxMemory = c.Int("jobs"), maxMemory(c)
	edits := sync.OnceValues(func() (*git.Edits, string) {
		from := repositoryRoot(w) // relative paths of a dump start in the folder of the configuration, if that is in the repository
		if dir := absoluteOr(filepath.Dir(c.String("config"))); from != "" && filepath.IsLocal(gate.Relative(from, dir)) {
			from = dir
		}
		return git.EditsSince(c.Context, from, "", w.getenv)
	})
	o := gate.Options{
		Request: gate.Request{
			Config: &config.Config{}, Baseline: c.String("baseline"), Against: c.String("against"), FailOn: c.String("fail-on"), Logs: c.StringSlice("log"),
			AllowMissing: c.StringSlice("allow-missing"), Profiles: c.StringSlice("trace"), Cache: c.String("cache"),
		},
		Environment: gate.Environment{
			Root: repositoryRoot(w), Stdin: w.in, Captured: w.err, Now: time.Now(), Version: version(), Warn: w.say,
			Assembler: artifacts.NewAssembler(w.getenv), Reviewed: reviewed(w), Edits: edits,
		},
		Run: run,
	}
	var err error
	o.Dir, err = workingDir()
	return o, err
}

// gateOptions builds the gate's options from flags, arguments and the configuration.
func gateOptions(c *cli.Context, w world) (gate.Options, error) {
	o, err := baselineOptions(c, w)
	if err != nil {
		return o, err
	}
	dumps, command := split(c)
	o.Dumps, o.Command, o.ByTarget = dumps, command, map[string]string{}
	if _, err := files.UserDir(); errors.Is(err, files.ErrInCheckout) {
		w.warn(err.Error())
	}
	if command != nil && len(command) == 0 {
		return o, wrongUsage("%s needs a command after --", c.Command.HelpName)
	}
	if len(dumps) > 0 && len(command) > 0 {
		return o, wrongUsage("give a dump or a command, not both")
	}
	for _, pair := range c.StringSlice("target") {
		name, dump, named := strings.Cut(pair, "=")
		switch {
		case name == "" || named && dump == "":
			return o, wrongUsage("--target is %q; expected NAME, or NAME=DUMP", pair)
		case !named:
			o.Targets = append(o.Targets, name)
			continue
		case o.ByTarget[name] != "":
			return o, wrongUsage("--target is given twice for %s", name)
		}
		o.ByTarget[name] = dump
	}
	if len(o.Targets) > 0 {
		o.Targets = slices.AppendSeq(o.Targets, maps.Keys(o.ByTarget))
	}
	return o, nil
}

// reviewed returns the base branch's commit in a job with secrets in which a stranger's files may be checked out; "" elsewhere.
func reviewed(w world) string {
	strangers := []string{"pull_request_target", "workflow_run", "issue_comment"} // GitHub runs these with the secrets, although anybody can cause them
	if w.getenv("GITHUB_ACTIONS") != "true" || !slices.Contains(strangers, w.getenv("GITHUB_EVENT_NAME")) {
		return ""
	}
	return cmp.Or(w.getenv("GITHUB_SHA"), "unknown")
}

func loadConfig(path, dir string) (*config.Config, error) {
	name := path
	if path == "" {
		found, err := config.Find(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, wrongUsage("no %s here or above; `xlagate init -- COMMAND` makes one", config.FileName)
		}
		if err != nil {
			return nil, err
		}
		path, name = found, gate.Relative(dir, found)
	}
	cfg, err := config.Load(rules.All, path, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrongUsage("there is no %s; `xlagate init DUMP -o %s` makes one", path, phrase.Shell([]string{path}))
	}
	var wrong config.Errors
	if err != nil && !errors.As(err, &wrong) {
		return nil, gate.UsageError{Message: err.Error()}
	}
	return cfg, err
}
