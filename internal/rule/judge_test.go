package rule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// What came and what went are judged, also where as many went as came.
func TestReplacedIsNotKept(t *testing.T) {
	for _, c := range []struct {
		better      Direction
		added, lost float64
		found       int
	}{{Lower, 0, 1, 0}, {Lower, 1, 1, 1}, {Higher, 1, 0, 0}, {Higher, 1, 1, 1}, {Exact, 1, 0, 1}, {Exact, 0, 1, 1}, {Exact, 0, 0, 0}} {
		context := NewContext(&Settings{Rule: &Rule{}, Options: map[string]any{}}, &Target{}, nil)
		context.Variant = &changes.Variant{Old: &facts.Variant{}, New: &facts.Variant{}}
		context.Judge(Amount{Subject: "x", Noun: "amount", Better: c.better, Actual: 3, Base: new(3.0), Added: c.added, Lost: c.lost})
		if len(context.Findings) != c.found {
			t.Errorf("%+v: %d findings", c, len(context.Findings))
		}
	}
}

// Fewer operations of a program with more custom calls are not offered as a gain: nobody knows what the calls compute.
func TestNothingBetterInCustomCalls(t *testing.T) {
	run := func(calls int) *facts.Variant {
		v := &facts.Variant{Facts: facts.Values{}}
		for range calls {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{Target: "__cublas$gemm", Class: facts.ClassLibrary}, Site: &facts.Site{Times: 1}})
		}
		return v
	}
	for _, c := range []struct {
		subject     string
		was, is     int
		comparisons int
	}{{"cost.flops", 0, 2, 0}, {"cost.flops", 2, 2, 1}, {"cost.flops", 2, 1, 1}, {"cost.weighted_flops", 0, 2, 0}, {"kernels.total", 0, 2, 1}} {
		context := NewContext(&Settings{Rule: &Rule{}, Options: map[string]any{}}, &Target{}, nil)
		context.Variant = &changes.Variant{Old: run(c.was), New: run(c.is)}
		a := Amount{Subject: c.subject, Noun: "amount", Better: Lower, Actual: 40}
		a.Base = new(100.0)
		context.Judge(a)
		if len(context.Notes) != c.comparisons {
			t.Errorf("%s, %d calls and %d before: %d notes", c.subject, c.is, c.was, len(context.Notes))
		}
	}
}

// An improvement is worth a line where growth of the same amount would have been told of.
func TestImprovementThatIsNotWorthALine(t *testing.T) {
	for _, c := range []struct {
		increase *Change
		is       float64
		told     bool
	}{
		{&Change{Amount: 1024}, 493, false},
		{&Change{Amount: 1024}, 8000, true},
		{&Change{Amount: 1024}, 9000, false},
		{&Change{}, 9999, false}, // less than one in a thousand
		{&Change{}, 9900, true},
		{&Change{Amount: 50, Percent: true}, 9900, true},
	} {
		was := 10000.0
		if c.is < 1000 {
			was = 539
		}
		said := NewContext(&Settings{Rule: &Rule{}, Options: map[string]any{}, Limits: Limits{MaxIncrease: c.increase}}, &Target{Name: "t"}, nil)
		said.Program = &changes.Program{Name: "f"}
		said.noteBetter(Amount{Subject: "constants", Noun: "constants", Unit: "bytes", Better: Lower, Actual: c.is, Base: &was}, said.Limits)
		if told := len(said.Notes) > 0; told != c.told {
			t.Errorf("%v → %v with %+v: %v", was, c.is, *c.increase, said.Notes)
		}
	}
}

