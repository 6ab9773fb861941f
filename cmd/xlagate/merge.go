package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func mergeCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "merge",
		Usage:     "join sharded or matrix results into one",
		ArgsUsage: "RESULT.json…",
		Description: "xlagate merge part-*.json        what check --shard wrote: all parts are joined, and judged by xlagate.yaml and the baseline\n" +
			"xlagate merge */result.json      the results of several targets\n" +
			"xlagate merge facts-*.json       what facts --shard wrote",
		Category: manyMachines,
		Flags:    append(append(outputFlags(&to, report.Formats()), registryFlags()...), configFlag(), baselineFlag(), failOnFlag(), allowMissingFlag(), quietFlag(), keyFlag()),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return wrongUsage("merge needs results; xlagate merge part-*.json")
			}
			inputs, parts, err := readInputs(c, w)
			if err != nil {
				return incomplete(w, err)
			}
			if len(parts) > 0 {
				return mergeFacts(c, w, to.list, parts)
			}
			return mergeResults(c, w, &to, inputs)
		},
	}
}

// readInputs reads results, or parts of facts. A result that cannot be read stays in the list: merging reports it.
func readInputs(c *cli.Context, w world) (results []gate.Input, parts []gate.FactsInput, err error) {
	for _, path := range c.Args().Slice() {
		in, part, err := readMergeable(w, path)
		switch {
		case part != nil:
			parts = append(parts, *part)
		case errors.As(err, &in.Unread), err == nil:
			results = append(results, in)
		default:
			return nil, nil, err
		}
	}
	if len(results) > 0 && len(parts) > 0 {
		if u := results[0].Unread; u != nil {
			return nil, nil, u
		}
		return nil, nil, wrongUsage("%s is a result, and %s holds facts; merge one kind only", results[0].File, parts[0].File)
	}
	return results, parts, nil
}

func readMergeable(w world, path string) (gate.Input, *gate.FactsInput, error) {
	in := gate.Input{File: path}
	data, err := readInput(w, path)
	if err != nil {
		return in, nil, err
	}
	part := gate.FactsInput{File: path}
	if err := json.Unmarshal(data, &part); err == nil && part.Schema == report.InspectSchema {
		return in, &part, nil
	}
	in.Result, err = parseResult(path, data)
	return in, nil, err
}

func mergeFacts(c *cli.Context, w world, list []output, inputs []gate.FactsInput) error {
	rep, parts, err := gate.MergeFacts(inputs, version())
	if err != nil {
		return err
	}
	if len(list) == 0 {
		list = []output{{format: "json"}}
	}
	for _, out := range list {
		if !slices.Contains(report.ViewFormats(), out.format) {
			return wrongUsage("--format is %q; facts are written as %s", out.format, strings.Join(report.ViewFormats(), ", "))
		}
	}
	return deliverFacts(c, w, list, rep, parts)
}

func mergeResults(c *cli.Context, w world, to *outputs, inputs []gate.Input) error {
	o, err := mergeOptions(c, w, inputs)
	if err != nil {
		return err
	}
	r := gate.Merge(c.Context, o, inputs)
	r.Origin = origin(c, w)
	if err := show(c, w, to, r); err != nil {
		return err
	}
	return verdictOf(r)
}

// mergeOptions returns the options of a merge. Results of a matrix need no configuration; parts are judged by theirs, which they name.
func mergeOptions(c *cli.Context, w world, inputs []gate.Input) (gate.Options, error) {
	o := gate.Options{Request: gate.Request{Baseline: c.String("baseline")}, Environment: gate.Environment{Registry: registryClient(c, w), Now: time.Now(), Version: version(), Edits: editedLines(c, w)}}
	err := checkBaseline(o.Baseline)
	if err != nil {
		return o, err
	}
	o.AllowMissing = c.StringSlice("allow-missing")
	if o.FailOn, err = oneOf(c, "fail-on"); err != nil {
		return o, err
	}
	if o.Dir, err = workingDir(); err != nil {
		return o, err
	}
	file := c.String("config")
	if file == "" {
		if _, err = config.Find(o.Dir); errors.Is(err, os.ErrNotExist) {
			if file = partsConfig(inputs); file == "" {
				return o, nil
			}
		}
	}
	o.Config, err = loadConfig(file, o.Dir)
	return o, err
}

// partsConfig returns the configuration under which parts were measured, if it still exists.
func partsConfig(inputs []gate.Input) string {
	for _, in := range inputs {
		if in.Unread != nil {
			continue
		}
		for _, t := range in.Targets {
			if t.Part == nil || strings.TrimSpace(t.Part.ConfigFile) == "" {
				continue
			}
			if _, err := os.Stat(t.Part.ConfigFile); err == nil {
				return t.Part.ConfigFile
			}
		}
	}
	return ""
}
