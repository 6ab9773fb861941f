package changes_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// baked is the difference of two compilations with these constants.
func baked(t *testing.T, old, fresh []facts.Constant, params ...[]facts.Parameter) *changes.Variant {
	t.Helper()
	a, b := variant("", "old"), variant("", "fresh")
	a.Constants, b.Constants = old, fresh
	if len(params) > 0 {
		a.Params, b.Params = params[0], params[1]
	}
	return compared(t, a, b)
}

// The first is the small one before it was widened, the second as large.
var narrow, indices = facts.Constant{Shape: "bf16[64]", Bytes: 128}, facts.Constant{Shape: "s32[64]", Bytes: 256}

var small, large = facts.Constant{Shape: "f32[64]", Bytes: 256}, facts.Constant{Shape: "f32[512,512]", Bytes: 1 << 20}

func TestNewConstants(t *testing.T) {
	for _, c := range []struct {
		old, fresh []facts.Constant
		want       int
	}{
		{nil, nil, 0},
		{nil, []facts.Constant{small}, 1},
		{[]facts.Constant{small}, []facts.Constant{small}, 0},
		{[]facts.Constant{small}, []facts.Constant{small, small}, 1},
		{[]facts.Constant{small, small}, []facts.Constant{small}, 0},
		{[]facts.Constant{small}, []facts.Constant{large}, 1},
		{[]facts.Constant{narrow}, []facts.Constant{small}, 0},
		{[]facts.Constant{narrow}, []facts.Constant{small, small}, 1},
		{[]facts.Constant{narrow, small}, []facts.Constant{small, small}, 0},
		{[]facts.Constant{indices}, []facts.Constant{small}, 1},
	} {
		if got := changes.NewConstants(baked(t, c.old, c.fresh)); len(got) != c.want {
			t.Errorf("%v became %v: %v are new", c.old, c.fresh, got)
		}
	}
	if got := changes.NewConstants(&changes.Variant{New: &facts.Variant{Compiled: facts.Compiled{Constants: []facts.Constant{small}}}}); len(got) != 1 {
		t.Errorf("without an old program: %v", got)
	}
}

// The largest one is named, and small ones are of no account.
func TestConstantIsACause(t *testing.T) {
	v := baked(t, nil, []facts.Constant{small, large, small})
	if c := v.Causes[0]; c.Kind != changes.KindConstants || c.Title != "f32[512,512] (1.0 MiB) is baked into the program" {
		t.Errorf("%s: %s", c.Kind, c.Title)
	}
	if c := baked(t, nil, []facts.Constant{small}).Causes[0]; c.Kind != changes.KindConstants {
		t.Errorf("256 bytes are of no account: %s", c.Kind)
	}
	if c := baked(t, nil, []facts.Constant{{Shape: "f32[63]", Bytes: 255}}).Causes[0]; c.Kind == changes.KindConstants {
		t.Errorf("255 bytes are of account: %s", c.Title)
	}
}

// A constant of a few bytes is not why there are many more: one that was there is wider.
func TestGrowthOfAWiderConstant(t *testing.T) {
	v := baked(t, []facts.Constant{narrow}, []facts.Constant{small, {Shape: "f32[]", Bytes: 4}})
	if c, _ := v.FactGrowth(facts.MemoryConstant); c != nil {
		t.Errorf("%+v", c)
	}
	v = baked(t, nil, []facts.Constant{{Shape: "f32[]", Bytes: 4}})
	if c, _ := v.FactGrowth(facts.MemoryConstant); c == nil || c.Kind != changes.KindConstants {
		t.Errorf("nothing else is new: %+v", c)
	}
}

// An argument that is gone, or that nobody reads any more, is what the constant was.
func TestConstantThatWasAnArgument(t *testing.T) {
	w := facts.Parameter{Name: "w", Shape: "f32[512,512]"}
	x := facts.Parameter{Name: "x", Shape: "f32[8]"}
	unread, smaller := w, w
	unread.Unused, smaller.Shape = true, "f32[256,512]"
	const nameless = "f32[512,512] (1.0 MiB) is baked into the program"
	for name, c := range map[string]struct {
		old, fresh []facts.Parameter
		want       string
	}{
		"gone":         {[]facts.Parameter{x, w}, []facts.Parameter{x}, "w is baked into the program: f32[512,512], 1.0 MiB"},
		"unread":       {[]facts.Parameter{x, w}, []facts.Parameter{x, unread}, "w is baked into the program: f32[512,512], 1.0 MiB"},
		"never read":   {[]facts.Parameter{x, unread}, []facts.Parameter{x, unread}, nameless},
		"still there":  {[]facts.Parameter{x, w}, []facts.Parameter{x, w}, nameless},
		"smaller now":  {[]facts.Parameter{x, w}, []facts.Parameter{x, smaller}, nameless},
		"another gone": {[]facts.Parameter{x, w}, []facts.Parameter{w}, nameless},
	} {
		v := baked(t, nil, []facts.Constant{large}, c.old, c.fresh)
		at := 0
		if v.Causes[0].Kind == changes.KindArguments {
			at = 1
		}
		if got := v.Causes[at]; got.Kind != changes.KindConstants || got.Title != c.want {
			t.Errorf("%s: %s %q", name, got.Kind, got.Title)
		}
	}
}

// A constant that is larger than the only argument that is gone was another array, although the argument is baked in as well.
func TestConstantBesideABakedArgument(t *testing.T) {
	v := baked(t, nil, []facts.Constant{small, large}, []facts.Parameter{{Name: "schedule", Shape: small.Shape, Bytes: small.Bytes}}, nil)
	if got := v.Causes[0].Title; got != "f32[512,512] (1.0 MiB) is baked into the program" {
		t.Error(got)
	}
}

// An argument that became a constant is not told of twice, one that has nothing to do with it is.
func TestBakedArgumentIsNoChangeOfArguments(t *testing.T) {
	w, x := facts.Parameter{Name: "w", Shape: "f32[512,512]"}, facts.Parameter{Name: "x", Shape: "f32[8]"}
	v := baked(t, nil, []facts.Constant{large}, []facts.Parameter{x, w}, []facts.Parameter{x})
	if len(v.Causes) != 1 || v.Causes[0].Kind != changes.KindConstants {
		t.Errorf("w is baked in: %+v", v.Causes)
	}
	v = baked(t, []facts.Constant{large}, nil, []facts.Parameter{x}, []facts.Parameter{x, w})
	if v.Causes[0].Kind == changes.KindArguments {
		t.Errorf("w is an argument again: %+v", v.Causes)
	}
	v = baked(t, nil, []facts.Constant{{Shape: "f32[8]", Bytes: 32}}, []facts.Parameter{x, w}, []facts.Parameter{w})
	if v.Causes[0].Kind != changes.KindArguments || v.Causes[0].Title != "x is gone: f32[8]" {
		t.Errorf("x is gone beside a small constant: %+v", v.Causes)
	}
}
