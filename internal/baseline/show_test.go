package baseline

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// A reason comes from a pull request. What would turn the line around, or move the cursor, is not printed.
func TestShowPrintsNoControls(t *testing.T) {
	var b strings.Builder
	p := &Program{Program: facts.Program{Name: "step"}, Reasons: []string{"faster \u202e)kcab( \x1b[2J"}}
	if err := Show(&b, "model", p); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\u202e\x1b") || !strings.Contains(b.String(), "faster \uFFFD)kcab( \uFFFD[2J") {
		t.Errorf("%q", b.String())
	}
}
