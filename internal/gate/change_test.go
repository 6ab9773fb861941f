package gate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// changesOf lists the changes of a target, without the findings that they add.
func changesOf(t judgedTarget, findings []judgedFinding) []result.Change {
	list, _, _ := t.changes(findings, nil)
	return list
}

// What XLA could not compile leads the change of the programs that are other ones for it, at one edited line or where everything follows from one edit, unless the title
// names it already.
func TestUncompiledLeads(t *testing.T) {
	const outside = "no cluster took Unique: the shape of its result depends on the data"
	for op, want := range map[string]string{"add": outside, "Unique": "new: add"} {
		p := changed("f", root(changes.KindCode, "new: add", line("loss", 7), kernel(line("loss", 7), 64)))
		p.Variants[0].Causes[0].OpName = op
		f := finding("no-unclustered-ops", &changes.Cause{Title: outside, OpName: "Unique", Source: line("loss", 7)})
		f.Program, f.Variant = "", ""
		slower := finding("max-step-time", &p.Variants[0].Causes[0])
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 7)}, []judgedFinding{f, slower})
		if len(list) != 1 || list[0].Title != want || list[0].Program != "f" || len(list[0].Details) != 1 {
			t.Errorf("%s: %+v", op, list)
		}
	}
}

// A constant that is baked in and the operation that reads it are one edit, also where no line of the model is known.
func TestOneOperationWithoutALine(t *testing.T) {
	for op, n := range map[string]int{"add": 1, "mul": 2} {
		added, baked := root(changes.KindCode, "new: add", hlo.Location{}), root(changes.KindConstants, "f32[24] is baked into the program", hlo.Location{})
		added.OpName, baked.OpName = "add", op
		p := changed("f", added, baked)
		f, g := finding("max-step-time", &p.Variants[0].Causes[0]), finding("max-constant-bytes", &p.Variants[0].Causes[1])
		if list := changesOf(judgedTarget{Programs: []*changes.Program{p}}, []judgedFinding{f, g}); len(list) != n {
			t.Errorf("%s: %s", op, titles(list))
		}
	}
}

// Whatever rules find of one difference is one change, as bad as the worst of it.
func TestOneRootIsOneChange(t *testing.T) {
	p := changed("f", root(changes.KindCode, "a dot is new", line("loss", 7), kernel(line("loss", 7), 4096)))
	c := &p.Variants[0].Causes[0]
	found := []judgedFinding{finding("max-kernels", c), finding("max-flops", c.With("12 flops more")), finding("max-step-time", c)}
	found[0].Level = "warning"
	list := changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{p}}, found)
	if len(list) != 1 {
		t.Fatalf("%d changes: %s", len(list), titles(list))
	}
	got := list[0]
	if got.Title != "a dot is new" || got.Level != "error" || got.Kind != changes.KindCode || got.Target != "t" || got.Program != "f" || !slices.Equal(got.Variants, []string{signature}) {
		t.Errorf("%+v", got)
	}
	if got.Source.File != "/ci/models/train.py" || got.Source.Line != 7 || got.Source.Function != "loss" || got.Source.Edited || len(got.Evidence.After) != 1 {
		t.Errorf("%+v, %+v", got.Source, got.Evidence)
	}
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(got.ID) || got.Accept != result.AcceptCommand(nil, got.ID) {
		t.Errorf("%+v", got)
	}
	for i := range found {
		if found[i].Change != got.ID || got.Findings[i] != found[i].ID {
			t.Errorf("finding %s belongs to %s; the change %s names %v", found[i].ID, found[i].Change, got.ID, got.Findings)
		}
	}
}

