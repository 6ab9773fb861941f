package baseline_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/testfile"
)

// Every key that a baseline is written with stands in its schema.
func TestBaselinesFitTheirSchema(t *testing.T) {
	schema, err := baseline.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	record := testfile.Validator(t, schema, "")
	for _, name := range []string{"cpu-sharding_allgather", "cpu-donation_lost", "tpu-kernel_body", "tpu-wide_weights", "cpu-constant_baked"} {
		r := factstest.Measure(t, filepath.Join("../../testdata", name, "after.tar.xz"), facts.Options{})
		for _, p := range r.Programs {
			for line := range strings.Lines(string(baseline.Format(&baseline.Program{Program: *p, Toolchain: r.Toolchain}, nil, "start"))) {
				var value any
				if err := json.Unmarshal([]byte(line), &value); err != nil {
					t.Fatal(err)
				}
				if err := record.Validate(value); err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
				}
			}
		}
	}
}
