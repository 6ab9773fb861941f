package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/cache"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
)

// released is the version of a release build, set by the linker.
var released string

func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// factsCache is where facts are kept between runs of this very build.
func factsCache(c *cli.Context) facts.Cache {
	build, ok := buildID()
	if c.Bool("no-cache") || !ok {
		return nil
	}
	if dir := cache.Open(build); dir != nil {
		return dir
	}
	return nil
}

// buildID tells builds apart: released ones by their version, others by the program's file.
func buildID() (string, bool) {
	platform := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if released != "" {
		return released + " " + platform, true
	}
	path, err := os.Executable()
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%s %d %d %s", version(), info.Size(), info.ModTime().UnixNano(), platform), true
}

func versionCommand(w world) *cli.Command {
	return &cli.Command{Name: "version", Usage: "the version", OnUsageError: usageError, Action: func(*cli.Context) error {
		_, err := fmt.Fprintf(w.out, "xlagate %s\n", version())
		return err
	}}
}

// completions are the scripts that make a shell ask xlagate for what could come next.
var completions = map[string]string{
	"bash": `_xlagate() {
  local words; words=$("${COMP_WORDS[@]:0:$COMP_CWORD}" --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _xlagate xlagate
`,
	"zsh": `#compdef xlagate
_xlagate() {
  local -a words
  words=("${(@f)$(${words[@]:0:#words[@]-1} --generate-bash-completion 2>/dev/null)}")
  _describe 'xlagate' words || _files
}
compdef _xlagate xlagate
`,
	"fish": `complete -c xlagate -f -a '(set -l w (commandline -opc); $w --generate-bash-completion 2>/dev/null)'
`,
}

func completionCommand(w world) *cli.Command {
	return &cli.Command{Name: "completion", Usage: "a completion script for bash, zsh or fish", ArgsUsage: "SHELL", OnUsageError: usageError, Action: func(c *cli.Context) error {
		script, ok := completions[c.Args().First()]
		if !ok || c.NArg() != 1 {
			return gate.UsageError{Message: fmt.Sprintf("completion is for bash, zsh or fish, not %q; xlagate completion bash", c.Args().First())}
		}
		_, err := fmt.Fprint(w.out, script)
		return err
	}}
}
