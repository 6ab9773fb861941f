package gate

import (
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
)

// acceptedAnew is what is said of a pull request that replaces the accepted facts of one program.
func acceptedAnew(t *testing.T, old, fresh string) string {
	t.Helper()
	cfg := parse(t, withRules())
	of := func(text string) Policy {
		return Policy{Name: "main@1234567", Config: cfg, Store: stored(t, "mlp", text)}
	}
	changes, err := ComparePolicies(of(old), of(fresh))
	if err != nil || len(changes) != 1 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	return string(changes[0].Effect) + " " + changes[0].Text
}

const secondVariant = `  - signature: "(x: f32[16])"
    facts:
      kernels.total: 7
`

func TestVariantsComeAndGo(t *testing.T) {
	if got := acceptedAnew(t, acceptedText, acceptedText+secondVariant); got != "looser accepted anew: 1 variant → 2 (first)" {
		t.Errorf("a second variant: %s", got)
	}
	if got := acceptedAnew(t, acceptedText+secondVariant, acceptedText); got != "stricter accepted anew: 2 variants → 1 (first)" {
		t.Errorf("one variant less: %s", got)
	}
}

// The facts of a variant are held against those of the same signature, whichever comes first.
func TestVariantsArePairedBySignature(t *testing.T) {
	fresh := strings.Replace(acceptedText+secondVariant, "kernels.total: 7", "kernels.total: 8", 1)
	if got := acceptedAnew(t, acceptedText+secondVariant, fresh); got != "looser accepted anew: kernels 7 → 8 (first)" {
		t.Errorf("told: %s", got)
	}
	other := strings.Replace(acceptedText, "f32[8]", "f32[9]", 1)
	if got := acceptedAnew(t, acceptedText, strings.Replace(other, "19", "30", 1)); got != "changed accepted anew (first)" {
		t.Errorf("another variant with more kernels: %s", got)
	}
}

// What no rule speaks of, and a fact that only one side has, goes neither way.
func TestFactsWithoutADirection(t *testing.T) {
	for name, c := range map[string]struct{ old, fresh string }{
		"a fact appears": {"      copies.count: 2\n", ""},
		"no rule's fact": {"kernels.total: 19\n", "kernels.total: 19\n      loops.while: 3\n"},
		"a reason":       {"reason: first", "reason: second"},
	} {
		old, fresh := acceptedText, strings.Replace(acceptedText, c.old, c.fresh, 1)
		for _, pair := range [][2]string{{old, fresh}, {fresh, old}} {
			if got := acceptedAnew(t, pair[0], pair[1]); !strings.HasPrefix(got, "changed accepted anew (") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// A long list is cut: six are named, the rest is counted.
func TestManyFacts(t *testing.T) {
	list := strings.Split("abcdefgh", "")
	for n, want := range map[int]string{0: "", 1: "a", 6: "a, b, c, d, e, f", 7: "a, b, c, d, e, f, and 1 more", 8: "a, b, c, d, e, f, and 2 more"} {
		if got := listMoved(list[:n]); got != want {
			t.Errorf("%d: %s, wanted %s", n, got, want)
		}
	}
	if list[6] != "g" {
		t.Error("the list itself was changed")
	}
}

// More of a fact is worse or better by what its rule says, and the other way round for the other way.
func TestFactsMoveByTheirRule(t *testing.T) {
	with := func(v facts.Values) *baseline.Program {
		return &baseline.Program{Program: facts.Program{Variants: []*facts.Variant{{Facts: v}}}}
	}
	old, fresh := with(facts.Values{"kernels.total": 3, "donation.aliased": 3}), with(facts.Values{"kernels.total": 4, "donation.aliased": 3})
	if worse, better := moved(old, fresh); len(worse) != 1 || len(better) != 0 || worse[0] != "kernels 3 → 4" {
		t.Errorf("worse %v, better %v", worse, better)
	}
	if worse, better := moved(fresh, old); len(worse) != 0 || len(better) != 1 || better[0] != "kernels 4 → 3" {
		t.Errorf("worse %v, better %v", worse, better)
	}
	if worse, better := moved(old, old); len(worse)+len(better) != 0 {
		t.Errorf("the same facts: worse %v, better %v", worse, better)
	}
}

// The programs of all targets of both sides are compared, each once, in order.
func TestBaselinesOfSeveralTargets(t *testing.T) {
	cfg := parse(t, withRules())
	store := func(programs ...string) fstest.MapFS {
		all := fstest.MapFS{}
		for _, p := range programs {
			target, program, _ := strings.Cut(p, "/")
			maps.Copy(all, stored(t, target, strings.Replace(acceptedText, "train_step", program, 1)))
		}
		return all
	}
	old, fresh := store("b/f", "a/g", "a/e"), store("c/f", "a/g")
	changes, err := ComparePolicies(Policy{Config: cfg, Store: old}, Policy{Config: cfg, Store: fresh})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, string(c.Effect)+" "+c.File)
	}
	if want := "looser .xlagate/a/e.jsonl, looser .xlagate/b/f.jsonl, changed .xlagate/c/f.jsonl"; strings.Join(got, ", ") != want {
		t.Errorf("%s, wanted %s", strings.Join(got, ", "), want)
	}
}

// A baseline that cannot be read is said to be which side's.
func TestUnreadableBaseline(t *testing.T) {
	cfg := parse(t, withRules())
	good, bad := stored(t, "mlp", acceptedText), stored(t, "mlp", "schema: 3\n")
	for want, stores := range map[string][2]fstest.MapFS{"read the baseline of main@1234567: ": {bad, good}, "read the pull request's baseline: ": {good, bad}} {
		_, err := ComparePolicies(Policy{Name: "main@1234567", Config: cfg, Store: stores[0]}, Policy{Config: cfg, Store: stores[1]})
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "train_step.jsonl") {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
	if _, err := ComparePolicies(Policy{Config: cfg, Store: os.DirFS("policy.go")}, Policy{Config: cfg, Store: good}); err == nil {
		t.Error("a baseline that is a file is passed over")
	}
}
