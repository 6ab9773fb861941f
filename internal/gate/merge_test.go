package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// cutCase is a real check that is cut into parts. What was accepted is compared with what is checked, both dumps below testdata.
type cutCase struct {
	name     string
	rules    string // behind "extends: [recommended]"
	accepted []string
	checked  []string
	with     func(*testing.T, *Options)
	exit     int
	says     string // in a finding or problem
}

// mlp is one model under two versions of JAX.
const mlp = "../internal/gate/testdata/mlp-jax-"

var cutCases = []cutCase{
	{name: "nothing changed", accepted: []string{"gpu-softmax_barrier/before.tar.xz"}, checked: []string{"gpu-softmax_barrier/before.tar.xz"}},
	{name: "folded consequences", accepted: []string{"cpu-unrolled_loop/before.tar.xz"}, checked: []string{"cpu-unrolled_loop/after.tar.xz"}, exit: ExitFindings},
	{
		name: "several programs", exit: ExitFindings, says: "updated in place",
		accepted: []string{"dumps/profiled.tar.xz", "dumps/jax-0.10.2.tar.xz", "cpu-donation_lost/before.tar.xz", "recompile-eager_helpers/dump.tar.xz"},
		checked:  []string{"dumps/profiled.tar.xz", "dumps/jax-0.10.2.tar.xz", "cpu-donation_lost/after.tar.xz", "recompile-eager_helpers/dump.tar.xz"},
	},
	{
		name: "recompiles and a log", checked: []string{"recompile-shapes/dump.tar.xz"}, exit: ExitFindings, says: "compiled 3 times", with: noPack,
		rules: "rules: [{ rule: no-recompilation, max_variants: 1 }, { rule: max-compilations, per: target, max: 2 }]\n" +
			"targets: [{ name: default, log: [run.log.gz] }]\n",
	},
	{
		name: "helpers are counted together", checked: []string{"recompile-eager_helpers/dump.tar.xz"}, exit: ExitFindings, says: "4 helper", with: noPack,
		rules: "rules: [{ rule: max-helper-modules, max: 1, level: error }]\n",
	},
	{
		name: "graphs", accepted: []string{"tf-clusters-clean/dump.tar.xz"}, checked: []string{"tf-clusters-unclusterable/dump.tar.xz"}, exit: ExitFindings,
		rules: "rules: [{ rule: no-unclustered-ops }]\n", says: "outside",
	},
	{name: "graphs of one operation each", checked: []string{"../internal/facts/testdata/torch-xla-mlp.tar.gz"}, exit: ExitIncomplete, says: "no baseline"},
	{name: "other programs than were accepted", accepted: []string{"dumps/jax-0.10.2.tar.xz"}, checked: []string{"cpu-improved/before.tar.xz"}, exit: ExitFindings, says: "this dump does not hold it"},
	{name: "another toolchain", accepted: []string{mlp + "0.10.2.tar.gz"}, checked: []string{mlp + "0.4.30.tar.gz"}, exit: ExitFindings, says: "jax 0.10.2 → 0.4.30"},
	{
		name: "a rule and a pattern that match nothing", checked: []string{"dumps/jax-0.10.2.tar.xz"}, exit: ExitIncomplete, says: `no program matches "gone"`, with: noPack,
		rules: "rules:\n  - { rule: max-kernels, max: 500 }\n  - { rule: max-kernels, program: nobody, max: 1 }\n  - { rule: max-copies, program: [nobody, misc], max: 99 }\n" +
			"targets: [{ name: default, programs: { include: [misc, gone] } }]\n",
	},
	{
		name: "a waiver that is used and one that is not", accepted: []string{"cpu-unfused/before.tar.xz"}, checked: []string{"cpu-unfused/after.tar.xz"},
		exit: ExitFindings, says: "is not used", with: waived,
	},
	{name: "cut off", accepted: []string{"cpu-improved/before.tar.xz"}, checked: []string{"cpu-improved/before.tar.xz", "damaged/cut_off_text"}, exit: ExitIncomplete, says: "the file ends"},
	{name: "an empty file", checked: []string{"damaged/empty_file"}, exit: ExitIncomplete, says: "empty"},
	{name: "no dump", checked: []string{"damaged/nowhere"}, exit: ExitIncomplete, says: "no such file"},
	{
		name: "two targets", exit: ExitIncomplete, says: "no such file", with: func(t *testing.T, o *Options) {
			o.ByTarget = map[string]string{"zebra": o.Dumps[0], "ant": o.Dumps[1], "missing": "nowhere"}
			o.Dumps = nil
		},
		rules:   "rules: [{ rule: max-kernels, max: 3 }]\ntargets: [{ name: zebra }, { name: missing, dump: x }, { name: ant }]\n",
		checked: []string{"cpu-unfused/after.tar.xz", "recompile-shapes/dump.tar.xz"},
	},
	{name: "against another dump", checked: []string{"cpu-topk_sorted/after.tar.xz"}, exit: ExitFindings, with: against("cpu-topk_sorted/before.tar.xz")},
	{name: "against no dump", checked: []string{"cpu-topk_sorted/after.tar.xz"}, exit: ExitIncomplete, with: against("nowhere")},
	{
		name: "samples", checked: []string{"cpu-unfused/before.tar.xz", "cpu-unfused/after.tar.xz"}, exit: ExitFindings, says: "different from compile to compile", with: noPack,
		rules: "rules: [{ rule: stable-compile }]\ntargets: [{ name: default, samples: 2 }]\n",
	},
	{
		name: "too few samples", checked: []string{"cpu-unfused/before.tar.xz"}, exit: ExitIncomplete, says: "independent compiles in it: 1,", with: noPack,
		rules: "rules: [{ rule: stable-compile }]\ntargets: [{ name: default, samples: 3 }]\n",
	},
}

