package rules_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// sides are two real dumps of which a rule counts more in one.
type sides struct {
	with       string // keys that the entry has besides
	many       string // what the rule counts in the dump that has more
	more, less string
}

// counted names, for rules that count something, a pair of dumps that differ in it. What a row leaves out, and the row of a rule that has none, is taken from the
// rule's failing example: its dump and baseline, its options, and what it counts there.
var counted = map[string]sides{
	"required-fusions":        {many: "1"},
	"required-custom-calls":   {many: "1"},
	"no-recompilation":        {less: "recompile-shapes_fixed"},
	"max-compilations":        {less: "recompile-jit_in_loop_fixed"},
	"max-peak-bytes":          {more: "cases/cpu-donate_dtype/after", less: "cases/cpu-donate_dtype/before"},
	"fits":                    {many: "0.84378528594970703125", more: "tpu-remat/after", less: "tpu-remat/before"},
	"max-allocation-bytes":    {more: "cases/cpu-donate_dtype/before", less: "cases/cpu-donate_dtype/after"},
	"max-copies":              {less: "cpu-unrolled_loop/after"},
	"max-transposes":          {less: "cpu-constant_baked/before"},
	"min-collective-bytes":    {many: "1368", more: "cpu-sharding_allgather/after", less: "cpu-sharding_allgather/before"},
	"async-collectives":       {more: "cpu-sharding_allgather/after", less: "cpu-sharding_allgather/before"},
	"sharding-pin":            {with: "params: [{ param: w1, sharding: \"P(None, 'model')\" }]"},
	"layout-pin":              {with: "params: [{ param: x, layout: \"1,0\" }]"},
	"no-unclustered-ops":      {many: "9", less: "tf-clusters-clean"},
	"max-clusters":            {more: "tf-clusters-unclusterable", less: "tf-clusters-clean"},
	"max-outside-collectives": {with: "kinds: [all-reduce]"},
	"no-cpu-fallback":         {many: "2"},
	"max-flops":               {more: "cpu-extra_transpose/after", less: "cpu-constant_baked/before"},
	"max-registers":           {more: "gpu-softmax_barrier/before", less: "gpu-softmax_barrier/after"},
	"toolchain":               {with: "pin: { backend: cpu }"},
	"flags":                   {with: "forbid: [xla_disable_hlo_passes]"},
	"stable-compile":          {less: "cpu-set_order_sorted/*"},
}

// sidesOf returns the two dumps that a rule is tried on.
func (k keyRun) sidesOf(r *rule.Rule) sides {
	k.t.Helper()
	if r.Budget == nil {
		return uncounted(r)
	}
	s := counted[r.ID]
	more, less := r.Fails.On, cmp.Or(baseOf(r.Fails), r.Fails.On)
	if r.Budget.Better != rule.Lower {
		more, less = less, more
	}
	s.more, s.less = cmp.Or(s.more, more), cmp.Or(s.less, less)
	if s.with == "" {
		s.with = optionsOf(k.t, r)
	}
	if s.many == "" {
		s.many = k.count(s, r)
	}
	return s
}

// optionsOf returns the options of its own that the failing example of a rule has. It leaves out those that stand for a bound.
func optionsOf(t *testing.T, r *rule.Rule) string {
	t.Helper()
	var entries []map[string]any
	if err := yaml.Unmarshal([]byte(r.Fails.Config), &entries); r.Always || err != nil {
		return "" // the example is a whole file
	}
	var keys []string
	for _, o := range r.Options {
		if value, has := entries[0][o.Key]; has && o.Means == "" {
			text, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, o.Key+": "+string(text))
		}
	}
	return strings.Join(keys, ", ")
}

