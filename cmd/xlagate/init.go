package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/rules"
)

func initCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "propose an xlagate.yaml for a dump; never overwrites", ArgsUsage: "[DUMP] [-- COMMAND…]", Category: theGate,
		Description: "xlagate init build/xla            propose rules for a dump\n" +
			"xlagate init -- python train.py   run the command, propose rules, accept what it compiled, write the workflow\n" +
			"xlagate init --target small/cpu -- python small.py   add a target to the rule file, and accept what it compiled",
		Flags: append(readFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: config.FileName, Usage: "write to `FILE`", Action: needsPath},
			&cli.StringFlag{Name: "target", Usage: "add the target `NAME` to the rule file that is there"},
			&cli.BoolFlag{Name: "workflow", Usage: "also write the workflow for GitHub, .github/workflows/xlagate.yml"},
			&cli.BoolFlag{Name: "codeowners", Usage: "print the CODEOWNERS lines that require a review of rules and baseline"},
		),
		Action: func(c *cli.Context) error {
			own, command := split(c)
			switch {
			case c.IsSet("target") && len(command) == 0:
				return wrongUsage("--target needs a command after --; xlagate init --target NAME -- COMMAND…")
			case command == nil && len(own) > 1:
				return wrongUsage("init takes one dump; xlagate init DUMP")
			case command == nil && len(own) == 0 && (c.Bool("workflow") || c.Bool("codeowners")) && isThere(c.String("output")):
				cfg, err := loadConfig(c.String("output"), "")
				if err != nil {
					return err
				}
				install := "pip install " + packages(facts.Toolchain{})
				if slices.ContainsFunc(cfg.Targets, func(t config.Target) bool { return t.Capture == nil }) {
					install = ""
				}
				return extras(c, w, install)
			case command == nil:
				return propose(c, w, c.Args().First())
			case len(command) == 0:
				return wrongUsage("init needs a command after --; xlagate init -- COMMAND…")
			case len(own) > 0:
				return wrongUsage("give a dump or a command, not both")
			case filepath.Dir(c.String("output")) != ".":
				return wrongUsage("the command runs in the folder of %s; change to that folder, then: xlagate init -o %s -- COMMAND…", c.String("output"), phrase.Shell([]string{filepath.Base(c.String("output"))}))
			}
			return setUp(c, w, command)
		},
	}
}

// telling returns w for messages on what was done, which --quiet drops.
func telling(c *cli.Context, w world) world {
	if c.Bool("quiet") {
		w.out = io.Discard
	}
	return w
}

// setUp runs a command, proposes a configuration for what it dumped or adds a target to the one that is there, accepts the dump as the first baseline, and
// writes the workflow.
func setUp(c *cli.Context, w world, command []string) error {
	file, target := c.String("output"), c.String("target")
	line := phrase.Shell(command)
	var extended []byte
	if c.IsSet("target") {
		var err error
		if extended, err = withTarget(file, target, line); err != nil {
			return err
		}
	} else if isThere(file) {
		return alreadyThere(file, "-- "+line)
	}
	dir, err := os.MkdirTemp("", "xlagate-init-*")
	if err != nil {
		return fmt.Errorf("make a folder for the dump: %w", err)
	}
	defer os.RemoveAll(dir)
	w.err = renaming{w.err, strings.NewReplacer(dir+string(filepath.Separator), "", dir, line)}
	if _, err := capturedTo(c, w, dir, command); err != nil {
		return err
	}
	rep, err := proposable(c, w, dir)
	if err != nil {
		return err
	}
	w = telling(c, w)
	o, err := newOptions(c, w, gate.Run{})
	if err != nil {
		return err
	}
	if extended == nil {
		if err := writeNew(file, config.Propose(rep, placeOf(file).Model(), "", line)); err != nil {
			return err
		}
		sayProposed(w, rep, file, "of "+line)
		o.Dumps = []string{dir}
	} else {
		err := files.Replace(file, func(f *os.File) error {
			_, err := f.Write(extended)
			return err
		})
		if err != nil {
			return err
		}
		w.printf("added    target %s to %s\n", target, file)
		o.Targets, o.ByTarget = []string{target}, map[string]string{target: dir}
	}
	if o.Config, err = loadConfig(file, o.Dir); err != nil {
		return err
	}
	done, err := gate.Accept(c.Context, o, gate.AcceptOptions{Reason: "first baseline"})
	if err != nil {
		return incomplete(w, err)
	}
	for _, path := range done.Written {
		fmt.Fprintf(w.out, "wrote    %s\n", path)
	}
	if err := writeWorkflow(w, file, "pip install "+packages(rep.Toolchain)); err != nil {
		return err
	}
	return w.printf("next:\n  xlagate check%s   run it again and compare; then commit what was written, and push\n"+
		"  to keep improvements on the main branch, add xlagate-tighten.yml: https://github.com/xlagate/xlagate/blob/main/docs/github.md\n", chosen(file))
}

