package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// What is not known of a collective never leaves it out: the sizes are those that the compilers print.
func TestCollectiveSizes(t *testing.T) {
	for _, c := range []struct {
		target, out, attrs, groups string
		gathered, among            float64
	}{
		{"all-gather", "bf16[128,256]", "dimensions={0}", "4 of 2", 128, 2},
		{"all-gather", "bf16[128,256]", "dimensions={1}", "1 of 8", 256, 8},
		{"all-gather", "(f32[16,64], f32[32,8])", "dimensions={0}", "2 of 4", 32, 4},
		{"all-gather", "bf16[128,256]", "", "", 256, 0}, // in a fusion of several operations
		{"all-gather", "f32[<=16,4]", "dimensions={0}", "1 of 0", 16, 0},
		{"collective-permute", "f32[8,4]", "", "4 pairs", 8, 2},
		{"send", "f32[]", "", "", 0, 2},
	} {
		k := &facts.Kernel{Form: &facts.Form{Target: c.target, Out: c.out, Attrs: c.attrs, Collective: facts.Collective{Groups: c.groups}}, Site: &facts.Site{}}
		if gathered, among := gatheredTo(k), groupSize(k); gathered != c.gathered || among != c.among {
			t.Errorf("%+v: gathered to %v, among %v", c, gathered, among)
		}
	}
	for shape, want := range map[string]bool{"f16[8]": true, "bf16[8]": false, "(bf16[8], f16[])": true, "(f32[], bf16[2,3])": false, "": false} {
		if holdsType(shape, "f16") != want {
			t.Errorf("%q holds f16: %v", shape, !want)
		}
	}
}

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

// Each kind is held to its own number, and what all of them move to what they moved.
func TestMaxCollectives(t *testing.T) {
	gathers := []facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4096)}
	for name, c := range map[string]struct {
		now      []facts.Kernel
		findings int
	}{
		"the same":           {gathers, 0},
		"fewer":              {gathers[:1], 0},
		"another kind":       {[]facts.Kernel{collective("all-reduce", 4096)}, 1},
		"larger by a scalar": {[]facts.Kernel{collective("all-gather", 16384), collective("all-gather", 4100)}, 1},
		"one more":           {append([]facts.Kernel{collective("all-reduce", 8)}, gathers...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if found := judgedCollectives(&maxCollectives, gathers, c.now); len(found) != c.findings {
				t.Errorf("%d findings, wanted %d: %+v", len(found), c.findings, found)
			}
		})
	}
}

// judgedCollectives is what a rule finds in collectives that took the place of others.
func judgedCollectives(r *rule.Rule, was, now []facts.Kernel) []*rule.Finding {
	v := &changes.Variant{Old: &facts.Variant{Compiled: facts.Compiled{Kernels: was}}, New: &facts.Variant{Compiled: facts.Compiled{Kernels: now}}}
	p := &changes.Program{Name: "step", Old: &facts.Program{}, New: &facts.Program{}, Variants: []*changes.Variant{v}}
	c := &rule.Context{Settings: &rule.Settings{Rule: r, Options: map[string]any{}, Limits: rule.Limits{MaxIncrease: &rule.Change{}}}, Report: &rule.Report{}}
	c.Run([]*changes.Program{p})
	return c.Findings
}

func collective(kind string, bytes int64) facts.Kernel {
	form := &facts.Form{Kind: "collective", Target: kind, Do: facts.OpcodesOf(kind), Bytes: bytes, Class: facts.ClassCollective}
	return facts.Kernel{Form: form, Site: &facts.Site{Times: 1}}
}
