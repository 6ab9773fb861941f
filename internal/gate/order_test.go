package gate

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
)

// ids lists findings by their ids.
func ids(findings []result.Finding) string {
	text := ""
	for _, f := range findings {
		text += f.ID
	}
	return text
}

// Findings come worst first, those that are waived last; among equals by target, program and the order of the rules.
func TestOrderOfFindings(t *testing.T) {
	sorted := []result.Finding{
		{ID: "a", Level: "error", Target: "s", Program: "p", Rule: "max-kernels"},
		{ID: "b", Level: "error", Target: "t", Program: "p", Rule: "max-kernels"},
		{ID: "c", Level: "error", Target: "t", Program: "p", Rule: "max-temp-bytes"},
		{ID: "d", Level: "error", Target: "t", Program: "q", Rule: "max-kernels"},
		{ID: "e", Level: "warning", Target: "t", Program: "p", Rule: "max-kernels"},
		{ID: "f", Level: "info", Target: "s", Program: "p", Rule: "max-kernels"},
		{ID: "g", Level: "error", Target: "s", Program: "p", Rule: "max-kernels", Waived: true},
		{ID: "h", Level: "info", Target: "s", Program: "p", Rule: "max-kernels", Waived: true},
	}
	random := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		list := append([]result.Finding{}, sorted...)
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if sortFindings(list); ids(list) != "abcdefgh" {
			t.Fatalf("%s", ids(list))
		}
	}
}

// Of one program and rule the order in which they were found stays; findings of no target are ordered by their ids.
func TestOrderAmongEquals(t *testing.T) {
	list := []result.Finding{{ID: "b", Target: "t", Rule: "max-kernels"}, {ID: "a", Target: "t", Rule: "max-kernels"}}
	if sortFindings(list); ids(list) != "ba" {
		t.Errorf("%s", ids(list))
	}
	list = []result.Finding{{ID: "b", Rule: "waiver-valid"}, {ID: "a", Rule: "waiver-valid"}}
	if sortFindings(list); ids(list) != "ab" {
		t.Errorf("%s", ids(list))
	}
}

// Targets stand as the configuration lists them; others behind them by name, and what belongs to none last.
func TestOrderOfTargets(t *testing.T) {
	cfg := &config.Config{Targets: []config.Target{{Name: "zebra"}, {Name: "ant"}}}
	r := &result.Result{}
	for _, name := range []string{"", "yak", "ant", "bee", "zebra"} {
		r.Notes = append(r.Notes, result.Note{Target: name})
		r.Headroom = append(r.Headroom, result.Headroom{Target: name})
		r.Problems = append(r.Problems, result.Problem{Target: name})
		if name != "" {
			r.Targets = append(r.Targets, result.Target{Name: name})
		}
	}
	order(r, cfg)
	var targets, notes, rows, problems []string
	for _, x := range r.Targets {
		targets = append(targets, x.Name)
	}
	for i := range r.Notes {
		notes, rows, problems = append(notes, r.Notes[i].Target), append(rows, r.Headroom[i].Target), append(problems, r.Problems[i].Target)
	}
	want := []string{"zebra", "ant", "bee", "yak", ""}
	for _, got := range [][]string{append(targets, ""), notes, rows, problems} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Problems of no target stand by their places: line 9 of a file before line 10 of it.
func TestOrderOfProblems(t *testing.T) {
	r := &result.Result{Problems: []result.Problem{{File: "xlagate.yaml:10:5", Message: "b"}, {File: "xlagate.yaml:9:5", Message: "z"}, {File: "xlagate.yaml:10:5", Message: "a"}}}
	order(r, nil)
	if p := r.Problems; p[0].Message != "z" || p[1].Message != "a" || p[2].Message != "b" {
		t.Errorf("%+v", p)
	}
	r = &result.Result{Problems: []result.Problem{{Target: "t", File: "b"}, {Target: "t", File: "a"}}}
	order(r, nil)
	if r.Problems[0].File != "b" {
		t.Errorf("problems of a target were put into another order: %+v", r.Problems)
	}
}
