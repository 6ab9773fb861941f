package changes

import (
	"strconv"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// A result that no longer has the shape of an argument is what takes its place from it, and the line that makes it is the cause.
func TestResultThatTookAnotherShape(t *testing.T) {
	cache := facts.Parameter{Name: "cache", Shape: "f32[4,256]", Aliased: true}
	lent := cache
	lent.Aliased = false
	returning := func(result string, lines ...int32) *facts.Variant {
		v := &facts.Variant{Interface: facts.Interface{Result: result}}
		for i, shape := range hlo.ShapeText(result).Elements() {
			v.Results = append(v.Results, facts.Op{Shape: shape, Source: hlo.Location{File: "model.py", Line: lines[i]}})
		}
		return v
	}
	for name, c := range map[string]struct {
		fresh *facts.Variant
		what  string
		line  int32
	}{
		"padded":    {returning("(f32[8], f32[4,272])", 7, 36), "no result is left for its buffer: 0 of its shape f32[4,256], 1 before; one of them is f32[4,272] now", 36},
		"gone":      {returning("(f32[8])", 7), "no result is left for its buffer: 0 of its shape f32[4,256], 1 before", 0},
		"unchanged": {returning("(f32[8], f32[4,256])", 7, 36), "not donated", 0},
	} {
		v := &Variant{Old: returning("(f32[8], f32[4,256])", 7, 30), New: c.fresh}
		cause, _ := v.Undonated([]*facts.Parameter{&lent}, "")
		if v.undonated(&lent) != c.what || cause.Source.Line != c.line {
			t.Errorf("%s: %q on line %d, want %q on line %d", name, v.undonated(&lent), cause.Source.Line, c.what, c.line)
		}
	}
}

// A donated argument keeps its buffer where the result that took it lies on the devices in another way now.
func TestDonatedToAResultThatIsSpreadOtherwise(t *testing.T) {
	bias := facts.Parameter{Name: "bias", Shape: "f32[4,512]", Donated: true}
	returning := func(split string) *facts.Variant {
		return &facts.Variant{Interface: facts.Interface{Result: "(f32[4,512])", Outputs: []facts.Output{{Shape: "f32[4,512]", Split: split, OpName: "jit(f)/add"}}}}
	}
	for split, want := range map[string]string{
		"":      "donated, but its buffer is still read when the result of its shape is written",
		"[1,2]": "no result is left for its buffer: the result (jit(f)/add) is [1,2], was replicated",
	} {
		if got := (&Variant{Old: returning(""), New: returning(split)}).undonated(&bias); got != want {
			t.Errorf("%q: %s", split, got)
		}
	}
}

// Without torch_xla.sync PyTorch/XLA compiles the step where its loss is printed: the graph returns the loss, and nothing that the step updates.
func TestStepThatNothingSyncs(t *testing.T) {
	weight := facts.Parameter{Name: "p1", Shape: "f32[8]"}
	read := &tensorflow.GraphBreak{Reason: "most likely user code trying to access tensor value before torch_xla.sync", Where: hlo.Location{File: "train.py", Line: 72}}
	sync := &tensorflow.GraphBreak{Reason: "user torch_xla.sync", Where: hlo.Location{File: "train.py", Line: 70}}
	const said = "PyTorch/XLA compiled the graph where a tensor's value is read (train.py:72)"
	for name, c := range map[string]struct {
		was, is *tensorflow.GraphBreak
		result  string
		want    string
	}{
		"no sync any more":      {sync, read, "(f32[])", said + ", not at torch_xla.sync (train.py:70) any more: what the step updates is not among its results"},
		"before is not known":   {nil, read, "(f32[])", said + ": what the step updates is not among its results, as it is at torch_xla.sync"},
		"ended so before":       {read, read, "(f32[])", "p1: no result is left for its buffer: 0 of its shape f32[8], 1 before"},
		"synced":                {sync, sync, "(f32[])", "p1: no result is left for its buffer: 0 of its shape f32[8], 1 before"},
		"returned, not donated": {sync, read, "(f32[], f32[8])", "p1: not donated"},
	} {
		v := &Variant{Old: &facts.Variant{Interface: facts.Interface{Result: "(f32[], f32[8])"}, Origin: facts.Origin{GraphBreak: c.was}}, New: &facts.Variant{Interface: facts.Interface{Result: c.result}, Origin: facts.Origin{GraphBreak: c.is}}}
		cause, _ := v.Undonated([]*facts.Parameter{&weight}, "")
		if cause.Title != c.want {
			t.Errorf("%s: %s\nwanted %s", name, cause.Title, c.want)
		}
	}
}

// Names that only count arguments do not tell which of them is donated no more, where as many are as before.
func TestDonationOfCountedArguments(t *testing.T) {
	params := func(names string, aliased ...bool) (list []facts.Parameter) {
		for i, is := range aliased {
			list = append(list, facts.Parameter{Name: names + strconv.Itoa(i), Shape: "f32[8]", Aliased: is})
		}
		return list
	}
	for _, c := range []struct {
		was, is []facts.Parameter
		lost    int
	}{
		{params("p", true, true, false), params("p", true, false, true), 0},
		{params("p", true, true, false), params("p", true, false, false), 1},
		{params("w", true, true, false), append(params("w", true, false), facts.Parameter{Name: "b", Shape: "f32[8]", Aliased: true}), 1},
	} {
		v := &Variant{Old: &facts.Variant{Interface: facts.Interface{Params: c.was}}, New: &facts.Variant{Interface: facts.Interface{Params: c.is}}}
		for i := range c.was {
			v.Params = append(v.Params, ParamChange{Name: c.is[i].Name, Old: &c.was[i], New: &c.is[i]})
		}
		if got := v.LostDonations(); len(got) != c.lost {
			t.Errorf("%v → %v: %d are lost, want %d", c.was, c.is, len(got), c.lost)
		}
	}
}
