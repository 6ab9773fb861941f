package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
)

func TestEveryRuleIsDocumented(t *testing.T) {
	for _, r := range All.Rules {
		for what, text := range map[string]string{"title": r.Title, "category": string(r.Category), "why": r.Why, "fix": r.Fix} {
			if text == "" {
				t.Errorf("%s has no %s", r.ID, what)
			}
		}
		switch {
		case r.Fails.Config == "" || r.Passes.Config == "" || r.Fails.Says == "" || r.Fails.On == "" || r.Passes.On == "":
			t.Errorf("%s lacks an example", r.ID)
		case r.Always:
		case r.Variant == nil && r.Program == nil && r.Target == nil && (r.Budget == nil || r.Budget.Fact == ""):
			t.Errorf("%s does nothing", r.ID)
		case len(r.Threads) == 0 && r.Category != rule.Custom:
			t.Errorf("%s names no thread that it would have caught", r.ID)
		case r.Budget == nil && len(r.Bounds) == 0 && r.Category != rule.Custom && !r.Unacceptable:
			t.Errorf("%s counts nothing that max could bound", r.ID)
		case r.Budget != nil && r.Budget.Noun == "":
			t.Errorf("%s has no word for what it counts", r.ID)
		}
		for _, key := range r.Bounds {
			if !slices.ContainsFunc(r.Options, func(o rule.Option) bool { return o.Key == key }) {
				t.Errorf("%s is bounded by %s, which is no option", r.ID, key)
			}
		}
		keysOnce(t, r.ID, r.Keys())
	}
}

func keysOnce(t *testing.T, what string, options []rule.Option) {
	t.Helper()
	seen := map[string]bool{}
	for _, o := range options {
		if seen[o.Key] {
			t.Errorf("%s has the key %s twice", what, o.Key)
		}
		seen[o.Key] = true
		if o.Doc == "" {
			t.Errorf("%s of %s is not documented", o.Key, what)
		}
		keysOnce(t, what+"."+o.Key, o.Fields)
	}
}

// The name of a rule says on which side it bounds something: the one that gets worse. What is required can be forbidden, too.
func TestRulesAreNamedForWhatTheyBound(t *testing.T) {
	bounds := map[string]rule.Direction{"max-": rule.Lower, "no-": rule.Lower, "min-": rule.Higher}
	mirrors := map[string]string{"required-": "forbidden-", "forbidden-": "required-"}
	for _, r := range All.Rules {
		for prefix, better := range bounds {
			if strings.HasPrefix(r.ID, prefix) && r.Budget.Better != better {
				t.Errorf("%s: what it bounds gets better in another direction", r.ID)
			}
		}
		for prefix, other := range mirrors {
			if rest, ok := strings.CutPrefix(r.ID, prefix); ok && All.ByID(other+rest) == nil {
				t.Errorf("%s has no %s%s", r.ID, other, rest)
			}
		}
	}
}

// A rule that counts only differences from the baseline is not run on a variant that the baseline lacks. Each new one has to mean that.
func TestRulesThatOnlyCompare(t *testing.T) {
	var got []string
	for _, r := range All.Rules {
		if r.OnlyCompares() {
			got = append(got, r.ID)
		}
	}
	want := []string{"fusion-drift", "no-new-collectives", "offload-kept", "reductions-kept", "results-kept", "threads-kept", "updates-kept"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%q are not run without a baseline; want %q", got, want)
	}
}

// A file holds one rule and is named for it, or it holds a family of rules or what several share.
func TestFilesAreNamedForTheirRules(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	names := map[string]bool{}
	for _, id := range All.IDs() {
		names[strings.ReplaceAll(id, "-", "_")] = true
	}
	shared := []string{"registry", "collectives", "custom_calls", "fusions", "products", "query", "selection"}
	families := ""
	for _, name := range []string{"fact_limits", "integrity", "registers"} {
		text, err := os.ReadFile(name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		shared, families = append(shared, name), families+string(text)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".go")
		if !strings.HasSuffix(name, "_test") && !names[name] && !slices.Contains(shared, name) {
			t.Errorf("%s is named for no rule", file)
		}
	}
	for name := range names {
		if id := strings.ReplaceAll(name, "_", "-"); !slices.Contains(files, name+".go") && !strings.Contains(families, fmt.Sprintf("%q", id)) {
			t.Errorf("no file is called %s.go", name)
		}
	}
}
