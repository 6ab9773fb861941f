package baseline_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// Every key that a baseline is written with stands in its schema.
func TestBaselinesFitTheirSchema(t *testing.T) {
	schema, err := baseline.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	s, record := testfile.Validator(t, schema, ""), testfile.Validator(t, schema, "#/$defs/record")
	for _, name := range []string{"cpu-sharding_allgather", "cpu-donation_lost", "tpu-kernel_body", "tpu-wide_weights", "cpu-constant_baked"} {
		r := factstest.Measure(t, filepath.Join("../../testdata", name, "after.tar.xz"), facts.Options{})
		for _, p := range r.Programs {
			text := baseline.Format("t", &baseline.Program{Program: *p, Toolchain: r.Toolchain, Reason: "start"})
			if err := s.Validate(value(t, string(text.Readable))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for line := range strings.Lines(string(text.Machine)) {
				if err := record.Validate(value(t, line)); err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
				}
			}
		}
	}
}

// value reads YAML as a validator of JSON sees it.
func value(t *testing.T, text string) (v any) {
	t.Helper()
	root, err := yamldoc.Parse([]byte(text))
	if err == nil {
		err = yamldoc.Decode(root, &v)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