// An improvement in several variants of a program is one, told as it is where it is greatest.
func TestBetterIsToldOnce(t *testing.T) {
	c := &Context{Settings: &Settings{Rule: &Rule{}, Options: map[string]any{}, Limits: Limits{MaxIncrease: &Change{}}}, Report: &Report{}}
	improve := func(program string, was, is float64) {
		took := func(step float64) *facts.Variant { return &facts.Variant{Facts: facts.Values{facts.PriceStep: step}} }
		v := &changes.Variant{Old: took(was), New: took(is)}
		if program == "h" { // takes less memory, and more time
			v.Old, v.New = took(is), took(was)
		}
		c.At(&changes.Program{Name: program}, v).noteBetter(Amount{Subject: "kernels.total", Noun: "kernels", Better: Lower, Actual: is, Base: &was}, c.Limits)
	}
	improve("f", 20, 19)
	improve("f", 20, 10)
	improve("g", 20, 19)
	improve("f", 20, 18)
	improve("h", 20, 15)
	want := []result.Note{
		{Kind: "better", Program: "f", Message: "kernels 20 → 10 (in 3 variants)", Fix: "xlagate accept --tighten"},
		{Kind: "better", Program: "g", Message: "kernels 20 → 19", Fix: "xlagate accept --tighten"},
		{Kind: "better", Program: "h", Message: "kernels 20 → 15", Fix: "xlagate accept --reason \"why\""},
	}
	if !slices.Equal(c.Notes, want) {
		t.Errorf("%+v", c.Notes)
	}
}

// judged is the first finding of an amount under limits, nil where it passes.
func judged(l Limits, a Amount) *Finding {
	c := NewContext(&Settings{Rule: &Rule{}, Options: map[string]any{}, Limits: l}, &Target{Name: "t"}, nil)
	c.Judge(a)
	if len(c.Findings) == 0 {
		return nil
	}
	return c.Findings[0]
}

// limits draws limits that an entry may have.
func limits(t *rapid.T) (l Limits) {
	number := func(name string) *float64 {
		return rapid.Ptr(rapid.Map(rapid.IntRange(0, 12), func(n int) float64 { return float64(n) }), true).Draw(t, name)
	}
	change := func(name string) *Change {
		return rapid.Ptr(rapid.Custom(func(t *rapid.T) Change {
			if rapid.Bool().Draw(t, "percent") {
				return Change{Amount: float64(rapid.IntRange(0, 150).Draw(t, "percents")), Percent: true}
			}
			return Change{Amount: float64(rapid.IntRange(0, 5).Draw(t, "amount"))}
		}), true).Draw(t, name)
	}
	if l.Equal = number("equal"); l.Equal == nil {
		l.Max, l.Min = number("max"), number("min")
		if l.Max != nil && l.Min != nil && *l.Min > *l.Max {
			l.Max, l.Min = l.Min, l.Max
		}
	}
	l.MaxIncrease, l.MaxDecrease = change("max_increase"), change("max_decrease")
	return l
}

func amount(t *rapid.T) Amount {
	n := rapid.Map(rapid.IntRange(0, 12), func(n int) float64 { return float64(n) })
	return Amount{
		Subject: "things", Noun: "things", Better: rapid.SampledFrom([]Direction{Lower, Higher, Exact}).Draw(t, "better"),
		Actual: n.Draw(t, "actual"), Base: rapid.Ptr(n, true).Draw(t, "base"),
	}
}

// What passes passes a wider limit, too.
func TestWiderLimitsPassMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, a := limits(t), amount(t)
		if judged(l, a) != nil {
			return
		}
		wide, by := l, float64(rapid.IntRange(1, 5).Draw(t, "by"))
		if wide.Max != nil {
			wide.Max = new(*wide.Max + by)
		}
		if wide.Min != nil {
			wide.Min = new(*wide.Min - by)
		}
		for _, c := range []**Change{&wide.MaxIncrease, &wide.MaxDecrease} {
			if *c != nil {
				*c = &Change{Amount: (*c).Amount + by, Percent: (*c).Percent}
			}
		}
		if f := judged(wide, a); f != nil {
			t.Errorf("%+v passes; with wider limits: %s", a, f.Message)
		}
	})
}

// What is accepted passes, if the limit that the finding says has to change is changed as it says.
func TestAcceptedPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, a := limits(t), amount(t)
		f := judged(l, a)
		if f == nil {
			return
		}
		if f.Bound != nil {
			needs := f.Bound.Needs.(float64)
			*map[string]**float64{"max": &l.Max, "min": &l.Min, "equal": &l.Equal}[f.Bound.Key] = &needs
		}
		a.Base = &a.Actual
		if again := judged(l, a); again != nil {
			t.Errorf("%s (%+v); accepted: %s", f.Message, f.Bound, again.Message)
		}
	})
}

