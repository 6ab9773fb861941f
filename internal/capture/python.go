package capture

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		if i := slices.IndexFunc(argv, isPython); i > 0 { // "uv run python train.py"
			return argv[: i+1 : i+1]
		}
		if i := slices.Index(argv, "run"); i == 1 { // "uv run train.py"
			return append(slices.Clone(argv[:2]), "python")
		}
		return nil
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
	return "", fmt.Errorf("there is no program %s: %w", name, exec.ErrNotFound)
}

// ask runs a script in an interpreter and returns what it prints.
func ask(ctx context.Context, opts Options, python []string, script string) ([]byte, error) {
	argv := append(slices.Clone(python), "-c", script)
	cmd, err := command(ctx, argv, opts.Dir, opts.Env)
	if err != nil {
		return nil, err
	}
	ownGroup(cmd)
	out, err := cmd.Output()
	killGroup(cmd)
	return out, withLastSaid(err, nil)
}

// withLastSaid adds the last line that a program wrote to the error of its failure. It returns any other error as it is.
func withLastSaid(err error, said []byte) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	return fmt.Errorf("%w: %s", err, cmp.Or(lastSaid(append(said, exit.Stderr...)), "it said nothing"))
}

// askJSON is ask for a script whose last line is JSON.
func askJSON(ctx context.Context, opts Options, python []string, script string, into any) error {
	out, err := ask(ctx, opts, python, script)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return json.Unmarshal(lines[len(lines)-1], into)
}

type installation struct {
	Executable string   `json:"executable"`
	Packages   []string `json:"packages"` // the folders of its installed packages, in search order
}

const installationScript = `
import json, os, site, sys
folders = [p for p in sys.path if os.path.basename(p) in ("site-packages", "dist-packages")]
print(json.dumps({"executable": sys.executable, "packages": folders}))
`

// ErrNoPython reports that a command does not run Python, so that there is no environment to change.
var ErrNoPython = errors.New("is not known to run Python")

// InChanged returns options that run the command with other packages: it creates a virtual environment with the requirements in dir;
// all other packages are those of the command's current Python. It does not change or copy the current environment.
func InChanged(ctx context.Context, opts Options, dir string, requirements []string) (Options, error) {
	e := environ{vars: slices.Clone(opts.Env)}
	python := interpreter(opts.Argv, opts.Dir, e.get("PATH"))
	switch {
	case python == nil:
		return opts, fmt.Errorf("%s %w; name the command by its interpreter: -- python train.py", opts.Argv[0], ErrNoPython)
	case len(python) > 1:
		return opts, fmt.Errorf("%s chooses the environment itself; name the command by its interpreter: -- python train.py", opts.Argv[0])
	}
	installing := opts
	installing.Env, _ = withoutTokens(opts) // packages may run code while they are installed
	var present installation
	if err := askJSON(ctx, installing, python, installationScript, &present); err != nil {
		return opts, fmt.Errorf("ask %s for its packages: %w", python[0], err)
	}
	if err := present.overlay(ctx, dir, installing, requirements); err != nil {
		return opts, err
	}
	bin := filepath.Dir(pythonIn(dir))
	e.set("PATH", bin+string(filepath.ListSeparator)+e.get("PATH"))
	e.set("VIRTUAL_ENV", dir)
	opts.Env = e.vars
	if script, err := lookPath(opts.Argv[0], opts.Dir, e.get("PATH")); err == nil && !isPython(opts.Argv[0]) && shebang(script) != nil {
		opts.Argv = slices.Concat([]string{pythonIn(dir), script}, opts.Argv[1:])
	} else if isPython(opts.Argv[0]) {
		opts.Argv = slices.Concat([]string{pythonIn(dir)}, opts.Argv[1:])
	}
	return opts, nil
}