func noPack(t *testing.T, o *Options) {
	setConfig(t, o, func(text string) string { return strings.Replace(text, "extends: [recommended]\n", "", 1) })
}

func against(dump string) func(*testing.T, *Options) {
	return func(t *testing.T, o *Options) {
		o.Against = filepath.Join(filepath.Dir(filepath.Dir(o.Dumps[0])), dump)
	}
}

// waived adds a waiver for the first finding, and one for none.
func waived(t *testing.T, o *Options) {
	id := check(t, *o).Findings[0].ID
	setConfig(t, o, func(text string) string {
		return text + fmt.Sprintf("waivers:\n  - { finding: %s, reason: r, owner: o, expires: 2030-01-01 }\n  - { finding: 000000000000, reason: r, owner: o, expires: 2030-01-01 }\n", id)
	})
}

func setConfig(t *testing.T, o *Options, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(o.Config.Path)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(change(string(data)))
	if o.Config, err = config.Parse(rules.All, o.Config.Path, text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Config.Path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// options prepares the case in a folder of its own, with its baseline accepted.
func (c cutCase) options(t *testing.T) Options {
	t.Helper()
	text := "version: 1\nextends: [recommended]\n" + c.rules
	o := options(t, text, c.checked...)
	o.Version = "1.2.3"
	if err := os.WriteFile(o.Config.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile("../logs/testdata/jax-0.10.2-shapes.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Config.Dir, "run.log.gz"), log, 0o600); err != nil {
		t.Fatal(err)
	}
	if c.accepted != nil {
		first := options(t, "version: 1\nextends: [recommended]\n", c.accepted...)
		first.Baseline = filepath.Join(o.Config.Dir, ".xlagate")
		accept(t, first, AcceptOptions{})
	}
	if c.with != nil {
		c.with(t, &o)
	}
	return o
}

func checkPart(t *testing.T, o Options, index, count int) Input {
	t.Helper()
	o.Shard = dump.Shard{Index: index, Count: count}
	r, err := CheckPart(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != "incomplete" || r.ExitCode != ExitIncomplete {
		t.Errorf("part %s alone: %s, exit %d", o.Shard, r.Verdict, r.ExitCode)
	}
	return Input{File: fmt.Sprintf("part-%d.json", index), Result: reread(t, r)}
}

func asJSON(t rapid.TB, r *result.Result) string {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// elsewhere is what merging is given: the configuration, and nothing of the dumps.
func elsewhere(o Options) Options {
	return Options{Request: Request{Config: o.Config, FailOn: o.FailOn}, Environment: Environment{Dir: o.Dir, Now: o.Now, Version: o.Version}, Run: Run{keeps: o.keeps}}
}

// cut is a case, checked whole and in parts.
type cut struct {
	name  string
	o     Options
	want  string          // the whole, as JSON
	parts map[int][]Input // by how many there are
}

var counts = []int{1, 2, 4}

func (c cutCase) cut(t *testing.T) cut {
	o := c.options(t)
	whole := check(t, o)
	dumps := " " + phrase.Shell(o.dumpArguments()) // which merge is not given
	for i := range whole.Problems {
		whole.Problems[i].Fix = strings.Replace(whole.Problems[i].Fix, dumps, "", 1)
	}
	for i := range whole.Notes {
		whole.Notes[i].Fix = strings.Replace(whole.Notes[i].Fix, dumps, "", 1)
	}
	made := cut{c.name, o, asJSON(t, whole), map[int][]Input{}}
	if whole.ExitCode != c.exit || !tells(whole, c.says) {
		t.Fatalf("%s: exit %d, wanted %d and %q:\n%s", c.name, whole.ExitCode, c.exit, c.says, made.want)
	}
	for _, count := range counts {
		for index := range count {
			made.parts[count] = append(made.parts[count], checkPart(t, o, index, count))
		}
	}
	return made
}

// However a check is cut, and in whatever order and grouping its parts are merged, the result is that of the whole: not a byte differs, but that it cannot
// say which dumps to accept.
func TestMergedPartsAreTheWhole(t *testing.T) {
	var cuts []cut
	for _, c := range cutCases {
		made := c.cut(t)
		cuts = append(cuts, made)
		for _, count := range counts {
			for _, keeps := range []int{0, 1} { // all targets, and one at a time
				made.o.keeps = keeps
				if diff := cmp.Diff(made.want, asJSON(t, merged(t, made.o, made.parts[count]).Result)); diff != "" {
					t.Errorf("%s, merged from %d parts, %d bytes kept, is not the whole:\n%s", c.name, count, keeps, diff)
				}
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(cuts).Draw(rt, "case")
		left := rapid.Permutation(c.parts[rapid.SampledFrom(counts).Draw(rt, "count")]).Draw(rt, "order")
		for len(left) > 1 {
			group := rapid.IntRange(2, len(left)).Draw(rt, "group")
			left = append(slices.Clone(left[group:]), merged(t, c.o, left[:group]))
		}
		if diff := cmp.Diff(c.want, asJSON(rt, merged(t, c.o, left).Result)); diff != "" {
			rt.Fatalf("%s, merged, is not the whole:\n%s", c.name, diff)
		}
	})
}

// tells reports whether a finding, a problem or a note says so.
func tells(r *result.Result, text string) bool {
	return slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return strings.Contains(f.Message, text) }) ||
		slices.ContainsFunc(r.Problems, func(p result.Problem) bool { return strings.Contains(p.Message, text) }) ||
		slices.ContainsFunc(r.Notes, func(n result.Note) bool { return strings.Contains(n.Message, text) }) || text == ""
}

func merged(t *testing.T, o Options, inputs []Input) Input {
	return Input{File: "merged.json", Result: reread(t, Merge(context.Background(), elsewhere(o), inputs))}
}

// What is no whole run is never judged: it stays what it was, and says what is wrong.
func TestPartsThatDoNotJoin(t *testing.T) {
	c := cutCases[1]
	o := c.options(t)
	part := func(index, count int) Input { return checkPart(t, o, index, count) }
	changed := func(in Input, change func(*result.Part)) Input {
		change(in.Targets[0].Part)
		return in
	}
	whole := Input{File: "whole.json", Result: check(t, o)}
	other := o.to(t, c.accepted[0])
	other.Shard = dump.Shard{Index: 1, Count: 2}
	foreign, err := CheckPart(context.Background(), other)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says   string
		inputs []Input
	}{
		{"has 1 of its 2 parts: 1/2 did not run", []Input{part(0, 2)}},
		{"has part 1/2 twice: in part-1.json and in part-1.json", []Input{part(1, 2), part(0, 2), part(1, 2)}},
		{"into 2 parts in part-0.json and into 3 in part-1.json", []Input{part(0, 2), part(1, 3)}},
		{"complete in whole.json, and a part of it is in part-0.json", []Input{whole, part(0, 2)}},
		{"in whole.json and in whole.json: one would hide the other", []Input{whole, whole}},
		{"by another build of xlagate (1.2.2)", []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Version = "1.2.2" })}},
		{"by another build of xlagate", []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Form = "0" })}},
		{"another configuration", []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Config = "0" })}},
		{`compared with the baseline "", part-1.json with "git:main:.xlagate"`, []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Baseline = "git:main:.xlagate" })}},
		{`with "build/old"`, []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Against = "build/old" })}},
		{"other files for one part than for another", []Input{part(0, 2), {File: "part-1.json", Result: foreign}}},
		{`is part "2/2", which does not exist`, []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Shard = "2/2" })}},
		{"the facts are damaged", []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Facts = "?" })}},
		{"unpack what was measured", []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Facts = p.Facts[:len(p.Facts)/8*4] })}},
		{"not a result", []Input{part(0, 2), part(1, 2), {File: "more.json", Unread: &Unreadable{Where: "more.json", Message: "not a result", Fix: "make it anew"}}}},
		{"does not say why", []Input{part(0, 2), changed(part(1, 2), func(p *result.Part) { p.Facts = "" })}},
	} {
		r := Merge(context.Background(), elsewhere(o), c.inputs)
		if r.ExitCode != ExitIncomplete || !tells(r, c.says) {
			t.Errorf("%s: exit %d, %+v", c.says, r.ExitCode, r.Problems)
		}
	}
	nowhere := elsewhere(o)
	nowhere.Config = nil
	if r := Merge(context.Background(), nowhere, []Input{part(0, 1)}); r.ExitCode != ExitIncomplete || !tells(r, "-c xlagate.yaml") {
		t.Errorf("without configuration: exit %d, %+v", r.ExitCode, r.Problems)
	}
}

