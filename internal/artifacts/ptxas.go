package artifacts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// AssemblerCache stores the assembler's output between runs.
type AssemblerCache interface {
	Load(key string) (data []byte, ok bool)
	Store(key string, data []byte)
}

// Assembler runs the ptxas of this machine, which it looks for on first use. Several files may be assembled
// at once.
type Assembler struct {
	getenv func(string) string
	cache  AssemblerCache // nil for none

	once    sync.Once
	path    string
	version string
	err     error // why there is none
}

// ErrNoAssembler reports that no assembler is installed.
var ErrNoAssembler = errors.New("there is no ptxas")

// The time limits for printing the version and for assembling a file. The largest of 1,050 real files takes 3 s.
const (
	versionTime  = 20 * time.Second
	assemblyTime = 5 * time.Minute
)

// NewAssembler returns the assembler that FindAssembler finds. Its output is stored in the cache unless that is nil.
func NewAssembler(getenv func(string) string, cache AssemblerCache) *Assembler {
	return &Assembler{getenv: getenv, cache: cache}
}

// Version returns the assembler's version, such as "12.9.86". It returns ErrNoAssembler if there is none.
func (a *Assembler) Version(ctx context.Context) (string, error) {
	if a == nil {
		return "", ErrNoAssembler
	}
	a.once.Do(func() {
		if a.path = FindAssembler(a.getenv); a.path == "" {
			a.err = ErrNoAssembler
			return
		}
		a.version, a.err = askVersion(ctx, a.path)
	})
	return a.version, a.err
}

func askVersion(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	said, err := run(ctx, "", path, "--version")
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	_, version, ok := strings.Cut(said, ", V")
	version, _, _ = strings.Cut(version, "\n")
	if version = strings.TrimSpace(version); !ok || version == "" {
		return "", fmt.Errorf("ask %s for its version: it does not answer as ptxas does", path)
	}
	return version, nil
}

// Assemble returns the resources of each kernel of a PTX file. target is the file's architecture, such as sm_90a.
func (a *Assembler) Assemble(ctx context.Context, ptx []byte, target string) ([]KernelResources, error) {
	version, err := a.Version(ctx)
	if err != nil {
		return nil, err
	}
	if !architecture.MatchString(target) {
		return nil, fmt.Errorf("the PTX is for %q, which is no architecture", target)
	}
	key := fmt.Sprintf("ptxas %s %s %x", version, target, sha256.Sum256(ptx))
	if a.cache != nil {
		if said, ok := a.cache.Load(key); ok {
			return ReadAssembler(string(said))
		}
	}
	said, err := a.ask(ctx, ptx, target)
	if err != nil {
		return nil, err
	}
	kernels, err := ReadAssembler(said)
	if err == nil && a.cache != nil {
		a.cache.Store(key, []byte(said))
	}
	return kernels, err
}

// architecture matches the only text from a file that is passed on the command line.
var architecture = regexp.MustCompile(`^sm_[0-9]+[a-z]?$`)

// ask runs the assembler on a temporary file, without a shell.
func (a *Assembler) ask(ctx context.Context, ptx []byte, target string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, assemblyTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "xlagate-ptxas-")
	if err != nil {
		return "", fmt.Errorf("make a folder for ptxas: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "kernel.ptx"), ptx, 0o600); err != nil {
		return "", fmt.Errorf("write PTX for ptxas: %w", err)
	}
	said, err = run(ctx, dir, a.path, "--verbose", "--gpu-name="+target, "--output-file", os.DevNull, "kernel.ptx")
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "", fmt.Errorf("ptxas took longer than %s", assemblyTime)
	}
	if err != nil {
		return "", fmt.Errorf("ptxas %s: %w", a.version, err)
	}
	return said, nil
}

// run returns a program's standard output and standard error.
func run(ctx context.Context, dir, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	var out limited
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if why := refusal(out.String()); err != nil && why != "" {
		return "", errors.New(why)
	}
	return out.String(), err
}

// refusal returns the assembler's first error: "line 7: Unsupported .version 9.9; current version is '8.8'".
func refusal(said string) string {
	for line := range strings.Lines(said) {
		where, what, ok := strings.Cut(strings.TrimSpace(line), "; ")
		if !ok {
			where, what = "", strings.TrimSpace(line)
		}
		kind, text, ok := strings.Cut(what, ":")
		if kind = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(kind), "ptxas")); !ok || kind != "error" && kind != "fatal" {
			continue
		}
		text = strings.TrimSpace(text)
		if _, at, ok := strings.Cut(where, ", line "); ok {
			text = "line " + at + ": " + text
		}
		return text
	}
	return ""
}

// limited is a buffer that keeps the beginning of the text written to it.
type limited struct{ bytes.Buffer }

const mostOutput = 16 << 20

// Write stores what fits, and drops the rest.
func (l *limited) Write(p []byte) (int, error) {
	if room := mostOutput - l.Len(); len(p) > room {
		l.Buffer.Write(p[:room])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
