package changes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// became spells a difference of ledgers: "kept 1; changed f32[8]: writes …; added tanh".
func became(k changes.Kernels) string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if k.Kept > 0 {
		say("kept %d", k.Kept)
	}
	for _, c := range k.Changed {
		say("changed: %s", strings.Join(c.What, ", "))
	}
	for _, c := range k.Moved {
		say("moved: %s", strings.Join(c.What, ", "))
	}
	for _, g := range k.Split {
		say("split %s in %d", g.One.Operations(), len(g.Many))
	}
	for _, g := range k.Merged {
		say("merged %s of %d", g.One.Operations(), len(g.Many))
	}
	for _, u := range k.Unrolled {
		say("unrolled %s in %d", u.One.Operations(), len(u.Many))
	}
	for i := range k.Added {
		say("added %s", k.Added[i].Operations())
	}
	for i := range k.Removed {
		say("removed %s", k.Removed[i].Operations())
	}
	return strings.Join(out, "; ")
}

// with changes a copy of a kernel.
func with(k facts.Kernel, edit func(*facts.Kernel)) facts.Kernel {
	form, site := *k.Form, *k.Site
	k.Form, k.Site = &form, &site
	edit(&k)
	return k
}

func TestWhatAKernelBecame(t *testing.T) {
	base := kernel("jit(f)/mlp/tanh", "add multiply tanh", "f32[8]")
	for name, c := range map[string]struct {
		edit func(*facts.Kernel)
		want string
	}{
		"nothing":           {func(*facts.Kernel) {}, "kept 1"},
		"its name":          {func(k *facts.Kernel) { k.Name = "fusion.9" }, "kept 1"},
		"its line":          {func(k *facts.Kernel) { k.Source.File, k.Source.Line = "m.py", 9 }, "kept 1"},
		"its place":         {func(k *facts.Kernel) { k.OpName = "jit(f)/other/tanh" }, "kept 1"},
		"its shape":         {func(k *facts.Kernel) { k.Out = "f32[9]" }, "changed: writes f32[9] instead of f32[8]"},
		"an operation goes": {func(k *facts.Kernel) { k.Do = facts.OpcodesOf("add", "tanh") }, "changed: lost multiply"},
		"one joins":         {func(k *facts.Kernel) { k.Do = facts.OpcodesOf("add", "add", "multiply", "sine", "tanh") }, "changed: gained add, sine"},
		"one for another":   {func(k *facts.Kernel) { k.Do = facts.OpcodesOf("add", "divide", "tanh") }, "changed: lost multiply, gained divide"},
		"its kind":          {func(k *facts.Kernel) { k.Kind = "input" }, "changed: is input instead of loop"},
		"an operand":        {func(k *facts.Kernel) { k.In = []string{"f32[8]"} }, "changed: also reads f32[8]"},
		"its attributes":    {func(k *facts.Kernel) { k.Attrs = "dimensions={0}" }, "changed: has dimensions={0}"},
		"only its print":    {func(k *facts.Kernel) { k.Print = "feed" }, "changed: same operations; constants or order differ"},
	} {
		if got := became(ledgers(t, []facts.Kernel{base}, []facts.Kernel{with(base, c.edit)})); got != c.want {
			t.Errorf("%s: %s, wanted %s", name, got, c.want)
		}
	}
}

func TestOperandsThatChange(t *testing.T) {
	reading := func(shapes string) facts.Kernel {
		return with(kernel("jit(f)/tanh", "tanh", "f32[8]"), func(k *facts.Kernel) { k.In = strings.Fields(shapes) })
	}
	for _, c := range []struct{ old, fresh, want string }{
		{"f32[1] f32[2]", "f32[2] f32[1]", "reads its operands in another order"},
		{"f32[1]", "f32[1] f32[1]", "also reads f32[1]"},
		{"f32[1] f32[2]", "f32[1]", "no longer reads f32[2]"},
		{"f32[1] f32[2]", "f32[1] f32[3]", "reads f32[3] instead of f32[2]"},
		{"", "a[] b[] c[] d[]", "also reads a[], b[], c[], d[]"},
		{"", "a[] b[] c[] d[] e[]", "also reads a[], b[], c[] and 2 more"},
	} {
		if got := became(ledgers(t, []facts.Kernel{reading(c.old)}, []facts.Kernel{reading(c.fresh)})); got != "changed: "+c.want {
			t.Errorf("%q became %q: %s", c.old, c.fresh, got)
		}
	}
}

