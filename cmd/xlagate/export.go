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

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/export"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
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
			&cli.StringFlag{Name: "against", Usage: "compare with another `DUMP`, or a baseline"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`; to a folder if it is one, ends with a slash, or several files are written", Action: needsPath},
			&cli.StringFlag{Name: "program", Usage: "export the programs that match `GLOB`"},
			&cli.BoolFlag{Name: "all", Usage: "include the framework's one-op helper programs"},
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
	files, err := export.Of(d, c.String("to"), c.String("program"))
	if err != nil {
		return gate.UsageError{Message: err.Error()}
	}
	to, several := c.String("output"), len(files) > 1 || export.Several(c.String("to"))
	info, err := os.Stat(to)
	isThere, isFolder := err == nil, err == nil && info.IsDir() || strings.HasSuffix(to, "/")
	fix := "name a folder with -o"
	if !export.Several(c.String("to")) {
		fix += ", or one program with --program"
	}
	switch {
	case !several && !isFolder:
		return deliverFile(w, to, files[0])
	case output{path: to}.onScreen():
		return wrongUsage("this writes %d files; %s", len(files), fix)
	case isThere && !isFolder:
		return wrongUsage("%s is a file, and this writes %d files; %s", to, len(files), fix)
	}
	for _, f := range files {
		if err := deliverFile(w, filepath.Join(to, f.Name), f); err != nil {
			return err
		}
	}
	if !c.Bool("quiet") {
		w.say(fmt.Sprintf("wrote %s to %s", phrase.Counted(float64(len(files)), "", "files"), filepath.Clean(to)+string(os.PathSeparator)))
	}
	return nil
}

func deliverFile(w world, path string, f export.File) error {
	return deliver(w, output{path: path}, func(dst io.Writer) error {
		_, err := dst.Write(f.Data)
		return err
	})
}

// opened measures the dump, and what it is compared with, and leaves their modules open until they are released.
func opened(c *cli.Context, w world) (*changes.Report, func() error, error) {
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
