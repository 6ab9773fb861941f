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

// catalogue is every rule in the order in which they are listed: a rule that is lost, renamed or moved shows here.
const catalogue = `max-kernels required-fusions forbidden-fusions fusion-drift max-unfused required-custom-calls forbidden-custom-calls kernel-bodies no-host-callback
launch-shape no-spills max-registers no-recompilation max-compilations max-helper-modules max-compile-time max-instructions loops-kept max-constant-bytes donation-kept updates-kept
max-temp-bytes max-peak-bytes max-allocation-bytes max-output-bytes max-remat max-copies max-transposes no-new-collectives max-collectives min-collective-bytes
async-collectives sharding-pin no-involuntary-remat no-dtype dtype-floor precision layout-pin no-unclustered-ops max-clusters max-outside-collectives no-cpu-fallback
max-step-time max-flops max-bytes-accessed max-estimated-cycles max-code-bytes target-ran facts-complete baseline-present orphan-baseline waiver-valid toolchain
flags stable-compile unused-parameters assert`

func TestCatalogue(t *testing.T) {
	want := strings.Fields(catalogue)
	if len(want) != 57 {
		t.Errorf("%d ids", len(want))
	}
	if got := All.IDs(); !slices.Equal(got, want) {
		t.Errorf("rules are\n%v\nwanted\n%v", got, want)
	}
}

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
		case r.Budget == nil && r.Category != rule.Custom:
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

// oneWay says why a rule that bounds something from one side has no mirror on the other. What has no reason here needs one.
var oneWay = map[string]string{
	"max-kernels": "fewer kernels are better", "max-unfused": "fewer are better", "max-compilations": "fewer are better", "max-helper-modules": "fewer are better",
	"max-compile-time": "less is better", "max-instructions": "fewer are better", "max-constant-bytes": "less is better", "max-temp-bytes": "less is better",
	"max-peak-bytes": "less is better", "max-allocation-bytes": "less is better", "max-output-bytes": "less is better", "max-remat": "less is better",
	"max-copies": "fewer are better", "max-transposes": "fewer are better", "max-collectives": "fewer are better", "max-clusters": "fewer are better", "max-outside-collectives": "fewer are better",
	"max-step-time": "less is better", "max-flops": "less is better", "max-bytes-accessed": "less is better", "max-estimated-cycles": "fewer are better", "max-code-bytes": "less is better",
	"min-collective-bytes": "larger transfers are better", "no-host-callback": "a callback is never required", "no-recompilation": "a recompilation is never required",
	"no-involuntary-remat": "never required", "no-dtype": "dtype-floor requires types", "no-unclustered-ops": "never required", "no-cpu-fallback": "never required",
	"no-new-collectives": "a collective is never required", "no-spills": "never required", "max-registers": "fewer are better",
}

func TestRulesHaveAMirrorOrAReason(t *testing.T) {
	mirrors := map[string]string{"max-": "min-", "min-": "max-", "required-": "forbidden-", "forbidden-": "required-", "no-": "required-"}
	used := map[string]bool{}
	for _, r := range All.Rules {
		for prefix, other := range mirrors {
			rest, ok := strings.CutPrefix(r.ID, prefix)
			switch {
			case !ok:
			case All.ByID(other+rest) != nil:
			case oneWay[r.ID] == "":
				t.Errorf("%s has no %s%s, and no reason why", r.ID, other, rest)
			default:
				used[r.ID] = true
			}
		}
	}
	for id := range oneWay {
		if !used[id] {
			t.Errorf("%s needs no reason any more", id)
		}
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
	shared := []string{"registry", "collectives", "custom_calls", "fusions", "graph_cuts", "products"}
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
