package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func inspectCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "inspect",
		Usage:     "what a dump holds: programs, variants, kernels, fusions, memory, cost",
		ArgsUsage: "DUMP",
		Category:  dumps,
		Flags: append(append(outputFlags(&to, report.ViewFormats()), readFlags()...),
			logFlag(),
			&cli.BoolFlag{Name: "all", Usage: "the framework's one-op helper programs too"},
			&cli.BoolFlag{Name: "passes", Usage: "what each pass of the compiler changed, where the module was dumped after it"},
			&cli.StringSliceFlag{Name: "trace", Usage: "a profile of the program, a `FILE`.xplane.pb or .trace.json.gz: how long each kernel took"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("inspect takes one dump, not %d; xlagate inspect DUMP", c.NArg())
			}
			rep, err := measuredWith(c, w, c.Args().First(), gate.Options{Run: gate.Run{EveryStage: true, Passes: c.Bool("passes"), KeepModules: to.holds("html")}, Request: gate.Request{Profiles: c.StringSlice("trace"), Logs: c.StringSlice("log")}})
			if err != nil {
				return incomplete(w, err)
			}
			err = writeAll(c, w, orText(to.list), func(out output, o report.Options, dst io.Writer) error {
				o.All = c.Bool("all")
				return report.Inspect(dst, rep, out.format, o)
			})
			if err != nil {
				return err
			}
			if len(rep.Problems) > 0 && textToScreen(orText(to.list)) {
				return verdict(gate.ExitIncomplete) // the output names the problem
			}
			return unread(w, rep)
		},
	}
}

// measuredWith opens and measures one dump.
func measuredWith(c *cli.Context, w world, path string, o gate.Options) (*facts.Report, error) {
	if err := there(path); err != nil {
		return nil, err
	}
	return gate.MeasureDump(c.Context, withoutConfig(c, w, o), path, o.Logs)
}

// there returns an error if a dump does not exist.
func there(path string) error {
	if _, err := os.Stat(path); err != nil && gate.OnDisk(path) {
		return &gate.Unreadable{File: path, Message: "there is no such file or directory", Fix: "name a dump: the directory that --xla_dump_to wrote, a file of it, or an archive"}
	}
	return nil
}
