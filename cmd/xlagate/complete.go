package main

import (
	_ "embed"
	"fmt"

	"github.com/urfave/cli/v2"
)

// completing ends the arguments of a completion script's call: the CLI library lists the commands or flags that may come there. If it lists none, the shell
// offers files.
const completing = "--generate-bash-completion"

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
