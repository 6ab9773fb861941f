package rule

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

func TestAssertIsCheckedWhenItIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"facts.kernels.total <= base.kernels.total + 2":    "",
		"facts.fusions.total >= 0.8 * facts.kernels.total": "",
		"facts.collectives[\"all-gather\"].count == 0":     "",
		"facts.kernels.total <=":                           "column 23",
		"facts.kernels.total + 1":                          "expected a comparison",
		"facts.kernel.total < 3":                           "no fact is called facts.kernel; did you mean \"kernels\"?; the groups are ",
		"fact.kernels.total < 3":                           "undeclared reference to 'fact'",
		"\"12\" == \"12\" && facts.kernels.total2 < 3":     "",
	} {
		_, err := CompileExpression(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, wanted %q", text, err, want)
		}
	}
}

// What an expression says of a program, and what it read to say it.
func TestHolds(t *testing.T) {
	fresh := facts.Values{"kernels.total": 1904, "fusions.total": 1e9, "collectives.all-gather.count": 2, "collectives.all-gather.bytes": 64, "cost.flops": math.NaN()}
	old := facts.Values{"kernels.total": 1903, "collectives.all-gather.bytes": 32}
	for text, want := range map[string]struct {
		holds bool
		fails string
		reads []string
	}{
		"facts.kernels.total == 1904":                                                {holds: true, reads: []string{"facts.kernels.total is 1904"}},
		"facts.kernels.total < 1876543290":                                           {holds: true, reads: []string{"facts.kernels.total is 1904"}},
		"facts.kernels.total - 0.5 > 1903 ":                                          {holds: true, reads: []string{"facts.kernels.total is 1904"}},
		"facts.fusions.total > 1e9":                                                  {reads: []string{"facts.fusions.total is 1e+09"}},
		"base.kernels.total+1 == facts.kernels.total":                                {holds: true, reads: []string{"base.kernels.total is 1903", "facts.kernels.total is 1904"}},
		`facts["kernels"]["total"] == 1904`:                                          {holds: true, reads: []string{"facts.kernels.total is 1904"}},
		`facts.collectives["all-gather"].count == 2`:                                 {holds: true, reads: []string{"facts.collectives.all-gather.count is 2"}},
		`"1\" 2".matches('^.. .$') && facts.kernels.total > 1904`:                    {reads: []string{"facts.kernels.total is 1904"}},
		`'7"'.matches("^..$") && "\\".matches('^.$') && facts.kernels.total == 1904`: {holds: true, reads: []string{"facts.kernels.total is 1904"}},
		"has(facts.cost.flops) || has(facts.loops.unknown)":                          {},
		"facts.copies.count == 0":                                                    {fails: "no such key: count"},
		"facts.fusions.total < base.fusions.total":                                   {fails: "no such key: total", reads: []string{"facts.fusions.total is 1e+09"}},
	} {
		e, err := CompileExpression(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		holds, err := e.Holds(fresh, old)
		if holds != want.holds || (err == nil) != (want.fails == "") || err != nil && err.Error() != want.fails {
			t.Errorf("%s: %v %v, wanted %v %s", text, holds, err, want.holds, want.fails)
		}
		if got := e.Values(fresh, old); !slices.Equal(got, want.reads) {
			t.Errorf("%s: read %q, wanted %q", text, got, want.reads)
		}
		if e.ReadsBaseline != strings.Contains(text, "base.") {
			t.Errorf("%s: reads the baseline: %v", text, e.ReadsBaseline)
		}
	}
}
