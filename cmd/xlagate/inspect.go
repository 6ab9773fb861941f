package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
)

func inspectCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "inspect",
		Usage:     "show what a dump holds: programs, variants, kernels, fusions, memory, cost",
		ArgsUsage: "DUMP",
		Category:  dumps,
		Flags: append(append(outputFlags(&to, report.Inspect.Names()), readFlags()...),
			logFlag(),
			&cli.BoolFlag{Name: "all", Usage: "include the framework's one-op helper programs"},
			&cli.BoolFlag{Name: "passes", Usage: "show what each compiler pass changed, if the dump holds the module after each pass"},
			&cli.BoolFlag{Name: "advise", Usage: "list what the programs could do without instead, and the predicted time or the memory that it costs"},
			&cli.StringSliceFlag{Name: "trace", Usage: "show how long each kernel took by a profile: `FILE`.xplane.pb, .trace.json.gz, or the folder of jax.profiler"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("inspect takes one dump, not %d; xlagate inspect DUMP", c.NArg())
			}
			if c.Bool("advise") && len(to.list) > 0 {
				return wrongUsage("--advise writes text to the screen; leave out -f and -o")
			}
			rep, err := measuredWith(c, w, c.Args().First(), gate.Run{EveryStage: true, Passes: c.Bool("passes"), KeepModules: to.holds("html") || c.Bool("advise")})
			if err != nil {
				return incomplete(w, err)
			}
			if c.Bool("advise") {
				return advise(w, rep)
			}
			err = write(c, w, to.list, rep, report.Inspect)
			if err != nil {
				return err
			}
			asText := func(o output) bool { return o.onScreen() && o.format == "text" }
			if len(rep.Problems) > 0 && slices.ContainsFunc(orText(to.list), asText) {
				return verdict(gate.ExitIncomplete) // the output names the problem
			}
			return unread(w, rep)
		},
	}
}

func advise(w world, rep *facts.Report) error {
	all, program := rep.Advice(), ""
	text := ""
	for _, a := range all {
		if a.Program != program {
			program = a.Program
			text += program + "\n"
		}
		saves := phrase.Bytes(a.Bytes) + " on each device"
		if a.StepNS > 0 {
			saves = fmt.Sprintf("%s, %s of the predicted step", phrase.Nanoseconds(a.StepNS), phrase.Show(a.StepShare, "share"))
		}
		at := strings.TrimSpace(a.Source.Short() + " " + a.OpName)
		if at != "" {
			at += ": "
		}
		text += fmt.Sprintf("  %s%s\n      saves at most %s\n", at, a.Says, saves)
	}
	if len(all) == 0 {
		text = "nothing costs 1 % of a predicted step or of the memory that these programs could do without\n"
	}
	return errors.Join(w.printf("%s", text), unread(w, rep), rep.Close())
}

func measuredWith(c *cli.Context, w world, path string, how gate.Run) (*facts.Report, error) {
	o, err := newOptions(c, w, how)
	if err == nil {
		err = there(path)
	}
	if err != nil {
		return nil, err
	}
	return gate.MeasureDump(c.Context, o, path, o.Logs)
}

// there returns an error if a dump does not exist.
func there(path string) error {
	if _, err := os.Stat(path); err != nil && gate.OnDisk(path) {
		return &gate.Unreadable{Where: path, Message: "there is no such file or directory", Fix: "name a dump: the directory that --xla_dump_to wrote, a file of it, or an archive"}
	}
	return nil
}
