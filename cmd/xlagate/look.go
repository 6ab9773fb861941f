package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func inspectCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:         "inspect",
		Usage:        "what a dump holds: programs, variants, kernels, fusions, memory, cost",
		ArgsUsage:    "DUMP",
		OnUsageError: usageError,
		Flags: append(append(outputFlags(&to, report.ViewFormats()), registryFlags()...),
			&cli.BoolFlag{Name: "all", Usage: "the framework's one-op helper programs too"},
			&cli.BoolFlag{Name: "passes", Usage: "what each pass of the compiler changed, where the module was dumped after it"},
			&cli.StringSliceFlag{Name: "trace", Usage: "a profile of the program (`FILE`.xplane.pb or .trace.json.gz): how long each kernel took"},
			&cli.StringSliceFlag{Name: "log", Usage: "a compiler or framework log as extra input"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many modules are read at once"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return gate.UsageError{Message: fmt.Sprintf("inspect takes one dump, not %d; xlagate inspect DUMP", c.NArg())}
			}
			rep, err := measuredWith(c, w, c.Args().First(), gate.Options{
				EveryStage: true, Passes: c.Bool("passes"), Profiles: c.StringSlice("trace"), Logs: c.StringSlice("log"),
			})
			if err != nil {
				return incomplete(w, err)
			}
			err = writeAll(c, w, orText(to.list), report.ViewFormats(), func(out output, o report.Options, dst writer) error {
				o.All = c.Bool("all")
				return report.Inspect(dst, rep, out.format, o)
			})
			if err != nil {
				return err
			}
			return unread(w, rep)
		},
	}
}

// measuredWith opens and measures one dump with what the options ask for.
func measuredWith(c *cli.Context, w world, path string, o gate.Options) (*facts.Report, error) {
	if gate.OnDisk(path) {
		if _, err := os.Stat(path); err != nil {
			return nil, &gate.Unreadable{File: path, Message: "there is no such file or directory", Mend: "name a dump: the directory that --xla_dump_to wrote, a file of it, or an archive"}
		}
	}
	o.Config, o.Root, o.Jobs, o.Stdin, o.Registry = &config.Config{}, repositoryRoot(w), c.Int("jobs"), w.in, registryClient(c, w)
	return gate.MeasureDump(c.Context, o, path, o.Logs)
}

func orText(list []output) []output {
	if len(list) == 0 {
		return []output{{format: "text"}}
	}
	return list
}

// unread fails when something in the dump could not be read: exit 3, after what could be read was shown.
func unread(w world, rep *facts.Report) error {
	if len(rep.Problems) == 0 {
		return nil
	}
	var problems []result.Problem
	for _, p := range rep.Problems {
		problems = append(problems, result.Problem{File: p.File, Message: p.Message, Mend: p.Mend})
	}
	sayProblems(w, rep.Dump, problems)
	return verdict(gate.ExitIncomplete)
}

func sayProblems(w world, what string, problems []result.Problem) {
	fmt.Fprintf(w.err, "xlagate: could not look at %s\n", what)
	for _, p := range problems {
		text := p.Message
		if p.File != "" {
			text = p.File + ": " + text
		}
		fmt.Fprintf(w.err, "  %s\n", text)
		if p.Mend != "" {
			fmt.Fprintf(w.err, "  %s\n", p.Mend)
		}
	}
}

// incomplete says what could not be looked at.
func incomplete(w world, err error) error {
	var gap *gate.Incomplete
	var unreadable *gate.Unreadable
	switch {
	case errors.As(err, &gap):
		sayProblems(w, "everything: nothing was accepted", gap.Problems)
	case errors.As(err, &unreadable):
		sayProblems(w, unreadable.File, []result.Problem{{Message: unreadable.Message, Mend: unreadable.Mend}})
	default:
		return err
	}
	return verdict(gate.ExitIncomplete)
}

func diffCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:         "diff",
		Usage:        "what changed between two dumps, modules or baselines, in the model's own words",
		ArgsUsage:    "OLD NEW",
		OnUsageError: usageError,
		Flags: append(append(outputFlags(&to, report.ViewFormats()), registryFlags()...),
			&cli.BoolFlag{Name: "exit-code", Usage: "exit 1 when they are not identical"},
			&cli.BoolFlag{Name: "passes", Usage: "name the first pass after which they differ"},
			&cli.BoolFlag{Name: "all", Usage: "the framework's one-op helper programs too"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many modules are read at once"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return gate.UsageError{Message: fmt.Sprintf("diff takes two dumps, not %d; xlagate diff OLD NEW", c.NArg())}
			}
			d, err := difference(c, w)
			if err != nil {
				return err
			}
			err = writeAll(c, w, orText(to.list), report.ViewFormats(), func(out output, o report.Options, dst writer) error {
				o.All = c.Bool("all")
				return report.Diff(dst, d, out.format, o)
			})
			if err == nil && c.Bool("exit-code") && !d.Identical {
				return verdict(gate.ExitFindings)
			}
			return err
		},
	}
}

