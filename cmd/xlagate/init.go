package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
)

func initCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "look at a dump and propose an xlagate.yaml; never overwrites", ArgsUsage: "[DUMP]", Category: theGate,
		Flags: append(readFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: config.FileName, Usage: "write to `FILE`"},
			&cli.BoolFlag{Name: "workflow", Usage: "also write .github/workflows/xlagate.yml"},
			&cli.BoolFlag{Name: "codeowners", Usage: "print the CODEOWNERS lines that require a review of rules and baseline"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongUsage("init takes one dump; xlagate init DUMP")
			}
			return propose(c, w)
		},
	}
}

// usualDumps lists where init looks when no dump is given.
var usualDumps = []string{"build/xla", "xla_dump", "dump", "xla"}

func propose(c *cli.Context, w world) error {
	path := c.Args().First()
	if path == "" {
		if path = usualDump(); path == "" {
			return wrongUsage("no dump here; make one: xlagate capture --to build/xla -- python train.py, then xlagate init build/xla")
		}
	}
	rep, err := measuredWith(c, w, path, gate.Options{Run: gate.Run{EveryStage: true}})
	if err != nil {
		return incomplete(w, err)
	}
	if err := unread(w, rep); err != nil {
		return err
	}
	if len(rep.Programs) == 0 && rep.Clusters == nil {
		return incomplete(w, &gate.Unreadable{File: path, Message: "the dump holds no program of the model's own", Fix: "make the run compile the model, then dump again"})
	}
	if err := writeNew(c.String("output"), config.Propose(rep, relativeTo(c.String("output"), path))); err != nil {
		return err
	}
	if !c.Bool("quiet") {
		next(c, w, rep, path)
	}
	return extras(c, w)
}

func usualDump() string {
	for _, d := range usualDumps {
		if info, err := os.Stat(d); err == nil && info.IsDir() {
			return d
		}
	}
	return ""
}

func relativeTo(file, path string) string {
	if !gate.OnDisk(path) {
		return path
	}
	return gate.Relative(filepath.Dir(file), path)
}

// writeNew writes a file that must not exist yet.
func writeNew(path, text string) error {
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", path, err)
		}
	}
	err := files.Create(path, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return wrongUsage("%s is there already and stays as it is; remove it, or write elsewhere: xlagate init -o FILE", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func next(c *cli.Context, w world, rep *facts.Report, path string) {
	fmt.Fprintf(w.out, "wrote %s for %s in %s (%s)\n", c.String("output"), phrase.Counted(float64(len(rep.Programs)), "", "programs"), path, tools(rep.Toolchain))
	for _, p := range rep.Programs {
		fmt.Fprintf(w.out, "  %s\n", p.Name)
	}
	fmt.Fprintln(w.out, "next:")
	fmt.Fprintln(w.out, "  xlagate accept --reason \"first baseline\"   record what is there now; commit .xlagate with it")
	fmt.Fprintln(w.out, "  xlagate check                              hold the next dump against it")
}

func extras(c *cli.Context, w world) error {
	if c.Bool("workflow") {
		if err := writeNew(filepath.Join(".github", "workflows", "xlagate.yml"), config.Workflow); err != nil {
			return err
		}
		fmt.Fprintln(w.out, "wrote .github/workflows/xlagate.yml")
	}
	if c.Bool("codeowners") {
		fmt.Fprintf(w.out, "add to .github/CODEOWNERS:\n%s", config.Codeowners)
	}
	return nil
}
