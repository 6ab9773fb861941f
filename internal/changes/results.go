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

// LostResult is a result that the caller no longer gets as it was.
type LostResult struct {
	Was, Is string // its shape, before and now; "" where it is not known which result it is
	At      int    // its number now; -1 where that is not known
	Same    string // the argument that comes back as it went in; "" for others
}

// String says what became of the result: "f32[20,16,32] is now f32[0,16,32]".
func (l LostResult) String() string {
	if l.Same != "" {
		return cmp.Or(l.Is, "one") + " is " + l.Same + " as it went in"
	}
	if l.Was == l.Is {
		return cmp.Or(l.Is, "one") + " no longer depends on an argument"
	}
	return l.Was + " is now " + l.Is
}

// LostResults lists three kinds of results, in this order:
//   - results that have another shape or type although the arguments have the same
//   - arguments that come back as they went in, and were updated in place before
//   - results that no argument reaches any more
//
// A result that is not returned any more, or is returned besides, is not lost. Results of clusters are not compared, because where a cluster ends decides what
// it returns.
func (v *Variant) LostResults() []LostResult {
	if v.Old == nil || v.New == nil || v.Regrouped {
		return nil
	}
	was, is := hlo.ShapeText(v.Old.Result).Elements(), hlo.ShapeText(v.New.Result).Elements()
	var lost []LostResult
	if v.Old.Result != "" && v.sameArguments() {
		lost = v.notPassedAgain(reshapedResults(was, is), was)
	}
	lost = append(lost, v.notUpdated()...)
	if !v.Knows(facts.ResultsConstant) {
		return lost
	}
	before := v.Old.Facts[facts.ResultsConstant]
	more := int(v.New.Facts[facts.ResultsConstant]-before) - max(0, len(is)-len(was)) // one that is new may be constant
	for _, at := range v.New.Fixed {
		switch {
		case slices.ContainsFunc(lost, func(l LostResult) bool { return l.At == at }):
			more--
		case before == 0 && more > 0 && at < len(is):
			lost = append(lost, LostResult{Was: is[at], Is: is[at], At: at})
			more--
		}
	}
	for range more {
		lost = append(lost, LostResult{At: -1})
	}
	return lost
}

// reshapesResults reports whether a result has another shape although the arguments have the same. A size that any line may set is behind it, not the return.
func (v *Variant) reshapesResults() bool {
	return slices.ContainsFunc(v.LostResults(), func(l LostResult) bool { return l.Was != l.Is && l.Same == "" })
}

// notUpdated lists the arguments that the program updated in place and now returns as they are.
func (v *Variant) notUpdated() (lost []LostResult) {
	for was, is := range v.KeptParams {
		if !was.Aliased || !is.Aliased || was.Written == 0 || is.Written > 0 {
			continue
		}
		at := slices.IndexFunc(v.New.Results, func(op facts.Op) bool { return op.Opcode == "parameter" && op.Shape == is.Shape })
		if at >= 0 {
			lost = append(lost, LostResult{Was: is.Shape, Is: is.Shape, At: at, Same: is.Name})
		}
	}
	return lost
}

// Rewritten lists the arguments of which the program now writes all in place, and wrote less than half.
func (v *Variant) Rewritten() (list []*facts.Parameter) {
	for was, is := range v.KeptParams {
		if was.Written > 0 && was.Written < 0.5 && is.Written >= 1 {
			list = append(list, is)
		}
	}
	return list
}

// Dropped lists the shapes of the results that a program with the same arguments does not return any more.
func (v *Variant) Dropped() []string {
	if v.Old == nil || v.New == nil || v.Regrouped || v.Old.Result == "" || !v.sameArguments() {
		return nil
	}
	was, is := hlo.ShapeText(v.Old.Result).Elements(), hlo.ShapeText(v.New.Result).Elements()
	if len(is) >= len(was) {
		return nil
	}
	return minus(was, is)
}

// GivesLess reports whether the program returns less than it did: what it saves is no improvement.
func (v *Variant) GivesLess() bool { return len(v.LostResults())+len(v.Dropped()) > 0 }

// notPassedAgain leaves out results that now have the type of an argument with the same dimensions, if the program took more arguments of that type than it
// returned. Such a result is a state, which the next call passes again.
func (v *Variant) notPassedAgain(lost []LostResult, was []string) []LostResult {
	taken := countOf(texts(v.New.Params, func(p facts.Parameter) string { return p.Shape }))
	for _, shape := range was {
		taken[shape]--
	}
	return slices.DeleteFunc(lost, func(l LostResult) bool {
		if taken[l.Is] <= 0 || !slices.Equal(hlo.ShapeText(l.Was).Dims(), hlo.ShapeText(l.Is).Dims()) {
			return false
		}
		taken[l.Is]--
		return true
	})
}

