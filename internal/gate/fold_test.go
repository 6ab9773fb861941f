package gate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// found is a finding about a program: RULE LEVEL VARIANT FILE:FUNCTION of its cause; "-" for what it has not.
func found(text string) result.Finding {
	w := strings.Fields(text)
	f := result.Finding{Rule: w[0], Level: w[1], Target: "t", Program: "p", ID: strings.Join(w, " ")}
	if w[2] != "-" {
		f.Variant = w[2]
	}
	if w[3] != "-" {
		file, function, _ := strings.Cut(w[3], ":")
		f.Cause = &result.Cause{Summary: "why", Source: result.Source{File: file, Function: function, Line: 3}}
	}
	return f
}

// folded spells findings with what stands under them: "a < b, c; d".
func folded(findings ...result.Finding) string {
	var out []string
	for _, f := range fold(findings) {
		text := f.ID
		for i, c := range f.Consequences {
			text += map[bool]string{true: " < ", false: ", "}[i == 0] + c.Rule
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// Growth that came from one place of the model is one finding; elsewhere, of another variant or worse it is two.
func TestGrowthFoldsByPlace(t *testing.T) {
	drift := "max-constant-bytes error v m.py:f"
	for echo, folds := range map[string]bool{
		"max-temp-bytes error v m.py:f":     true,
		"max-temp-bytes warning v m.py:f":   true,
		"max-temp-bytes error - m.py:f":     true,
		"max-temp-bytes error w m.py:f":     false,
		"max-temp-bytes error v m.py:g":     false,
		"max-temp-bytes error v other.py:f": false,
		"max-temp-bytes error v -":          false,
		"no-recompilation error v m.py:f":   false,
	} {
		got := folded(found(drift), found(echo))
		if (got == drift+" < "+strings.Fields(echo)[0]) != folds {
			t.Errorf("%s: %s", echo, got)
		}
	}
}

// What is worse never stands under what is less: the levels of findings decide, not their order.
func TestWorseStandsByItself(t *testing.T) {
	if got := folded(found("fusion-drift warning v m.py:f"), found("max-temp-bytes error v m.py:f")); strings.Contains(got, "fusion-drift warning v m.py:f <") {
		t.Error(got)
	}
	if got := folded(found("fusion-drift info v m.py:f"), found("max-temp-bytes warning v m.py:f")); strings.Contains(got, "fusion-drift info v m.py:f <") {
		t.Error(got)
	}
}

// More collectives, or more copies of what is not updated in place, are one finding, whichever line waits for them or holds the copies.
func TestWhatFollowsFromElsewhere(t *testing.T) {
	for _, c := range [][2]string{{"max-collectives", "async-collectives"}, {"loops-kept", "async-collectives"}, {"donation-kept", "max-unfused"}} {
		cause, echo := found(c[0]+" error v m.py:f"), found(c[1]+" error v n.py:g")
		if got, want := folded(echo, cause), cause.ID+" < "+echo.Rule; got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}

// Where no line is known growth folds under growth only.
func TestGrowthOfNoKnownLine(t *testing.T) {
	none := func(rule string) result.Finding {
		f := found(rule + " error v -")
		f.Cause = &result.Cause{Summary: "why"}
		return f
	}
	if got := fold([]result.Finding{none("max-kernels"), none("max-temp-bytes")}); len(got) != 1 {
		t.Errorf("growth and growth: %d findings", len(got))
	}
	if got := fold([]result.Finding{none("no-recompilation"), none("max-temp-bytes")}); len(got) != 2 {
		t.Errorf("growth under what is none: %d findings", len(got))
	}
}

// Findings of two programs or targets have nothing to do with each other.
func TestFoldingStaysInAProgram(t *testing.T) {
	for _, edit := range []func(*result.Finding){func(f *result.Finding) { f.Program = "q" }, func(f *result.Finding) { f.Target = "u" }} {
		a, b := found("no-dtype error v m.py:f"), found("max-kernels error v m.py:f")
		edit(&b)
		if got := fold([]result.Finding{a, b}); len(got) != 2 {
			t.Errorf("folded: %+v", got)
		}
	}
}

// One place of the model that broke a rule in several compilations is told of once.
func TestOneRuleInSeveralVariants(t *testing.T) {
	a, b := found("no-host-callback error v m.py:f"), found("no-host-callback error w m.py:f")
	if got := folded(a, b); got != "no-host-callback error v m.py:f < no-host-callback" {
		t.Error(got)
	}
	c := b
	c.Subject = "another"
	if got := fold([]result.Finding{a, c}); len(got) != 2 {
		t.Errorf("of two subjects: %+v", got)
	}
	if got := fold([]result.Finding{found("no-host-callback error v -"), found("no-host-callback error w -")}); len(got) != 2 {
		t.Errorf("without a cause: %+v", got)
	}
}

// Every rule that is said to explain another one does, within a variant.
func TestWhatRulesExplain(t *testing.T) {
	for _, rule := range rules.All() {
		for _, follows := range rule.Explains {
			one, two := found(rule.ID+" error v -"), found(follows+" error v -")
			if got := fold([]result.Finding{two, one}); len(got) != 1 || got[0].Rule != rule.ID || len(got[0].Consequences) != 1 {
				if other := rules.ByID(follows); other == nil || !slices.Contains(other.Explains, rule.ID) {
					t.Errorf("%s does not take %s along: %+v", rule.ID, follows, got)
				}
			}
			two.Variant = "w"
			if got := fold([]result.Finding{one, two}); len(got) != 2 {
				t.Errorf("%s takes %s of another variant along", rule.ID, follows)
			}
		}
	}
}

// A finding that is waived takes nothing along that would fail above it.
func TestWaivedFindingTakesOnlyEchoes(t *testing.T) {
	waived := found("fusion-drift error v m.py:f")
	waived.Waived = true
	broken, echo := found("max-temp-bytes error v m.py:f"), found("max-temp-bytes error v m.py:f")
	echo.Drift = true
	if got := fold([]result.Finding{waived, broken}); len(got) != 2 {
		t.Errorf("a limit of its own went along: %+v", got)
	}
	if got := fold([]result.Finding{waived, echo}); len(got) != 1 {
		t.Errorf("an echo stands by itself: %+v", got)
	}
	head := found("fusion-drift error v m.py:f")
	echo.Waived = true
	if got := fold([]result.Finding{head, echo}); len(got) != 2 {
		t.Errorf("a waived finding went under another: %+v", got)
	}
}

// A consequence lends its place to a finding that has none.
func TestConsequenceLendsItsPlace(t *testing.T) {
	head, echo := found("no-dtype error v -"), found("max-kernels error v m.py:f")
	if got := fold([]result.Finding{head, echo}); len(got) != 1 || got[0].Cause == nil || got[0].Cause.Source.File != "m.py" {
		t.Errorf("%+v", got)
	}
	head.Cause = &result.Cause{Summary: "own"}
	if got := fold([]result.Finding{head, echo}); got[0].Cause.Summary != "own" || got[0].Cause.Source.File != "m.py" {
		t.Errorf("%+v", got[0].Cause)
	}
	head.Cause = &result.Cause{Summary: "own", OpName: "jit(f)/dot"}
	if got := fold([]result.Finding{head, echo}); got[0].Cause.Source.File != "" {
		t.Errorf("an op_name of its own, and a line of another's: %+v", got[0].Cause)
	}
}

// That the arguments are others is said only with what grew with them.
func TestBareNewsOfArguments(t *testing.T) {
	news := found("baseline-present info v -")
	news.Subject = rules.ArgumentsSubject
	if got := fold([]result.Finding{news}); len(got) != 0 {
		t.Errorf("nothing grew: %+v", got)
	}
	news.Subject = "something else"
	if got := fold([]result.Finding{news}); len(got) != 1 {
		t.Errorf("another subject: %+v", got)
	}
}

// Whatever is found is told of once: by itself, or under one other finding.
func TestFoldingLosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	all := rules.All()
	for range 300 {
		var in []result.Finding
		for i := range 1 + random.IntN(8) {
			f := found(fmt.Sprintf("%s %s %s %s", all[random.IntN(len(all))].ID, []string{"error", "warning", "info"}[random.IntN(3)], []string{"-", "v", "w"}[random.IntN(3)], []string{"-", "m.py:f", "m.py:g"}[random.IntN(3)]))
			f.ID, f.Waived, f.Drift = fmt.Sprint(i), random.IntN(5) == 0, random.IntN(2) == 0
			in = append(in, f)
		}
		seen := map[string]int{}
		for _, f := range fold(in) {
			seen[f.ID]++
			for _, c := range f.Consequences {
				seen[c.ID]++
			}
		}
		for _, f := range in {
			if seen[f.ID] != 1 {
				t.Fatalf("%s is told of %d times", f.Rule, seen[f.ID])
			}
		}
	}
}

// No finding that fails is folded under one that is waived, of less weight or elsewhere, whatever else there is.
func TestFoldingHidesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	all := rules.All()
	for range 300 {
		byID := map[string]result.Finding{}
		var in []result.Finding
		for i := range 1 + random.IntN(8) {
			f := found(all[random.IntN(len(all))].ID + " " + []string{"error", "warning", "info"}[random.IntN(3)] + " " + []string{"-", "v"}[random.IntN(2)] + " m.py:f")
			f.ID, f.Waived, f.Drift, f.Program = fmt.Sprint(i), random.IntN(3) == 0, random.IntN(2) == 0, []string{"p", "q"}[random.IntN(2)]
			byID[f.ID] = f
			in = append(in, f)
		}
		for _, head := range fold(in) {
			for _, c := range head.Consequences {
				f := byID[c.ID]
				if rank[f.Level] < rank[head.Level] || f.Program != head.Program || f.Waived || head.Waived && !f.Drift && f.Rule != head.Rule {
					t.Fatalf("%+v stands under %+v", f, head)
				}
			}
		}
	}
}

// Fusions that a compilation for other arguments has not follow from these arguments; those of another compilation do not.
func TestFusionsFoldUnderTheArguments(t *testing.T) {
	const arguments, fusions = "baseline-present error v call.py:f", "required-fusions error v m.py:g"
	for text, want := range map[string]string{
		fusions:                             arguments + " < required-fusions",
		"required-fusions error w m.py:g":   arguments + "; required-fusions error w m.py:g",
		"required-fusions warning v m.py:g": arguments + " < required-fusions",
	} {
		if got := folded(found(arguments), found(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// That a program was compiled for several shapes is told once, not as each rule that counts compilations.
func TestRecompilationIsToldOnce(t *testing.T) {
	r := check(t, options(t, "version: 1\nrules:\n  - { rule: no-recompilation, max_variants: 1 }\n  - { rule: max-compilations, max: 1 }\n", "tf-recompile-tail/dump.tar.xz"))
	if len(r.Findings) != 1 || r.Findings[0].Rule != "no-recompilation" || len(r.Findings[0].Consequences) != 1 || r.Findings[0].Consequences[0].Rule != "max-compilations" {
		t.Errorf("%+v", r.Findings)
	}
}
