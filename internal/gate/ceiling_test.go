package gate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// A ceiling allows what one change breaks in one variant, up to what it cost when it was accepted. Two that were accepted may cost what both cost.
func TestCeilings(t *testing.T) {
	const accepted, second, other = "c00000000000", "d00000000000", "e00000000000"
	most := func(variant string, amount float64, whole bool) []baseline.Allowed {
		return []baseline.Allowed{{Program: "f", Variant: variant, Limit: "max-kernels kernels.total", Amount: amount, Any: whole}}
	}
	of := func(id string, most []baseline.Allowed) baseline.Ceiling {
		return baseline.Ceiling{Change: id, With: []string{"a" + id[1:]}, Most: most, Reason: "wanted"}
	}
	one := []baseline.Ceiling{of(accepted, most(result.ID("x"), 22, false))}
	both := append(one, of(second, most(result.ID("x"), 21, false)))
	whole := []baseline.Ceiling{of(accepted, most(result.ID("x"), 22, true))}
	for name, c := range map[string]struct {
		ceilings []baseline.Ceiling
		changes  []string // the first has the finding
		program  string
		variant  string
		subject  string
		actual   float64
		within   float64
		waived   bool
	}{
		"as it was":                 {one, []string{accepted}, "f", "x", "kernels.total", 22, 0, true},
		"a part of it":              {one, []string{"a" + accepted[1:]}, "f", "x", "kernels.total", 22, 0, true},
		"less":                      {one, []string{accepted}, "f", "x", "kernels.total", 20, 0, true},
		"more":                      {one, []string{accepted}, "f", "x", "kernels.total", 23, 30, false},
		"of another change":         {one, []string{other, accepted}, "f", "x", "kernels.total", 22, 30, false},
		"another limit":             {one, []string{accepted}, "f", "x", "kernels.loop", 22, 0, false},
		"another program":           {one, []string{accepted}, "g", "x", "kernels.total", 22, 0, false},
		"another variant":           {one, []string{accepted}, "f", "y", "kernels.total", 22, 0, false},
		"both":                      {both, []string{accepted, second}, "f", "x", "kernels.total", 24, 0, true},
		"more than both":            {both, []string{accepted, second}, "f", "x", "kernels.total", 25, 0, false},
		"more, and one is gone":     {both, []string{accepted}, "f", "x", "kernels.total", 23, 0, false},
		"of a new program":          {whole, []string{other}, "f", "x", "kernels.total", 22, 0, true},
		"more, of a new program":    {whole, []string{other}, "f", "x", "kernels.total", 23, 22, false},
		"more, below a limit":       {whole, []string{other}, "f", "x", "kernels.total", 17, 30, false},
		"within a program's growth": {whole, []string{other}, "f", "x", "kernels.total", 23, 23, true},
	} {
		var list []*judgedChange
		for _, id := range c.changes {
			list = append(list, &judgedChange{Change: &changes.Change{}, id: id})
		}
		f := &judgedFinding{Finding: rule.Finding{Finding: result.Finding{
			ID: "f00000000000", Rule: "max-kernels", Level: "error", Program: c.program, Variant: c.variant, Subject: c.subject, Actual: c.actual, Limit: 19.0, Baseline: 19.0, WithinBaseline: c.within,
		}}}
		list[0].found = []*judgedFinding{f}
		p := &baseline.Program{Ceilings: c.ceilings}
		unused := judgedTarget{Accepted: &baseline.Set{Programs: []*baseline.Program{p}}}.allow(list)
		if f.Waived != c.waived || strings.Contains(f.Message, "that were accepted: wanted") != strings.HasPrefix(name, "more") {
			t.Errorf("%s: waived %v, %s", name, f.Waived, f.Message)
		}
		if gone := name == "more, and one is gone"; gone != (len(unused) == 1) {
			t.Errorf("%s: %v are not used", name, unused)
		}
	}
}

// What the other changes add beyond an accepted one is as sure as they are, not as sure as all together.
func TestLevelBesideACeiling(t *testing.T) {
	for level, want := range map[string]string{"error": "warning", "info": ""} { // what is told anyway is told no louder
		t.Run(level, func(t *testing.T) { levelBesideACeiling(t, level, want) })
	}
}

