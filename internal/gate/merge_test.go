package gate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// fleet is the rule file of several targets, each a real dump. What was accepted of the middle one is another dump.
const fleet = `version: 1
extends: [recommended]
targets:
  - { name: zebra/gpu, dump: DUMPS/gpu-softmax_barrier/before.tar.xz }
  - { name: loop/cpu, dump: DUMPS/cpu-unrolled_loop/before.tar.xz }
  - { name: ant/cpu, dump: DUMPS/recompile-shapes/dump.tar.xz }
`

// apart is a check of the fleet, of all targets at once and of each by itself.
type apart struct {
	name  string
	o     Options
	whole string // as JSON
	each  []Input
}

// checkApart checks the fleet under further rules.
func checkApart(t *testing.T, name, rules string, exit int, says string, other map[string]string) apart {
	t.Helper()
	dir := t.TempDir()
	o := fleetOptions(t, dir, fleet)
	accept(t, o, AcceptOptions{Reason: "start"})
	o = fleetOptions(t, dir, fleet+rules)
	o.ByTarget = map[string]string{}
	for target, dump := range other {
		path, err := filepath.Abs(dumps + dump)
		if err != nil {
			t.Fatal(err)
		}
		o.ByTarget[target] = path
	}
	whole := check(t, o)
	if whole.ExitCode != exit || !tells(whole, says) {
		t.Fatalf("%s: exit %d, wanted %d and %q:\n%s", name, whole.ExitCode, exit, says, asJSON(t, whole, o))
	}
	a := apart{name: name, o: o, whole: asJSON(t, whole, o)}
	for _, target := range o.Config.Targets {
		one := o
		one.Targets = []string{target.Name}
		one.ByTarget = map[string]string{}
		if dump := o.ByTarget[target.Name]; dump != "" {
			one.ByTarget[target.Name] = dump
		}
		r := check(t, one)
		if len(r.Targets) != 1 || r.Partial == nil {
			t.Fatalf("%s alone: %d targets, %v", target.Name, len(r.Targets), r.Partial)
		}
		a.each = append(a.each, Input{File: filepath.Base(target.Name) + ".json", Result: reread(t, r)})
	}
	return a
}

func fleetOptions(t *testing.T, dir, text string) Options {
	t.Helper()
	o := options(t, recommended)
	at, err := filepath.Abs(dumps)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(strings.ReplaceAll(text, "DUMPS", at))
	path := filepath.Join(dir, "xlagate.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if o.Config, err = config.Parse(rules.All, path, data); err != nil {
		t.Fatal(err)
	}
	return o
}

// asJSON is a result without the targets and dumps that its advice names: a merge is not given them.
func asJSON(t rapid.TB, r *result.Result, o Options) string {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, target := range o.Config.Targets {
		if dump := o.ByTarget[target.Name]; dump != "" {
			text = strings.ReplaceAll(text, " --target "+target.Name+"="+dump, "")
		}
		text = strings.ReplaceAll(text, " --target "+target.Name, "")
	}
	return text
}

// merged merges as another machine does: with the configuration, and nothing of the dumps.
func merged(t *testing.T, o Options, inputs []Input) Input {
	elsewhere := Options{Request: Request{Config: o.Config}, Environment: Environment{Dir: o.Dir, Now: o.Now}}
	return Input{File: "merged.json", Result: reread(t, Merge(elsewhere, inputs))}
}

// tells reports whether a finding, a problem or a note says so.
func tells(r *result.Result, text string) bool {
	return slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return strings.Contains(f.Message, text) }) ||
		slices.ContainsFunc(r.Problems, func(p result.Problem) bool { return strings.Contains(p.Message, text) }) ||
		slices.ContainsFunc(r.Notes, func(n result.Note) bool { return strings.Contains(n.Message, text) }) || text == ""
}