// count returns what a rule counts in the dump that has more.
func (k keyRun) count(s sides, r *rule.Rule) string {
	k.t.Helper()
	o := k.run(s, s.more, s.base(r), "equal: "+tooMuch(r))
	if !o.finds(r.ID) {
		k.t.Fatalf("%s finds nothing in %s: give it a pair of dumps in `counted`, rules/keys_test.go; exit %d %s", r.ID, s.more, o.code, o.err)
	}
	at := slices.IndexFunc(o.r.Findings, func(f result.Finding) bool { return f.Rule == r.ID })
	n, _ := o.r.Findings[at].Actual.(float64)
	if r.Budget.Unit == "seconds" {
		return time.Duration(math.Round(n * 1e9)).String()
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// base is the dump that the one with more is held to where a rule counts differences and has no bound of its own; "" for other rules.
func (s sides) base(r *rule.Rule) string {
	if r.Budget.Difference && s.with == "" {
		return s.less
	}
	return ""
}

// tooMuch is more than any rule counts in the dumps.
func tooMuch(r *rule.Rule) string {
	switch r.Budget.Unit {
	case "seconds":
		return "100h"
	case "share":
		return "100%"
	}
	return "1000000000"
}

// keyRun runs entries of one rule on dumps.
type keyRun struct {
	t      *testing.T
	rule   string
	stores string // where baselines are kept
}

// outcome is what an entry came to: its exit code, or 2 and the error where the configuration was refused.
type outcome struct {
	code int
	err  string
	r    *result.Result
}

func (k keyRun) run(s sides, on, base string, keys ...string) outcome {
	k.t.Helper()
	entry := strings.Join(append([]string{"rule: " + k.rule}, append(keys, s.with)...), ", ")
	text := fmt.Sprintf("version: 1\ntargets: [{ name: model, dump: %q, samples: %d }]\nrules:\n  - { %s }\n", dumpOf(on), samples(on), strings.TrimSuffix(entry, ", "))
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(text))
	if err != nil {
		return outcome{code: gate.ExitUsage, err: err.Error()}
	}
	o := gate.Options{Request: gate.Request{Config: cfg}, Environment: gate.Environment{Now: time.Unix(0, 0), Assembler: recorded(k.t)}, Run: gate.Run{Jobs: 1}}
	if base != "" {
		o.Baseline = k.accepted(s, base)
	}
	if log := filepath.Join("testdata", k.rule+".log"); exists(log) {
		o.Logs = []string{log}
	}
	r, err := gate.Check(context.Background(), o)
	if err != nil {
		k.t.Fatalf("%s\n%v", text, err)
	}
	return outcome{r.ExitCode, "", r}
}

// accepted stores the baseline of a dump, once.
func (k keyRun) accepted(s sides, dump string) string {
	k.t.Helper()
	dir := filepath.Join(k.stores, strings.Map(func(r rune) rune {
		if r == '/' || r == '*' {
			return '-'
		}
		return r
	}, dump))
	if exists(dir) {
		return dir
	}
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(fmt.Sprintf("version: 1\nextends: [recommended]\ntargets: [{ name: model, dump: %q, samples: %d }]\n", dumpOf(dump), samples(dump))))
	if err != nil {
		k.t.Fatal(err)
	}
	if _, err := gate.Accept(context.Background(), gate.Options{Request: gate.Request{Config: cfg, Baseline: dir}, Run: gate.Run{Jobs: 1}, Environment: gate.Environment{Assembler: recorded(k.t)}}, gate.AcceptOptions{Reason: "the first"}); err != nil {
		k.t.Fatal(err)
	}
	return dir
}

// finds reports whether the rule has a finding.
func (o outcome) finds(rule string) bool {
	return o.r != nil && len(o.r.Problems) == 0 && slices.ContainsFunc(o.r.Findings, func(f result.Finding) bool { return f.Rule == rule })
}

// silent reports whether the rule looked and has none.
func (o outcome) silent(rule string) bool {
	return o.r != nil && len(o.r.Problems) == 0 && !o.finds(rule)
}

// differs says of two values of a key that the one passes and the other fails.
func (k keyRun) differs(s sides, on, base, key, passes, fails string) bool {
	return k.run(s, on, base, key+": "+passes).silent(k.rule) && k.run(s, on, base, key+": "+fails).finds(k.rule)
}

// refused says that a key is refused at its place.
func (k keyRun) refused(s sides, key, value string) bool {
	o := k.run(s, s.more, s.less, key+": "+value)
	return o.code == gate.ExitUsage && strings.Contains(o.err, "xlagate.yaml:4:") && strings.Contains(o.err, key)
}

// Every key that bounds what a rule counts either changes the verdict on a real dump or is refused where it stands.
func TestNoBoundIsIgnored(t *testing.T) {
	stores := t.TempDir()
	for _, r := range rules.All.Rules {
		t.Run(r.ID, func(t *testing.T) {
			k := keyRun{t, r.ID, stores}
			s := k.sidesOf(r)
			for _, key := range []string{"max", "min", "equal", "max_increase", "max_decrease"} {
				taken := slices.ContainsFunc(r.Keys(), func(o rule.Option) bool { return o.Key == key })
				switch {
				case !taken && !k.refused(s, key, "1"):
					t.Errorf("%s is neither taken nor refused: %+v", key, k.run(s, s.more, s.less, key+": 1"))
				case taken && !k.moves(s, key):
					t.Errorf("%s changes nothing between %s and %s, where %s is counted; another pair may stand in `counted`, rules/keys_test.go", key, s.more, s.less, s.many)
				}
			}
		})
	}
}