func levelBesideACeiling(t *testing.T, level, want string) {
	o := options(t, "version: 1\nrules:\n  - { rule: max-step-time, max_increase: 40%, level: "+level+" }\n", "cases/cpu-window_beside_product/before.tar.xz")
	accept(t, o, AcceptOptions{})
	o = o.to(t, "cases/cpu-window_beside_product/after.tar.xz").edited(t, "pairs.py", 1097, 1101)
	first := check(t, o)
	if len(first.Changes) != 2 || first.Changes[0].Level != level {
		t.Fatalf("%+v", first.Changes)
	}
	accept(t, o, AcceptOptions{Only: []string{first.Changes[0].ID}, Reason: "wanted"})
	r := check(t, o)
	at := slices.IndexFunc(r.Findings, func(f result.Finding) bool { return !f.Waived })
	if r.ExitCode != ExitPass || at < 0 || r.Findings[at].Level != cmp.Or(want, level) {
		t.Fatalf("exit %d: %+v", r.ExitCode, r.Findings)
	}
	if unsure := regexp.MustCompile(`; beyond what was accepted between [−+]?\d+ and \+\d+ %: measure it$`).MatchString(r.Findings[at].Message); unsure != (want != "") {
		t.Errorf("%+v", r.Findings[at])
	}
}

// A limit on what no program that XLA compiles has may be broken by any change: what TensorFlow left out of its clusters is in a function.
func TestCeilingOfAFunction(t *testing.T) {
	p := &baseline.Program{}
	p.Name = "cluster_0"
	in := &candidate{
		old: &baseline.Set{Programs: []*baseline.Program{p}}, fresh: map[string]*baseline.Program{"cluster_0": p},
		findings: []result.Finding{
			{Change: "c00000000000", Rule: "no-unclustered-ops", Subject: "PyFunc", Program: "train_step"}, {Change: "c00000000000", Rule: "max-kernels", Program: "cluster_0"},
			{Change: "c00000000000", Rule: "max-kernels", Program: "cluster_0 + cluster_1"}, {Change: "c00000000000", Rule: "max-clusters"},
		},
	}
	any := map[string]bool{"train_step": true, "": true, "cluster_0": false, "cluster_0 + cluster_1": false}
	for _, most := range in.broken(map[string]bool{"c00000000000": true}) {
		if most.Any != any[most.Program] {
			t.Errorf("of %q any change may break %s: %v", most.Program, most.Limit, most.Any)
		}
	}
}

// A change that is accepted after another one has what it adds to a limit, not what both add.
func TestCeilingsInTurn(t *testing.T) {
	const first, second = "c00000000000", "d00000000000"
	limit := baseline.Allowed{Program: "f", Limit: "max-kernels kernels.total", Amount: 32}
	p := &baseline.Program{Ceilings: []baseline.Ceiling{{Change: first, Most: []baseline.Allowed{limit}}}}
	p.Name = "f"
	in := &candidate{
		old: &baseline.Set{Programs: []*baseline.Program{p}}, fresh: map[string]*baseline.Program{"f": p}, changes: []result.Change{{ID: first}, {ID: second}},
		findings: []result.Finding{{Change: second, Rule: "max-kernels", Subject: "kernels.total", Program: "f", Actual: 38.0, Baseline: 28.0, Limit: 28.0}},
	}
	for amount, ids := range map[float64]map[string]bool{34: {second: true}, 38: {first: true, second: true}} {
		limit.Amount = amount
		if got := in.broken(ids); !reflect.DeepEqual(got, []baseline.Allowed{limit}) {
			t.Errorf("of %v: %+v, want %v", ids, got, amount)
		}
	}
}

// Of a step a ceiling allows what its change adds. If it is less than the change adds, the change is open, and another one that adds as much is open beside it.
func TestCeilingOfTheStep(t *testing.T) {
	for name, limit := range map[string]string{"growth": "", "a limit that the baseline breaks": "max: 1us, ", "a wider limit": "max: 40us, "} {
		t.Run(name, func(t *testing.T) { ceilingOfTheStep(t, limit) })
	}
}