// Differences at two places are two changes, those at one place of one kind are one.
func TestPlaces(t *testing.T) {
	elsewhere := line("loss", 7)
	elsewhere.File = "/ci/models/model.py"
	nowhere := changes.Cause{Kind: changes.KindCode, Title: "a tanh is new", OpName: "jit(f)/tanh"}
	code := func(summary string, function string, n int) changes.Cause {
		return root(changes.KindCode, summary, line(function, n))
	}
	for what, c := range map[string]struct {
		causes []changes.Cause
		want   string
	}{
		"two functions":           {[]changes.Cause{code("a", "loss", 7), code("b", "norm", 20)}, "a; b"},
		"two lines of a function": {[]changes.Cause{code("a", "loss", 7), code("b", "loss", 9)}, "a"},
		"two files":               {[]changes.Cause{code("a", "loss", 7), root(changes.KindCode, "b", elsewhere)}, "a; b"},
		"two kinds":               {[]changes.Cause{code("a", "loss", 7), root(changes.KindConstants, "b", line("loss", 7))}, "a; b"},
		"a place and none":        {[]changes.Cause{code("a", "loss", 7), nowhere}, "a; a tanh is new"},
		"no place, twice":         {[]changes.Cause{nowhere, nowhere}, "a tanh is new"},
	} {
		list := changesOf(judgedTarget{Programs: []*changes.Program{changed("f", c.causes...)}}, nil)
		if got := titles(list); got != c.want {
			t.Errorf("%s: %s, wanted %s", what, got, c.want)
		}
		if what == "two lines of a function" && !slices.Equal(list[0].Details, []string{"b"}) {
			t.Errorf("what else was done there is lost: %q", list[0].Details)
		}
	}
}

// A finding of which no difference is known goes to the change that is most likely behind it.
func TestFindingsWithoutARoot(t *testing.T) {
	causes := append(twoRoots(), root(changes.KindConstants, "w is baked in", line("init", 30)))
	edited := root(changes.KindCode, "a sort is new", line("sorted", 40))
	edited.Edits = []changes.Edit{{OpName: "jit(f)/sorted/sort", Added: []changes.Step{{Opcode: "sort", Count: 1}}}, {OpName: "jit(f)/gone", Removed: []changes.Step{{Opcode: "add", Count: 1}}}}
	causes = append(causes, edited)
	for what, c := range map[string]struct {
		cause   *changes.Cause
		drift   bool
		variant string
		want    string
	}{
		"of the kind of a change":           {&changes.Cause{Kind: changes.KindConstants, Title: "s"}, false, signature, "w is baked in"},
		"of a kind that nothing has":        {&changes.Cause{Kind: changes.KindDonation, Title: "x is no longer donated"}, true, signature, "x is no longer donated"},
		"naming an operation that came":     {&changes.Cause{OpName: "jit(f)/norm/add"}, false, signature, "a copy is new"},
		"on the line of one":                {&changes.Cause{Source: line("other", 20)}, false, signature, "a copy is new"},
		"naming an edit that added":         {&changes.Cause{OpName: "jit(f)/sorted/sort"}, false, signature, "a sort is new"},
		"naming an edit that removed":       {&changes.Cause{OpName: "jit(f)/gone", Title: "gone"}, false, signature, "gone"},
		"in the function of a change":       {&changes.Cause{Source: line("norm", 99)}, false, signature, "a copy is new"},
		"elsewhere, by comparing":           {&changes.Cause{Source: line("other", 99)}, true, signature, "a dot is new"},
		"elsewhere, by a limit of its own":  {&changes.Cause{Source: line("other", 99), Title: "the largest is add"}, false, signature, "the largest is add"},
		"nowhere, by comparing":             {nil, true, signature, "a dot is new"},
		"nowhere, by a limit of its own":    {nil, false, signature, "r is broken"},
		"of the whole program, comparing":   {nil, true, "", "a dot is new"},
		"of a variant that does not differ": {nil, true, "(x: f32[99])", "r is broken"},
	} {
		f := finding("r", c.cause)
		f.Drift, f.Variant = c.drift, c.variant
		found := []judgedFinding{f}
		list := changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{changed("f", causes...)}}, found)
		at := slices.IndexFunc(list, func(o result.Change) bool { return o.ID == found[0].Change })
		if at < 0 || list[at].Title != c.want || !slices.Equal(list[at].Findings, []string{f.ID}) {
			t.Errorf("a finding %s belongs to %s among %s, wanted %q", what, found[0].Change, titles(list), c.want)
		}
	}
}

// Findings of a program that does not differ are changes by their place, and what has none by what it is about.
func TestFindingsOfNoDifference(t *testing.T) {
	at := func(function string) *changes.Cause {
		return &changes.Cause{Source: line(function, 7), Title: function}
	}
	found := []judgedFinding{finding("a", at("loss")), finding("bb", at("loss")), finding("ccc", at("norm")), finding("dddd", nil), finding("eeeee", nil)}
	list := changesOf(judgedTarget{Name: "t"}, found)
	if got := titles(list); got != "loss; norm; dddd is broken; eeeee is broken" {
		t.Error(got)
	}
	if list[0].Source.Line != 7 || list[2].Kind != changes.KindUnknown || list[2].Level != "error" {
		t.Errorf("%+v", list)
	}
}

