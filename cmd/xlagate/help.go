package main

import (
	"slices"

	"github.com/urfave/cli/v2"
)

func init() {
	cli.VersionPrinter = func(c *cli.Context) { _ = printVersion(c.App.Writer) } // the library takes no error
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "this list, or the flags of a command", ArgsUsage: "[COMMAND]", Category: aboutTool,
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongUsage("help takes one command; xlagate help %s", c.Args().First())
			}
			return c.App.RunContext(c.Context, slices.Concat([]string{c.App.Name}, c.Args().Slice(), []string{"--help"}))
		},
	}
}

// The headings under which commands are listed, in order of the alphabet.
const (
	theGate   = "baselines and checks"
	dumps     = "dumps"
	results   = "results"
	aboutTool = "reference"
)
