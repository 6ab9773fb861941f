package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
)

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		delta, whole float64
		want         string
	}{
		{66, 1000, "+6.6 %"}, {-148, 1000, "−14.8 %"}, {1900, 1000, "+190 %"}, {8999, 1000, "+900 %"}, {11_000, 1000, "× 12"}, {-1000, 1000, "−100 %"},
		{1, 2000, "+0.1 %"}, {1, 10_000, ""}, {5, 0, ""}, {7e15, 7, "× 1,000,000,000,000,001"},
	} {
		if got := growth(c.delta, c.whole); got != c.want {
			t.Errorf("%v of %v: %q, wanted %q", c.delta, c.whole, got, c.want)
		}
	}
}

// The price is in one line, what is part of it is not told again as an effect, and what was not priced is left out.
func TestPriceLine(t *testing.T) {
	for _, c := range []struct {
		change result.Change
		want   string
	}{
		{result.Change{}, ""},
		{result.Change{Price: result.Price{StepNS: 800_000, StepWasNS: 12_100_000}}, "predicted step +800 µs (+6.6 %)"},
		{result.Change{Price: result.Price{StepNS: -5, StepWasNS: 12_100_000, Compilations: 2}}, "2 more compilations"},
		{result.Change{Price: result.Price{PeakBytes: 256}, Effects: []result.Effect{{Fact: "memory.peak_bytes", Was: 0, Is: 256}, {Fact: "kernels.total", Was: 1, Is: 4}}}, "peak +256 B; kernels 1 → 4"},
		{result.Change{Effects: []result.Effect{{Fact: "cost.weighted_flops", Was: 1, Is: 2}, {Fact: "kernels.total", Was: 1, Is: 4}, {Fact: "made up", Was: 1, Is: 2}}}, "kernels 1 → 4, flops 1 → 2"},
		{result.Change{Effects: []result.Effect{ // the bytes of a collective only where there are as many as before
			{Fact: "collectives.all-gather.bytes", Was: 1024, Is: 2048}, {Fact: "collectives.all-reduce.bytes", Was: 8, Is: 16}, {Fact: "collectives.all-reduce.count", Was: 1, Is: 2}, {Fact: "fusions.total", Was: 1, Is: 4},
		}}, "all-gather bytes 1.0 KiB → 2.0 KiB, all-reduce 1 → 2, fusions 1 → 4"},
	} {
		if got := linesText(changeLines(index(&result.Result{Changes: []result.Change{c.change}}), &c.change)); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// Of a fact that two changes of a program moved, each says by how much: a number that the program never had would be read as one that it has.
func TestSharedEffect(t *testing.T) {
	moved := func(id, program string, is float64) result.Change {
		return result.Change{ID: id, Program: program, Effects: []result.Effect{{Fact: "kernels.total", Was: 201, Is: is}, {Fact: "memory.temp_bytes", Was: 1024, Is: 1024 + 100*(is-201)}}}
	}
	alone := moved("d", "eval", 190)
	alone.Effects = alone.Effects[:1]
	other := moved("b", "train", 190)
	other.Effects = other.Effects[:1]
	r := index(&result.Result{Changes: []result.Change{moved("a", "train", 210), other, alone}})
	for i, want := range []string{"kernels +9, temp 1.0 KiB → 1.9 KiB", "kernels −11", "kernels 201 → 190"} {
		if got := effectsText(r, &r.Changes[i]); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// A function that is called as its program is not named twice, nor is the program where there is only one.
func TestChangeTitle(t *testing.T) {
	c := &result.Change{ID: "0123456789ab", Level: "error", Program: "loss", Edit: result.Edit{Title: "a dot is new", Source: result.Source{File: "train.py", Line: 7, Function: "loss"}}}
	one := &result.Result{Targets: []result.Target{{Programs: make([]result.Program, 1)}}}
	two := &result.Result{Targets: []result.Target{{Programs: make([]result.Program, 2)}}}
	for _, want := range []struct {
		r        *result.Result
		function string
		title    string
	}{
		{one, "loss", "error  train.py:7: a dot is new  0123456789ab"}, {one, "Block.__call__", "error  train.py:7 in Block.__call__: a dot is new  0123456789ab"},
		{two, "loss", "error  loss  train.py:7: a dot is new  0123456789ab"},
	} {
		c.Source.Function = want.function
		if got := changeSection(index(want.r), c, Options{}).Title.text(); got != want.title {
			t.Errorf("%q, wanted %q", got, want.title)
		}
	}
}

// The quoted line of a source file is one line, whatever it holds, and cannot end the block that it is in.
func TestQuotedLine(t *testing.T) {
	r := &result.Result{}
	put(r, "0123456789ab", "error", "a kernel is new")
	r.Changes[0].Source.Text = "x = 1\n```\n::error::pwned\r\n@octocat <b>\x1b[31m" + strings.Repeat("y", 5000)
	text := written(t, r, "text")
	want := "\n      3 | x = 1 ``` ::error::pwned @octocat <b>\\x1b[31m" + strings.Repeat("y", 20)
	if !strings.Contains(text, want) || strings.Contains(text, strings.Repeat("y", maxSentence)) {
		t.Errorf("%.900s", text)
	}
	got := parseMarkdown(t, []byte(written(t, r, "markdown")))
	got.check(t, "a quoted line")
	if strings.Contains(got.prose, "pwned") {
		t.Errorf("the line left its block:\n%s", got.prose)
	}
}

// Findings of several variants are told once, and of findings that were waived by themselves why.
func TestBreakLines(t *testing.T) {
	r := &result.Result{}
	breaks(r, "a", "f", "error", "max-kernels", "max-kernels", "max-copies")
	r.Findings[0].Variant, r.Findings[1].Variant = "(x: f32[8])", "(x: f32[16])"
	r.Findings[2].Waived, r.Findings[2].Waiver, r.Findings[2].Reason = true, &result.Waiver{Reason: "known"}, "a copy is never needed"
	got := linesText(breakLines(index(r), &r.Changes[0]))
	want := "breaks max-kernels: m; the same in 1 other variant\nbreaks max-copies: m; the reason for the rule: a copy is never needed; waived: known"
	if got != want {
		t.Errorf("%s\nwanted\n%s", got, want)
	}
	r.Findings[1].Message = "n"
	if got := linesText(breakLines(index(r), &r.Changes[0])); !strings.HasPrefix(got, "breaks max-kernels: m; with other numbers in 1 other variant\n") {
		t.Error(got)
	}
}

// A change that breaks nothing has a line, a few of them, and none beside a change of the same program that breaks a rule, unless it costs time too, or saves half of what that costs.
func TestUnbrokenChanges(t *testing.T) {
	r := &result.Result{Targets: []result.Target{{Name: "a", Programs: []result.Program{{Name: "f"}, {Name: "g"}}}}}
	breaks(r, "a", "f", "error", "max-kernels").Price = result.Price{StepNS: 700, StepWasNS: 1000}
	beside := breaks(r, "a", "f", "better")
	beside.Title, beside.Price = "beside an error", result.Price{StepNS: -340, StepWasNS: 1000}
	offset := breaks(r, "a", "f", "better")
	offset.Title, offset.Price = "saves half of that", result.Price{StepNS: -350, StepWasNS: 1000}
	dear := breaks(r, "a", "f", "info")
	dear.Title, dear.Price = "a second callback", result.Price{StepNS: 65, StepWasNS: 1000}
	dear.Others = []result.Other{{Program: "g", Price: result.Price{StepNS: -400, StepWasNS: 1000}}}
	shared := breaks(r, "a", "f", "info")
	shared.Title, shared.Others = "costs elsewhere", []result.Other{{Program: "g", Price: result.Price{StepNS: 90, StepWasNS: 1000}}}
	for range maxUnbroken + 2 {
		better := breaks(r, "a", "g", "better")
		better.Title, better.Price = "a copy is gone", result.Price{StepNS: -50, StepWasNS: 1000, PeakBytes: 8}
	}
	for _, format := range []string{"text", "markdown"} {
		got := written(t, r, format)
		if strings.Contains(got, "beside an error") || !strings.Contains(got, "a second callback") || !strings.Contains(got, "costs elsewhere") || !strings.Contains(got, "saves half of that") ||
			strings.Count(got, "a copy is gone") != maxUnbroken-3 || !strings.Contains(got, "… 5 more changes that break no rule") {
			t.Errorf("%s:\n%s", format, got)
		}
	}
	if got := written(t, r, "text"); !strings.Contains(got, "\n  better  g  a copy is gone  predicted step −50 ns (−5.0 %); peak +8 B\n") {
		t.Error(got)
	} else if !strings.Contains(got, "a second callback  predicted step +65 ns (+6.5 %); in g: predicted step −400 ns (−40.0 %)\n") {
		t.Error(got)
	}
}

// A table of changes has no column in which nothing stands.
func TestEmptyColumns(t *testing.T) {
	r := &result.Result{}
	breaks(r, "a", "f", "error", "max-kernels")
	if got := changesTable(index(r), index(r).Open(), everything).Head; strings.Join(got, "|") != "|program|what changed|breaks" {
		t.Errorf("%q", got)
	}
	r.Changes[0].Price.PeakBytes = 8
	if got := changesTable(index(r), index(r).Open(), everything); strings.Join(got.Head, "|") != "|program|what changed|peak|breaks" || !got.Right[3] {
		t.Errorf("%+v", got)
	}
}

// What may be pasted is a whole line by itself.
func TestHowToAccept(t *testing.T) {
	for _, c := range []struct {
		decision result.Decision
		problems []result.Problem
		want     string
	}{
		{result.Decision{}, nil, ""},
		{result.Decision{Accept: "xlagate accept"}, nil, "intended?  xlagate accept"},
		{result.Decision{Accept: "xlagate accept"}, []result.Problem{{Message: "cut off"}}, ""},
		{result.Decision{Accept: "xlagate accept", Waived: true, Waiver: &result.Waiver{Reason: "known", Expires: "2027-01-01"}}, nil, "waived: known, until 2027-01-01"},
	} {
		if got := linesText(index(&result.Result{Problems: c.problems}).howToAccept(&result.Change{Decision: c.decision})); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// One edit of a fleet's programs is told once, not a line a program.
func TestChangeOfAFleet(t *testing.T) {
	c := result.Change{ID: "a", Level: "error", Target: "fleet", Program: "step_000", Edit: result.Edit{Title: "a dot is new"}, Price: result.Price{PeakBytes: 256}}
	r := &result.Result{Targets: []result.Target{{Name: "fleet"}}}
	for i := range 300 {
		program, message := fmt.Sprintf("step_%03d", i), "4 kernels: at most 1 allowed"
		if i == 200 {
			message = "5 kernels: at most 1 allowed"
		}
		status := changes.Same
		if i > 250 {
			status = changes.Changed
		}
		r.Targets[0].Programs = append(r.Targets[0].Programs, result.Program{Name: program, Change: status, Variants: make([]result.Variant, 1)})
		if i > 0 {
			c.Others = append(c.Others, result.Other{Program: program, Price: result.Price{PeakBytes: 256}})
		}
		id := fmt.Sprint(i)
		c.Findings = append(c.Findings, id)
		r.Findings = append(r.Findings, result.Finding{ID: id, Change: "a", Rule: "max-kernels", Level: "error", Target: "fleet", Program: program, Message: message})
	}
	r.Changes = []result.Change{c}
	text := written(t, r, "text")
	for _, want := range []string{
		"\n  step_251  changed", "\n  step_050  unchanged", "\n  … 200 more programs; -f json lists them all\n",
		"\n  in step_001, step_002, 297 more: peak +256 B\n",
		"\n  breaks max-kernels: 4 kernels: at most 1 allowed\n  breaks max-kernels in step_001, step_002, 296 more: 4 kernels: at most 1 allowed\n" +
			"  breaks max-kernels in step_200: 5 kernels: at most 1 allowed\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}
