// Package git asks git.
package git

import (
	"bytes"
	"context"
	"fmt"
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
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, &Failure{args[0], said.String(), err}
	}
	return out.Bytes(), nil
}
