package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// permute moves flags before positional arguments: the CLI library takes every flag behind an argument for another argument, and
// a gate must not swallow a flag. What stands behind "--" stays.
func permute(a *cli.App, args []string) []string {
	flags := a.Flags
	commands := a.Commands
	at := 1
	for at < len(args) {
		next := commandNamed(commands, args[at])
		if next == nil && len(commands) > 0 && !strings.HasPrefix(args[at], "-") {
			return args[:at+1] // no command: the flags behind it are those of none
		}
		if next == nil {
			break
		}
		flags, commands = next.Flags, next.Subcommands
		at++
	}
	var front, back []string
	rest := args[min(at, len(args)):]
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			back = append(back, rest[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			back = append(back, arg)
			continue
		}
		front = append(front, arg)
		if !takesValue(flags, arg) {
			continue
		}
		if i+1 == len(rest) || rest[i+1] == "--" { // the library says so, unless it finds an argument to take for the value
			back = nil
			break
		}
		i++
		front = append(front, rest[i])
	}
	out := append([]string{}, args[:min(at, len(args))]...)
	return append(append(out, front...), guard(back)...)
}

// guard keeps the library from reading positional arguments as flags.
func guard(back []string) []string {
	if len(back) > 0 && back[0] == "--" {
		return append([]string{"--"}, back...)
	}
	return back
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue reports whether the argument behind a flag belongs to it.
func takesValue(flags []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				_, boolean := f.(*cli.BoolFlag)
				return !boolean
			}
		}
	}
	return false
}

// split separates a command's own arguments from the command behind "--".
func split(c *cli.Context) (own, command []string) {
	args := c.Args().Slice()
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:] // empty rather than nil where nothing stands behind it
		}
	}
	return args, nil
}
