package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
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
		Flags:    append(append(outputFlags(&to, report.Formats()), registryFlags()...), configFlag(), baselineFlag(), failOnFlag(), quietFlag()),
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

// readInputs reads the results, or the parts of facts. A result that cannot be read is one of the inputs: merging says what it lacks.
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
	if err := show(c, w, to, r); err != nil {
		return err
	}
	if r.ExitCode != 0 {
		return verdict(r.ExitCode)
	}
	return nil
}

// mergeOptions finds what results are merged under. Those of a matrix need no configuration; parts are judged by theirs, which is
// also looked for where they say that it lay.
func mergeOptions(c *cli.Context, w world, inputs []gate.Input) (gate.Options, error) {
	o := gate.Options{Baseline: c.String("baseline"), Registry: registryClient(c, w), Now: today(), Version: version()}
	err := checkBaseline(o.Baseline)
	if err != nil {
		return o, err
	}
	if o.FailOn, err = oneOf(c, "fail-on", "", "error", "warning", "never"); err != nil {
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

// partsConfig is the configuration that parts were measured under, where it is still there.
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

func parseResult(path string, data []byte) (*result.Result, error) {
	var r result.Result
	err := json.Unmarshal(data, &r)
	if err == nil && r.Schema == result.Schema {
		return &r, nil
	}
	return nil, &gate.Unreadable{File: path, Message: "not a result: " + whatItIs(data, err), Mend: "name a file that `xlagate check -f json -o FILE` wrote"}
}

// whatItIs says what a file is that holds no result: more often than a damaged one it is the wrong one.
func whatItIs(data []byte, err error) string {
	var head struct {
		Schema any `json:"schema"`
	}
	start := strings.TrimSpace(string(data[:min(len(data), 512)]))
	switch known := json.Unmarshal(data, &head); {
	case start == "":
		return "the file is empty"
	case strings.HasPrefix(start, "HloModule"):
		return "it is a module of a dump"
	case start[0] != '{':
		return "it is not JSON"
	case known != nil:
		return "it is not whole: " + known.Error()
	case head.Schema != result.Schema:
		return fmt.Sprintf("its schema is %q, expected %q", fmt.Sprint(cmp.Or(head.Schema, any(""))), result.Schema)
	}
	return err.Error()
}