// Without a limit and without a baseline there is nothing to break, nor against a baseline that has the same.
func TestNothingToBreak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, a := limits(t), amount(t)
		l.Max, l.Min, l.Equal = nil, nil, nil
		if a.Base != nil {
			a.Base = &a.Actual
		}
		if f := judged(l, a); f != nil {
			t.Errorf("%+v: %s", a, f.Message)
		}
	})
}

// A value beyond a limit is named with it, whatever the limit is.
func TestFindingNamesItsLimit(t *testing.T) {
	for _, c := range []struct {
		limits       Limits
		better       Direction
		actual, base float64
		says         string
	}{
		{Limits{Max: new(3.0)}, Lower, 4, 1, "4 things: at most 3 allowed"},
		{Limits{Max: new(3.0)}, Lower, 3, 1, ""},
		{Limits{Min: new(3.0)}, Higher, 2, 9, "2 things: at least 3 wanted"},
		{Limits{Equal: new(3.0)}, Lower, 2, 9, "2 things: exactly 3 wanted"},
		{Limits{}, Lower, 2, 1, "2 things: up from 1 in the baseline"},
		{Limits{}, Lower, 1, 2, ""},
		{Limits{}, Higher, 1, 2, "1 thing: down from 2 in the baseline"},
		{Limits{}, Higher, 2, 1, ""},
		{Limits{}, Exact, 2, 1, "2 things: up from 1 in the baseline"},
		{Limits{}, Exact, 1, 2, "1 thing: down from 2 in the baseline"},
		{Limits{MaxIncrease: &Change{}}, Exact, 1, 2, ""}, // so does one of either side, of what has no better one
		{Limits{MaxIncrease: &Change{Amount: 1}}, Lower, 2, 1, ""},
		{Limits{MaxIncrease: &Change{Amount: 1}}, Lower, 3, 1, "3 things: up from 1 in the baseline, max_increase 1"},
		{Limits{MaxIncrease: &Change{Amount: 100, Percent: true}}, Lower, 2, 1, ""},
		{Limits{MaxIncrease: &Change{Amount: 99, Percent: true}}, Lower, 2, 1, "2 things: up from 1 in the baseline, max_increase 99 %"},
		{Limits{MaxDecrease: &Change{Amount: 50, Percent: true}}, Higher, 1, 2, ""},
		{Limits{MaxDecrease: &Change{Amount: 49, Percent: true}}, Higher, 1, 2, "1 thing: down from 2 in the baseline, max_decrease 49 %"},
		{Limits{MaxDecrease: &Change{}}, Lower, 1, 2, "1 thing: down from 2 in the baseline"},
		{Limits{Max: new(3.0), MaxIncrease: &Change{}}, Lower, 4, 1, "4 things: at most 3 allowed; up from 1 in the baseline"},
		{Limits{Max: new(3.0)}, Lower, 2, 1, ""}, // a limit of one's own replaces the baseline's
	} {
		said := ""
		if f := judged(c.limits, Amount{Subject: "things", Noun: "things", Better: c.better, Actual: c.actual, Base: &c.base}); f != nil {
			said = f.Message
		}
		if said != c.says {
			t.Errorf("%v → %v: %q, wanted %q", c.base, c.actual, said, c.says)
		}
	}
}

// What counts differences is zero once it is accepted: only a limit that forbids zero has to change.
func TestAcceptedDifferencesAreNone(t *testing.T) {
	a := Amount{Subject: "things", Noun: "things", Difference: true, Actual: 4}
	for _, c := range []struct {
		limits Limits
		key    string
	}{{Limits{Max: new(3.0)}, ""}, {Limits{Max: new(0.0)}, ""}, {Limits{Min: new(5.0)}, "min"}, {Limits{Equal: new(0.0)}, ""}} {
		f, key := judged(c.limits, a), ""
		if f != nil && f.Bound != nil {
			key = f.Bound.Key
		}
		if f == nil || key != c.key {
			t.Errorf("%+v: %+v, wanted %q to change", c.limits, f, c.key)
		}
	}
}