// uncounted is something to run a rule on that counts nothing.
func uncounted(rule *rule.Rule) sides {
	s := sides{more: "cpu-improved/after", less: "cpu-improved/before"}
	if rule.ID == "assert" {
		s.with = "expr: \"facts.kernels.total > 0\""
	}
	return s
}

// moves reports whether a key decides about a dump, one way or the other.
func (k keyRun) moves(s sides, key string) bool {
	r := rules.All.ByID(k.rule)
	zero, much, base := "0", tooMuch(r), s.base(r)
	if r.Budget.Unit == "seconds" {
		zero = "1ns"
	}
	switch key {
	case "max":
		return k.differs(s, s.more, base, key, s.many, zero)
	case "min":
		return k.differs(s, s.more, base, key, s.many, much)
	case "equal":
		return k.differs(s, s.more, base, key, s.many, much) && k.run(s, s.more, base, key+": "+zero).finds(k.rule)
	case "max_increase":
		return k.differs(s, s.more, s.less, key, much, zero)
	}
	s.with = strings.TrimSuffix("max: "+much+", "+s.with, ", ") // what it does not say of the other side stays as it was: none, or no more than before
	return k.differs(s, s.less, s.more, key, much, zero)
}

// So does every key that all rules have: it is heard, or refused where it stands.
func TestNoCommonKeyIsIgnored(t *testing.T) {
	stores := t.TempDir()
	for _, rule := range rules.All.Rules {
		if rule.Budget == nil {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			k := keyRun{t, rule.ID, stores}
			s := k.sidesOf(rule)
			with := func(keys ...string) outcome {
				return k.run(s, s.more, s.base(rule), append(keys, "equal: "+tooMuch(rule))...)
			}
			if o := with("level: warning", "name: mine", "reason: because"); !o.says(rule.ID, "warning", "mine", "because") {
				t.Errorf("level, name and reason are not heard: %+v", o.r)
			}
			if o := with("level: off"); o.finds(rule.ID) {
				t.Error("finds something although it is off")
			}
			for _, key := range []string{"target: other", "program: no_such_program"} {
				if o := with(key); o.finds(rule.ID) || o.code != gate.ExitIncomplete && o.code != gate.ExitUsage {
					t.Errorf("%s: exit %d %s", key, o.code, o.err)
				}
			}
			if o := with("target: [model]", "program: \"*\""); !o.finds(rule.ID) {
				t.Errorf("finds nothing for all programs of its target: %d %s", o.code, o.err)
			}
		})
	}
}

// says reports whether every finding of the rule bears a level, a name and a reason.
func (o outcome) says(rule, level, name, reason string) bool {
	if !o.finds(rule) {
		return false
	}
	return !slices.ContainsFunc(o.r.Findings, func(f result.Finding) bool {
		return f.Rule == rule && (f.Level != level || f.Name != name || f.Reason != reason)
	})
}

// The rules that count nothing hear the common keys, too, or refuse them.
func TestNoCommonKeyOfAnUncountedRuleIsIgnored(t *testing.T) {
	for _, rule := range rules.All.Rules {
		if rule.Budget != nil {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			for key, heard := range map[string]func(result.Finding) bool{
				"level: warning":           func(f result.Finding) bool { return f.Level == "warning" },
				"name: mine":               func(f result.Finding) bool { return f.Name == "mine" },
				"reason: because":          func(f result.Finding) bool { return f.Reason == "because" },
				"target: other":            nil, // there is no such target, and no finding
				"program: no_such_program": nil,
			} {
				r, err := tryWith(t, rule, key)
				word, _, _ := strings.Cut(key, ":")
				if err != nil && strings.Contains(err.Error(), "takes no "+word) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", key, err)
					continue
				}
				own := slices.IndexFunc(r.Findings, func(f result.Finding) bool { return f.Rule == rule.ID })
				if heard == nil && (own >= 0 || r.ExitCode != gate.ExitIncomplete) || heard != nil && (own < 0 || !heard(r.Findings[own])) {
					t.Errorf("%s is neither heard nor refused: exit %d", key, r.ExitCode)
				}
			}
		})
	}
}