// overlay creates a virtual environment that falls back to the packages of another one, and installs the requirements into it. Only packages that
// they change are downloaded.
func (p *installation) overlay(ctx context.Context, dir string, opts Options, requirements []string) error {
	if err := quietly(ctx, opts, p.Executable, "-m", "venv", "--without-pip", dir); err != nil {
		return fmt.Errorf("make an environment in %s: %w", dir, err)
	}
	out, err := ask(ctx, opts, []string{pythonIn(dir)}, `import sysconfig; print(sysconfig.get_path("purelib"))`)
	if err != nil {
		return fmt.Errorf("ask the environment in %s for its packages: %w", dir, err)
	}
	var behind strings.Builder
	for _, folder := range p.Packages {
		fmt.Fprintf(&behind, "import site; site.addsitedir(%q)\n", folder)
	}
	path := filepath.Join(strings.TrimSpace(string(out)), "xlagate-present.pth")
	if err := os.WriteFile(path, []byte(behind.String()), 0o644); err != nil {
		return fmt.Errorf("let the environment see the present packages: %w", err)
	}
	install := []string{pythonIn(dir), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"}
	if !hasPip(ctx, opts, pythonIn(dir)) {
		install = uvInstall(pythonIn(dir))
	}
	if err := quietly(ctx, opts, append(install, requirements...)...); err != nil {
		return fmt.Errorf("install %s: %w", strings.Join(requirements, " "), err)
	}
	return nil
}

// hasPip reports whether an environment sees pip; uv makes environments without it.
func hasPip(ctx context.Context, opts Options, python string) bool {
	_, err := ask(ctx, opts, []string{python}, "import pip")
	return err == nil
}

func uvInstall(python string) []string {
	return []string{"uv", "pip", "install", "--quiet", "--python", python}
}

// quietly runs a program that prints nothing unless it fails.
func quietly(ctx context.Context, opts Options, argv ...string) error {
	cmd, err := command(ctx, argv, opts.Dir, opts.Env)
	if err != nil {
		return err
	}
	said, err := cmd.CombinedOutput()
	return withLastSaid(err, said)
}

func pythonIn(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python")
}

const installedScript = `
import importlib.metadata as m, json
print(json.dumps(m.version(%s)))
`

// releasedScript leaves it to pip which indexes there are, and which releases this Python can install.
const releasedScript = `
import importlib.metadata as m, json, subprocess, sys
from pip._vendor.packaging.version import Version
old, name, options = %s
listing = subprocess.run([sys.executable, "-m", "pip", "index", "versions", name, *options], capture_output=True, text=True)
lines = [line for line in listing.stdout.splitlines() if line.startswith("Available versions:")]
if not lines:
    sys.exit(listing.stderr or listing.stdout)
ends = Version(old), Version(m.version(name))
between = [v for v in map(Version, lines[0].split(":", 1)[1].replace(",", " ").split()) if min(ends) < v < max(ends)]
print(json.dumps([old, *map(str, sorted(between, reverse=ends[0] > ends[1])), str(ends[1])]))
`

// Released lists the versions of a package between two environments that [InChanged] made, the first and the last of which are installed in them, in
// order. It asks pip, with some of its options. The old environment may be the present one.
func Released(ctx context.Context, old, fresh Options, name string, pip []string) ([]string, error) {
	var pythons [2][]string
	for i, o := range []*Options{&old, &fresh} {
		o.Env, _ = withoutTokens(*o)
		e := environ{vars: o.Env}
		pythons[i] = interpreter(o.Argv, o.Dir, e.get("PATH"))
	}
	var from string
	if err := askJSON(ctx, old, pythons[0], fmt.Sprintf(installedScript, quoted(name)), &from); err != nil {
		return nil, fmt.Errorf("ask for the version of %s in the old environment: %w", name, err)
	}
	if python := pythons[1][0]; !hasPip(ctx, fresh, python) {
		if err := quietly(ctx, fresh, append(uvInstall(python), "pip")...); err != nil {
			return nil, fmt.Errorf("install pip, which lists the versions of %s: %w", name, err)
		}
	}
	var versions []string
	if err := askJSON(ctx, fresh, pythons[1], fmt.Sprintf(releasedScript, quoted([]any{from, name, append([]string{}, pip...)})), &versions); err != nil {
		return nil, fmt.Errorf("ask pip for the versions of %s: %w", name, err)
	}
	return versions, nil
}

// quoted is a value of strings in the notation that JSON and Python share.
func quoted(v any) string {
	text, _ := json.Marshal(v) // strings have no error
	return string(text)
}