// The ways in which rules judge, each with an amount that just passes and one that just does not.
func TestWaysToJudge(t *testing.T) {
	growth := Limits{MaxIncrease: &Change{Amount: 2}}
	amount := func(actual, base float64) Amount {
		return Amount{Subject: "things", Noun: "things", Actual: actual, Base: &base}
	}
	forbids, pins := Rule{Forbids: true}, Rule{Budget: &Metric{Difference: true}, Bounds: []string{"pins"}}
	for name, way := range map[string]struct {
		rule   Rule
		limits Limits
		set    map[string]any
		judge  func(c *Context, n float64)
		passes float64
		says   string // of one more
	}{
		"forbidden":              {forbids, Limits{}, nil, func(c *Context, n float64) { c.Judge(amount(n, 9)) }, 0, "1 thing: at most 0 allowed"},
		"forbidden but for some": {forbids, Limits{Max: new(2.0)}, nil, func(c *Context, n float64) { c.Judge(amount(n, 9)) }, 2, "3 things: at most 2 allowed"},
		"forbidden to grow":      {forbids, growth, nil, func(c *Context, n float64) { c.Judge(amount(n, 9)) }, 11, "12 things: up from 9 in the baseline, max_increase 2"},
		"no more, whatever":      {Rule{}, growth, nil, func(c *Context, n float64) { c.Compare(amount(n, 9), NoMore) }, 9, "10 things: up from 9 in the baseline"},
		"by an option":           {Rule{}, growth, nil, func(c *Context, n float64) { c.Compare(amount(n, 9), MostBy("most", 20)) }, 20, "21 things: at most 20 allowed"},
		"the same":               {Rule{}, growth, nil, func(c *Context, n float64) { c.Compare(amount(n, 9), Same) }, 9, "10 things: up from 9 in the baseline"},
		"by the baseline":        {Rule{}, Limits{Max: new(2.0), MaxIncrease: &Change{Amount: 2}}, nil, func(c *Context, n float64) { c.JudgeGrowth(amount(n, 9)) }, 11, "12 things: up from 9 in the baseline, max_increase 2"},
		"forbidden differences":  {forbids, Limits{}, nil, func(c *Context, n float64) { a := amount(n, 9); a.Difference = true; c.Judge(a) }, 9, "10 things: up from 9 in the baseline"},
		"pinned by the baseline": {pins, Limits{}, nil, func(c *Context, n float64) { c.Judge(amount(n, 9)) }, 9, "10 things: up from 9 in the baseline"},
		"pinned by an option":    {pins, Limits{}, map[string]any{"pins": "x"}, func(c *Context, n float64) { c.Judge(amount(n, 9)) }, 0, "1 thing: at most 0 allowed"},
		"capped":                 {Rule{}, Limits{}, map[string]any{"most": 3.0}, func(c *Context, n float64) { c.Cap("most", "x", "", n, "x has %s things") }, 3, "x has 4 things, at most 3 allowed"},
		"a share of what is left": {forbids, Limits{}, map[string]any{"least": 0.75}, func(c *Context, n float64) {
			c.JudgeShare(amount(n, 9), "least", "share", 1-n/8, "of 8 things")
		}, 2, "3 things: 62.5 % of 8 things, 75 % wanted"},
	} {
		run := func(n float64) string {
			c := NewContext(&Settings{Rule: &way.rule, Options: way.set, Limits: way.limits}, &Target{Name: "t"}, nil)
			if way.judge(c, n); len(c.Findings) == 0 {
				return ""
			}
			return c.Findings[0].Message
		}
		if passes, fails := run(way.passes), run(way.passes+1); passes != "" || fails != way.says {
			t.Errorf("%s: %q and %q, wanted %q", name, passes, fails, way.says)
		}
	}
}
