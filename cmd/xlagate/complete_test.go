package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestComplete(t *testing.T) {
	a := newApp(world{})
	for words, want := range map[string]string{
		"ch":                       "check",
		"baseline ":                "list show verify prune",
		"check --fo":               "--format",
		"check --format json --fo": "--format",
		"check dump --no":          "--no-color",
		"rules --":                 "--help --format --output --no-color",
		"check ":                   "",
		"check --fail-on w":        "warning",
		"check -c ":                "",
		"check -- --f":             "",
		"check dump -- train --fo": "",
		"schema ":                  "config result baseline",
		"completion f":             "fish",
		"explain max-unfus":        "max-unfused",
		"help com":                 "comment completion",
		"nonsense ":                "",
	} {
		if got := strings.Join(complete(a, strings.Split(words, " ")), " "); got != want {
			t.Errorf("xlagate %s: %q, wanted %q", words, got, want)
		}
	}
}

// asks are the ways to have a shell that is not in use complete a line; zsh does so at a terminal only, see TestZsh.
var asks = map[string]string{
	"bash": `source <(xlagate completion bash); COMP_WORDS=(xlagate check --form); COMP_CWORD=2; _xlagate; printf '%s\n' "${COMPREPLY[@]}"`,
	"fish": `source (xlagate completion fish | psub); complete -C 'xlagate check --form'`,
}

func TestShells(t *testing.T) {
	for shell, ask := range asks {
		t.Run(shell, func(t *testing.T) {
			cmd := shellCommand(t, shell, "-c", ask)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "--format" {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}

func TestZsh(t *testing.T) {
	cmd := shellCommand(t, "zsh", "-f", "-i")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	patience := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer patience.Stop()
	if _, err := terminal.WriteString("autoload -U compinit; compinit -D -u; source <(xlagate completion zsh)\nxlagate check --forma\t\nexit\n"); err != nil {
		t.Fatal(err)
	}
	shown, _ := io.ReadAll(terminal) // Linux ends what is read of a terminal with an error
	if !strings.Contains(string(shown), "--format needs a value") {
		t.Errorf("the line was not completed: %q", shown)
	}
	_ = cmd.Wait()
}

// shellCommand is a shell, if there is one, that finds the program.
func shellCommand(t *testing.T, shell string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("there is no %s here", shell)
	}
	dir := filepath.Dir(program(t))
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+dir, "TERM=xterm")
	return cmd
}
