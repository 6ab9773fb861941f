package xlagate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// One process compiled what the other one did, and something else besides: the other one lacks that.
func TestProcessCompilesMore(t *testing.T) {
	dir := t.TempDir()
	for name, data := range unpackedInto(t, dir, "testdata/process-seed/dump.tar.xz") {
		if file, theirs := strings.CutPrefix(name, "host1/module_0000"); theirs {
			replaceFile(t, filepath.Join(dir, "host0/module_0007"+file), data)
		}
	}
	r := gatedBy(t, fmt.Sprintf("version: 1\ntargets: [{ name: model, dump: %q }]\nrules: [{ rule: same-on-every-process }]\n", dir)).check(dir)
	if len(r.Findings) != 1 || r.Findings[0].Message != "host0 compiles a program for the same arguments that host1 does not compile" || r.Changes[0].Edit.Source.Line == 0 {
		t.Errorf("found %+v", r.Findings)
	}
}
