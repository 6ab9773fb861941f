package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/export"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
)

func exportCommand(w world) *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write a dump, or what changed since another one, for other tools",
		ArgsUsage:   "DUMP",
		Category:    dumps,
		Description: "formats:\n" + export.About(),
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "`FORMAT`: " + strings.Join(export.Formats(), ", ")},
			&cli.StringFlag{Name: "against", Usage: "what the dump is compared with: another `DUMP`, or a baseline"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, or several files to a folder"},
			&cli.StringFlag{Name: "program", Usage: "only programs that match the `GLOB`"},
			&cli.StringFlag{Name: "scope", Usage: "only what is in the `SCOPE` of the model, as in layer0/mlp or */attention/*"},
			&cli.BoolFlag{Name: "all", Usage: "the framework's one-op helper programs too"},
		}, readFlags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("export takes one dump, not %d; xlagate export --to pprof DUMP", c.NArg())
			}
			if !c.IsSet("to") {
				return wrongUsage("export needs --to: one of %s", strings.Join(export.Formats(), ", "))
			}
			if name := c.String("to"); !slices.Contains(export.Formats(), name) {
				return wrongUsage("--to is %q; expected one of %s", name, strings.Join(export.Formats(), ", "))
			}
			return exportDump(c, w)
		},
	}
}

func exportDump(c *cli.Context, w world) (err error) {
	d, release, err := opened(c, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	files, err := export.Of(d, c.String("to"), export.Options{Program: c.String("program"), Scope: c.String("scope")})
	if err != nil {
		return gate.UsageError{Message: err.Error()}
	}
	if len(files) == 1 && !export.Several(c.String("to")) {
		return deliver(w, output{path: c.String("output")}, func(dst io.Writer) error {
			_, err := dst.Write(files[0].Data)
			return err
		})
	}
	return writeFolder(c, w, files)
}

// opened measures the dump, and what it is compared with, and leaves their modules open until they are released.
func opened(c *cli.Context, w world) (*diff.Report, func() error, error) {
	paths := []string{c.Args().First()}
	if c.IsSet("against") {
		paths = []string{c.String("against"), paths[0]}
	}
	both, err := sides(c, w, paths, gate.Run{AnyStage: true, KeepModules: true})
	if err != nil {
		return nil, nil, err
	}
	release := func() error { return closeAll(both) }
	if len(both) == 1 {
		both = []*facts.Report{{}, both[0]}
	}
	if c.Bool("all") {
		for _, s := range both {
			s.Programs, s.Helpers = append(s.Programs, s.Helpers...), nil
		}
	}
	return compared(both), release, nil
}

func writeFolder(c *cli.Context, w world, files []export.File) error {
	dir := c.String("output")
	if dir == "" || dir == "-" {
		return wrongUsage("this writes %d files; name a folder with -o, or one program with --program", len(files))
	}
	for _, f := range files {
		err := deliver(w, output{path: filepath.Join(dir, f.Name)}, func(dst io.Writer) error {
			_, err := dst.Write(f.Data)
			return err
		})
		if err != nil {
			return err
		}
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(w.err, "xlagate: wrote %d files to %s%c\n", len(files), dir, os.PathSeparator)
	}
	return nil
}
