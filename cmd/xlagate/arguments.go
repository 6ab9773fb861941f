package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// permute moves flags before positional arguments, because the CLI library reads a flag after an argument as another argument, and a
// gate must not swallow a flag. Everything after "--" stays in place.
func permute(a *cli.App, args []string) []string {
	flags := a.Flags
	commands := a.Commands
	at := 1
	for at < len(args) {
		next := commandNamed(commands, args[at])
		if next == nil && len(commands) > 0 && !strings.HasPrefix(args[at], "-") {
			return args[:at+1] // an unknown command: its flags are unknown too
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
		if jobs, ok := strings.CutPrefix(arg, "-j"); ok && jobs != "" && strings.Trim(jobs, "0123456789") == "" {
			front = append(front, "-j", jobs) // as make takes it
			continue
		}
		front = append(front, arg)
		if !takesValue(flags, arg) {
			continue
		}
		if i+1 == len(rest) || rest[i+1] == "--" { // the library reports the missing value, unless an argument follows that it could take
			back = nil
			break
		}
		i++
		front = append(front, rest[i])
	}
	out := append([]string{}, args[:min(at, len(args))]...)
	return append(append(out, front...), guard(back)...)
}

// forgotten finds a command that stands where a dump is expected, without the "--" before it: its own flags would be taken for ours.
func forgotten(a *cli.App, args []string) string {
	if len(args) < 3 || slices.Contains(args, "--") || !slices.Contains([]string{"accept", "capture", "check", "init", "upgrade"}, args[1]) {
		return ""
	}
	flags := commandNamed(a.Commands, args[1]).Flags
	for i := 2; i < len(args); i++ {
		if strings.HasPrefix(args[i], "-") {
			if takesValue(flags, args[i]) {
				i++
			}
			continue
		}
		_, missing := os.Stat(args[i])
		if _, err := exec.LookPath(args[i]); err != nil || missing == nil {
			return ""
		}
		return strings.Join(args[i:], " ")
	}
	return ""
}

// guard keeps the library from reading positional arguments as flags: it strips one "--".
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

// takesValue reports whether the argument after a flag is its value.
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

// split separates the arguments from the command after "--".
func split(c *cli.Context) (own, command []string) {
	args := c.Args().Slice()
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:] // empty, not nil, when nothing follows
		}
	}
	return args, nil
}
