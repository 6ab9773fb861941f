package rules

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// wrongResults says which results are not spread as they should be.
func wrongResults(c *rule.Context, p *diff.Program, v *diff.Variant) (wrong []misplaced) {
	outputs := outputsOf(v.New)
	for i := range outputs {
		o := &outputs[i]
		place, value := strconv.Itoa(i), spreadOf(o)
		for _, pin := range c.Entries("outputs") {
			if want := pin.Text("sharding"); match.Glob(pin.Text("output"), place) && want != o.Split && !spreadAs(want, &value) {
				wrong = append(wrong, misplaced{resultName(outputs, i), spread(&value) + ", not " + want, true})
			}
		}
		if tooLargeWhole(c, &value) {
			wrong = append(wrong, misplaced{resultName(outputs, i), phrase.Bytes(float64(o.Bytes)) + " is replicated on every device", true})
		}
	}
	if c.BoundedByOwn() || v.Old == nil {
		return wrong
	}
	return append(wrong, movedResults(c, p, v, outputs)...)
}

// movedResults are the results that are spread in another way than in the baseline.
func movedResults(c *rule.Context, p *diff.Program, v *diff.Variant, outputs []facts.Output) (wrong []misplaced) {
	switch {
	case v.Old.Outputs == nil && v.New.Outputs != nil:
		c.NotCovered = append(c.NotCovered, c.Rule.ID+" (the baseline does not hold how results are spread; accept it again)")
	case v.Old.Outputs != nil && outputs == nil:
		c.Uncovered(p.Name, rule.Unoptimized, unoptimizedFix)
	}
	for i := range min(len(v.Old.Outputs), len(outputs)) {
		was, is := &v.Old.Outputs[i], &outputs[i]
		if is.Shape != was.Shape || is.Split == was.Split && (is.Sharding == "" || was.Sharding == "" || inTiles(is.Sharding) == inTiles(was.Sharding)) {
			continue
		}
		now, before := spreadOf(is), spreadOf(was)
		wrong = append(wrong, misplaced{resultName(outputs, i), spread(&now) + ", was " + spread(&before), true})
	}
	return wrong
}

const unoptimizedFix = "dump it beside the optimized one: how results are spread is the difference between the two"

// outputsOf are the results of a program as they are spread; nil where that is not known. Of a program that runs on one device nothing is
// split.
func outputsOf(v *facts.Variant) []facts.Output {
	if v.Outputs != nil || slices.Contains(v.Missing, "before-optimizations") {
		return v.Outputs
	}
	list := make([]facts.Output, len(v.Results))
	for i, r := range v.Results {
		list[i] = facts.Output{Shape: r.Shape, OpName: r.OpName}
	}
	return list
}

// spreadOf is a result in the terms of an argument.
func spreadOf(o *facts.Output) facts.Parameter {
	p := facts.Parameter{Shape: o.Shape, Sharding: o.Sharding, Spec: o.Spec, Bytes: o.Bytes}
	if replicated(&p) {
		p.Sharding = o.Split
	}
	return p
}

// resultName says which result is meant: its number where there are several, and what the model calls it.
func resultName(outputs []facts.Output, i int) string {
	name := "the result"
	if len(outputs) > 1 {
		name = fmt.Sprintf("result %d", i)
	}
	if op := outputs[i].OpName; op != "" {
		name += " (" + op + ")"
	}
	return name
}

// unmatchedResults says which pins speak of no result: they would hold for ever.
func unmatchedResults(c *rule.Context, p *diff.Program, v *diff.Variant) {
	outputs := outputsOf(v.New)
	for _, pin := range c.Entries("outputs") {
		want := pin.Text("output")
		if outputs == nil {
			c.Uncovered(p.Name, rule.Unoptimized, unoptimizedFix)
			return
		}
		if slices.ContainsFunc(numbersTo(len(outputs)), func(place string) bool { return match.Glob(want, place) }) {
			continue
		}
		c.Gap(fmt.Sprintf("%s (%s has no result %s)", c.Rule.ID, p.Name, want), result.Problem{
			Message: fmt.Sprintf("%s: no result of %s fits %q; it returns %s", c.Rule.ID, p.Name, want, phrase.Count(len(outputs), "result, number 0", "results, numbered from 0")),
			Fix:     "fix the number or remove the pin",
		})
	}
}

// numbersTo are the numbers of so many results.
func numbersTo(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	return list
}
