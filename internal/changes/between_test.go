package changes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// apart are two pieces of a kernel, a and b, of which b reads a, and whatever else is in the ledger.
func apart(walls []facts.Barrier, others ...facts.Kernel) *facts.Variant {
	a := kernel("jit(f)/tanh", "add tanh", "f32[8]")
	b := with(kernel("jit(f)/exp", "exponential", "f32[8]"), func(k *facts.Kernel) { k.From = []int32{0} })
	return &facts.Variant{Compiled: facts.Compiled{Kernels: append([]facts.Kernel{a, b}, others...)}, Input: facts.Input{Barriers: walls}}
}

func wall(opcode string, line int32, behind ...facts.Op) facts.Barrier {
	w := facts.Barrier{Op: facts.Op{Opcode: opcode}, Inputs: behind}
	if line > 0 {
		w.Source = hlo.Location{File: "src/train.py", Line: line}
	}
	return w
}

func TestWallsBetweenPieces(t *testing.T) {
	tanh := facts.Op{OpName: "jit(f)/tanh", Opcode: "tanh"}
	other := facts.Op{OpName: "jit(f)/sin", Opcode: "sine"}
	for _, c := range []struct {
		walls []facts.Barrier
		want  string
	}{
		{[]facts.Barrier{wall("opt-barrier", 9, tanh)}, "an optimization barrier (train.py:9)"},
		{[]facts.Barrier{wall("opt-barrier", 0, tanh)}, "an optimization barrier"},
		{[]facts.Barrier{wall("opt-barrier", 9, tanh), wall("opt-barrier", 7, tanh), wall("opt-barrier", 9, tanh)}, "optimization barriers (train.py:7, train.py:9)"},
		{[]facts.Barrier{wall("opt-barrier", 9, other)}, ""},
		{[]facts.Barrier{wall("opt-barrier", 9, other, tanh)}, "an optimization barrier (train.py:9)"},
		{[]facts.Barrier{wall("xla_python_callback", 3, tanh)}, "a host callback (train.py:3)"},
		{[]facts.Barrier{wall("xla_python_callback", 3, tanh), wall("xla_python_callback", 4, tanh)}, "host callbacks (train.py:3, train.py:4)"},
		{[]facts.Barrier{wall("infeed", 3, tanh), wall("send", 0, tanh)}, "an infeed (train.py:3); a send"},
		{[]facts.Barrier{wall("outfeed", 3, tanh), wall("outfeed", 4, tanh)}, "outfeeds (train.py:3, train.py:4)"},
		{[]facts.Barrier{wall("opt-barrier", 1, tanh), wall("opt-barrier", 2, tanh), wall("opt-barrier", 3, tanh), wall("opt-barrier", 4, tanh), wall("opt-barrier", 5, tanh)},
			"optimization barriers (train.py:1, train.py:2, train.py:3, 2 more)"},
	} {
		if got := strings.Join(between(apart(c.walls), []int{0, 1}), "; "); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// A wall is behind a kernel whose value it takes: the same operation of the model, on the same line where both are known.
func TestWhatAWallTakes(t *testing.T) {
	at := func(line int32) hlo.Location { return hlo.Location{File: "m.py", Line: line} }
	for name, c := range map[string]struct {
		op   facts.Op
		line int32
		want bool
	}{
		"no lines":       {facts.Op{OpName: "jit(f)/tanh", Opcode: "tanh"}, 0, true},
		"one line":       {facts.Op{OpName: "jit(f)/tanh", Opcode: "tanh", Source: at(3)}, 0, true},
		"the same line":  {facts.Op{OpName: "jit(f)/tanh", Opcode: "tanh", Source: at(3)}, 3, true},
		"another line":   {facts.Op{OpName: "jit(f)/tanh", Opcode: "tanh", Source: at(4)}, 3, false},
		"another opcode": {facts.Op{OpName: "jit(f)/tanh", Opcode: "add"}, 0, false},
		"another name":   {facts.Op{OpName: "jit(f)/sin", Opcode: "tanh"}, 0, false},
	} {
		v := apart([]facts.Barrier{wall("opt-barrier", 0, c.op)})
		if c.line > 0 {
			v.Kernels[0].Source = at(c.line)
		}
		if got := len(between(v, []int{0, 1})) == 1; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// One result of several that a fusion has is enough.
func TestWallBehindOneOfSeveralResults(t *testing.T) {
	v := apart([]facts.Barrier{wall("opt-barrier", 0, facts.Op{OpName: "jit(f)/sum", Opcode: "reduce"})})
	v.Kernels[0].Outs = []facts.Op{{OpName: "jit(f)/tanh", Opcode: "tanh"}, {OpName: "jit(f)/sum", Opcode: "reduce"}}
	if got := between(v, []int{0, 1}); len(got) != 1 {
		t.Errorf("%q", got)
	}
	v.Kernels[0].Outs[1].Opcode = "multiply"
	if got := between(v, []int{0, 1}); len(got) != 0 {
		t.Errorf("another operation of that name: %q", got)
	}
}

func TestSecondReaders(t *testing.T) {
	reader := func(op string) facts.Kernel {
		return with(kernel("jit(f)/"+op, op, "f32[4]"), func(k *facts.Kernel) { k.From = []int32{0} })
	}
	placed := with(reader("sine"), func(k *facts.Kernel) { k.Source = hlo.Location{File: "a/m.py", Line: 4} })
	stranger := with(reader("log"), func(k *facts.Kernel) { k.From = nil })
	for _, c := range []struct {
		others []facts.Kernel
		result bool
		want   []string
	}{
		{nil, false, nil},
		{[]facts.Kernel{stranger}, false, nil},
		{nil, true, []string{"tanh is a result of the program"}},
		{[]facts.Kernel{placed}, false, []string{"tanh is also read by sine (m.py:4)"}},
		{[]facts.Kernel{reader("sine"), reader("log"), reader("power"), reader("cosine")}, false, []string{"tanh is also read by sine, log, 2 more"}},
		{[]facts.Kernel{reader("sine"), reader("log"), reader("power")}, true, []string{"tanh is a result of the program and is also read by sine, log, power"}},
	} {
		v := apart(nil, c.others...)
		v.Kernels[0].Result = c.result
		if got := between(v, []int{0, 1}); !slices.Equal(got, c.want) {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// Only what one piece hands to another matters, and a wall explains it better than a second reader.
func TestWhatMattersBetweenPieces(t *testing.T) {
	v := apart(nil)
	v.Kernels[1].Result = true
	if got := between(v, []int{0, 1}); len(got) != 0 {
		t.Errorf("the last piece is a result, as the whole was: %q", got)
	}
	v = apart([]facts.Barrier{wall("opt-barrier", 0, facts.Op{OpName: "jit(f)/tanh", Opcode: "tanh"})})
	v.Kernels[0].Result = true
	if got := between(v, []int{0, 1}); len(got) != 1 || got[0] != "an optimization barrier" {
		t.Errorf("%q", got)
	}
}

// A value that the model has no name for is called by what made it.
func TestValueWithoutAName(t *testing.T) {
	v := apart(nil)
	v.Kernels[0].OpName, v.Kernels[0].Result = "", true
	if got := between(v, []int{0, 1}); len(got) != 1 || got[0] != "tanh is a result of the program" {
		t.Errorf("%q", got)
	}
	v.Kernels[0].OpName = "jit(f)/gelu"
	if got := between(v, []int{0, 1}); len(got) != 1 || got[0] != "gelu is a result of the program" {
		t.Errorf("%q", got)
	}
}

// between is what keeps the kernels apart, in words.
func between(v *facts.Variant, at []int) (words []string) {
	for _, d := range changes.Between(v, at) {
		words = append(words, d.String())
	}
	return words
}
