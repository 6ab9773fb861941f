package changes_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// asks is a statement: these operations in f32, in a scope, on a line of m.py where it is known.
func asks(scope, do string, line int32) facts.Statement {
	ops := strings.Fields(do)
	slices.Sort(ops)
	s := facts.Statement{Scope: scope, Type: "f32", Do: ops, OpName: scope + "/" + ops[0]}
	if line > 0 {
		s.Source = hlo.Location{File: "m.py", Line: line, Function: "f"}
	}
	return s
}

// asked is the difference of two programs that ask for this.
func asked(t *testing.T, old, fresh []facts.Statement) *changes.Variant {
	t.Helper()
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Model, b.Model = old, fresh
	return compared(t, a, b)
}

// edited spells the edits: "jit(f)/mlp m.py:3 +tanh +2 dot -sine".
func edited(m *changes.Model) string {
	var out []string
	for _, e := range m.Edits {
		text := e.Scope
		if e.Source.File != "" {
			text += fmt.Sprintf(" %s:%d", e.Source.File, e.Source.Line)
		}
		out = append(out, text+spelled(" +", e.Added)+spelled(" -", e.Removed))
	}
	return strings.Join(out, "; ")
}

func spelled(sign string, steps []changes.Step) string {
	text := ""
	for _, s := range steps {
		text += sign
		if s.Count > 1 {
			text += fmt.Sprintf("%d ", s.Count)
		}
		text += s.Opcode
		if s.Type != "f32" {
			text += " " + s.Type
		}
	}
	return text
}

func TestEditsOfTheModel(t *testing.T) {
	list := func(s ...facts.Statement) []facts.Statement { return s }
	double := asks("a", "dot", 1)
	double.Type = "f64"
	for name, c := range map[string]struct {
		old, fresh []facts.Statement
		want       string
	}{
		"nothing":                {list(asks("a", "dot add", 1)), list(asks("a", "dot add", 1)), ""},
		"lines move":             {list(asks("a", "dot add", 1), asks("b", "tanh", 2)), list(asks("a", "dot add", 11), asks("b", "tanh", 12)), ""},
		"a scope is renamed":     {list(asks("a", "dot add", 1)), list(asks("z", "dot add", 1)), ""},
		"statements swap":        {list(asks("a", "dot", 1), asks("b", "tanh", 2)), list(asks("b", "tanh", 2), asks("a", "dot", 1)), ""},
		"a line is split in two": {list(asks("a", "dot add", 1)), list(asks("a", "dot", 1), asks("a", "add", 2)), ""},
		"one comes":              {list(asks("a", "dot", 1)), list(asks("a", "dot", 1), asks("a", "tanh", 2)), "a m.py:2 +tanh"},
		"one goes":               {list(asks("a", "dot", 1), asks("a", "tanh", 2)), list(asks("a", "dot", 1)), "a m.py:2 -tanh"},
		"one more of the same":   {list(asks("a", "dot", 1)), list(asks("a", "dot dot dot", 1)), "a m.py:1 +2 dot"},
		"one for another":        {list(asks("a", "dot tanh", 1)), list(asks("a", "dot sine", 1)), "a m.py:1 +sine -tanh"},
		"another type":           {list(asks("a", "dot", 1)), list(double), "a m.py:1 +dot f64 -dot"},
		"two places":             {list(asks("a", "dot", 1), asks("b", "dot", 2)), list(asks("a", "dot tanh", 1), asks("b", "dot sine", 2)), "a m.py:1 +tanh; b m.py:2 +sine"},
		"two scopes of one line": {list(asks("a", "dot", 1)), list(asks("a", "dot", 1), asks("b", "tanh", 3), asks("c", "sine", 3)), "b m.py:3 +tanh +sine"},
		"no line is known":       {list(asks("a", "dot", 0)), list(asks("a", "dot tanh", 0), asks("a", "sine", 0)), "a +tanh +sine"},
		"moved to another scope": {list(asks("jit(f)/a", "dot", 1), asks("jit(f)/b", "tanh add", 2)), list(asks("jit(f)/a", "dot tanh", 1), asks("jit(f)/b", "add", 2)), ""},
	} {
		if v := asked(t, c.old, c.fresh); edited(&v.Model) != c.want || !v.Model.Known {
			t.Errorf("%s: %q, wanted %q", name, edited(&v.Model), c.want)
		}
	}
}