// A kernel that was written by hand is told of by what stands in its body.
func TestBodiesThatChange(t *testing.T) {
	written := func(body map[string]int, steps float64) facts.Kernel {
		return with(kernel("jit(f)/k", "custom-call", "f32[8]"), func(k *facts.Kernel) {
			k.Target, k.Function, k.Written, k.Print, k.Work[price.Steps] = "tpu_custom_call", "attn", body, fmt.Sprint(body, steps), steps
		})
	}
	for _, c := range []struct {
		old, fresh map[string]int
		steps      float64
		want       string
	}{
		{map[string]int{"math.exp": 2, "arith.addf": 1}, map[string]int{"math.exp": 1, "arith.addf": 1}, 1, "changed: its body lost math.exp"},
		{map[string]int{"math.exp": 1}, map[string]int{"math.exp": 3, "arith.mulf": 1}, 1, "changed: its body gained arith.mulf, 2 math.exp"},
		{map[string]int{"a": 1}, map[string]int{"b": 1}, 1, "changed: its body lost a, gained b"},
		{map[string]int{"a": 1}, map[string]int{"a": 1}, 64, "changed: its grid has 64 steps instead of 1 step"},
		{nil, map[string]int{"b": 1}, 1, "changed: same operations; constants or order differ"},
	} {
		if got := became(ledgers(t, []facts.Kernel{written(c.old, 1)}, []facts.Kernel{written(c.fresh, c.steps)})); got != c.want {
			t.Errorf("%s, wanted %s", got, c.want)
		}
	}
}

// Kernels that are alike are paired where they stand in the model before anywhere else.
func TestTwinsStayInTheirPlace(t *testing.T) {
	a, b := kernel("jit(f)/layer0/tanh", "add tanh", "f32[8]"), kernel("jit(f)/layer1/tanh", "add tanh", "f32[8]")
	wide := with(b, func(k *facts.Kernel) { k.Out = "f32[9]" })
	k := ledgers(t, []facts.Kernel{a, b}, []facts.Kernel{wide, a})
	if k.Kept != 1 || len(k.Changed) != 1 || k.Changed[0].Old.OpName != b.OpName {
		t.Errorf("%s", became(k))
	}
}

func TestLoopsOfAKernel(t *testing.T) {
	once := kernel("jit(f)/while/body/tanh", "add tanh", "f32[8]")
	looped := func(n int64) facts.Kernel {
		return with(once, func(k *facts.Kernel) { k.InLoop, k.Times = true, n })
	}
	for _, c := range []struct {
		old, fresh facts.Kernel
		want       string
	}{
		{once, looped(10), "moved: moved into a loop: runs 10 times"},
		{looped(10), once, "moved: moved out of a loop"},
		{looped(10), looped(12), "moved: runs 12 times instead of 10 times"},
		{looped(10), looped(1), "moved: runs an unknown number of times instead of 10 times"},
		{once, looped(1), "moved: moved into a loop: runs an unknown number of times"},
		{looped(10), looped(10), "kept 1"},
		{once, with(once, func(k *facts.Kernel) { k.Times = 0 }), "kept 1"},
	} {
		if got := became(ledgers(t, []facts.Kernel{c.old}, []facts.Kernel{c.fresh})); got != c.want {
			t.Errorf("%s, wanted %s", got, c.want)
		}
	}
}

func TestKernelThatIsTakenApart(t *testing.T) {
	whole := kernel("jit(f)/mlp/div", "add exponential multiply reduce divide", "f32[8]")
	first, second := kernel("jit(f)/mlp/exp", "add exponential", "f32[4]"), kernel("jit(f)/mlp/red", "multiply reduce divide", "f32[8]")
	elsewhere := kernel("jit(f)/head/red", "multiply reduce divide", "f32[8]")
	half := kernel("jit(f)/mlp/red", "multiply", "f32[2]")
	for name, c := range map[string]struct {
		old, fresh []facts.Kernel
		want       string
	}{
		"split":                  {[]facts.Kernel{whole}, []facts.Kernel{first, second}, "split add, divide, exponential, multiply, reduce in 2"},
		"merged":                 {[]facts.Kernel{first, second}, []facts.Kernel{whole}, "merged add, divide, exponential, multiply, reduce of 2"},
		"a piece elsewhere":      {[]facts.Kernel{whole}, []facts.Kernel{first, elsewhere}, "added add, exponential; added divide, multiply, reduce; removed add, divide, exponential, multiply, reduce"},
		"more than half is lost": {[]facts.Kernel{whole}, []facts.Kernel{kernel("jit(f)/mlp/exp", "add", "f32[4]"), half}, "added add; added multiply; removed add, divide, exponential, multiply, reduce"},
		"one piece":              {[]facts.Kernel{whole}, []facts.Kernel{second}, "changed: lost add, exponential"},
	} {
		if got := became(ledgers(t, c.old, c.fresh)); got != c.want {
			t.Errorf("%s: %s, wanted %s", name, got, c.want)
		}
	}
}

