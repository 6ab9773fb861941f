package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var shardingPin = rule.Rule{
	ID:    "sharding-pin",
	Title: "arguments and results keep their sharding, or have the pinned one",
	Why: "A weight that is replicated by mistake takes memory on every device, and its gradient is reduced over all of them. Without pins, arguments " +
		"and results must keep the sharding that they have in the baseline.",
	Options: []rule.Option{
		{Key: "params", Type: rule.Table, Doc: "how arguments must be sharded", Fields: []rule.Option{
			{Key: "param", Type: rule.Glob, Require: true, Doc: "a glob over the arguments' names: \"params['w*']\""},
			{Key: "sharding", Type: rule.Text, Require: true, Doc: "as the model says it, P('data', None), or as HLO prints it, {devices=[2,1]<=[2]}, in both of which * is anything, or {mesh['data'=2], [{'data'}, {}]}; replicated for none"},
		}},
		{Key: "outputs", Type: rule.Table, Doc: "how results must be sharded; needs the unoptimized module in the dump", Fields: []rule.Option{
			{Key: "output", Type: rule.Glob, Require: true, Doc: "the result's number among all that the function returns, from 0; * for every one"},
			{Key: "sharding", Type: rule.Text, Require: true, Doc: "as the model says it, P('data', None), as HLO prints it, or in how many pieces each dimension is, \"[2,1]\"; replicated for none"},
		}},
		{Key: "max_replicated", Type: rule.Size, Doc: "arguments and results larger than this must be split over the devices"},
	},
	Budget:  &rule.Metric{Noun: "wrongly sharded arguments and results", Better: rule.Lower, Difference: true},
	Bounds:  []string{"params", "outputs", "max_replicated"},
	Fails:   rule.Example{On: "cpu-sharding_allgather/after", Config: "- { rule: sharding-pin }", Says: "2 arguments are not sharded as agreed: w1, w2"},
	Passes:  rule.Example{On: "cpu-sharding_allgather/before", Config: "- { rule: sharding-pin, params: [{ param: w1, sharding: \"P(None, 'model')\" }] }"},
	Fix:     "Look at in_shardings, at with_sharding_constraint where the array is made, and at the mesh's axes.",
	Threads: []string{"openxla/xla#13306", "openxla/xla#15207", "jax-ml/jax#20381"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		wrong := append(wronglySpread(c, v), wrongResults(c, v)...)
		for _, pin := range c.Entries("params") {
			unmatchedArguments(c, v, []string{pin.Text("param")})
		}
		unmatchedResults(c, v)
		a := c.Budget("sharding", float64(len(wrong)))
		if v.Old != nil {
			old := &changes.Variant{New: v.Old}
			a.Base = new(float64(len(wronglySpread(c, old)) + len(wrongResults(c, old))))
		}
		if f := c.Judge(a); f != nil {
			var names []string
			arguments := 0
			for _, m := range wrong {
				names = append(names, m.name)
				arguments += int(changes.Flag(!m.result))
				f.Evidence.After = changes.AddLine(f.Evidence.After, m.name+": "+m.said)
			}
			which := phrase.Are(arguments, "argument")
			switch results := len(wrong) - arguments; {
			case arguments == 0:
				which = phrase.Are(results, "result")
			case results > 0:
				which = phrase.Count(arguments, "argument", "arguments") + " and " + phrase.Count(results, "result", "results") + " are"
			}
			f.Message = fmt.Sprintf("%s not sharded as agreed: %s", which, strings.Join(phrase.First(names, 6), ", "))
			f.Cause = &changes.Cause{Kind: changes.KindSharding, Title: wrong[0].name + ": " + wrong[0].said, Source: v.New.FirstSource()}
		}
	},
}

// misplaced is an argument or a result that is not spread as it should be.
type misplaced struct {
	name, said string
	result     bool
}

// wronglySpread says what is wrong with each argument.
func wronglySpread(c *rule.Context, v *changes.Variant) (wrong []misplaced) {
	for i := range v.New.Params {
		param := &v.New.Params[i]
		for _, pin := range c.Entries("params") {
			if phrase.Glob(pin.Text("param"), param.Name) && !spreadAs(pin.Text("sharding"), param) {
				wrong = append(wrong, misplaced{name: param.Name, said: changes.PrintedSharding(param) + ", not " + pin.Text("sharding")})
			}
		}
		if tooLargeWhole(c, param) {
			wrong = append(wrong, misplaced{name: param.Name, said: phrase.Bytes(float64(param.Bytes)) + " is replicated on every device"})
		}
	}
	if c.BoundedByOwn() || v.Old == nil {
		return wrong
	}
	for _, ch := range v.Params {
		if ch.Old != nil && ch.New != nil && !changes.SameSharding(ch.Old, ch.New) {
			wrong = append(wrong, misplaced{name: ch.New.Name, said: changes.PrintedSharding(ch.New) + ", was " + changes.PrintedSharding(ch.Old)})
		}
	}
	return wrong
}