// One more compilation is one change, whatever is wrong with it.
func TestNewVariant(t *testing.T) {
	p := changed("f", twoRoots()...)
	added := &facts.Variant{Signature: "(x: f32[16])"}
	p.New.Variants = append(p.New.Variants, added)
	p.Variants = append(p.Variants, &changes.Variant{Change: changes.Added, New: added})
	p.Recompile = []changes.ArgumentChange{{Name: "x", Values: []string{"f32[8]", "f32[16]"}}}
	again := finding("no-recompilation", &changes.Cause{Kind: changes.KindArguments, Title: "compiled again: x: f32[8] → f32[16]", Source: line("main", 50)})
	again.Variant = ""
	found := []judgedFinding{finding("max-kernels", &changes.Cause{Source: line("loss", 7)}), finding("max-temp-bytes", nil), again}
	found[0].Variant, found[1].Variant = added.Signature, added.Signature
	list := changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{p}}, found)
	if got := titles(list); got != "compiled again: x: f32[8] → f32[16]; a dot is new; a copy is new" {
		t.Fatal(got)
	}
	if c := list[0]; c.Kind != changes.KindArguments || len(c.Findings) != 3 || c.Price.Compilations != 1 || c.Source.Line != 50 || !slices.Equal(c.Variants, []string{added.Signature}) {
		t.Errorf("%+v", c)
	}
	if list := changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{p}}, found[:2]); len(list) != 3 || list[0].Kind != changes.KindArguments || len(list[0].Findings) != 2 {
		t.Errorf("without the rule that counts compilations: %+v", list)
	}
	if list := changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{p}}, nil); len(list) != 3 || list[2].Kind != changes.KindArguments || list[2].Level != "info" {
		t.Errorf("where no rule forbids it: %+v", list)
	}
	// An edit that breaks a limit in the other variants as well is what breaks it in this one.
	found = append(found, finding("max-kernels", &p.Variants[0].Causes[1]), finding("max-temp-bytes", &p.Variants[0].Causes[1]))
	found[1].Actual = 7.0
	changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{p}}, found)
	if found[0].Change != found[3].Change || found[0].Change == found[2].Change {
		t.Errorf("max-kernels of the new variant belongs to %s, that of the other to %s", found[0].Change, found[3].Change)
	}
	if found[1].Change != found[2].Change {
		t.Errorf("7 of max-temp-bytes belongs to %s, the new variant to %s", found[1].Change, found[2].Change)
	}
}

// The variants of a program that was edited share the change.
func TestVariantsShareAChange(t *testing.T) {
	p := changed("f", twoRoots()[0])
	addVariant(p, "(x: f32[16])", twoRoots()[0])
	addVariant(p, "(x: f32[32])")
	if list := changesOf(judgedTarget{Programs: []*changes.Program{p}}, nil); len(list) != 1 || len(list[0].Variants) != 2 {
		t.Errorf("%+v", list)
	}
}

// Arguments of another type lead, whatever the operations that follow from them break.
func TestRetypedArgumentsLead(t *testing.T) {
	for _, shape := range []string{"f64[8]", "f32[16]"} {
		p := changed("f", root(changes.KindCode, "all are wider", line("loss", 7), kernel(line("loss", 7), 4096)), root(changes.KindArguments, "w is "+shape, line("loss", 7)))
		v := p.Variants[0]
		v.Old.Params, v.New.Params = []facts.Parameter{{Name: "w", Shape: "f32[8]", Bytes: 32}}, []facts.Parameter{{Name: "w", Shape: shape, Bytes: 64}}
		f := judgedFinding{Finding: rule.Finding{Finding: result.Finding{ID: "1", Rule: "max-kernels", Level: "error", Program: "f", Variant: signature}, Cause: &v.Causes[0]}}
		list := changesOf(judgedTarget{Programs: []*changes.Program{p}, Edits: edits(t, "models/train.py", 99, 7)}, []judgedFinding{f})
		if len(list) != 1 || (list[0].Title == "w is f64[8]") != (shape == "f64[8]") {
			t.Errorf("%s: %+v", shape, list)
		}
	}
}

