package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// One kind of collective may take another's place, where the settings say so, while all together are no more and move no more.
func TestMaxCollectivesExchange(t *testing.T) {
	gathers := []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4096)}
	for name, c := range map[string]struct {
		exchange bool
		now      []facts.Kernel
		findings int
	}{
		"fewer and smaller":     {true, []facts.Kernel{collective("all-reduce", 4096)}, 0},
		"not asked for":         {false, []facts.Kernel{collective("all-reduce", 4096)}, 1},
		"fewer but larger":      {true, []facts.Kernel{collective("all-reduce", 65536)}, 1},
		"smaller but more":      {true, []facts.Kernel{collective("all-reduce", 8), collective("all-reduce", 8), collective("all-reduce", 8)}, 1},
		"larger":                {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 8192)}, 1},
		"larger by a scalar":    {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4100)}, 0},
		"larger by two percent": {true, []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4510)}, 1},
		"one beside the others": {true, append([]facts.Kernel{collective("all-reduce", 8)}, gathers...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			v := &diff.Variant{Old: &facts.Variant{Kernels: gathers}, New: &facts.Variant{Kernels: c.now}}
			p := &diff.Program{Name: "step", Old: &facts.Program{}, New: &facts.Program{}, Variants: []*diff.Variant{v}}
			ctx := &rule.Context{Settings: &rule.Settings{Rule: &maxCollectives, MaxIncrease: &rule.Change{}, Options: map[string]any{"exchange": c.exchange}}, Said: &rule.Said{}}
			checkMaxCollectives(ctx, p)
			if len(ctx.Findings) != c.findings {
				t.Errorf("%d findings, wanted %d: %+v", len(ctx.Findings), c.findings, ctx.Findings)
			}
		})
	}
}

func collective(kind string, bytes int64) facts.Kernel {
	form := &facts.Form{Kind: "collective", Target: kind, Do: facts.OpcodesOf(kind), Bytes: bytes, Class: facts.ClassCollective}
	return facts.Kernel{Form: form, Site: &facts.Site{Times: 1}}
}
