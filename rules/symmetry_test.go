package rules_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// oneSided says of the rules that hold something to what it was why the way back is a finding, too. What has no reason here passes.
var oneSided = map[string]string{
	"sharding-pin": "without pins any other sharding is one", "layout-pin": "without pins any other layout is one", "flags": "a flag that is gone is as telling as one that is new",
	"precision": "a loss may have needed the precision that is gone", "toolchain": "an older compiler is another one",
}

// What is worse one way is no worse the other way: a rule finds what was added to a program, nothing when it is taken away again, and
// nothing in a program that is held against itself.
func TestAddingAndRemovingAreSymmetric(t *testing.T) {
	shared, stores := files.CacheAt(t.TempDir(), "test", files.CacheBytes), t.TempDir()
	ran, used := map[string]bool{}, map[string]bool{}
	for _, rule := range rules.All() {
		s, counts := counted[rule.ID]
		if !counts || rule.Budget.Unheld != "" {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			k := keyRun{t, rule.ID, shared, stores}
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
	shared, stores := files.CacheAt(t.TempDir(), "test", files.CacheBytes), t.TempDir()
	for _, rule := range rules.All() {
		s, counts := counted[rule.ID]
		if !counts || rule.Budget.Unit == "seconds" {
			continue
		}
		n, ok := config.ParseSize(s.many)
		if !ok {
			t.Fatalf("%s counts %q", rule.ID, s.many)
		}
		t.Run(rule.ID, func(t *testing.T) {
			k := keyRun{t, rule.ID, shared, stores}
			base := ""
			if rule.Budget.Difference && s.with == "" {
				base = s.less
			}
			for _, bound := range []struct {
				key   string
				n     float64
				finds bool
			}{
				{"max", n, false}, {"max", n - 1, true}, {"min", n, false}, {"min", n + 1, true}, {"equal", n, false}, {"equal", n - 1, true}, {"equal", n + 1, true},
			} {
				o := k.run(s, s.more, base, bound.key+": "+strconv.FormatFloat(bound.n, 'f', -1, 64))
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