// difference measures and compares both sides; one that could not be read whole is refused.
func difference(c *cli.Context, w world) (*diff.Report, error) {
	if err := gate.CheckDumps(c.Args().Slice()...); err != nil {
		return nil, err
	}
	var sides []*facts.Report
	for _, path := range c.Args().Slice() {
		rep, err := side(c, w, path)
		if err != nil {
			return nil, incomplete(w, err)
		}
		if err := unread(w, rep); err != nil {
			return nil, err
		}
		sides = append(sides, rep)
	}
	d := diff.Compare(sides[0], sides[1])
	diff.FillPasses(d, sides[0].Passes, sides[1].Passes)
	return d, nil
}

// side measures a dump, or reads a baseline.
func side(c *cli.Context, w world, path string) (*facts.Report, error) {
	if rep, err := baselineSide(c, w, path); rep != nil || err != nil {
		return rep, err
	}
	return measuredWith(c, w, path, gate.Options{AnyStage: true, Passes: c.Bool("passes")})
}

func factsCommand(w world) *cli.Command {
	return &cli.Command{
		Name:         "facts",
		Usage:        "only extract facts, as JSON: the unit of work that a cluster runs",
		ArgsUsage:    "DUMP…",
		OnUsageError: usageError,
		Flags: append(registryFlags(),
			&cli.StringFlag{Name: "shard", Usage: "only part `I/N` of the modules"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`"},
			&cli.StringSliceFlag{Name: "log", Usage: "a compiler or framework log as extra input"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many modules are read at once"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return gate.UsageError{Message: "facts needs a dump; xlagate facts DUMP…"}
			}
			part, err := parseShard(c.String("shard"))
			if err != nil {
				return err
			}
			return writeFacts(c, w, part)
		},
	}
}

func writeFacts(c *cli.Context, w world, part gate.Shard) error {
	if err := gate.CheckDumps(c.Args().Slice()...); err != nil {
		return err
	}
	var reports []*facts.Report
	o := gate.Options{EveryStage: true, Logs: c.StringSlice("log")}
	for _, path := range c.Args().Slice() {
		rep, err := measuredWith(c, w, path, o)
		if err != nil {
			return incomplete(w, err)
		}
		reports = append(reports, rep)
		o.Logs = nil // they are about the run, and counted once
	}
	rep := facts.Merge(reports)
	part.Cut(rep)
	out := output{format: "json", path: c.String("output")}
	err := writeAll(c, w, []output{out}, report.ViewFormats(), func(out output, o report.Options, dst writer) error {
		return report.Inspect(dst, rep, out.format, o)
	})
	if err != nil {
		return err
	}
	return unread(w, rep)
}

func reportCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:         "report",
		Usage:        "render a result again, in any format",
		ArgsUsage:    "RESULT.json",
		OnUsageError: usageError,
		Flags:        append(outputFlags(&to, report.Formats()), &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no text when all formats go to files"}),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return gate.UsageError{Message: "report takes one result; xlagate report RESULT.json -f markdown"}
			}
			r, err := readResult(w, c.Args().First())
			if err != nil {
				return incomplete(w, err)
			}
			return show(c, w, &to, r)
		},
	}
}

func mergeCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:         "merge",
		Usage:        "join sharded or matrix results into one",
		ArgsUsage:    "RESULT.json…",
		OnUsageError: usageError,
		Flags: append(append(configFlags()[:1:1], outputFlags(&to, report.Formats())...),
			&cli.StringFlag{Name: "fail-on", Usage: "error, warning or never"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no text when all formats go to files"}),
		Action: func(c *cli.Context) error {
			r, err := merged(c, w)
			if err != nil {
				return err
			}
			if err := show(c, w, &to, r); err != nil {
				return err
			}
			if r.ExitCode != 0 {
				return verdict(r.ExitCode)
			}
			return nil
		},
	}
}

func merged(c *cli.Context, w world) (*result.Result, error) {
	if c.NArg() == 0 {
		return nil, gate.UsageError{Message: "merge needs results; xlagate merge part-*.json"}
	}
	failOn, err := oneOf(c, "fail-on", "", "error", "warning", "never")
	if err != nil {
		return nil, err
	}
	dir, err := workingDir()
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig(c.String("config"), dir)
	if err != nil && (c.String("config") != "" || !strings.Contains(err.Error(), "here or above")) {
		return nil, err
	}
	var results []*result.Result
	for _, path := range c.Args().Slice() {
		r, err := readResult(w, path)
		if err != nil {
			return nil, incomplete(w, err)
		}
		results = append(results, r)
	}
	return gate.Merge(results, cfg, failOn, version()), nil
}
