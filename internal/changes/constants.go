package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// bakedIn reports whether an argument that is gone is a constant now, whole or in the parts that the compiler made of it; with the sides
// swapped, whether a new one was.
func bakedIn(v *Variant, p *facts.Parameter) bool {
	var parts int64
	for _, c := range NewConstants(v) {
		if c.Bytes < notable {
			continue
		}
		if c.Shape == p.Shape {
			return true
		}
		if hlo.ShapeText(c.Shape).Type() == hlo.ShapeText(p.Shape).Type() {
			parts += c.Bytes
		}
	}
	return parts > 0 && parts == p.Bytes
}

// notable is from how many bytes a new constant is worth naming.
const notable = 256

func largestOf(constants []facts.Constant) facts.Constant {
	return slices.MaxFunc(constants, func(a, b facts.Constant) int { return cmp.Compare(a.Bytes, b.Bytes) })
}

// ConstantAt returns the cause that a constant is in the program.
func ConstantAt(c facts.Constant) *Cause { return constantCause(nil, c) }

// constantCause also names the argument that the constant was: "params['w'] is baked into the program: f32[64,128], 32.0 KiB".
func constantCause(v *Variant, c facts.Constant) *Cause {
	title := fmt.Sprintf("%s (%s) is baked into the program", c.Shape, phrase.Bytes(float64(c.Bytes)))
	if argument := formerArgument(v, c); argument != "" {
		title = fmt.Sprintf("%s is baked into the program: %s, %s", argument, c.Shape, phrase.Bytes(float64(c.Bytes)))
	}
	return &Cause{Kind: KindConstants, Title: title, OpName: c.OpName, Source: c.Source}
}

// NewConstants are the constants that the old program has fewer of, by shape. An array that took the place of one of another type is not new, but wider or narrower.
func NewConstants(v *Variant) []facts.Constant {
	if v.Old == nil {
		return v.New.Constants
	}
	p := newPairing(v.Old.Constants, v.New.Constants)
	p.inTurn(func(c facts.Constant) string { return c.Shape })
	p.inTurn(func(c facts.Constant) string {
		shape := hlo.ShapeText(c.Shape)
		if len(shape.Dims()) == 0 {
			return ""
		}
		return fmt.Sprint(kindOfType(shape.Type()), shape.Dims())
	})
	return p.added()
}

// formerArgument names the argument that a constant was. It has the constant's shape, and is gone or read by nothing now; or it is gone, and all new constants
// together make it up; or it is still read elsewhere, see keptArgument. It is "" if there is none.
func formerArgument(v *Variant, c facts.Constant) string {
	if v == nil {
		return ""
	}
	for _, p := range v.Params {
		if p.Old == nil || p.Old.Shape != c.Shape {
			continue
		}
		if p.New == nil || p.New.Unused && !p.Old.Unused {
			return p.Name
		}
	}
	for _, p := range v.Params {
		if p.New == nil && c.Bytes <= p.Old.Bytes && bakedIn(v, p.Old) { // the constant is a part of it
			return p.Name
		}
	}
	return keptArgument(v, c)
}

// keptArgument names the only argument of a constant's shape, if no operation in the scope that reads the constant is new: that scope read the argument before.
// Dimensions of one element do not count.
func keptArgument(v *Variant, c facts.Constant) string {
	scope := scopeOf(c.OpName)
	if v.Old == nil || scope == "" || !v.Model.Known || slices.ContainsFunc(v.Model.Edits, func(e Edit) bool { return strings.HasPrefix(e.Scope, scope) }) {
		return ""
	}
	var alike []string
	for was := range v.KeptParams {
		if sameArray(was.Shape, c.Shape) {
			alike = append(alike, was.Name)
		}
	}
	if len(alike) != 1 {
		return ""
	}
	return alike[0]
}

// sameArray reports whether two arrays differ in dimensions of one element at most.
func sameArray(a, b string) bool {
	large := func(shape string) []string {
		return slices.DeleteFunc(slices.Clone(hlo.ShapeText(shape).Dims()), func(n string) bool { return n == "1" })
	}
	return hlo.ShapeText(a).Type() == hlo.ShapeText(b).Type() && slices.Equal(large(a), large(b))
}
