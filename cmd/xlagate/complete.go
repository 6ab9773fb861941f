package main

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/rules"
)

// completeWord is the first argument of a completion script's call. The answer lists completions of the last argument; if it is empty, the
// shell offers files.
const completeWord = "__complete"

//go:embed complete.bash
var bashScript string

//go:embed complete.zsh
var zshScript string

//go:embed complete.fish
var fishScript string

// shells holds the completion script of each shell.
var shells = map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}

func completionCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print a completion script for bash, zsh or fish", ArgsUsage: "SHELL", Category: aboutTool,
		Description: "source <(xlagate completion bash)                                      in ~/.bashrc; for zsh the same\n" +
			"xlagate completion fish > ~/.config/fish/completions/xlagate.fish",
		Action: func(c *cli.Context) error {
			script, ok := shells[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return wrongUsage("completion is for bash, zsh or fish, not %q; xlagate completion bash", c.Args().First())
			}
			_, err := fmt.Fprint(w.out, script)
			return err
		},
	}
}

// complete lists completions of the last word.
func complete(a *cli.App, words []string) []string {
	before, current := words[:len(words)-1], words[len(words)-1]
	before = slices.DeleteFunc(slices.Clone(before), func(word string) bool { return word == "=" }) // bash splits words at them
	if slices.Contains(before, "--") {
		return nil
	}
	cmd := &cli.Command{Subcommands: a.Commands}
	for len(before) > 0 && commandNamed(cmd.Subcommands, before[0]) != nil {
		cmd, before = commandNamed(cmd.Subcommands, before[0]), before[1:]
	}
	if name, value, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "-") {
		return prefixed(name+"=", beginning(strings.TrimPrefix(value, "="), valuesOf(cmd.Flags, name)))
	}
	switch n := len(before); {
	case n > 0 && slices.Contains([]string{"--only", "-only"}, before[n-1]):
		named := current[:strings.LastIndexByte(current, ',')+1]
		return prefixed(named, beginning(current[len(named):], here().ids))
	case n > 0 && takesValue(cmd.Flags, before[n-1]):
		return beginning(strings.TrimPrefix(current, "="), valuesOf(cmd.Flags, before[n-1]))
	case strings.HasPrefix(current, "-"):
		return beginning(current, longFlags(cmd.Flags))
	case len(cmd.Subcommands) > 0 && len(before) == 0:
		return beginning(current, commandNames(cmd.Subcommands))
	}
	return beginning(current, argumentsOf(a, cmd.Name))
}

func beginning(with string, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, with) })
}

func prefixed(with string, words []string) []string {
	for i := range words {
		words[i] = with + words[i]
	}
	return words
}

func longFlags(flags []cli.Flag) []string {
	long := []string{"--help"}
	for _, f := range flags {
		if name := f.Names()[0]; len(name) > 1 {
			long = append(long, "--"+name)
		}
	}
	return long
}

func commandNames(commands []*cli.Command) []string {
	return phrase.Map(commands, func(cmd *cli.Command) string { return cmd.Name })
}

// valuesOf lists the values of a flag, or nothing if it takes a file, a name or a number.
func valuesOf(flags []cli.Flag, flag string) []string {
	name := strings.TrimLeft(flag, "-")
	for _, f := range flags {
		if generic, ok := f.(*cli.GenericFlag); ok && slices.Contains(f.Names(), name) {
			if output, ok := generic.Value.(*outputFlag); ok && (name == "format" || name == "f") {
				return output.to.formats
			}
		}
	}
	if name == "target" {
		return here().targets
	}
	return flagValues[name]
}

// names are what the configuration of the working directory and its last check know.
type names struct {
	targets  []string // as --target takes them, with the "=" of their dump
	programs []string
	ids      []string // of the changes that break a rule
}

// here reads the names. What cannot be read is not offered.
func here() (n names) {
	dir, err := os.Getwd()
	if err != nil {
		return n
	}
	path, err := config.Find(dir)
	if err != nil {
		return n
	}
	if cfg, err := config.Load(rules.All, path, path); err == nil {
		for _, t := range cfg.Targets {
			n.targets = append(n.targets, t.Name+"=")
		}
	}
	last := lastCheck(world{getenv: os.Getenv})
	if last == nil {
		return n
	}
	r, err := last.result()
	if err != nil {
		return n
	}
	for i := range r.Targets {
		for _, p := range r.Targets[i].Programs {
			n.programs = append(n.programs, p.Name)
		}
	}
	for _, c := range r.Open() {
		n.ids = append(n.ids, c.ID)
	}
	return n
}

// argumentsOf lists the arguments of a command that takes one of a closed list.
func argumentsOf(a *cli.App, command string) []string {
	switch command {
	case "help":
		return commandNames(a.Commands)
	case "explain":
		return append(here().ids, rules.All.IDs()...)
	case "show":
		return here().programs
	case "schema":
		return schemaNames
	case "completion":
		return []string{"bash", "fish", "zsh"}
	}
	return nil
}