// One edit of a function that several programs call is one change, named for the program that it costs most, with the price of each.
func TestProgramsShareAnEdit(t *testing.T) {
	calls := func(program, function string, flops int64) *changes.Program {
		p := changed(program, root(changes.KindCode, "a dot is new", line(function, 7), kernel(line(function, 7), flops)))
		p.Variants[0].Old.Facts[facts.PriceStep], p.Variants[0].New.Facts[facts.PriceStep] = 1000, 1000+float64(flops)
		return p
	}
	programs := []*changes.Program{calls("eval", "norm", 64), calls("train", "norm", 4096), calls("other", "loss", 64)}
	found := []judgedFinding{finding("max-step-time", &programs[0].Variants[0].Causes[0]), finding("max-kernels", &programs[1].Variants[0].Causes[0])}
	found[0].Program, found[1].Program = "eval", "train"
	list := changesOf(judgedTarget{Name: "t", Programs: programs}, found)
	if len(list) != 2 || list[0].Program != "train" || len(list[0].Others) != 1 || len(list[0].Findings) != 2 || list[1].Program != "other" {
		t.Fatalf("%+v", list)
	}
	c := list[0]
	if c.Price.StepNS != 4096 || c.Others[0].Price.StepNS != 64 || !c.IsIn("t", "eval") || c.IsIn("t", "other") || found[0].Change != c.ID || found[1].Change != c.ID {
		t.Errorf("%+v, %+v", c, found)
	}
	if alone := changesOf(judgedTarget{Name: "t", Programs: programs[:1]}, nil); alone[0].ID != c.ID {
		t.Errorf("%s of the first program alone, %s of all", alone[0].ID, c.ID)
	}
}

// An id is the same when lines shift and on every machine; it tells places, kinds, programs and targets apart.
func TestIDs(t *testing.T) {
	id := func(target, program, kind, file, function string, n int) string {
		at := line(function, n)
		at.File = file
		return changesOf(judgedTarget{Name: target, Programs: []*changes.Program{changed(program, root(kind, "s", at))}}, nil)[0].ID
	}
	const file = "/ci/models/train.py"
	first := id("t", "f", changes.KindCode, file, "loss", 7)
	for what, same := range map[string]string{"another line": id("t", "f", changes.KindCode, file, "loss", 70), "another machine": id("t", "f", changes.KindCode, "/home/me/src/train.py", "loss", 7)} {
		if same != first {
			t.Errorf("%s has another id", what)
		}
	}
	seen := map[string]bool{first: true}
	for _, other := range []string{
		id("u", "f", changes.KindCode, file, "loss", 7), id("t", "g", changes.KindCode, file, "loss", 7), id("t", "f", changes.KindConstants, file, "loss", 7),
		id("t", "f", changes.KindCode, "/ci/models/model.py", "loss", 7), id("t", "f", changes.KindCode, file, "norm", 7), id("t", "f", changes.KindCode, "", "", 0),
	} {
		if seen[other] {
			t.Errorf("%s is the id of two changes", other)
		}
		seen[other] = true
	}
}

// Changes are in order: those that were waived last, then by level, then by what they cost.
func TestSort(t *testing.T) {
	list := []result.Change{
		{Edit: result.Edit{Title: "waived"}, Level: "error", Decision: result.Decision{Waived: true}}, {Edit: result.Edit{Title: "better"}, Level: "better", Price: result.Price{StepNS: -5}}, {Edit: result.Edit{Title: "info"}, Level: "info"},
		{Edit: result.Edit{Title: "cheap"}, Level: "error", Price: result.Price{StepNS: 5}}, {Edit: result.Edit{Title: "large"}, Level: "error", Price: result.Price{StepNS: 5, PeakBytes: 9}},
		{Edit: result.Edit{Title: "warning"}, Level: "warning", Price: result.Price{StepNS: 500}}, {Edit: result.Edit{Title: "dear"}, Level: "error", Price: result.Price{StepNS: 50}},
	}
	sortChanges(list)
	if got := titles(list); got != "dear; large; cheap; warning; info; better; waived" {
		t.Error(got)
	}
}

func TestAResultHoldsEveryKind(t *testing.T) {
	kinds := []string{
		changes.KindCode, changes.KindArguments, changes.KindDonation, changes.KindConstants, changes.KindResults, changes.KindSharding, changes.KindToolchain, changes.KindFlags, changes.KindUnknown,
	}
	if !slices.Equal(kinds, result.Kinds) {
		t.Errorf("package diff names the kinds %q, package result reads %q", kinds, result.Kinds)
	}
}

