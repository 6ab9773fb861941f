package main

import (
	"embed"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/rules"
)

// completeWord is the first argument of a completion script's call. The answer lists completions of the last argument; if it is empty, the
// shell offers files.
const completeWord = "__complete"

var shells = []string{"bash", "fish", "zsh"}

//go:embed complete.bash complete.fish complete.zsh
var scripts embed.FS

func completionCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print a completion script for bash, zsh or fish", ArgsUsage: "SHELL", Category: aboutTool,
		Description: "source <(xlagate completion bash)                                      in ~/.bashrc; for zsh the same\n" +
			"xlagate completion fish > ~/.config/fish/completions/xlagate.fish",
		Action: func(c *cli.Context) error {
			script, err := scripts.ReadFile("complete." + c.Args().First())
			if err != nil || c.NArg() != 1 {
				return wrongUsage("completion is for bash, zsh or fish, not %q; xlagate completion bash", c.Args().First())
			}
			_, err = w.out.Write(script)
			return err
		},
	}
}

// complete lists what may come in the place of the last word: the commands, the long flags of a command, or the values of a flag or of an argument
// that takes one of a closed list. The library's own list leaves out a flag that is given twice, and is empty behind "--".
func complete(a *cli.App, words []string) []string {
	before, current := words[:len(words)-1], words[len(words)-1]
	cmd := &cli.Command{Subcommands: a.Commands}
	for len(before) > 0 && commandNamed(cmd.Subcommands, before[0]) != nil {
		cmd, before = commandNamed(cmd.Subcommands, before[0]), before[1:]
	}
	var found []string
	switch {
	case slices.Contains(before, "--"): // what follows is another program's
	case strings.HasPrefix(current, "-"):
		found = []string{"--help"}
		for _, f := range cmd.Flags {
			if name := f.Names()[0]; len(name) > 1 {
				found = append(found, "--"+name)
			}
		}
	case len(before) > 0:
		found = flagValues[strings.TrimLeft(before[len(before)-1], "-")]
	case len(cmd.Subcommands) > 0:
		found = commandNames(cmd.Subcommands)
	default:
		found = map[string][]string{"help": commandNames(a.Commands), "explain": rules.All.IDs(), "schema": schemaNames, "completion": shells}[cmd.Name]
	}
	return phrase.Filter(found, func(word string) bool { return strings.HasPrefix(word, current) })
}

func commandNames(commands []*cli.Command) []string {
	return phrase.Map(commands, func(cmd *cli.Command) string { return cmd.Name })
}
