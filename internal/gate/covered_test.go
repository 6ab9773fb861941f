package gate

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// What is looked up by name is what going through everything finds.
func TestCoveredIsWhatSettingsCover(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "ab", "b*", "*", "a?", "{a,b}", "c[1]", "IrToHlo", "IrToHlo-2"})
	called := rapid.SampledFrom([]string{"a", "b", "ab", "b*", "a?", "{a,b}", "c[1]", "IrToHlo", "IrToHlo-2"}) // "*" is no program, but the target as a whole
	kernels := rules.All.ByID("max-kernels")
	rapid.Check(t, func(t *rapid.T) {
		programs := rapid.SliceOfN(called, 0, 5).Draw(t, "programs")
		slices.Sort(programs)
		s := &rule.Settings{Rule: kernels, Programs: rapid.SliceOfN(name, 0, 3).Draw(t, "for")}
		except := rapid.SliceOfN(rapid.SliceOfN(name, 0, 2), 0, 2).Draw(t, "except")
		for _, names := range except {
			s.Except.Add(&rule.Settings{Rule: kernels, Programs: names, Targets: []string{"t*"}})
		}
		var all []*changes.Program
		var want, got []string
		var rows []result.Headroom
		for _, p := range programs {
			all = append(all, &changes.Program{Name: p})
			rows = append(rows, result.Headroom{Target: "target", Rule: kernels.ID, Program: p})
			if s.Covers("target", p) {
				want = append(want, p)
			}
		}
		for _, p := range covered(s, "target", all) {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q for %q but %q: %q, wanted %q", programs, s.Programs, except, got, want)
		}
		if _, bounds := rowsByLimit(rows).use(s, "", 0); bounds != (len(want) > 0) {
			t.Fatalf("of %q the headroom is found: %v", want, bounds)
		}
	})
}
