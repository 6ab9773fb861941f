package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
)

// More launches without a price are a finding where the entry compares with the baseline, however much less time is predicted.
func TestLaunchesWithoutAPrice(t *testing.T) {
	priced := func(step, unpriced float64) *facts.Variant {
		return &facts.Variant{Facts: facts.Values{facts.PriceStep: step, facts.PriceUnpriced: unpriced}}
	}
	calling := func(target string) *facts.Variant {
		k := facts.Kernel{Form: &facts.Form{Target: target}, Site: &facts.Site{Times: 1}}
		k.Work[price.Unknown] = 1
		v := priced(100, 1)
		v.Kernels = []facts.Kernel{k}
		return v
	}
	most, few := 1e6, 40.0
	for name, c := range map[string]struct {
		was, is  *facts.Variant
		settings rule.Settings
		says     string
	}{
		"two more":                 {priced(100, 1), priced(50, 3), rule.Settings{Limits: rule.Limits{MaxIncrease: &rule.Change{}}}, "3 launches have no price: at most 1 in the baseline"},
		"the first":                {priced(100, 0), priced(50, 1), rule.Settings{}, "1 launch has no price: at most 0 in the baseline"},
		"as many":                  {priced(100, 3), priced(50, 3), rule.Settings{Limits: rule.Limits{MaxIncrease: &rule.Change{}}}, ""},
		"fewer":                    {priced(100, 3), priced(50, 1), rule.Settings{Limits: rule.Limits{MaxIncrease: &rule.Change{}}}, ""},
		"another call":             {calling("solve"), calling("other"), rule.Settings{Limits: rule.Limits{MaxIncrease: &rule.Change{}}}, "1 launch without a price calls what the baseline does not"},
		"the same call":            {calling("solve"), calling("solve"), rule.Settings{Limits: rule.Limits{MaxIncrease: &rule.Change{}}}, ""},
		"a limit without baseline": {priced(100, 0), priced(50, 1), rule.Settings{Limits: rule.Limits{Max: &most}}, ""},
		"a baseline without price": {&facts.Variant{Facts: facts.Values{}}, priced(50, 0), rule.Settings{Limits: rule.Limits{Max: &few}}, "50 ns of predicted step time: at most 40 ns allowed"}, // an error
		"no baseline":              {nil, priced(50, 1), rule.Settings{Limits: rule.Limits{Max: &most}}, ""},
	} {
		c.settings.Rule, c.settings.Options = &maxStepTime, map[string]any{}
		in := rule.NewContext(&c.settings, &rule.Target{Name: "t"}, nil)
		in.Run([]*changes.Program{{Name: "f", Variants: []*changes.Variant{{Old: c.was, New: c.is}}}})
		got := ""
		for _, f := range in.Findings {
			got += f.Message
		}
		if got != c.says {
			t.Errorf("%s: %q, wanted %q", name, got, c.says)
		}
	}
}