// Targets that are checked each by itself, and merged in whatever order and grouping, come to the result of one check: not a byte differs.
func TestMergedTargetsAreTheWhole(t *testing.T) {
	changed := map[string]string{"loop/cpu": "cpu-unrolled_loop/after.tar.xz"}
	id := func() string {
		dir := t.TempDir()
		o := fleetOptions(t, dir, fleet)
		accept(t, o, AcceptOptions{Reason: "start"})
		o.ByTarget = map[string]string{"loop/cpu": dumps + changed["loop/cpu"]}
		return check(t, o).Changes[0].ID
	}()
	waiver := func(id string) string {
		return fmt.Sprintf("  - { finding: %s, reason: r, owner: o, expires: 2030-01-01 }\n", id)
	}
	all := []apart{
		checkApart(t, "nothing changed", "", ExitPass, "", nil),
		checkApart(t, "a change", "", ExitFindings, "", changed),
		checkApart(t, "rules for some targets", "rules:\n  - { rule: no-recompilation, target: ant/*, program: predict, max_variants: 1 }\n  - { rule: max-kernels, program: softmax, max: 900 }\n", ExitFindings, "compiled 3 times", nil),
		checkApart(t, "a loose limit", "rules:\n  - { rule: max-kernels, program: softmax, max: 900 }\n", ExitPass, "is loose", nil),
		checkApart(t, "a rule for none", "rules:\n  - { rule: max-kernels, program: softmax, max: 90 }\n  - { rule: max-kernels, program: nobody, max: 1 }\n", ExitIncomplete, `rule max-kernels matches no program: program "nobody"`, nil),
		checkApart(t, "a waiver that is used, and one that is not", "waivers:\n"+waiver(id)+waiver("000000000000"), ExitFindings, "is not used", changed),
		checkApart(t, "a target that cannot be read", "rules:\n  - { rule: max-kernels, program: softmax, max: 900 }\n", ExitIncomplete, "no such file", map[string]string{"loop/cpu": "nowhere"}),
	}
	for _, a := range all {
		if diff := cmp.Diff(a.whole, asJSON(t, merged(t, a.o, a.each).Result, a.o)); diff != "" {
			t.Errorf("%s: merged, it is not the whole:\n%s", a.name, diff)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		a := rapid.SampledFrom(all).Draw(rt, "case")
		left := rapid.Permutation(a.each).Draw(rt, "order")
		for len(left) > 1 {
			group := rapid.IntRange(2, len(left)).Draw(rt, "group")
			left = append(slices.Clone(left[group:]), merged(t, a.o, left[:group]))
		}
		if diff := cmp.Diff(a.whole, asJSON(rt, left[0].Result, a.o)); diff != "" {
			rt.Fatalf("%s: merged, it is not the whole:\n%s", a.name, diff)
		}
	})
}

// What is not the results of one run, each once, is never green.
func TestResultsThatDoNotMerge(t *testing.T) {
	a := checkApart(t, "nothing changed", "", ExitPass, "", nil)
	one, two, three := a.each[0], a.each[1], a.each[2]
	otherwise := Input{File: "other.json", Result: reread(t, three.Result)}
	otherwise.Partial.Config = "0"
	unread := Input{File: "more.json", Unread: &Unreadable{Where: "more.json", Message: "not a result", Fix: "make it anew"}}
	for _, c := range []struct {
		says   string
		inputs []Input
	}{
		{"target ant/cpu: declared at " + a.o.Config.Path + ":6:5, but in none of the results: its job did not run or did not upload", []Input{one, two}},
		{"target zebra/gpu: it is in gpu.json and in gpu.json: one would hide the other", []Input{one, two, three, one}},
		{"not a result", []Input{one, two, three, unread}},
		{"other.json was checked by another configuration than the targets before it", []Input{one, two, otherwise}},
		{"by another configuration than " + a.o.Config.Path + ", or it was changed in between", []Input{otherwise}},
	} {
		r := merged(t, a.o, c.inputs)
		if r.ExitCode != ExitIncomplete || !tells(r.Result, c.says) {
			t.Errorf("%s: exit %d, %+v", c.says, r.ExitCode, r.Problems)
		}
	}
	nowhere := a.o
	nowhere.Config = nil
	if r := Merge(nowhere, a.each); r.ExitCode != ExitIncomplete || !tells(r, "-c xlagate.yaml") {
		t.Errorf("without configuration: exit %d, %+v", r.ExitCode, r.Problems)
	}
}

func TestNoSuchTarget(t *testing.T) {
	o := fleetOptions(t, t.TempDir(), fleet)
	o.Targets = []string{"loop/gpu"}
	if _, err := Check(t.Context(), o); err == nil || err.Error() != `--target loop/gpu: there is no target "loop/gpu"; there are ant/cpu, loop/cpu, zebra/gpu` {
		t.Error(err)
	}
}