// withTarget returns the rule file with one more target.
func withTarget(file, name, run string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, wrongUsage("--target adds to a rule file, and %s cannot be read; without --target, init writes one", file)
	}
	extended, err := config.AddTarget(text, name, run)
	if err == nil {
		_, err = config.Parse(rules.All, file, extended)
	}
	if err != nil {
		return nil, wrongUsage("target %s cannot be added to %s, which was not changed: %s", name, file, err)
	}
	return extended, nil
}

// renaming writes messages with the command's name in place of the temporary folder that its dump is in.
type renaming struct {
	to    io.Writer
	names *strings.Replacer
}

// Write writes text as it is said of the command.
func (r renaming) Write(text []byte) (int, error) {
	_, err := r.names.WriteString(r.to, string(text))
	return len(text), err
}

// sayProposed prints which rule file was written, and the packs that this dump calls for.
func sayProposed(w world, rep *facts.Report, file, of string) {
	w.printf("wrote    %s for %s %s (%s)\n", file, phrase.Counted(float64(len(rep.Programs)), "", "programs"), of, tools(rep.Toolchain))
	if packs, holds := config.Packs(rep); len(packs) > 1 {
		w.printf("         extends %s: %s\n", phrase.List(packs, "and"), phrase.List(holds, "and"))
	}
	if onCPU := config.Fallbacks(rep); len(onCPU) > 0 {
		w.printf("         allows what runs on the host, for which the device waits: %s\n", strings.Join(onCPU, ", "))
	}
}

// packages says what pip installs for the command: what the repository lists, else the framework that compiled.
func packages(t facts.Toolchain) string {
	for _, list := range []struct{ file, install string }{
		{"uv.lock", "uv && uv export --frozen --no-hashes > uv.txt && pip install -r uv.txt"},
		{"requirements.txt", "-r requirements.txt"}, {"pyproject.toml", "."}, {"setup.py", "."},
	} {
		if isThere(list.file) {
			return list.install
		}
	}
	var pinned []string
	for _, name := range slices.Sorted(maps.Keys(t.Versions)) {
		if name == "jax" || name == "tensorflow" || name == "torch_xla" {
			pinned = append(pinned, name+"=="+t.Versions[name])
		}
	}
	if len(pinned) == 0 {
		return "-r requirements.txt"
	}
	return strings.Join(pinned, " ")
}

// placeOf returns where a rule file is in its repository. Outside of one, its folder is the top.
func placeOf(file string) config.Place {
	p, dir := config.Place{File: filepath.Base(file)}, absoluteOr(filepath.Dir(file))
	top := repositoryAround(dir)
	if folder := gate.Relative(top, dir); top != "" && folder != "." {
		p.Folder = filepath.ToSlash(folder)
	}
	return p
}

