package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// What ran on the CPU is said with how often, where the log tells it.
func TestFallback(t *testing.T) {
	for _, c := range []struct {
		op    string
		times float64
		says  string
	}{
		{"aten::nonzero", 0, "aten::nonzero ran on the CPU"},
		{"aten::nonzero", 1, "aten::nonzero ran once on the CPU"},
		{"aten::nonzero", 7, "aten::nonzero ran 7 times on the CPU"},
		{logs.ScalarRead, 0, logs.ScalarRead + ": a tensor's value was read"},
		{logs.ScalarRead, 7, logs.ScalarRead + ": a tensor's value was read 7 times"},
	} {
		if got, _ := fallback(&tensorflow.LogNote{Op: c.op, Value: c.times}); got != c.says {
			t.Errorf("%s, %v times: %q, wanted %q", c.op, c.times, got, c.says)
		}
	}
}