// tooLargeWhole reports whether every device holds all of a value that is larger than may be replicated.
func tooLargeWhole(c *rule.Context, p *facts.Parameter) bool {
	limit, limited := c.Number("max_replicated")
	return limited && float64(p.Bytes) > limit && changes.Replicated(p)
}

// unmatchedArguments says which patterns fit no argument: they would hold for ever.
func unmatchedArguments(c *rule.Context, v *changes.Variant, globs []string) {
	for _, pattern := range globs {
		if slices.ContainsFunc(v.New.Params, func(param facts.Parameter) bool { return phrase.Glob(pattern, param.Name) }) {
			continue
		}
		c.Gap(fmt.Sprintf("no argument fits %q", pattern), "`xlagate inspect DUMP` lists the arguments; fix the pattern or remove it")
	}
}

// spreadAs compares a value's sharding with one that was written down, in the model's words or in HLO's. Of the characters that
// mean something in globs only * does here: shardings are full of the others.
func spreadAs(want string, p *facts.Parameter) bool {
	if want == "replicated" {
		return changes.Replicated(p)
	}
	if !strings.Contains(want, "*") { // a pattern is not parsed
		want, _ = facts.InTiles(want)
	}
	return starred(want, p.Sharding) || p.Spec != "" && starred(want, p.Spec)
}

// starred matches a text with a pattern in which * is any text.
func starred(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		if !ok {
			return false
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && strings.HasSuffix(rest, parts[len(parts)-1])
}

// wrongResults says which results are not spread as they should be.
func wrongResults(c *rule.Context, v *changes.Variant) (wrong []misplaced) {
	outputs := outputsOf(v.New)
	for i := range outputs {
		o := &outputs[i]
		place, value := strconv.Itoa(i), changes.ShardedAs(o)
		for _, pin := range c.Entries("outputs") {
			if want := pin.Text("sharding"); phrase.Glob(pin.Text("output"), place) && want != o.Split && !spreadAs(want, value) {
				wrong = append(wrong, misplaced{changes.ResultName(outputs, i), changes.PrintedSharding(value) + ", not " + want, true})
			}
		}
		if tooLargeWhole(c, value) {
			wrong = append(wrong, misplaced{changes.ResultName(outputs, i), phrase.Bytes(float64(o.Bytes)) + " is replicated on every device", true})
		}
	}
	if c.BoundedByOwn() || v.Old == nil {
		return wrong
	}
	return append(wrong, movedResults(c, v, outputs)...)
}

// movedResults are the results that are spread in another way than in the baseline.
func movedResults(c *rule.Context, v *changes.Variant, outputs []facts.Output) (wrong []misplaced) {
	switch {
	case v.Old.Outputs == nil && v.New.Outputs != nil:
		c.NotCovered = append(c.NotCovered, c.Rule.ID+" (the baseline does not hold the sharding of results; accept it again)")
	case v.Old.Outputs != nil && outputs == nil:
		c.Uncovered(rule.Unoptimized, unoptimizedFix)
	}
	for i := range min(len(v.Old.Outputs), len(outputs)) {
		was, is := &v.Old.Outputs[i], &outputs[i]
		if is.Shape != was.Shape || changes.SameSpread(is, was) {
			continue
		}
		wrong = append(wrong, misplaced{changes.ResultName(outputs, i),
			changes.PrintedSharding(changes.ShardedAs(is)) + ", was " + changes.PrintedSharding(changes.ShardedAs(was)), true})
	}
	return wrong
}

const unoptimizedFix = "dump it beside the optimized one: the sharding of results follows from both"

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

// unmatchedResults says which pins speak of no result: they would hold for ever.
func unmatchedResults(c *rule.Context, v *changes.Variant) {
	outputs := outputsOf(v.New)
	for _, pin := range c.Entries("outputs") {
		want := pin.Text("output")
		if outputs == nil {
			c.Uncovered(rule.Unoptimized, unoptimizedFix)
			return
		}
		fits := false
		for i := range outputs {
			fits = fits || phrase.Glob(want, strconv.Itoa(i))
		}
		if !fits {
			c.Gap(fmt.Sprintf("no result fits %q; there are %s", want, phrase.Count(len(outputs), "result, number 0", "results, numbered from 0")),
				"fix the number or remove the pin")
		}
	}
}
