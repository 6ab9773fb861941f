package main

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/rules"
)

// Why a pull request is not judged by the policy of its base branch is said of that branch.
func TestUnjudged(t *testing.T) {
	_, wrong := config.Parse(rules.All, config.FileName, []byte("version: 1\ntargets: [{ name: model, dmp: build }]\n"))
	for want, err := range map[string]error{
		"main has no xlagate.yaml yet": fmt.Errorf("read xlagate.yaml: %w", fs.ErrNotExist),
		`the xlagate.yaml there is not readable: xlagate.yaml:2:26: unknown key "dmp" in the target; expected one of name, dump, capture, programs, device, samples, require_fresh, log; did you mean "dump"?`: fmt.Errorf("read the policy: %w", wrong),
		"GitHub answers 502": errors.New("GitHub answers 502"),
	} {
		if got := unjudged("main", err); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