// A copy or a collective is no piece of a kernel that computed.
func TestCopiesAreNoPieces(t *testing.T) {
	whole := kernel("jit(f)/mlp/div", "add copy divide", "f32[8]")
	piece := kernel("jit(f)/mlp/add", "add divide", "f32[4]")
	copied := with(kernel("jit(f)/mlp/copy", "copy", "f32[2]"), func(k *facts.Kernel) { k.Class, k.Kind, k.Fusion = facts.ClassCopy, "copy", false })
	if k := ledgers(t, []facts.Kernel{whole}, []facts.Kernel{piece, copied}); len(k.Split) != 0 {
		t.Error(became(k))
	}
	library := with(copied, func(k *facts.Kernel) { k.Class, k.Kind = facts.ClassLibrary, "library" })
	if k := ledgers(t, []facts.Kernel{whole}, []facts.Kernel{piece, library}); len(k.Split) != 1 {
		t.Errorf("a library's kernel: %s", became(k))
	}
}

// Where the ledger knows who reads from whom, a kernel is taken apart along its values, wherever its pieces stand in the model.
func TestPiecesAlongTheirValues(t *testing.T) {
	whole := kernel("jit(f)/mlp/div", "add exponential divide", "f32[8]")
	near := kernel("jit(f)/mlp/exp", "add exponential", "f32[4]")
	far := kernel("jit(f)/gate/exp", "add exponential", "f32[4]")
	last := with(kernel("jit(f)/mlp/div", "divide", "f32[8]"), func(k *facts.Kernel) { k.From = []int32{1} })
	k := ledgers(t, []facts.Kernel{whole}, []facts.Kernel{near, far, last})
	if len(k.Split) != 1 || len(k.Split[0].Many) != 2 || k.Split[0].Many[0].OpName != "jit(f)/gate/exp" {
		t.Errorf("%s: %+v", became(k), k.Split)
	}
	if len(k.Added) != 1 || k.Added[0].OpName != "jit(f)/mlp/exp" {
		t.Error(became(k))
	}
}

func TestLoopThatIsUnrolled(t *testing.T) {
	body := with(kernel("jit(f)/while/body/dot", "dynamic-slice dot", "f32[8]"), func(k *facts.Kernel) { k.InLoop, k.Times = true, 3 })
	copied := kernel("jit(f)/dot", "slice dot", "f32[8]")
	for name, c := range map[string]struct {
		fresh []facts.Kernel
		want  string
	}{
		"three times": {[]facts.Kernel{copied, copied, copied}, "unrolled dot, dynamic-slice in 3"},
		"once":        {[]facts.Kernel{copied}, "added dot, slice; removed dot, dynamic-slice"},
		"another out": {[]facts.Kernel{with(copied, func(k *facts.Kernel) { k.Out = "f32[9]" }), copied}, "added dot, slice; added dot, slice; removed dot, dynamic-slice"},
		"in shorter loops": {[]facts.Kernel{with(body, func(k *facts.Kernel) { k.Times, k.Print = 2, "a" }), with(body, func(k *facts.Kernel) { k.Times, k.Print = 1, "b" })},
			"unrolled dot, dynamic-slice in 2"},
		"in a longer loop": {[]facts.Kernel{with(body, func(k *facts.Kernel) { k.Times, k.Print = 3, "a" }), with(body, func(k *facts.Kernel) { k.Times, k.Print = 4, "b" })},
			"changed: same operations; constants or order differ; added dot, dynamic-slice"},
	} {
		if got := became(ledgers(t, []facts.Kernel{body}, c.fresh)); got != c.want {
			t.Errorf("%s: %s, wanted %s", name, got, c.want)
		}
	}
}

