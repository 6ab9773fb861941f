package capture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// wrappers are programs that run the command in their arguments, in an environment that they set up.
var wrappers = []string{"env", "nice", "nohup", "numactl", "stdbuf", "taskset", "timeout", "xvfb-run",
	"conda", "hatch", "mamba", "micromamba", "pdm", "pipenv", "pixi", "poetry", "rye", "uv"}

var shells = []string{"sh", "bash", "dash", "ksh", "zsh"}

// interpreter returns the words that run the command's Python, to which "-c SCRIPT" can be appended. It returns nil
// if the command is no Python program.
func interpreter(argv []string, dir string, path string) []string {
	name := filepath.Base(argv[0])
	switch {
	case isPython(argv[0]):
		return argv[:1]
	case slices.Contains(shells, name):
		return shellInterpreter(argv, dir, path)
	case slices.Contains(wrappers, name):
		return wrappedInterpreter(argv)
	}
	file, err := lookPath(argv[0], dir, path)
	if err != nil {
		return nil
	}
	return shebang(file)
}

func isPython(word string) bool {
	version, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(word), ".exe"), "python")
	return ok && strings.Trim(version, "0123456789.") == ""
}

// wrappedInterpreter is interpreter for a command with a wrapper: "uv run python" for "uv run python train.py".
func wrappedInterpreter(argv []string) []string {
	if i := slices.IndexFunc(argv, isPython); i > 0 {
		return argv[: i+1 : i+1]
	}
	if i := slices.Index(argv, "run"); i == 1 { // "uv run train.py"
		return append(slices.Clone(argv[:2]), "python")
	}
	return nil
}

// shellInterpreter is interpreter for a shell's script: it finds the simple command that runs Python in `sh -c "cd model && python train.py"`.
func shellInterpreter(argv []string, dir, path string) []string {
	i := slices.IndexFunc(argv, func(w string) bool { return strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") })
	if i < 0 || i+1 >= len(argv) {
		return nil
	}
	for simple := range strings.FieldsFuncSeq(argv[i+1], func(r rune) bool { return strings.ContainsRune(";&|()\n", r) }) {
		words := strings.Fields(simple)
		assigned := slices.IndexFunc(words, func(w string) bool { return !strings.Contains(w, "=") })
		if assigned < 0 || slices.Contains(shells, filepath.Base(words[assigned])) {
			continue
		}
		if found := interpreter(words[assigned:], dir, path); found != nil {
			return found
		}
	}
	return nil
}

// shebang reads the interpreter from the first line of a script: "#!/venv/bin/python", "#!/usr/bin/env python3", or the shell
// line that pip writes if the path is too long for the kernel.
func shebang(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 4<<10))
	for n := 0; n < 2 && lines.Scan(); n++ {
		line := lines.Text()
		if n == 0 && !strings.HasPrefix(line, "#!") || n == 1 && !strings.HasPrefix(line, "'''exec'") {
			return nil
		}
		words := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(line, "#!"), `"`, ""))
		if i := slices.IndexFunc(words, isPython); i >= 0 {
			return words[i : i+1]
		}
	}
	return nil
}

// lookPath finds a program in the command's PATH and working directory, as the command's shell does.
func lookPath(name, dir, path string) (string, error) {
	folders := filepath.SplitList(path)
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		folders = []string{""}
		if filepath.IsAbs(name) {
			return exec.LookPath(name)
		}
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		file, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return "", fmt.Errorf("find %s: %w", name, err)
		}
		if found, err := exec.LookPath(file); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("there is no program %s", name)
}

// ask runs a script in an interpreter and returns what it prints.
func ask(ctx context.Context, python []string, script string, opts Options, env []string) ([]byte, error) {
	argv := append(slices.Clone(python), "-c", script)
	cmd, err := command(ctx, argv, opts.Dir, env)
	if err != nil {
		return nil, err
	}
	ownGroup(cmd)
	out, err := cmd.Output()
	killGroup(cmd)
	return out, err
}
