// Package git asks git: what a revision holds, and which lines were edited since.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Failure is a command that went wrong, with what git had to say about it: nothing where something is merely not there.
type Failure struct {
	Command string
	Said    string
	Err     error // an [exec.ExitError] where git ran
}

// Error names the command and what git said.
func (f *Failure) Error() string {
	return fmt.Sprintf("git %s: %v: %s", f.Command, f.Err, strings.TrimSpace(f.Said))
}

// Unwrap is how the process ended.
func (f *Failure) Unwrap() error { return f.Err }

// Run runs git in a directory and returns what it prints. What goes wrong is a [Failure].
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stdout = &out
	if err := run(cmd, dir, args[0]); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// run runs git so that it neither asks nor writes.
func run(cmd *exec.Cmd, dir, name string) error {
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if err := cmd.Run(); err != nil {
		return &Failure{name, said.String(), err}
	}
	return nil
}

// errTooLong ends a command that prints more than is wanted.
var errTooLong = errors.New("git prints too much")

// bounded takes so many bytes and no more.
type bounded struct {
	out  bytes.Buffer
	left int
}

// Write fails when too much was written.
func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLong
	}
	return b.out.Write(p)
}
