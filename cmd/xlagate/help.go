package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

func init() {
	cli.VersionPrinter = func(c *cli.Context) { _ = printVersion(c.App.Writer) } // the library takes no error
	cli.HelpPrinter = func(out io.Writer, _ string, of any) {
		switch of := of.(type) {
		case *cli.App:
			printCommands(out, of)
		case *cli.Command:
			printCommand(out, of)
		}
	}
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "this list, or the flags of a command", ArgsUsage: "[COMMAND]", Category: aboutTool,
		Action: func(c *cli.Context) error {
			switch name := c.Args().First(); {
			case c.NArg() > 1:
				return wrongUsage("help takes one command; xlagate help %s", name)
			case name == "":
				return cli.ShowAppHelp(c)
			case commandNamed(c.App.Commands, name) == nil:
				return unknownCommand(c.Lineage()[1], name, c.App.Commands)
			default:
				return cli.ShowCommandHelp(c, name)
			}
		},
	}
}

// The headings under which commands are listed.
const (
	theGate   = "the gate"
	dumps     = "dumps"
	results   = "results"
	aboutTool = "reference"
)

func printCommands(out io.Writer, a *cli.App) {
	fmt.Fprintf(out, "xlagate: %s\n\nusage: xlagate COMMAND [arguments and flags, in any order]\n", a.Usage)
	heading := ""
	for _, cmd := range a.Commands {
		if cmd.Category != heading {
			heading = cmd.Category
			fmt.Fprintf(out, "\n%s\n", heading)
		}
		fmt.Fprintf(out, "  %-10s  %s\n", cmd.Name, cmd.Usage)
	}
	fmt.Fprintln(out, "\n`xlagate help COMMAND` lists a command's flags")
}

func printCommand(out io.Writer, cmd *cli.Command) {
	fmt.Fprintf(out, "%s: %s\n", cmd.HelpName, cmd.Usage)
	if len(cmd.Subcommands) > 0 {
		fmt.Fprintf(out, "\nusage: %s COMMAND\n\n", cmd.HelpName)
		for _, sub := range cmd.Subcommands {
			fmt.Fprintf(out, "  %-10s  %s\n", sub.Name, sub.Usage)
		}
		return
	}
	fmt.Fprintf(out, "\nusage: %s\n", strings.TrimRight(cmd.HelpName+" [flags] "+cmd.ArgsUsage, " "))
	if cmd.Description != "" {
		fmt.Fprintf(out, "\n  %s\n", strings.ReplaceAll(cmd.Description, "\n", "\n  "))
	}
	printFlags(out, cmd)
}

// printFlags lists flags under their headings.
func printFlags(out io.Writer, cmd *cli.Command) {
	width := 0
	for _, f := range cmd.VisibleFlags() {
		typed, _ := flagLine(f, cmd.Flags)
		width = max(width, len(typed))
	}
	for _, heading := range []string{"", readHeading, outputHeading, githubHeading} {
		title := "\n" + cmp.Or(heading, "flags") + "\n"
		for _, f := range cmd.VisibleFlags() {
			if f.(cli.CategorizableFlag).GetCategory() == heading && f != cli.HelpFlag {
				typed, usage := flagLine(f, cmd.Flags)
				fmt.Fprintf(out, "%s  %-*s  %s\n", title, width, typed, usage)
				title = ""
			}
		}
	}
}

// flagLine returns a flag as typed, and its description.
func flagLine(f cli.Flag, all []cli.Flag) (typed, usage string) {
	short, long := "    ", ""
	for _, name := range append(f.Names(), twin(f, all)) {
		switch len(name) {
		case 0:
		case 1:
			short = "-" + name + ", "
		default:
			long = "--" + name
		}
	}
	doc := f.(cli.DocGenerationFlag) // all flags of the library implement it
	placeholder, usage := unquote(doc.GetUsage())
	if value := doc.GetValue(); doc.TakesValue() && strings.Trim(value, "0s[]") != "" && !strings.Contains(usage, "default") {
		usage += " (default: " + strings.Trim(value, `"`) + ")"
	}
	return short + strings.TrimRight(long+" "+placeholder, " "), usage
}

// twin returns the short form of a flag, see outputFlags.
func twin(f cli.Flag, all []cli.Flag) string {
	long, ok := f.(*cli.GenericFlag)
	if !ok {
		return ""
	}
	for _, other := range all {
		if short, ok := other.(*cli.GenericFlag); ok && short.Hidden && short.Value == long.Value {
			return short.Name
		}
	}
	return ""
}

// unquote finds the placeholder in a flag's description: the word in backquotes. One before a colon is no part of the description.
func unquote(usage string) (placeholder, rest string) {
	before, quoted, ok := strings.Cut(usage, "`")
	placeholder, after, closed := strings.Cut(quoted, "`")
	if !ok || !closed {
		return "", usage
	}
	if rest, ok := strings.CutPrefix(after, ": "); ok && before == "" {
		return placeholder, rest
	}
	return placeholder, before + placeholder + after
}
