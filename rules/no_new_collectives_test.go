package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// A collective is new by its kind, or by the axis that it runs along where both sides tell one; more of the same is not.
func TestNoNewCollectives(t *testing.T) {
	along := func(kind, axes string) facts.Kernel {
		k := collective(kind, 4096)
		k.Axes = axes
		return k
	}
	for name, c := range map[string]struct {
		was, now []facts.Kernel
		says     string // "": nothing is found
	}{
		"more of the same":      {[]facts.Kernel{along("all-gather", "data")}, []facts.Kernel{along("all-gather", "data"), along("all-gather", "data")}, ""},
		"another kind":          {[]facts.Kernel{along("all-gather", "data")}, []facts.Kernel{along("all-reduce", "data")}, "1 collective of a new kind or axis: all-reduce over data"},
		"another axis":          {[]facts.Kernel{along("all-gather", "data")}, []facts.Kernel{along("all-gather", "model"), along("all-gather", "data")}, "1 collective of a new kind or axis: all-gather over model"},
		"an axis was not known": {[]facts.Kernel{along("all-gather", "")}, []facts.Kernel{along("all-gather", "model")}, ""},
		"an axis is not known":  {[]facts.Kernel{along("all-gather", "model")}, []facts.Kernel{along("all-gather", "")}, ""},
		"the first of all":      {nil, []facts.Kernel{along("all-gather", ""), along("all-gather", "")}, "2 collectives of a new kind or axis: all-gather"},
		"in place of others":    {[]facts.Kernel{along("all-gather", "data"), along("all-gather", "data")}, []facts.Kernel{along("all-reduce", "data")}, ""},
		"in place of one other": {[]facts.Kernel{along("all-gather", "data"), along("all-gather", "model")}, []facts.Kernel{along("all-reduce", "data")}, "1 collective of a new kind or axis: all-reduce over data"},
		"none where some were":  {[]facts.Kernel{along("all-gather", "data")}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := judgedCollectives(&noNewCollectives, c.was, c.now)
			if len(found) != 0 && found[0].Message != c.says || len(found) == 0 && c.says != "" || len(found) > 1 {
				t.Errorf("%+v, wanted %q", found, c.says)
			}
		})
	}
}
