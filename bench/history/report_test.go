package main

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
)

func side(us, predicted float64) race.Side {
	return race.Side{US: us, Price: subject.Price{"step_ns": predicted * 1e3}}
}

func TestReport(t *testing.T) {
	commits := []commit{
		{Commit: "aaaa", Subject: "a | b", Date: "2025-01-01", Programs: 3, Pairs: []race.Pair{
			{Name: "slower", Before: side(100, 50), After: side(200, 90)}, {Name: "same", Before: side(100, 50), After: side(101, 50)},
		}, verdicts: []subject.Verdict{{Failed: true, Rules: []string{"max-step-time"}}, {}}},
		{Commit: "bbbb", Subject: "docs", Date: "2025-01-02", Programs: 3},
		{Commit: "cccc", Subject: "old", Date: "2025-01-03", Failure: "ImportError: chex"},
	}
	text := report(commits)
	for _, want := range []string{
		"3 commits that change code, 2025-01-01 to 2025-01-03; 1 of them", "1 change what is lowered of 2 programs, and xlagate flags 1",
		`| aaaa | a \| b | 2 of 3 | 1 | +1 % to +100 % |`, "| aaaa | `slower` | 100 µs → 200 µs, +100 % | +80 % | fails: max-step-time |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "`same`") || strings.Contains(text, "bbbb") {
		t.Errorf("what did not change is told:\n%s", text)
	}
}