// sameArguments reports whether the arguments are equal in number, shape and type to those before, as the same stage of the compiler shows them.
func (v *Variant) sameArguments() bool {
	if len(v.New.Params) != len(v.Old.Params) {
		return false
	}
	for was, is := range v.KeptParams {
		if was.Shape != is.Shape {
			return false
		}
	}
	return (v.Old.InputPrint == "") == (v.New.InputPrint == "")
}

// reshapedResults pairs the shapes that only one side returns, in order.
func reshapedResults(was, is []string) (lost []LostResult) {
	gone, come := countOf(was), countOf(is)
	var old []string
	for _, shape := range was {
		if come[shape]--; come[shape] < 0 {
			old = append(old, shape)
		}
	}
	for at, shape := range is {
		if gone[shape]--; gone[shape] < 0 && len(old) > 0 {
			lost, old = append(lost, LostResult{Was: old[0], Is: shape, At: at}), old[1:]
		}
	}
	return lost
}

// lostTitle says what became of the first lost result, and gives the operation that makes it now; else which results are gone.
func lostTitle(v *Variant) (op facts.Op, text string) {
	lost := v.LostResults()
	if len(lost) == 0 {
		if gone := v.Dropped(); len(gone) > 0 {
			text = phrase.Count(len(gone), "result is", "results are") + " gone: " + counted(gone, 4)
		}
		return op, text
	}
	text = strings.Replace("the result "+lost[0].String(), "the result one ", "a result ", 1)
	if len(lost) > 1 {
		text += fmt.Sprintf(", and %d more differ", len(lost)-1)
	}
	if at := lost[0].At; at >= 0 && at < len(v.New.Results) {
		op = v.New.Results[at]
	}
	return op, text
}

// NewResult finds a result that the program did not return before, or not in that shape; "" when there is none, or the old program's
// results are not known.
func NewResult(v *Variant) (op facts.Op, sentence string) {
	if v == nil || v.Old == nil {
		return facts.Op{}, ""
	}
	return resultTitle(v)
}

// resultTitle finds a result that the program did not return before, and the operation that makes it.
func resultTitle(v *Variant) (facts.Op, string) {
	if v.Rescaled || v.Old.Result == "" || v.Old.Result == v.New.Result {
		return facts.Op{}, ""
	}
	had := countOf(hlo.ShapeText(v.Old.Result).Elements())
	var fresh []facts.Op
	for _, op := range v.New.Results {
		if had[op.Shape]--; had[op.Shape] < 0 {
			fresh = append(fresh, op)
		}
	}
	if len(fresh) == 0 {
		return facts.Op{}, ""
	}
	more := len(fresh)
	fresh = newest(v.Old, v.New.Results, fresh)
	text := fmt.Sprintf("%s is now a result of the program", resultWord(fresh[0]))
	if more > 1 {
		text = fmt.Sprintf("%d results are new, among them %s", more, resultWord(fresh[0]))
	}
	if !slices.ContainsFunc(fresh, func(op facts.Op) bool { return op.Opcode != "parameter" }) {
		text = phrase.Count(len(fresh), "argument is now returned as it went in: ", "arguments are now returned as they went in: ") +
			counted(texts(fresh, func(op facts.Op) string { return op.Shape }), 4)
	}
	return fresh[0], text
}

func resultWord(op facts.Op) string {
	name := lastStep(op.OpName)
	switch {
	case name == "while":
		return op.Shape + " of a loop"
	case name == "" && op.Opcode == "copy":
		return op.Shape
	case name == "":
		name = op.Opcode
	}
	return name + " " + op.Shape
}

// resultKey tells results apart that have no operation of the model.
func resultKey(op facts.Op) string { return cmp.Or(op.OpName, op.Opcode+" "+op.Shape) }

// newest picks, of results that are alike in shape, those whose operation the old program did not end in.
func newest(old *facts.Variant, all, fresh []facts.Op) []facts.Op {
	ended := map[string]bool{}
	for i := range old.Kernels {
		ended[old.Kernels[i].OpName] = true
	}
	for _, op := range old.Results {
		ended[resultKey(op)] = true
	}
	var out []facts.Op
	for _, op := range all {
		if !ended[resultKey(op)] && slices.ContainsFunc(fresh, func(f facts.Op) bool { return f.Shape == op.Shape }) {
			out = append(out, op)
		}
	}
	if len(out) == 0 {
		return fresh
	}
	return out[:min(len(out), len(fresh))]
}
