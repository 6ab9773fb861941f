package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

func asserted(t *testing.T, expr string, old, fresh facts.Values) *rule.Context {
	t.Helper()
	c := rule.NewContext(&rule.Settings{Rule: &assert, Name: "mine", Options: map[string]any{"expr": expr}}, &rule.Target{}, nil)
	v := &changes.Variant{New: &facts.Variant{Facts: fresh}}
	if old != nil {
		v.Old = &facts.Variant{Facts: old}
	}
	c.Run([]*changes.Program{{Name: "step", Variants: []*changes.Variant{v}}})
	return c
}

func TestAssertJudges(t *testing.T) {
	const expr = "facts.kernels.total <= base.kernels.total + 2"
	base := facts.Values{"kernels.total": 19}
	if c := asserted(t, expr, base, facts.Values{"kernels.total": 21}); len(c.Findings) != 0 || len(c.Problems) != 0 || c.Checks != 1 {
		t.Errorf("21 against 19: %+v", c)
	}
	c := asserted(t, expr, base, facts.Values{"kernels.total": 24})
	if len(c.Findings) != 1 || c.Findings[0].Message != "mine does not hold: facts.kernels.total is 24, base.kernels.total is 19" {
		t.Errorf("24 against 19: %+v", c.Findings)
	}
	if c := asserted(t, expr, nil, facts.Values{"kernels.total": 1}); len(c.Problems) != 1 {
		t.Errorf("without a baseline it could not check: %+v", c)
	}
	if c := asserted(t, "facts.memory.temp_bytes < 3", base, facts.Values{"kernels.total": 1}); len(c.Problems) != 1 {
		t.Errorf("a fact that was not dumped is no zero: %+v", c)
	}
}