// Whatever differs and is found: every finding belongs to one change, no two changes have one id, and what each adds is the whole.
func TestEverythingBelongsToAChange(t *testing.T) {
	functions := []string{"", "loss", "norm", "init"}
	rapid.Check(t, func(t *rapid.T) {
		kinds := append(slices.Clone(result.Kinds), changes.KindCode, changes.KindCode)
		draw := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		var causes []changes.Cause
		for range draw("causes", 5) {
			at := line(functions[draw("function", len(functions))], 1+draw("line", 40))
			causes = append(causes, root(kinds[draw("kind", len(kinds))], "s", at, kernel(at, int64(draw("bytes", 9999)))))
		}
		p := changed("f", causes...)
		var found []judgedFinding
		for i := range draw("findings", 6) {
			f := finding(strings.Repeat("r", i+1), &changes.Cause{Kind: append(kinds, "")[draw("kind", len(kinds)+1)], Source: line(functions[draw("function", len(functions))], 7)})
			if len(causes) > 0 && draw("rooted", 2) == 0 {
				f.Cause = f.Cause.Of(&p.Variants[0].Causes[draw("root", len(causes))])
			}
			f.Drift = draw("drift", 2) == 0
			found = append(found, f)
		}
		list := changesOf(judgedTarget{Name: "t", Programs: []*changes.Program{p}}, found)
		owner, step := map[string]string{}, 0.0
		for _, c := range list {
			step += c.Price.StepNS
			if owner[c.ID] != "" {
				t.Fatalf("two changes have the id %s", c.ID)
			}
			owner[c.ID] = c.ID
			for _, f := range c.Findings {
				if owner[f] != "" {
					t.Fatalf("finding %s belongs to %s and %s", f, owner[f], c.ID)
				}
				owner[f] = c.ID
			}
			if worst := slices.IndexFunc(found, func(f judgedFinding) bool { return f.Change == c.ID }) >= 0; worst != (c.Level == "error") {
				t.Fatalf("%+v", c)
			}
		}
		for _, f := range found {
			if f.Change == "" || owner[f.ID] != f.Change {
				t.Fatalf("finding %s belongs to %q, and %q names it", f.ID, f.Change, owner[f.ID])
			}
		}
		if len(causes) > 0 && (step < 799.999 || step > 800.001) {
			t.Fatalf("the changes add %v ns, the step grew by 800", step)
		}
	})
}

// That something is baked into the program leads the title of the edit that did it.
func TestBakedConstantLeads(t *testing.T) {
	base := factstest.Measure(t, "../../testdata/cases/cpu-place_baked/before.tar.xz", facts.Options{})
	fresh := factstest.Measure(t, "../../testdata/cases/cpu-place_baked/after.tar.xz", facts.Options{})
	reads := fresh.Programs[0].Variants[0].Constants[0].Source
	told := edits(t, "pairs.py", 1200, int(reads.Line))
	programs := changes.CompareEdited(base, fresh, inEdits(told)).Programs
	v := programs[0].Variants[0]
	baked, _ := v.FactGrowth(facts.MemoryConstant)
	f := judgedFinding{Finding: rule.Finding{Finding: result.Finding{ID: "1", Rule: "max-constant-bytes", Level: "error", Program: programs[0].Name, Variant: v.New.Signature}, Cause: baked}}
	list := changesOf(judgedTarget{Programs: programs, Edits: told}, []judgedFinding{f})
	if len(list) != 1 || !strings.HasPrefix(list[0].Title, "w['place'] is baked into the program: f32[1,24,32], 3.0 KiB") || !list[0].Source.Edited {
		t.Errorf("%+v", list)
	}
}

// What one edit did in several places is one sentence: the operations are added up.
func TestAnEditIsSummedUp(t *testing.T) {
	base := factstest.Measure(t, "../../testdata/cases/cpu-cost_in_loop/before.tar.xz", facts.Options{})
	fresh := factstest.Measure(t, "../../testdata/cases/cpu-cost_in_loop/after.tar.xz", facts.Options{})
	told := edits(t, "pairs.py", 1200, 857)
	programs := changes.Compare(base, fresh).Programs
	list := changesOf(judgedTarget{Programs: programs, Edits: told}, nil)
	if n := len(programs[0].Variants[0].Causes); n < 2 || len(list) != 1 {
		t.Fatalf("%d causes, %d changes", n, len(list))
	}
	if c := list[0]; c.Title != "reduce, multiply, subtract computed a second time, as in pairs.py:850; new: add" || slices.ContainsFunc(c.Details, func(d string) bool { return strings.HasPrefix(d, "new: ") }) {
		t.Errorf("%q, %q", c.Title, c.Details)
	}
}