// A change that is a part of another one where git does not know what was edited adds to what that one may add, and beside it only if both together do not add more.
func TestCeilingOfAPart(t *testing.T) {
	o := options(t, "version: 1\nrules:\n  - { rule: max-step-time, max_increase: 1% }\n", "cases/cpu-window_beside_product/before.tar.xz")
	accept(t, o, AcceptOptions{})
	o = o.to(t, "cases/cpu-window_beside_product/after.tar.xz")
	told := edits(t, "pairs.py", 1200, 1097, 1101)
	o.Edits = func() (*git.Edits, string) { return told, "" }
	first := check(t, o)
	one, other := first.Changes[0].ID, first.Changes[1].ID
	accept(t, o, AcceptOptions{Only: []string{one}, Reason: "wanted"})
	files, _ := filepath.Glob(filepath.Join(o.Config.Dir, ".xlagate", "*", "*.jsonl"))
	whole := baselineText(t, o)
	partOf := regexp.MustCompile(`"amount":[0-9.]+`).ReplaceAllString(whole, `$0,"with":["`+other+`"]`)
	together := regexp.MustCompile(`"amount":[0-9.]+`).ReplaceAllString(partOf, fmt.Sprintf(`"amount":%v`, first.Findings[0].Actual))
	for name, c := range map[string]struct{ text, waived string }{
		"beside it": {partOf, one}, "within it": {strings.ReplaceAll(partOf, one, "000000000000"), other}, "together": {together, one + other},
	} {
		if err := os.WriteFile(files[0], []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := check(t, o)
		for _, change := range r.Changes {
			if change.Waived != strings.Contains(c.waived, change.ID) {
				t.Errorf("%s: %+v %+v", name, change, r.Problems)
			}
		}
	}
}

func ceilingOfTheStep(t *testing.T, limit string) {
	o := options(t, "version: 1\nrules:\n  - { rule: max-step-time, "+limit+"max_increase: 1% }\n", "cases/cpu-window_beside_product/before.tar.xz")
	accept(t, o, AcceptOptions{})
	o = o.to(t, "cases/cpu-window_beside_product/after.tar.xz")
	told := edits(t, "pairs.py", 1200, 1097, 1101)
	o.Edits = func() (*git.Edits, string) { return told, "" }
	first := check(t, o)
	ids := []string{first.Changes[0].ID, first.Changes[1].ID}
	accept(t, o, AcceptOptions{Only: ids, Reason: "wanted"})
	files, _ := filepath.Glob(filepath.Join(o.Config.Dir, ".xlagate", "*", "*.jsonl"))
	amount, whole := regexp.MustCompile(`"amount":([0-9.]+)`), baselineText(t, o)
	was := first.Findings[0].Baseline.(float64)
	for name, c := range map[string]struct {
		share float64 // of what each change adds
		lines int     // how many ceilings are left
		open  int
	}{
		"all of it": {1, 2, 0}, "half of it": {0.5, 2, 1}, "one of them": {1, 1, 1}, "half of one": {0.5, 1, 2}, "none": {1, 0, 2},
	} {
		left := c.lines
		text := regexp.MustCompile(`(?m)^\{"ceiling".*\n`).ReplaceAllStringFunc(whole, func(line string) string {
			if left--; left < 0 {
				return ""
			}
			return amount.ReplaceAllStringFunc(line, func(s string) string {
				n, err := strconv.ParseFloat(amount.FindStringSubmatch(s)[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				return `"amount":` + strconv.FormatFloat(was+c.share*(n-was), 'g', -1, 64)
			})
		})
		if err := os.WriteFile(files[0], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := check(t, o)
		if len(r.Problems) > 0 || len(r.Open()) != c.open {
			t.Errorf("%s: %d are open, want %d: %+v %+v", name, len(r.Open()), c.open, r.Findings, r.Problems)
		}
		more := slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return strings.Contains(f.Message, "that were accepted: wanted") })
		if more != strings.HasPrefix(name, "half") {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
}