// A part that an earlier run left behind is noticed, though its dump had files of the same names and sizes.
func TestLeftoverPart(t *testing.T) {
	o := cutCases[1].options(t)
	now := o.folder(t, func(text string) string { return text })
	earlier := o.folder(t, func(text string) string { return strings.ReplaceAll(text, "f32[", "f16[") })
	first, second := checkPart(t, now, 0, 2), checkPart(t, now, 1, 2)
	if r := Merge(context.Background(), elsewhere(o), []Input{first, second}); tells(r, "left over") {
		t.Errorf("parts of one run: %+v", r.Problems)
	}
	r := Merge(context.Background(), elsewhere(o), []Input{first, checkPart(t, earlier, 1, 2)})
	if r.ExitCode != ExitIncomplete || !tells(r, "is one of them left over from an earlier run?") {
		t.Errorf("exit %d, %+v", r.ExitCode, r.Problems)
	}
}

// folder unpacks the only dump into a folder, changed.
func (o Options) folder(t *testing.T, change func(string) string) Options {
	t.Helper()
	d, err := dump.Open(context.Background(), o.Dumps[0], dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	dir := t.TempDir()
	for _, m := range d.Modules {
		for _, f := range m.Files() {
			data, release, err := f.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			text := change(string(data))
			if err := errors.Join(os.WriteFile(filepath.Join(dir, filepath.Base(f.Path)), []byte(text), 0o600), release()); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.Dumps = []string{dir}
	return o
}

func TestNotCut(t *testing.T) {
	o := cutCases[0].options(t)
	o.Shard = dump.Shard{Index: 0, Count: 2}
	command := o
	command.Dumps, command.Command = nil, []string{"true"}
	captured := o
	captured.Dumps = nil
	captured.Config = &config.Config{Targets: []config.Target{{Name: "t", Capture: &config.Capture{Run: "true"}}}}
	for _, o := range []Options{command, captured} {
		if _, err := CheckPart(context.Background(), o); err == nil || !strings.Contains(err.Error(), "xlagate capture --to DIR") {
			t.Errorf("a command was cut: %v", err)
		}
	}
}