// Of operations that stand on a new line beside one that the model never had, all are new; those of an old line are not.
func TestSurelyNewLineKeepsItsOperations(t *testing.T) {
	old := []facts.Statement{asks("a", "add dot tanh", 1)}
	fresh := []facts.Statement{asks("a", "add sort", 9), asks("a", "add dot", 2)}
	if v := asked(t, old, fresh); edited(&v.Model) != "a m.py:9 +add +sort -tanh" {
		t.Error(edited(&v.Model))
	}
}

// What is handed to the compiler is the same: then nothing of the model was edited, whatever the lines say.
func TestSameModel(t *testing.T) {
	a, b := variant("()", "old"), variant("()", "fresh")
	a.InputPrint, b.InputPrint = "same", "same"
	a.Model, b.Model = []facts.Statement{asks("a", "dot", 1)}, []facts.Statement{asks("a", "tanh", 1)}
	if v := compared(t, a, b); !v.Model.Same || len(v.Model.Edits) != 0 || v.Causes[0].Kind != changes.KindToolchain {
		t.Errorf("%+v", v.Model)
	}
	a.InputPrint, b.InputPrint = "", ""
	if v := compared(t, a, b); v.Model.Same || len(v.Model.Edits) != 1 {
		t.Errorf("two models that were not dumped are not the same: %+v", v.Model)
	}
}

// A model that was read off the optimized module tells other things than one from before: the two cannot be compared.
// What moves into a loop is named on its own line, though the loop's body does the same operation on another.
func TestIntoALoop(t *testing.T) {
	before := []facts.Statement{asks("jit(f)", "while", 1), asks("jit(f)/in", "dot", 2), asks("jit(f)/while/body", "dot add tanh", 4)}
	after := []facts.Statement{asks("jit(f)", "while", 1), asks("jit(f)/while/body", "dot", 3), asks("jit(f)/while/body", "dot add tanh", 4)}
	v := asked(t, before, after)
	if got, want := edited(&v.Model), "jit(f)/while/body m.py:3 +dot"; got != want {
		t.Errorf("edits %q, wanted %q", got, want)
	}
	if got, want := v.Causes[0].Title, "moved into a loop: dot"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
	if got, want := edited(&asked(t, after, before).Model), "jit(f)/in m.py:2 +dot; jit(f)/while/body m.py:3 -dot"; got != want {
		t.Errorf("back again: edits %q, wanted %q", got, want)
	}
}

// A loop that is new is said by its name, and what only counts its steps and takes its slices is not told.
func TestNewLoop(t *testing.T) {
	const body = "jit(f)/while/body"
	counter := asks(body, "add compare", 2)
	counter.Type = "s32"
	before := []facts.Statement{asks("jit(f)", "tanh", 1)}
	after := []facts.Statement{asks("jit(f)", "while", 2), counter, asks(body, "dynamic-slice tanh dynamic-update-slice", 2)}
	if got, want := asked(t, before, after).Causes[0].Title, "a new loop"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
	after[0] = asks("jit(f)", "while while sort", 2)
	if got, want := asked(t, before, after).Causes[0].Title, "2 new loops; new: sort"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
}

// What the forward pass does not compute any more is gone, and not kept for the backward pass.
func TestRematOfWhatIsGone(t *testing.T) {
	const forward, backward = "jit(f)/jvp()/checkpoint", "jit(f)/transpose(jvp())/checkpoint/rematted_computation"
	rest, once := asks("jit(f)/jvp()", "tanh", 2), asks(forward, "dot", 1)
	before := []facts.Statement{rest, once, asks(backward, "dot", 1)}
	if got, want := asked(t, before, []facts.Statement{rest, once}).Causes[0].Title, "no longer rematerialized but kept for the backward pass: dot"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
	if got, want := asked(t, before, []facts.Statement{rest}).Causes[0].Title, "gone: dot"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
}

