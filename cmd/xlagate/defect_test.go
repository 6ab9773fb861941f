package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/gate"
)

// A failure of xlagate itself is "could not check", and says where it is, without a stack.
func TestDefectIsCouldNotLook(t *testing.T) {
	var list []int
	var out bytes.Buffer
	code := exitCode(world{err: &out}, recovered(func() error { list[len(list)] = 1; return nil }))
	if code != gate.ExitIncomplete {
		t.Errorf("exit %d, want %d", code, gate.ExitIncomplete)
	}
	for _, want := range []string{"index out of range", "at cmd/xlagate/defect_test.go:", "please report it"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q does not say %q", out.String(), want)
		}
	}
	if lines := strings.Count(out.String(), "\n"); lines != 2 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
}