// tryWith runs the failing example of a rule with one key more in the rule's entry.
func tryWith(t *testing.T, rule *rule.Rule, key string) (*result.Result, error) {
	t.Helper()
	e := rule.Fails
	if rule.Always {
		e.Config += fmt.Sprintf("\nrules:\n  - { rule: %s, %s }", rule.ID, key)
	} else {
		e.Config = strings.Replace(e.Config, "name: mostly-fused, ", "", 1)
		e.Config = strings.Replace(e.Config, "- { rule: "+rule.ID, "- { rule: "+rule.ID+", "+key, 1)
	}
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(exampleFile(rule, e)))
	if err != nil {
		return nil, err
	}
	return check(t, cfg, rule, e), nil
}

// oneSided says of the rules that hold something to what it was why the way back is a finding, too. What has no reason here passes.
var oneSided = map[string]string{
	"sharding-pin": "without pins any other sharding is one", "layout-pin": "without pins any other layout is one", "flags": "a flag that is gone is as telling as one that is new",
	"results-kept": "a result that is larger again is another result, too", "precision": "a loss may have needed the precision that is gone", "toolchain": "an older compiler is another one",
	"threads-kept": "a launch may have been faster on the thread that it left",
}

// What is worse one way is no worse the other way: a rule finds what was added to a program, nothing when it is taken away again, and
// nothing in a program that is held against itself.
func TestAddingAndRemovingAreSymmetric(t *testing.T) {
	stores := t.TempDir()
	ran, used := map[string]bool{}, map[string]bool{}
	for _, rule := range rules.All.Rules {
		if rule.Budget == nil || rule.Budget.Unrecorded != "" {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			k := keyRun{t, rule.ID, stores}
			s := k.sidesOf(rule)
			ran[rule.ID] = true
			var held []string // to the baseline, where it is not by itself
			switch {
			case rule.Budget.Difference:
				s.with = ""
			case rule.Forbids:
				held = []string{"max_increase: 0"}
			}
			worse, better := s.worse(rule)
			added, removed := k.run(s, worse, better, held...), k.run(s, better, worse, held...)
			if !added.finds(rule.ID) {
				t.Errorf("does not find what was added: exit %d %s", added.code, added.err)
			}
			switch {
			case oneSided[rule.ID] != "":
				used[rule.ID] = removed.finds(rule.ID)
			case !removed.silent(rule.ID):
				t.Errorf("finds something in what was taken away again: exit %d %s\n%s", removed.code, removed.err, told(removed.r, rule.ID))
			}
			for _, same := range []string{worse, better} {
				if o := k.run(s, same, same, held...); !o.silent(rule.ID) {
					t.Errorf("finds something in %s held against itself: exit %d %s", same, o.code, o.err)
				}
			}
		})
	}
	for id := range oneSided {
		if ran[id] && !used[id] {
			t.Errorf("%s needs no reason any more", id)
		}
	}
}

// worse orders the sides by what is better.
func (s sides) worse(r *rule.Rule) (worse, better string) {
	if r.Budget.Better != rule.Lower {
		return s.less, s.more
	}
	return s.more, s.less
}

// A bound lets pass what it names, and nothing on its other side: not a single kernel or byte more.
func TestBoundsAreSharp(t *testing.T) {
	stores := t.TempDir()
	for _, rule := range rules.All.Rules {
		if rule.Budget == nil || rule.Budget.Unit == "seconds" {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			k := keyRun{t, rule.ID, stores}
			s := k.sidesOf(rule)
			n, ok := config.ParseSize(s.many)
			if !ok {
				t.Fatalf("%s counts %q", rule.ID, s.many)
			}
			step := 1.0
			if rule.Budget.Unit == "share" {
				step = 0.001
			}
			for _, bound := range []struct {
				key   string
				n     float64
				finds bool
			}{
				{"max", n, false}, {"max", n - step, true}, {"min", n, false}, {"min", n + step, true}, {"equal", n, false}, {"equal", n - step, true}, {"equal", n + step, true},
			} {
				o := k.run(s, s.more, s.base(rule), bound.key+": "+strconv.FormatFloat(bound.n, 'f', -1, 64))
				if o.code == 2 && strings.Contains(o.err, "takes no "+bound.key) {
					continue
				}
				if !bound.finds && !o.silent(rule.ID) || bound.finds && !o.finds(rule.ID) {
					t.Errorf("%s: %v of %v: exit %d %s", bound.key, bound.n, n, o.code, o.err)
				}
			}
		})
	}
}
