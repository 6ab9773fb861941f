package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
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
		if at > 1 && (arg == "--help" || arg == "-h") {
			return append(slices.Clone(args[:at]), arg) // with an argument behind it, the library looks for help on that
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
	if len(back) > 0 && back[0] == "--" {
		front = append(front, "--") // the library strips one, and would read what is behind it as flags
	}
	return slices.Concat(args[:min(at, len(args))], front, back)
}

// forgotten finds a command that is given in the place of a dump, without the "--" before it: xlagate would read its flags as its own. It returns the
// arguments before the command, and the command.
func forgotten(a *cli.App, args []string) (own []string, command string) {
	if len(args) < 3 || slices.Contains(args, "--") || !slices.Contains([]string{"accept", "capture", "check", "init", "upgrade"}, args[1]) {
		return nil, ""
	}
	flags := commandNamed(a.Commands, args[1]).Flags
	for i := 2; i < len(args); i++ {
		if strings.HasPrefix(args[i], "-") {
			if takesValue(flags, args[i]) {
				i++
			}
			continue
		}
		if filepath.Ext(args[i]) == ".py" {
			return args[1:i], "python " + strings.Join(args[i:], " ")
		}
		_, missing := os.Stat(args[i])
		if _, err := exec.LookPath(args[i]); err != nil || missing == nil {
			return nil, ""
		}
		return args[1:i], strings.Join(args[i:], " ")
	}
	return nil, ""
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
	f := flagNamed(flags, strings.TrimLeft(arg, "-")) // none has a name with a "=" in it
	_, boolean := f.(*cli.BoolFlag)
	return f != nil && !boolean
}

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	if at := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }); at >= 0 {
		return flags[at]
	}
	return nil
}

// split separates the arguments from the command after "--".
func split(c *cli.Context) (own, command []string) {
	args := c.Args().Slice()
	if at := slices.Index(args, "--"); at >= 0 {
		return args[:at], args[at+1:] // empty, not nil, when nothing follows
	}
	return args, nil
}

// makeStrict makes every command refuse arguments that it does not take. It also hides the library's sub-command "help", because a dump may
// have that name, and that a flag is false if it is not set.
func makeStrict(commands []*cli.Command) {
	for _, cmd := range commands {
		cmd.OnUsageError, cmd.HideHelpCommand = usageError, true
		for _, f := range cmd.Flags {
			if f, ok := f.(*cli.BoolFlag); ok {
				f.DisableDefaultText = true
			}
		}
		if cmd.ArgsUsage == "" && len(cmd.Subcommands) == 0 {
			action := cmd.Action
			cmd.Action = func(c *cli.Context) error {
				if c.Args().Present() {
					return wrongUsage("%s takes no arguments, not %q", c.Command.HelpName, c.Args().First())
				}
				return action(c)
			}
		}
		if cmd.Action != nil {
			cmd.Action = refuseEmpty(cmd.Action)
		}
		makeStrict(cmd.Subcommands)
	}
}

// refuseEmpty refuses an empty value, as an empty variable of a script leaves it. Ignoring an empty name of a dump or a result would make the
// command look at something else, or accept it.
func refuseEmpty(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		for _, name := range []string{"from", "against", "baseline", "since"} { // they say what to look at, and have a default
			if c.IsSet(name) && c.String(name) == "" {
				return wrongUsage("%s is empty; give it a value, or leave it out", dashed(name))
			}
		}
		if own, _ := split(c); slices.Contains(own, "") {
			return wrongUsage("an argument of %s is empty; give it a value, or leave it out", c.Command.HelpName)
		}
		return action(c)
	}
}

func wrongUsage(format string, values ...any) gate.UsageError {
	return gate.UsageError{Message: fmt.Sprintf(format, values...)}
}

// noCommand fails if the next argument names no command, so that a job whose arguments are empty is not green.
func noCommand(c *cli.Context) error {
	if c.Args().Present() {
		name, known := c.Args().First(), commandNames(c.Command.Subcommands)
		return wrongUsage("unknown command %q%s (`%s --help` lists them)", name, phrase.DidYouMean(name, known), c.Command.HelpName)
	}
	help := cli.ShowSubcommandHelp
	if c.Command.HelpName == c.App.Name {
		help = cli.ShowAppHelp
	}
	_ = help(c) // the code says more
	return verdict(gate.ExitUsage)
}

// usageError turns the flag package's error into a sentence.
func usageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return unknownFlag(c, name)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return wrongUsage("%s needs a value%s", dashed(name), helpLine(c))
	}
	var value, name string
	plain := strings.NewReplacer("boolean ", "", "for flag -", "for -").Replace(text)
	if n, _ := fmt.Sscanf(plain, "invalid value %q for -%s", &value, &name); n == 2 {
		name = strings.TrimSuffix(name, ":")
		_, reason, _ := strings.Cut(text, "-"+name+": ")
		return wrongUsage("%s is %q; expected %s", dashed(name), value, expected(c.Command.Flags, name, reason))
	}
	return wrongUsage("%s%s", text, helpLine(c))
}

func unknownFlag(c *cli.Context, name string) error {
	if len(c.Command.Subcommands) > 0 {
		return wrongUsage("%s comes before the command; put it after: %s COMMAND %s", dashed(name), c.Command.HelpName, dashed(name))
	}
	known := phrase.Map(c.Command.Flags, func(f cli.Flag) string { return f.Names()[0] })
	meant := ""
	if word := phrase.Closest(strings.ReplaceAll(name, "_", "-"), known); word != "" {
		meant = "; did you mean " + dashed(word) + "?"
	}
	return wrongUsage("%s has no flag %s%s%s", c.Command.HelpName, dashed(name), meant, helpLine(c))
}

func helpLine(c *cli.Context) string {
	return fmt.Sprintf(" (`%s --help` lists the flags)", c.Command.HelpName)
}

// dashed returns a flag as typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func expected(flags []cli.Flag, name, reason string) string {
	switch flagNamed(flags, name).(type) {
	case *cli.IntFlag:
		return "a whole number"
	case *cli.BoolFlag:
		return "true or false, or no value at all"
	case *cli.DurationFlag:
		return "a time, as in 90s or 20m"
	}
	return reason
}