// Where a loop is gone, what is in more loops than before moved into one; what is in fewer was in the loop.
func TestIntoALoopWhereOneIsGone(t *testing.T) {
	const body, inner = "jit(f)/while/body", "jit(f)/while/body/while/body"
	before := []facts.Statement{asks("jit(f)", "while", 1), asks("jit(f)", "while", 2), asks(body, "while", 3), asks(body, "dot add dynamic-slice", 4), asks(inner, "dot add", 5)}
	after := []facts.Statement{asks("jit(f)", "while", 2), asks(body, "while", 3), asks(inner, "dot add", 5), asks(inner, "dot add", 6)}
	v := asked(t, before, after)
	if got, want := edited(&v.Model), inner+" m.py:6 +add +dot; jit(f) m.py:2 -while; "+body+" m.py:4 -dynamic-slice"; got != want {
		t.Errorf("edits %q, wanted %q", got, want)
	}
	if got, want := v.Causes[0].Title, "moved into a loop: dot, add; a loop is gone"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
	after = []facts.Statement{asks("jit(f)", "while", 2), asks(body, "while", 3), asks(inner, "dot add", 5), asks("jit(f)", "dot dot add add", 6)}
	if got, want := asked(t, before, after).Causes[0].Title, "new: dot, add; a loop is gone"; got != want {
		t.Errorf("says %q, wanted %q", got, want)
	}
}

// A constraint that spreads its value in another way is an edit.
func TestConstraints(t *testing.T) {
	body := func(constraint string) []facts.Statement {
		s := asks("jit(f)/mlp", "dot", 3)
		s.Do = append(s.Do, constraint)
		return []facts.Statement{s, asks("jit(f)", "tanh", 4)}
	}
	fresh := append(body("Sharding P('data')"), asks("jit(f)", "sine", 5))
	for _, c := range []struct{ old, want string }{
		{"Sharding P('data')", "jit(f) m.py:5 +sine"},
		{"Sharding P()", "jit(f)/mlp m.py:3 +Sharding P('data') -Sharding P(); jit(f) m.py:5 +sine"},
	} {
		if got := edited(&asked(t, body(c.old), fresh).Model); got != c.want {
			t.Errorf("%s: edits %q, wanted %q", c.old, got, c.want)
		}
	}
}

func TestModelsOfTwoKinds(t *testing.T) {
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Model, b.Model, b.ModelAfter = []facts.Statement{asks("a", "dot", 1)}, []facts.Statement{asks("a", "tanh", 1)}, true
	if v := compared(t, a, b); v.Model.Known || len(v.Model.Edits) != 0 || v.Causes[0].Kind != changes.KindUnknown {
		t.Errorf("%+v, %s", v.Model, v.Causes[0].Kind)
	}
	a.ModelAfter = true
	if v := compared(t, a, b); !v.Model.Known || len(v.Model.Edits) != 1 {
		t.Errorf("%+v", v.Model)
	}
}

// A program whose unoptimized module has no statement computes nothing; without that module nothing is known.
func TestModelThatOnlyOneSideTells(t *testing.T) {
	for _, known := range []bool{true, false} {
		for _, model := range [][2][]facts.Statement{{nil, {asks("a", "dot", 1)}}, {{asks("a", "dot", 1)}, nil}} {
			a, b := variant("()", "old"), variant("()", "fresh")
			if a.Model, b.Model = model[0], model[1]; known {
				a.Facts[facts.InstructionsBefore], b.Facts[facts.InstructionsBefore] = 3, 9
			}
			if v := compared(t, a, b); v.Model.Known != known || (len(v.Model.Edits) == 1) != known {
				t.Errorf("%t: %+v", known, v.Model)
			}
		}
	}
}