// What only wires a loop is no copy of its body.
func TestWiringIsNotUnrolled(t *testing.T) {
	body := with(kernel("jit(f)/while/body/copy", "dynamic-slice", "f32[8]"), func(k *facts.Kernel) { k.InLoop, k.Times = true, 3 })
	copied := kernel("jit(f)/slice", "slice", "f32[8]")
	if k := ledgers(t, []facts.Kernel{body}, []facts.Kernel{copied, copied}); len(k.Unrolled) != 0 {
		t.Error(became(k))
	}
}

// A program that was rescaled is matched without its sizes.
func TestRescaledKernels(t *testing.T) {
	a, b := variant("", "old"), variant("", "fresh")
	a.Params, b.Params = shaped("f32[8]"), shaped("f32[16]")
	a.Kernels = []facts.Kernel{with(kernel("", "add tanh", "f32[8]"), func(k *facts.Kernel) { k.Print, k.Family = "p8", "p" })}
	b.Kernels = []facts.Kernel{with(kernel("", "add tanh", "f32[16]"), func(k *facts.Kernel) { k.Print, k.Family = "p16", "p" })}
	if v := compared(t, a, b); !v.Rescaled || v.Kernels.Kept != 1 {
		t.Error(became(v.Kernels))
	}
	b.Params = a.Params
	if v := compared(t, a, b); v.Rescaled || v.Kernels.Kept != 0 {
		t.Error(became(v.Kernels))
	}
}

// A collective of several arrays is the same one in another order, whatever operation it is named after now.
func TestKernelsInAnotherOrder(t *testing.T) {
	sum := func(opName, out string) facts.Kernel {
		return with(kernel(opName, "all-reduce", out), func(k *facts.Kernel) { k.Kind, k.Fusion, k.Class = "all-reduce", false, facts.ClassCollective })
	}
	k := ledgers(t, []facts.Kernel{sum("jit(f)/a/add.35", "(f32[64], f32[64,256])")}, []facts.Kernel{sum("jit(f)/b/add.36", "(f32[64,256], f32[64])")})
	if len(k.Changed) != 1 || len(k.Added)+len(k.Removed) != 0 {
		t.Error(became(k))
	}
	if k = ledgers(t, []facts.Kernel{sum("jit(f)/a/add.35", "(f32[64], f32[64,256])")}, []facts.Kernel{sum("jit(f)/b/add.36", "(f32[64,128], f32[64])")}); len(k.Changed) != 0 {
		t.Error(became(k))
	}
	loop := func(opName string) facts.Kernel { // it is paired in its own part of the model first
		return with(kernel(opName, "add multiply", "f32[8]"), func(k *facts.Kernel) { k.Print = opName })
	}
	k = ledgers(t, []facts.Kernel{loop("jit(f)/encoder/mul")}, []facts.Kernel{loop("jit(f)/decoder/scale"), loop("jit(f)/encoder/mul_1")})
	if len(k.Changed) != 1 || k.Changed[0].New.OpName != "jit(f)/encoder/mul_1" {
		t.Error(became(k))
	}
}

// Kernels without a name are paired through those that they read from and that read from them.
func TestKernelsKnownByTheirNeighbours(t *testing.T) {
	source := kernel("jit(f)/a", "tanh", "f32[8]")
	odd := func(do string, from ...int32) facts.Kernel {
		return with(kernel("", do, "f32[8]"), func(k *facts.Kernel) {
			k.From, k.Root, k.Out = from, "add", "f32["+fmt.Sprint(len(do))+"]"
		})
	}
	other := kernel("jit(f)/b", "sine", "f32[7]")
	k := ledgers(t, []facts.Kernel{source, other, odd("multiply add", 0), odd("subtract add", 1)}, []facts.Kernel{source, other, odd("divide power add", 1), odd("log negate sine add", 0)})
	if k.Kept != 2 || len(k.Changed) != 2 || len(k.Added)+len(k.Removed) != 0 {
		t.Fatal(became(k))
	}
	for _, c := range k.Changed {
		if !slices.Equal(c.Old.From, c.New.From) {
			t.Errorf("%v was paired with %v", c.Old.Do, c.New.Do)
		}
	}
}
