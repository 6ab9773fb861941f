//go:build !unix

package capture

import "os/exec"

// ownGroup does nothing here: only the command is killed, not its children.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