// What a model edit is said to be.
func TestEditSentences(t *testing.T) {
	double := asks("a", "dot add", 1)
	double.Type = "f64"
	for name, c := range map[string]struct{ old, fresh, want string }{
		"new":                  {"dot", "dot tanh add", "new: tanh, add"},
		"the weightiest first": {"dot", "dot add sort tanh reduce", "new: sort, reduce, tanh, add"},
		"gone":                 {"dot tanh", "dot", "gone: tanh"},
		"both":                 {"dot tanh", "dot sine", "new: sine; gone: tanh"},
		"a barrier":            {"dot", "dot opt-barrier", "a new optimization barrier"},
		"two barriers":         {"dot", "dot opt-barrier opt-barrier", "2 new optimization barriers"},
		"a callback":           {"dot", "dot xla_callback", "a new host callback (xla_callback)"},
		"two callbacks":        {"dot", "dot xla_callback xla_callback", "2 new host callbacks (xla_callback)"},
		"a barrier and more":   {"dot", "dot opt-barrier tanh", "a new optimization barrier; new: tanh"},
		"a loop is gone":       {"dot while", "dot", "a loop is gone"},
		"loops are gone":       {"dot while while", "dot", "2 loops are gone"},
		"a loop is not needed": {"dot while", "dot dot", "new: dot; a loop is gone"},
		"a loop is new":        {"dot", "dot while", "a new loop"},
		"many":                 {"dot", "dot a b c d e f", "new: a, b, c, d, e, f"},
		"too many":             {"dot", "dot a b c d e f g", "new: a, b, c, d, e, 2 more"},
	} {
		v := asked(t, []facts.Statement{asks("a", c.old, 1)}, []facts.Statement{asks("a", c.fresh, 1)})
		if got := v.Causes[0]; got.Kind != changes.KindCode || got.Title != c.want {
			t.Errorf("%s: %s %q, wanted %q", name, got.Kind, got.Title, c.want)
		}
	}
	if got := asked(t, []facts.Statement{asks("a", "dot add", 1)}, []facts.Statement{double}).Causes[0].Title; got != "dot, add: f32 → f64" {
		t.Error(got)
	}
}

