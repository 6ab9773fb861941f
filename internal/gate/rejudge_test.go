package gate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// quickstart is the example's gate over the dump that regressed.
func quickstart(t *testing.T) (Options, *result.Result) {
	t.Helper()
	dir, err := filepath.Abs("../../examples/quickstart")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(rules.All, filepath.Join(dir, "xlagate.yaml"), "xlagate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Request: Request{Config: cfg, Dumps: []string{filepath.Join(dir, "regressed")}}, Environment: Environment{Dir: dir}}
	r, err := Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o, r
}

func allIDs(r *result.Result) []string {
	var ids []string
	for _, f := range r.Findings {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestRejudgeAgrees judges the facts of a result by the policy that it was judged by already.
func TestRejudgeAgrees(t *testing.T) {
	o, r := quickstart(t)
	again, err := rejudge(o, os.DirFS(filepath.Join(o.Dir, ".xlagate")), r)
	if err != nil {
		t.Fatal(err)
	}
	if again.Verdict != "fail" || !slices.Equal(allIDs(again), allIDs(r)) {
		t.Errorf("%s %v, wanted %s %v", again.Verdict, allIDs(again), r.Verdict, allIDs(r))
	}
}

func TestRejudgeByAnother(t *testing.T) {
	o, r := quickstart(t)
	strict, err := config.Parse(rules.All, "xlagate.yaml", []byte("version: 1\nextends: [recommended]\ntargets:\n  - {name: classifier/cpu, dump: a}\n  - {name: gone, dump: b}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.Config = strict
	again, err := rejudge(o, nil, r)
	if err != nil {
		t.Fatal(err)
	}
	if again.Verdict != "incomplete" || !slices.ContainsFunc(again.Problems, func(p result.Problem) bool { return p.Target == "gone" }) {
		t.Errorf("%s %+v", again.Verdict, again.Problems)
	}
}

// TestRejudgeHostile hands over facts that nobody measured.
func TestRejudgeHostile(t *testing.T) {
	o, r := quickstart(t)
	program := &r.Targets[0].Programs[0]
	good := string(program.Accept.Text())
	for what, text := range map[string]string{
		"no JSON":        "{{{",
		"another schema": strings.Replace(good, "xlagate.baseline/v1", "x", 1),
		"a cut one":      good[:len(good)*2/3],
		"a fact twice":   strings.Replace(good, `{"end":"facts"}`, `{"fact":{"a":1}}`+"\n"+`{"fact":{"a":2}}`+"\n"+`{"end":"facts"}`, 1),
		"aliases":        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n",
	} {
		program.Accept = result.LaterText(func() []byte { return []byte(text) })
		if _, err := rejudge(o, fstest.MapFS{}, r); err == nil || !strings.Contains(err.Error(), "the result holds no usable facts: ") {
			t.Errorf("%s is judged: %v", what, err)
		}
	}
}

// TestAcceptFromResult refreshes the baseline without a dump: whole, by id, and never outside of its folder.
func TestAcceptFromResult(t *testing.T) {
	o, r := quickstart(t)
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	cfg := *o.Config
	cfg.Path, cfg.Dir = filepath.Join(work, "xlagate.yaml"), work
	o = Options{Request: Request{Config: &cfg}, Environment: Environment{Dir: work}}
	file := filepath.Join(work, ".xlagate/classifier/cpu/train_step.jsonl")
	read := func() string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := read()
	id := r.Findings[slices.IndexFunc(r.Findings, func(f result.Finding) bool { return f.Rule == "no-recompilation" })].ID
	if _, err := Accept(t.Context(), o, AcceptOptions{From: r, Only: []string{id}, Reason: "two sizes"}); err != nil {
		t.Fatal(err)
	}
	one := read()
	if strings.Count(one, `{"variant":`) != 1 || strings.Count(before, `{"ceiling":`) != 0 || strings.Count(one, `{"ceiling":`) != 1 {
		t.Errorf("accepting %s is no ceiling: %s", id, one)
	}
	if again, err := rejudge(o, os.DirFS(filepath.Join(work, ".xlagate")), r); err != nil || !slices.ContainsFunc(again.Findings, func(f result.Finding) bool { return f.ID == id && f.Waived }) {
		t.Errorf("%s is not allowed: %v", id, err)
	}
	if _, err := Accept(t.Context(), o, AcceptOptions{From: r, Reason: "all of it"}); err != nil {
		t.Fatal(err)
	}
	if all := read(); strings.Count(all, `{"variant":`) != 2 || strings.Contains(all, `{"ceiling":`) || !strings.Contains(all, "all of it") {
		t.Error("accepting everything changed nothing more")
	}
	if done, err := Accept(t.Context(), o, AcceptOptions{From: r, Reason: "again"}); err != nil || len(done.Written) > 0 {
		t.Errorf("the second time wrote %v (%v)", done, err)
	}
	if _, err := Accept(t.Context(), o, AcceptOptions{From: r, Only: []string{"ffffffffffff"}}); err == nil {
		t.Error("a finding that is not there is accepted")
	}
	r.Targets[0].Name = "../../elsewhere"
	if _, err := Accept(t.Context(), o, AcceptOptions{From: r}); err == nil {
		t.Error("a target outside of the baseline is written")
	}
}

// A result that another program left removes nothing: it does not say that what it does not name is gone.
func TestAcceptFromAnotherProgramsResult(t *testing.T) {
	o := options(t, recommended, "cpu-donation_lost/before.tar.xz")
	accept(t, o, AcceptOptions{})
	other := options(t, recommended, "cpu-fusion_callback_barrier/before.tar.xz")
	accept(t, other, AcceptOptions{})
	done := accept(t, o, AcceptOptions{From: check(t, other), Reason: "another program"})
	if len(done.Removed) > 0 || !slices.ContainsFunc(done.Written, func(name string) bool { return filepath.Base(name) == "act.jsonl" }) {
		t.Errorf("it wrote %v and removed %v", done.Written, done.Removed)
	}
	if r := check(t, o); slices.ContainsFunc(r.Problems, func(p result.Problem) bool { return p.Rule == "baseline-present" }) {
		t.Errorf("what was accepted before is gone: %+v", r.Problems)
	}
}

// A result that is judged again by the same policy breaks the same rules: what a pull request is told does not depend on who judges. One check needs
// what no result holds: in which functions of the model the types became wider. Nor does a result tell as well which changes break a limit on the step.
func TestRejudgedPairs(t *testing.T) {
	pairs, err := filepath.Glob(dumps + "cases/*/after.tar.xz")
	if err != nil || len(pairs) < 70 {
		t.Fatal(pairs, err)
	}
	for _, after := range pairs {
		pair := strings.TrimPrefix(filepath.Dir(after), dumps)
		t.Run(pair, func(t *testing.T) {
			o := options(t, recommended, pair+"/before.tar.xz")
			accept(t, o, AcceptOptions{Reason: "start"})
			o = o.to(t, pair+"/after.tar.xz")
			first := check(t, o)
			store, err := OpenBaseline(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			again, err := rejudge(o, store, reread(t, first))
			if err != nil {
				t.Fatal(err)
			}
			first.Findings = slices.DeleteFunc(first.Findings, func(f result.Finding) bool {
				return f.Rule == "dtype-floor" && strings.Contains(f.Message, "values in a wider type") || strings.Contains(f.Subject, shareOf)
			})
			if !slices.Equal(allIDs(again), allIDs(first)) {
				t.Errorf("%v, wanted %v", messages(again), messages(first))
			}
		})
	}
}

// What runs beside a collective is not in a result, but how many collectives nothing runs beside is.
func TestRejudgedCollectives(t *testing.T) {
	for rules, told := range map[string]bool{"": true, ", max: 1": true, ", min_distance: 2": false} {
		o := options(t, "version: 1\nrules:\n  - { rule: async-collectives"+rules+" }\n", "gpu-collectives/dump.tar.xz")
		first := check(t, o)
		again, err := rejudge(o, nil, reread(t, first))
		if err != nil {
			t.Fatal(err)
		}
		if !told {
			first.Findings = nil
		}
		if !slices.Equal(messages(again), messages(first)) {
			t.Errorf("%s: %v, wanted %v", rules, messages(again), messages(first))
		}
	}
}

func messages(r *result.Result) (list []string) {
	for _, f := range r.Findings {
		list = append(list, f.Rule+": "+f.Message)
	}
	return list
}

// A result whose facts are not those of the text that accepting it would write was edited, whatever differs.
func TestEditedResult(t *testing.T) {
	_, r := quickstart(t)
	shown := &r.Targets[0].Programs[0]
	text := string(shown.Accept.Text())
	for says, edit := range map[string]func(*result.Program, *baseline.Program){
		"":                         func(*result.Program, *baseline.Program) {},
		"its baseline is that of":  func(_ *result.Program, p *baseline.Program) { p.Name = "other" },
		"variants, its baseline 1": func(_ *result.Program, p *baseline.Program) { p.Variants = p.Variants[:1] },
		"variants, its baseline 3": func(_ *result.Program, p *baseline.Program) { p.Variants = append(p.Variants, p.Variants[0]) },
		"in its baseline (odd)":    func(_ *result.Program, p *baseline.Program) { p.Variants[0].Signature = "(odd)" },
		"cost.flops of ":           func(_ *result.Program, p *baseline.Program) { p.Variants[0].Facts["cost.flops"]++ },
		"odd of ":                  func(_ *result.Program, p *baseline.Program) { p.Variants[0].Facts["odd"] = 0 },
		"has 1 kernels, its baseline ": func(s *result.Program, p *baseline.Program) {
			p.Variants[0].Facts["kernels.total"], s.Variants[0].Facts["kernels.total"] = 1, 1
		},
	} {
		p, err := baseline.Parse("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		edited := *shown
		edited.Variants = slices.Clone(shown.Variants)
		edited.Variants[0].Facts = maps.Clone(shown.Variants[0].Facts)
		edit(&edited, p)
		if err := agrees(&edited, p); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v, wanted %q", err, says)
		}
	}
	shown.Name = "other"
	if _, err := programsOf(&r.Targets[0]); err == nil || !strings.Contains(err.Error(), "contradicts itself; it was edited") {
		t.Error(err)
	}
}

// Programs that stand for too much all together are not unpacked, however small each is.
func TestExpandedResult(t *testing.T) {
	text := `{"baseline":{"schema":"xlagate.baseline/v1","program":"f"}}` + "\n" + `{"end":"toolchain"}` + "\n" + `{"end":"ceilings"}` + "\n" + `{"variant":{"signature":"s","compiles":900000}}` + "\n"
	for _, section := range []string{"facts", "arguments", "constants", "buffers", "model", "counts", "kernels", "baseline"} {
		text += `{"end":"` + section + `"}` + "\n"
	}
	p, err := baseline.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	one := result.Program{Name: "f", Variants: []result.Variant{{Signature: "s", Facts: p.Variants[0].Facts}}, Accept: result.LaterText(func() []byte { return []byte(text) })}
	for n, says := range map[int]string{2: "", 3: "the result's facts of target t stand for more than 2000000 kernels"} {
		list, err := programsOf(&result.Target{Name: "t", Programs: slices.Repeat([]result.Program{one}, n)})
		if says == "" && (err != nil || len(list) != n) || says != "" && (err == nil || err.Error() != says) {
			t.Errorf("%d programs: %v, wanted %q", n, err, says)
		}
	}
}

// Judging very many targets again takes time in proportion to their number: a result may come from anybody.
func TestRejudgeManyTargets(t *testing.T) {
	const n = 10_000
	from, cfg := &result.Result{Partial: &result.Partial{}}, &config.Config{}
	for i := range n {
		from.Targets = append(from.Targets, result.Target{Name: fmt.Sprintf("t%d", i)})
		cfg.Targets = append(cfg.Targets, config.Target{Name: fmt.Sprintf("other%d", i)})
	}
	for _, o := range []Options{{Request: Request{Config: cfg}}, {Request: Request{Config: &config.Config{}}}} {
		start := time.Now()
		r, err := rejudge(o, nil, from)
		if took := time.Since(start); err != nil || len(r.Targets) != n*(1-min(1, len(o.Config.Targets))) || took > 10*time.Second {
			t.Errorf("%d targets in %s, %v", len(r.Targets), took, err)
		}
	}
}

// A baseline that is not on the pull request's branch is not written there.
func TestAcceptElsewhere(t *testing.T) {
	for _, place := range []string{"git:main:.xlagate", "../.xlagate"} {
		p := policyOf(t, "version: 1\nextends: [recommended]\nbaseline: "+place+"\n", fstest.MapFS{})
		if _, changed, err := AcceptRemote(t.Context(), p, "", AcceptOptions{From: &result.Result{}}); err == nil || !strings.Contains(err.Error(), "the baseline "+place+" does not lie ") {
			t.Errorf("%s: %v, %v", place, changed, err)
		}
	}
}

// What the base branch finds is a dispute unless the pull request fails by it too: not where its own rules waive it, make it an information, or only warn.
func TestDisputes(t *testing.T) {
	f := func(id, level string, waived bool) result.Finding {
		return result.Finding{ID: id, Level: level, Waived: waived}
	}
	base := &result.Result{Findings: []result.Finding{f("a", "error", false), f("b", "error", false), f("c", "error", false), f("d", "error", false), f("e", "error", true), f("f", "info", false), f("g", "warning", false)}}
	own := &result.Result{ExitCode: ExitFindings, Summary: result.Summary{Errors: 1}, Findings: []result.Finding{f("a", "error", false), f("b", "error", true), f("c", "info", false), f("d", "warning", false), f("g", "warning", false)}}
	var ids string
	for _, d := range disputes(base, own, &config.Config{FailOn: "error"}) {
		ids += d.ID
	}
	if ids != "bcd" {
		t.Errorf("%q", ids)
	}
	if list := disputes(base, own, &config.Config{FailOn: "warning"}); len(list) != 4 {
		t.Errorf("where warnings fail: %+v", list)
	}
}
