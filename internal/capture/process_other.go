//go:build !unix

package capture

import "os/exec"

// ownGroup does nothing here: only the command itself is ended.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