// A type or a precision changes where operations came for the same that went; of what is cheap, as many.
func TestRetypedOperations(t *testing.T) {
	in := func(dtype, do string) facts.Statement {
		s := asks("a", do, 1)
		s.Type = dtype
		return s
	}
	special := func(do ...string) facts.Statement {
		s := in("f32", "dot")
		s.Do = do
		return s
	}
	for _, c := range []struct {
		old, fresh facts.Statement
		want       string
	}{
		{in("f32", "dot add tanh"), in("bf16", "dot add tanh"), "dot, tanh, add: f32 → bf16"},
		{in("f32", "dot dot"), in("bf16", "dot"), "dot: f32 → bf16; gone: dot"},
		{in("f32", "dot add"), in("bf16", "dot tanh"), "dot: f32 → bf16; new: tanh; gone: add"},
		{in("f32", "add add"), in("bf16", "add"), "new: add; gone: 2 add"},
		{in("f32", "dot add"), in("bf16", "dot add convert convert"), "dot, add: f32 → bf16"},
		{special("dot", "dot"), special("dot {highest,highest}", "dot {highest,highest}"), "2 dot: default → highest precision"},
		{special("scatter indices_are_sorted"), special("scatter"), "scatter: indices_are_sorted → no promise"},
		{in("f32", "add"), in("f32", "add tanh dynamic-update-slice transpose iota"), "new: tanh"},
		{in("f32", "concatenate"), in("f32", "dynamic-update-slice"), "new: dynamic-update-slice; gone: concatenate"},
	} {
		if got := asked(t, []facts.Statement{c.old}, []facts.Statement{c.fresh}).Causes[0].Title; got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// What is computed a second time is said to be, where it is worth it and nothing went instead.
func TestComputedASecondTime(t *testing.T) {
	first := asks("a", "dot tanh", 1)
	for name, c := range map[string]struct {
		old, fresh []facts.Statement
		want       string
	}{
		"again":          {[]facts.Statement{first}, []facts.Statement{first, asks("b", "dot tanh", 7)}, "dot, tanh computed a second time, as in m.py:1"},
		"behind a wall":  {[]facts.Statement{first}, []facts.Statement{first, asks("b", "dot tanh opt-barrier", 7)}, "a new optimization barrier; dot, tanh computed a second time, as in m.py:1"},
		"not quite":      {[]facts.Statement{first}, []facts.Statement{first, asks("b", "dot tanh tanh", 7)}, "new: dot, 2 tanh"},
		"cheap":          {[]facts.Statement{asks("a", "add tanh", 1)}, []facts.Statement{asks("a", "add tanh", 1), asks("b", "add tanh", 7)}, "new: tanh, add"},
		"one operation":  {[]facts.Statement{asks("a", "dot", 1)}, []facts.Statement{asks("a", "dot", 1), asks("b", "dot", 7)}, "new: dot"},
		"and is moved":   {[]facts.Statement{asks("a", "dot transpose", 1)}, []facts.Statement{asks("a", "dot transpose", 1), asks("b", "dot transpose", 7)}, "new: dot"},
		"no line, scope": {[]facts.Statement{asks("x/a", "dot tanh", 0)}, []facts.Statement{asks("x/a", "dot tanh", 0), asks("x/b", "dot tanh", 0)}, "dot, tanh computed a second time, as in x/a"},
	} {
		if got := asked(t, c.old, c.fresh).Causes[0].Title; got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}

// A function that is called from several lines is told of with the call.
func TestEditOfACalledFunction(t *testing.T) {
	called := func(do string, caller int32) facts.Statement {
		s := asks("a", do, 3)
		s.Caller = hlo.Location{File: "x/main.py", Line: caller}
		return s
	}
	old := []facts.Statement{called("dot", 20), called("dot", 30)}
	v := asked(t, old, []facts.Statement{called("dot", 20), called("dot tanh", 30)})
	if got := v.Causes[0].Title; got != "new: tanh, called from main.py:30" {
		t.Error(got)
	}
	v = asked(t, old[:1], []facts.Statement{called("dot tanh", 20)})
	if got := v.Causes[0].Title; got != "new: tanh" {
		t.Errorf("called from one line only: %s", got)
	}
}

// What was computed again for the backward pass, and is no longer, was not lost.
func TestRematerializationThatGoes(t *testing.T) {
	const again = "no longer rematerialized but kept for the backward pass: tanh"
	for scope, want := range map[string]string{
		"jit(f)/rematted_computation":             again,
		"jit(f)/transpose(jvp(jvp()))/checkpoint": again,
		"jit(f)/transpose(jvp(g))/remat":          again,
		"jit(f)/jvp(g)/checkpoint":                "gone: tanh",
		"jit(f)/checkpoint":                       "gone: tanh", // nothing goes backwards where a model is only asked
	} {
		v := asked(t, []facts.Statement{asks("a", "dot", 1), asks(scope, "tanh", 2)}, []facts.Statement{asks("a", "dot", 1)})
		if got := v.Causes[0].Title; got != want {
			t.Errorf("%s: %s", scope, got)
		}
	}
}

// What is newly computed again is new, whichever of equal operations are on edited lines.
func TestRematerializationThatComes(t *testing.T) {
	v := asked(t, []facts.Statement{asks("jit(f)/jvp()", "dot tanh", 1)},
		[]facts.Statement{asks("jit(f)/jvp()/checkpoint", "dot tanh", 1), asks("jit(f)/transpose(jvp())/checkpoint/rematted_computation", "dot tanh", 1)})
	if got := edited(&v.Model); !v.Model.Remats || got != "jit(f)/transpose(jvp())/checkpoint/rematted_computation m.py:1 +dot +tanh" {
		t.Error(got)
	}
}

// Operations cancel within their function before others of the scope do, and what is gone belongs to the edit of its function.
func TestOperationsOfAFunction(t *testing.T) {
	in := func(function, do string, line int32) facts.Statement {
		s := asks("jit(f)", do, 0)
		if s.Within = function; line > 0 {
			s.Source = hlo.Location{File: "m.py", Line: line, Function: function}
		}
		return s
	}
	for want, c := range map[string][2][]facts.Statement{
		"decay -add -multiply": {
			{in("decay.<locals>.<lambda>", "add multiply", 0), in("scale", "add divide multiply", 0)},
			{in("scale", "divide", 4), in("scale", "add multiply", 5)},
		},
		"norm +rsqrt -sqrt; scale +abs -sine": {{in("norm", "sqrt", 0), in("scale", "sine", 0)}, {in("norm", "rsqrt", 4), in("scale", "abs", 9)}},
		"":                                    {{in("norm", "sqrt tanh", 0)}, {in("norms", "sqrt", 4), in("loss", "tanh", 9)}},
	} {
		v := asked(t, c[0], c[1])
		var got []string
		for _, e := range v.Model.Edits {
			got = append(got, e.Within+spelled(" +", e.Added)+spelled(" -", e.Removed))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%q, wanted %q", text, want)
		}
	}
}

// A conversion that is not computed again goes with the products that are in another type.
func TestConversionThatGoesWithItsType(t *testing.T) {
	again := asks("jit(f)/transpose(jvp())/checkpoint/rematted_computation", "convert", 0)
	narrow, wide := asks("jit(f)/jvp()", "dot dot", 0), asks("jit(f)/jvp()", "dot dot", 4)
	narrow.Type = "bf16"
	v := asked(t, []facts.Statement{narrow, again}, []facts.Statement{wide})
	if len(v.Causes) != 1 || v.Causes[0].Title != "2 dot: bf16 → f32" {
		t.Errorf("%+v", v.Causes)
	}
}

// What jax.checkpoint rounds, so that both computations see the same, goes with it, in whatever function it lies.
func TestRoundingThatGoesWithRematerialization(t *testing.T) {
	kept := []facts.Statement{asks("a", "dot", 1)}
	rounded := asks("jit(f)/jvp()/mlp", "reduce-precision", 4)
	rounded.Source.Function = "mlp"
	again := asks("jit(f)/transpose(jvp(g))/rematted_computation", "tanh", 2)
	v := asked(t, append(slices.Clone(kept), rounded, again), kept)
	if len(v.Causes) != 1 || v.Causes[0].Title != "no longer rematerialized but kept for the backward pass: tanh" || !v.Causes[0].Keeps() {
		t.Errorf("%+v", v.Causes)
	}
	v = asked(t, append(slices.Clone(kept), rounded), kept)
	if len(v.Causes) != 1 || v.Causes[0].Title != "gone: reduce-precision" || v.Causes[0].Keeps() {
		t.Errorf("nothing was computed again: %+v", v.Causes)
	}
}

// A constraint that lies in what jax.checkpoint computes again as well is one that changed, wherever it stands.
func TestConstraintInWhatIsComputedAgain(t *testing.T) {
	spreading := func(spec string) (model []facts.Statement) {
		for _, scope := range []string{"jit(f)/jvp()/mlp", "jit(f)/transpose(jvp())/checkpoint/mlp", "jit(f)/transpose(jvp())/checkpoint/rematted_computation/mlp"} {
			s := asks(scope, "tanh", 4)
			s.Do = append(s.Do, "Sharding "+spec)
			model = append(model, s)
		}
		return model
	}
	old := spreading("P('data', 'model')")
	for i := range old {
		old[i].Source = hlo.Location{} // as a baseline has it
	}
	v := asked(t, old, spreading("P()"))
	if len(v.Causes) != 1 || v.Causes[0].Title != "3 sharding constraints are now P(), were P('data', 'model')" {
		t.Errorf("%+v", v.Causes)
	}
}

// A constraint of a value that has another type is no edit.
func TestConstraintOfAnotherType(t *testing.T) {
	spread := func(dtype string) []facts.Statement {
		s, sum := asks("jit(f)", "add", 4), asks("jit(f)/while/body", "add", 5)
		s.Do, s.Type, sum.Type = []string{"Sharding P('data')"}, dtype, dtype
		return []facts.Statement{s, sum}
	}
	v := asked(t, spread("f32"), spread("bf16"))
	if len(v.Causes) != 1 || v.Causes[0].Title != "add: f32 → bf16" {
		t.Errorf("%+v", v.Causes)
	}
}

// Of several operations that are alike the new one is that on an edited line, wherever it comes in the program.
func TestNewOnTheEditedLine(t *testing.T) {
	at := func(line int32) facts.Statement { return asks("a", "dot", line) }
	launch := func(line int32) facts.Kernel {
		k := kernel("a/dot", "dot", "f32[4]")
		k.Source = at(line).Source
		return k
	}
	program := func(v *facts.Variant) *facts.Report {
		return report(&facts.Program{Name: "f", Variants: []*facts.Variant{v}})
	}
	old, fresh := variant("()", "old"), variant("()", "fresh")
	old.Model, fresh.Model = []facts.Statement{at(1), at(3)}, []facts.Statement{at(1), at(2), at(3)}
	old.Kernels, fresh.Kernels = []facts.Kernel{launch(1), launch(3)}, []facts.Kernel{launch(1), launch(2), launch(3)}
	for edited := range int32(3) {
		d := changes.CompareEdited(program(old), program(fresh), lines([2]int32{edited + 1, edited + 1}))
		c := d.Programs[0].Variants[0].Causes[0]
		if c.Source.Line != edited+1 || len(c.After) != 1 || c.After[0].Source.Line != edited+1 {
			t.Errorf("line %d was edited, %d is the place, with %v", edited+1, c.Source.Line, c.After)
		}
	}
}

// What passes through the lines of one edit is one cause, whichever functions the new operations are in.
func TestOneCauseAnEdit(t *testing.T) {
	caller := func(line int32, function string) hlo.Location {
		return hlo.Location{File: "train.py", Line: line, Function: function}
	}
	calls := func(s facts.Statement, function string, at hlo.Location) facts.Statement {
		s.Source.Function = function
		s.Stacks = []*facts.Stack{{Location: s.Source, Caller: &facts.Stack{Location: at}}}
		return s
	}
	rest := asks("jit(f)", "dot", 1)
	for _, c := range []struct {
		first, second hlo.Location
		causes        int
	}{
		{caller(30, "step"), caller(31, "step"), 1},
		{caller(30, "step"), caller(31, "step.<locals>.<lambda>"), 1},
		{caller(30, "step"), caller(40, "step"), 2},
		{caller(30, "step"), caller(50, "step"), 2}, // line 50 was not edited
	} {
		old, fresh := variant("()", "old"), variant("()", "fresh")
		old.Model = []facts.Statement{rest}
		fresh.Model = []facts.Statement{rest, calls(asks("jit(f)/a", "tanh", 3), "a", c.first), calls(asks("jit(f)/b", "sort", 9), "b", c.second)}
		program := func(v *facts.Variant) *facts.Report {
			return report(&facts.Program{Name: "f", Variants: []*facts.Variant{v}})
		}
		d := changes.CompareEdited(program(old), program(fresh), lines([2]int32{30, 31}, [2]int32{40, 40}))
		if got := d.Programs[0].Variants[0].Causes; len(got) != c.causes {
			t.Errorf("%v and %v were edited: %d causes, wanted %d: %+v", c.first, c.second, len(got), c.causes, got)
		}
	}
}

// A time that grew is put down to the cause that adds most to it, not to the one with most kernels.
func TestStepTimeIsPutDownToWhatCosts(t *testing.T) {
	device := price.Named("h100-sxm")
	launch := func(name string, times int64) facts.Kernel {
		return with(kernel(name, "tanh", "f32[8]"), func(k *facts.Kernel) { k.Times = times })
	}
	v := &changes.Variant{Old: variant("()", "old"), New: variant("()", "fresh"), Causes: []changes.Cause{
		{Title: "two kernels", After: []facts.Kernel{launch("a", 1), launch("b", 1)}},
		{Title: "a loop", After: []facts.Kernel{launch("c", 1000)}, Before: []facts.Kernel{launch("c", 1)}},
	}}
	v.Old.Device, v.New.Device = device, device
	if c, _ := v.FactGrowth(facts.PriceStep); c == nil || c.Title != "a loop" {
		t.Errorf("%+v", c)
	}
	if costs := v.StepIntervals(); costs[1].Middle < 100*costs[0].Middle {
		t.Errorf("the causes cost %v", costs)
	}
}

// lines names the edits of lines, each from one to another.
func lines(edits ...[2]int32) changes.Edited {
	return func(l hlo.Location) string {
		at := slices.IndexFunc(edits, func(e [2]int32) bool { return e[0] <= l.Line && l.Line <= e[1] })
		if at < 0 {
			return ""
		}
		return strconv.Itoa(at)
	}
}
