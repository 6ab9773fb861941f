package report

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// A fact that is not a number has no JSON form, and a full disk is reported.
func TestJSONFails(t *testing.T) {
	variant := &facts.Variant{Facts: facts.Values{"a": math.NaN()}}
	dump := &facts.Report{Programs: []*facts.Program{{Variants: []*facts.Variant{variant}}}}
	if err := Inspect(io.Discard, dump, "json", Options{}); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("not a number was written: %v", err)
	}
	if err := writeJSON(fullDisk{}, "it", "x"); err == nil || !strings.HasPrefix(err.Error(), "write it as JSON: ") {
		t.Errorf("a full disk was not reported: %v", err)
	}
}
