package changes

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// compared is a variant of which neither side was priced.
func compared() *Variant {
	return &Variant{Old: &facts.Variant{Facts: facts.Values{facts.PriceStep: 1000, facts.MemoryPeak: 1 << 20}}, New: &facts.Variant{Facts: facts.Values{facts.PriceStep: 1100, facts.MemoryPeak: 1 << 20}}}
}

// What one part of a change adds and another takes away in a class of work has the same error.
func TestPriceOfSeveralParts(t *testing.T) {
	v := compared()
	part := func(class price.Class, ns float64) *Part {
		return &Part{variant: v, costs: classCosts{{Class: class}: ns}}
	}
	got := priceOf([]*Part{part(price.Products, 900), part(price.Products, -800), part(price.Loops, 50)})
	want := v.interval(classCosts{{Class: price.Products}: 100, {Class: price.Loops}: 50})
	if got.StepNS != 150 || got.LowNS != want.Low || got.HighNS != want.High || got.LowNS <= 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What several changes add to a step has one interval: what one adds and another takes away in a class has the same error.
func TestStepOfSeveralChanges(t *testing.T) {
	v := compared()
	change := func(ns float64) *Change {
		return &Change{in: map[string][]*Part{"f": {{variant: v, costs: classCosts{{Class: price.Products}: ns}}}}}
	}
	got, in := StepIn("f", "", change(900), change(-800))
	if want := v.interval(classCosts{{Class: price.Products}: 100}); got != want || !in {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, in := StepIn("f", "(x: f32[8])", change(900)); in || got.Middle != 0 {
		t.Errorf("in another variant: %+v", got)
	}
}

// The title of a change is a named mechanism before what came with it.
func TestTitleOfAChange(t *testing.T) {
	v := compared()
	v.Model.Edits = []Edit{{Scope: "jit(f)/transpose(jvp())", Removed: []Step{{Opcode: barrier, Count: 1}}}, {Scope: "rematted", Removed: []Step{{Opcode: "dot", Type: "f32", Count: 1}}, again: true}}
	loop := &Part{Kind: KindCode, Title: "a new loop", Program: "f", Cause: &Cause{Kind: KindCode, Edits: v.Model.Edits[:1]}, variant: v, step: price.Interval{Middle: 100}}
	kept := &Part{Kind: KindCode, Title: "no longer rematerialized", Program: "f", Cause: &Cause{Kind: KindCode, Edits: v.Model.Edits[1:]}, variant: v}
	if got := changeOf([]*Part{loop, kept}).Title; got != "no longer rematerialized" {
		t.Errorf("says %q", got)
	}
	v.Model.Edits[0].Removed[0].Opcode = "tanh" // no checkpoint is gone
	if got := changeOf([]*Part{loop, kept}).Title; got != "a new loop" {
		t.Errorf("says %q", got)
	}
	baked := &Part{Kind: KindConstants, Title: "f32[64] is baked into the program", Program: "f", Cause: &Cause{Kind: KindConstants}, variant: v, Rank: 0}
	code := &Part{Kind: KindCode, Title: "new: dot", Program: "f", Cause: &Cause{Kind: KindCode, Edits: []Edit{{Added: []Step{{Opcode: "dot", Count: 1}}}}}, variant: v}
	for want, costs := range map[string]classCosts{
		"new: dot; f32[64] is baked into the program": {{Class: price.Products}: 200},
		"f32[64] is baked into the program; new: dot": {{Class: price.Products}: 100, {Class: price.Moves}: -99},
	} {
		code.costs, v.New.Constants = costs, []facts.Constant{{Bytes: 256}}
		if got := changeOf([]*Part{code, baked}).Title; got != want {
			t.Errorf("where code costs %v: says %q, want %q", costs, got, want)
		}
	}
	code.costs, v.New.Constants = classCosts{{Class: price.Products}: 200}, []facts.Constant{{Bytes: 1 << 16}}
	if got := changeOf([]*Part{code, baked}).Title; got != "f32[64] is baked into the program; new: dot" {
		t.Errorf("of a large constant: says %q", got)
	}
}

// A result of another shape leads, unless it is one of a cluster. What a change does in another program is told once.
func TestResultOfAnotherShapeLeads(t *testing.T) {
	v := compared()
	v.Old.Result, v.New.Result = "f32[16,16]", "f32[16,16,16]"
	for program, want := range map[string]string{"predict": "the result f32[16,16] is now f32[16,16,16]", "cluster_0": "new: dot"} {
		code := &Part{Kind: KindCode, Title: "new: dot", Program: program, Cause: &Cause{Kind: KindCode, Edits: []Edit{{Added: []Step{{Opcode: "dot", Count: 1}}}}}, variant: v, step: price.Interval{Low: 50, Middle: 100, High: 200}}
		result := &Part{Kind: KindResults, Title: "the result f32[16,16] is now f32[16,16,16]", Program: program, Cause: &Cause{Kind: KindResults}, variant: v}
		if got := changeOf([]*Part{code, result}).Title; !strings.HasPrefix(got, want) {
			t.Errorf("of %s: says %q, want %q", program, got, want)
		}
	}
	c := &Change{}
	for _, detail := range []string{"train_step: compiled again: x", "compiled again: x", "compiled again: y"} {
		c.Tell(detail)
	}
	if want := []string{"train_step: compiled again: x", "compiled again: y"}; !slices.Equal(c.Details, want) {
		t.Errorf("%q", c.Details)
	}
}

// Of types that changed those of the heaviest operations come first, indices last.
func TestIndicesComeLast(t *testing.T) {
	steps := func(index, value string) []Step {
		return []Step{{Opcode: "iota", Type: index, Count: 4}, {Opcode: "divide", Type: value, Count: 1}}
	}
	added, removed := steps("s64", "f64"), steps("s32", "f32")
	if got := strings.Join(turned(&added, &removed), "; "); got != "divide: f32 → f64; 4 iota: s32 → s64" {
		t.Error(got)
	}
}

// Of programs that are sharded in another way, one that says which arguments are leads, whatever making them costs.
func TestNamedShardingLeads(t *testing.T) {
	makes, takes := compared(), compared()
	takes.Params = []ParamChange{{Old: &facts.Parameter{Name: "w", Sharding: "{devices=[2]<=[2]}"}, New: &facts.Parameter{Name: "w"}}}
	parts := []*Part{
		{Kind: KindSharding, Title: "result 0: now replicated", Program: "init", Cause: &Cause{Kind: KindSharding}, variant: makes, step: price.Interval{Middle: 500}},
		{Kind: KindSharding, Title: "w is now replicated", Program: "step", Cause: &Cause{Kind: KindSharding}, variant: takes, step: price.Interval{Middle: 100}},
	}
	if got := changeOf(parts); got.Title != "w is now replicated" || got.Program != "step" {
		t.Errorf("%s: %q", got.Program, got.Title)
	}
	pinned := &Part{Kind: KindSharding, Title: "w1 is replicated", Program: "step"} // what a rule found
	code := &Part{Kind: KindCode, Title: "new: dot", Program: "step", Cause: &Cause{Kind: KindCode}, variant: takes}
	if got := changeOf([]*Part{pinned, code}); got.Title != "w1 is replicated" {
		t.Errorf("says %q", got.Title)
	}
	code.Cause.Edits, code.step = []Edit{{Added: []Step{{Opcode: "dot", Count: 1}}}}, price.Interval{Low: 50, Middle: 100, High: 200}
	if got := changeOf([]*Part{{Kind: KindConstants, Title: "f32[9] is baked into the program", Program: "step"}, code}); got.Title != "f32[9] is baked into the program; new: dot" {
		t.Errorf("says %q", got.Title)
	}
}

// Arguments of other dimensions lead where the peak is theirs.
func TestLargerArgumentLeads(t *testing.T) {
	v := compared()
	v.Old.Params, v.New.Params = []facts.Parameter{{Name: "w", Shape: "f32[8]", Bytes: 32}}, []facts.Parameter{{Name: "w", Shape: "f32[8,64]", Bytes: 2048}}
	arguments := &Part{Kind: KindArguments, Title: "w: f32[8] → f32[8,64]", Program: "step", Cause: &Cause{Kind: KindArguments}, variant: v, Rank: Unbroken}
	code := &Part{Kind: KindCode, Title: "gone: reduce", Program: "step", Cause: &Cause{Kind: KindCode, Edits: []Edit{{Removed: []Step{{Opcode: "reduce", Count: 1}}}}}, variant: v}
	for peak, want := range map[float64]string{1 << 20: code.Title, 1<<20 + 2048: arguments.Title, 1<<20 + 8192: code.Title} {
		v.New.Facts[facts.MemoryPeak] = peak
		if got := changeOf([]*Part{code, arguments}).Title; got != want {
			t.Errorf("with a peak of %v: says %q, want %q", peak, got, want)
		}
	}
	v.New.Params[0].Shape, v.New.Facts[facts.MemoryPeak] = "f64[8]", 1<<20+2048
	w := facts.Parameter{Name: "x", Shape: "f32[4096]", Bytes: 1 << 14}
	v.Old.Params, v.New.Params = append(v.Old.Params, w), append(v.New.Params, w)
	for file, want := range map[string]string{"config.yaml": arguments.Title, "model.py": code.Title} { // a type in an option is the argument's first
		arguments.Source, code.Source = Place{File: file, Edited: true}, Place{File: file, Edited: true}
		if got := changeOf([]*Part{code, arguments}).Title; got != want {
			t.Errorf("for an edit of %s: says %q, want %q", file, got, want)
		}
	}
}

// Names that only count arguments do not tell which of them lent a buffer: none lost it where as many do as before, in all or of each shape.
func TestCountedDonations(t *testing.T) {
	params := func(lent ...string) (list []facts.Parameter) {
		for i, shape := range lent {
			list = append(list, facts.Parameter{Name: "p" + strconv.Itoa(i), Shape: strings.TrimPrefix(shape, "-"), Aliased: shape[0] != '-'})
		}
		return list
	}
	for _, c := range []struct {
		now    []facts.Parameter
		result string
		as     bool
	}{
		{params("-f32[]", "f32[8]", "f32[]", "f32[8]"), "(f32[], f32[8], f32[8])", true},           // one more state
		{params("f32[]", "f32[16]"), "(f32[], f32[16])", true},                                     // a wider model
		{params("-f32[]", "f32[8]", "f32[8]", "f32[8]"), "(f32[], f32[8], f32[8], f32[8])", false}, // the count is lost
		{params("f32[]", "-f32[8]", "f32[8]", "f32[8]"), "(f32[], f32[8], f32[8], f32[8])", false}, // two more states, and one lost
		{params("f32[]", "-f32[8]"), "(f32[], f32[8])", false},
	} {
		v := compared()
		v.Old.Params, v.New.Params, v.Old.Result, v.New.Result = params("f32[]", "f32[8]"), c.now, "(f32[], f32[8])", c.result
		if got := v.DonatesAsMany(); got != c.as {
			t.Errorf("%+v: %v", c.now, got)
		}
	}
}

// Kernels that do the same on arrays of other shapes are not called new.
func TestKernelsOnOtherShapes(t *testing.T) {
	kernels := func(shapes ...string) (list []facts.Kernel) {
		for _, s := range shapes {
			list = append(list, facts.Kernel{Form: &facts.Form{Kind: "loop", Do: facts.OpcodesOf("broadcast"), Root: "broadcast", Out: s}, Site: &facts.Site{}})
		}
		return list
	}
	for _, c := range []struct {
		added, removed []facts.Kernel
		want           string
	}{
		{kernels("f32[4]", "f32[8]", "f32[16]"), kernels("f32[2]", "f32[4]", "f32[2]"), "2 kernels on arrays of other shapes, among them loop broadcast → f32[8]"},
		{kernels("f32[8]", "f32[4]"), kernels("f32[4]", "f32[8]"), "2 new kernels, among them loop broadcast → f32[8]"},
		{kernels("f32[8]", "f32[4]"), kernels("f32[4]"), "2 new kernels, among them loop broadcast → f32[8]"},
	} {
		if got, _ := mostTelling(&Kernels{Added: c.added, Removed: c.removed}); got != c.want {
			t.Errorf("says %q, want %q", got, c.want)
		}
	}
}

// The values of one argument that JAX's log tells pair by pair are one chain.
func TestChained(t *testing.T) {
	got := chained([]string{"n: 1 → 2", "x: f32[2] → f32[3]", "n: 2 → 3", "n: 1 → 4", "at y: weak type in one call only", "c: {a: 1 → 2} → {}", "c: 1 → 2"})
	want := []string{"n: 1 → 2 → 3 → 4", "x: f32[2] → f32[3]", "at y: weak type in one call only", "c: {a: 1 → 2} → {}", "c: 1 → 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
