package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
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
		Flags:    append(outputFlags(&to, report.Formats()), noCacheFlag(), configFlag(), baselineFlag(), failOnFlag(), allowMissingFlag(), quietFlag(), keyFlag()),
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
		case part != nil && err != nil:
			return nil, nil, err
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
	if err = files.ReadJSON(data, &part); part.Schema != report.InspectSchema {
		in.Result, err = parseResult(path, data)
		return in, nil, err
	}
	wrong := (*files.JSONError)(nil)
	if err == nil {
		wrong = misspelled(data, &part)
	}
	if wrong != nil || errors.As(err, &wrong) {
		line, column := files.Position(data, wrong.Offset)
		err = &gate.Unreadable{Where: fmt.Sprintf("%s:%d:%d", path, line, column), Message: wrong.Why, Fix: "merge files as `xlagate facts --shard I/N` wrote them"}
	}
	return in, &part, err
}

// misspelled finds a key that a person could take for that of the parts.
func misspelled(data []byte, part *gate.FactsInput) *files.JSONError {
	for key := range part.Rest {
		if strings.EqualFold(key, "parts") {
			return &files.JSONError{Offset: bytes.Index(data, []byte(strconv.Quote(key))), Why: fmt.Sprintf("unknown key %q; expected \"parts\"", key)}
		}
	}
	return nil
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
	o, err := newOptions(c, w, gate.Run{})
	if err == nil {
		err = checkBaseline(o.Baseline)
	}
	if err != nil {
		return o, err
	}
	file := c.String("config")
	if file == "" {
		if _, err = config.Find(o.Dir); errors.Is(err, os.ErrNotExist) {
			if file = partsConfig(inputs); file == "" {
				o.Config = nil
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

func shardFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "shard", Usage: "measure part `I/N` of the modules, I from 0 to N-1; xlagate merge joins the parts"},
		&cli.StringFlag{Name: "listings", Usage: "with --shard: a `FOLDER` that all parts share; the first part lists the dump there, and the others read that"},
	}
}

// chosenShard reads --shard. Without it the shard is the whole.
func chosenShard(c *cli.Context) (dump.Shard, error) {
	switch {
	case !c.IsSet("shard") && c.IsSet("listings"):
		return dump.Shard{}, wrongUsage("--listings needs --shard: a whole dump is listed once")
	case !c.IsSet("shard"):
		return dump.Shard{}, nil
	}
	s, err := dump.ParseShard(c.String("shard"))
	if err != nil {
		return s, wrongUsage("--shard %s", err)
	}
	return s, nil
}

// checkPart measures one part of a check. The exit code says whether the part could be measured; merging the parts gives the verdict.
func checkPart(c *cli.Context, w world, list []output, o gate.Options) error {
	if !slices.ContainsFunc(list, func(out output) bool { return out.format == "json" }) {
		return wrongUsage("--shard %s makes a part of a result, which must be written: -f json -o part-%d.json", o.Shard, o.Shard.Index)
	}
	r, err := gate.CheckPart(c.Context, o)
	if err != nil {
		return err
	}
	err = write(c, w, list, r, report.Result)
	if err != nil {
		return err
	}
	unread := slices.DeleteFunc(slices.Clone(r.Problems), func(p result.Problem) bool { return p.Pending })
	if len(unread) > 0 {
		sayProblems(w, "part "+o.Shard.String(), unread)
		return verdict(gate.ExitIncomplete)
	}
	if !c.Bool("quiet") && !toScreen(list) {
		fmt.Fprintf(w.out, "part %s: %s measured; xlagate merge joins the parts and judges\n", o.Shard, phrase.Some(r.Summary.Programs, "program"))
	}
	return nil
}

func factsCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "facts",
		Usage:     "extract facts only, as JSON: the unit of work that a cluster runs",
		ArgsUsage: "DUMP…",
		Category:  manyMachines,
		Flags: append(append(readFlags(), shardFlags()...),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`"},
			logFlag(),
		),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return wrongUsage("facts needs a dump; xlagate facts DUMP…")
			}
			s, err := chosenShard(c)
			if err != nil {
				return err
			}
			return writeFacts(c, w, s)
		},
	}
}

// writeFacts measures each dump, or this machine's part of it.
func writeFacts(c *cli.Context, w world, s dump.Shard) error {
	o, err := newOptions(c, w, gate.Run{EveryStage: true})
	if err != nil {
		return err
	}
	dealt := s
	if s.Whole() {
		dealt = dump.Shard{Count: 1}
	}
	shares, err := measuredShares(c, dump.NewDealer(dealt), o)
	if err != nil {
		return incomplete(w, err)
	}
	var parts []result.Part
	if !s.Whole() {
		part, err := gate.FactsPart(o, s, shares)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	return deliverFacts(c, w, []output{{format: "json", path: c.String("output")}}, gate.Partial(shares), parts)
}

func measuredShares(c *cli.Context, dealer *dump.Dealer, o gate.Options) ([]*facts.Share, error) {
	if err := errors.Join(gate.CheckDumps(c.Args().Slice()...), gate.Distinct(c.Args().Slice())); err != nil {
		return nil, err
	}
	for _, path := range c.Args().Slice() {
		if err := there(path); err != nil {
			return nil, err
		}
	}
	return gate.MeasureShares(c.Context, o, dealer, c.Args().Slice(), o.Logs)
}

// deliverFacts writes facts. The error carries exit code 3 if something could not be read.
func deliverFacts(c *cli.Context, w world, list []output, rep *facts.Report, parts []result.Part) error {
	err := writeAll(c, w, list, func(out output, o report.Options, dst io.Writer) error {
		o.Parts, o.OneLine = parts, true
		return report.Inspect(dst, rep, out.format, o)
	})
	if err != nil {
		return err
	}
	return unread(w, rep)
}