// writeWorkflow writes the workflow for a rule file to the top of its repository, unless there is one.
func writeWorkflow(w world, file, install string) error {
	place := placeOf(file)
	top := filepath.Dir(file)
	if place.Folder != "" {
		top = filepath.Join(top, strings.Repeat("../", strings.Count(place.Folder, "/")+1))
	}
	path := filepath.Join(top, filepath.FromSlash(place.WorkflowFile()))
	if isThere(path) {
		fmt.Fprintf(w.out, "kept     %s\n", path)
		return nil
	}
	if err := writeNew(path, place.Workflow(install)); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "wrote    %s\n", path)
	return nil
}

func propose(c *cli.Context, w world, path string) error {
	if path == "" {
		usualDumps := []string{"build/xla", "xla_dump", "dump", "xla"}
		at := slices.IndexFunc(usualDumps, func(d string) bool {
			info, err := os.Stat(d)
			return err == nil && info.IsDir()
		})
		if at < 0 {
			return wrongUsage("no dump here; name one (xlagate init DUMP), or run what makes one: xlagate init -- python train.py")
		}
		path = usualDumps[at]
	}
	rep, err := proposable(c, w, path)
	if err != nil {
		return err
	}
	file, dump := c.String("output"), path
	if gate.OnDisk(path) {
		dump = gate.Relative(filepath.Dir(file), path)
	}
	if err := writeNew(file, config.Propose(rep, placeOf(file).Model(), dump, "")); err != nil {
		return err
	}
	told := telling(c, w)
	sayProposed(told, rep, file, "in "+path)
	for _, p := range rep.Programs {
		told.printf("  %s\n", p.Name)
	}
	if err := extras(c, w, ""); err != nil {
		return err
	}
	fmt.Fprintln(told.out, "next:")
	if why, devices := config.Unpriced(rep); why != "" {
		told.printf("  write `device: %s`, or another device, below the target in %s: %s, and without a price check exits 3\n", devices[0], file, why)
	}
	told.printf("  xlagate accept%s --reason \"first baseline\"   record the present state; commit .xlagate\n", chosen(file))
	told.printf("  xlagate check%s                              check the next dump against it\n", chosen(file))
	return nil
}

// proposable measures a dump, which has to be readable and to hold a program.
func proposable(c *cli.Context, w world, path string) (*facts.Report, error) {
	rep, err := measuredWith(c, w, path, gate.Run{EveryStage: true})
	if err != nil {
		return nil, incomplete(w, err)
	}
	if err := unread(w, rep); err != nil {
		return nil, err
	}
	if len(rep.Programs) == 0 && (rep.Clusters == nil || !rep.Clusters.Ran) {
		message := "the dump holds no program of the model's own"
		if rep.Clusters != nil {
			message += "; autoclustering did not run: " + rep.Clusters.Why
		}
		return nil, incomplete(w, &gate.Unreadable{Where: path, Message: message, Fix: "make the run compile the model, then dump again"})
	}
	return rep, nil
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
		return alreadyThere(path, "DUMP")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// alreadyThere says how a repository gets a second target. init was told what to look at by its arguments.
func alreadyThere(path, arguments string) error {
	return wrongUsage("%s already exists and was not changed; add a target to it: xlagate init --target NAME -- COMMAND; or write another rule file: xlagate init -o FILE %s", path, arguments)
}

// chosen is how a command is told to read a rule file, "" for the one that it finds by itself.
func chosen(file string) string {
	if file == config.FileName {
		return ""
	}
	return " -c " + phrase.Shell([]string{file})
}

// extras writes the workflow and prints the CODEOWNERS lines, where they are asked for.
func extras(c *cli.Context, w world, install string) error {
	if c.Bool("workflow") {
		if err := writeWorkflow(telling(c, w), c.String("output"), install); err != nil {
			return err
		}
	}
	if c.Bool("codeowners") {
		fmt.Fprintf(w.out, "add to .github/CODEOWNERS:\n%s", placeOf(c.String("output")).Codeowners())
	}
	return nil
}
