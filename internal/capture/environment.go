package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// installation describes a Python installation.
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
	present, err := installationOf(ctx, python, opts)
	if err != nil {
		return opts, err
	}
	if err := present.overlay(ctx, dir, opts, requirements); err != nil {
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

func installationOf(ctx context.Context, python []string, opts Options) (*installation, error) {
	out, err := ask(ctx, python, installationScript, opts, opts.Env)
	if err != nil {
		return nil, fmt.Errorf("ask %s for its packages: %w", python[0], err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var present installation
	if err := json.Unmarshal(lines[len(lines)-1], &present); err != nil {
		return nil, fmt.Errorf("ask %s for its packages: %w", python[0], err)
	}
	return &present, nil
}

// overlay creates a virtual environment that falls back to the packages of another one, and installs the requirements into it. Only packages that
// they change are downloaded.
func (p *installation) overlay(ctx context.Context, dir string, opts Options, requirements []string) error {
	if err := p.run(ctx, opts, p.Executable, "-m", "venv", "--without-pip", dir); err != nil {
		return fmt.Errorf("make an environment in %s: %w", dir, err)
	}
	out, err := ask(ctx, []string{pythonIn(dir)}, `import sysconfig; print(sysconfig.get_path("purelib"))`, opts, opts.Env)
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
	if _, err := ask(ctx, []string{pythonIn(dir)}, "import pip", opts, opts.Env); err != nil { // uv's environments have none
		install = []string{"uv", "pip", "install", "--quiet", "--python", pythonIn(dir)}
	}
	if err := p.run(ctx, opts, append(install, requirements...)...); err != nil {
		return fmt.Errorf("install %s: %w", strings.Join(requirements, " "), err)
	}
	return nil
}

// run runs a program that prints nothing unless it fails.
func (p *installation) run(ctx context.Context, opts Options, argv ...string) error {
	cmd, err := command(ctx, argv, opts.Dir, opts.Env)
	if err != nil {
		return err
	}
	var said tailWriter
	cmd.Stdout, cmd.Stderr = &said, &said
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, lastSaid(said.String()))
	} else if err != nil {
		return err
	}
	return nil
}

// pythonIn returns the path of a virtual environment's interpreter.
func pythonIn(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python")
}
