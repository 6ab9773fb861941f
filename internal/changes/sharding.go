package changes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Replicated reports whether every device holds all of an argument.
func Replicated(p *facts.Parameter) bool {
	return p.Sharding == "" || p.Sharding == "{replicated}" || p.Sharding == "{maximal device=0}"
}

// SameSharding reports whether two arguments lie on the devices in the same way: a replicated one can be written in several ways, or not at all.
func SameSharding(a, b *facts.Parameter) bool {
	return a.Sharding == b.Sharding || Replicated(a) && Replicated(b)
}

// PrintedSharding writes a sharding as a configuration may pin it: as the model says it, else as HLO prints it.
func PrintedSharding(p *facts.Parameter) string {
	switch {
	case Replicated(p):
		return "replicated"
	case p.Spec != "":
		return p.Spec
	}
	return p.Sharding
}

// ShardedAs is a result in the terms of an argument.
func ShardedAs(o *facts.Output) *facts.Parameter {
	p := &facts.Parameter{Shape: o.Shape, Sharding: o.Sharding, Spec: o.Spec, Bytes: o.Bytes}
	if Replicated(p) {
		p.Sharding = o.Split
	}
	return p
}

// ResultName says which result is meant: its number where there are several, and what the model calls it.
func ResultName(outputs []facts.Output, i int) string {
	name := "the result"
	if len(outputs) > 1 {
		name = fmt.Sprintf("result %d", i)
	}
	if op := outputs[i].OpName; op != "" {
		name += " (" + op + ")"
	}
	return name
}

// SameSpread reports whether two results of one shape lie on the devices in the same way, as far as that is told.
func SameSpread(a, b *facts.Output) bool {
	return a.Split == b.Split && (a.Sharding == "" || b.Sharding == "" || a.Sharding == b.Sharding)
}

// resultShardingTitle says which results are sharded in another way: "result 3 (jit(init)/mul) and 1 more: now replicated, was sharded P('expert')".
func resultShardingTitle(v *Variant) string {
	type change struct{ is, was string }
	moved := map[change][]int{}
	var order []change
	for i := range min(len(v.Old.Outputs), len(v.New.Outputs)) {
		was, is := &v.Old.Outputs[i], &v.New.Outputs[i]
		if was.Shape != is.Shape || SameSpread(was, is) {
			continue
		}
		c := change{described(ShardedAs(is)), described(ShardedAs(was))}
		if moved[c] == nil {
			order = append(order, c)
		}
		moved[c] = append(moved[c], i)
	}
	var parts []string
	for _, c := range order {
		name := ResultName(v.New.Outputs, moved[c][0])
		if n := len(moved[c]) - 1; n > 0 {
			name += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, fmt.Sprintf("%s: now %s, was %s", name, c.is, c.was))
	}
	return strings.Join(phrase.Within(parts, 4), "; ")
}

// shardingTitle says which arguments are sharded in another way; else which results are, which often follow the arguments.
func shardingTitle(v *Variant) string {
	type change struct{ is, was string }
	var list, moved []ParamChange // moved: in the same parts, on other devices
	for _, p := range v.Params {
		switch {
		case p.Old == nil || p.New == nil || SameSharding(p.Old, p.New):
		case described(p.New) != described(p.Old):
			list = append(list, p)
		default:
			moved = append(moved, p)
		}
	}
	var parts []string
	for _, alike := range phrase.Group(list, func(p ParamChange) change { return change{described(p.New), described(p.Old)} }) {
		names, is, was := phrase.Within(Trees(phrase.Map(alike, func(p ParamChange) *facts.Parameter { return p.New })), 4), "is", "was"
		if len(names) > 1 {
			is, was = "are", "were"
		}
		parts = append(parts, fmt.Sprintf("%s %s now %s, %s %s", phrase.List(names, "and"), is, described(alike[0].New), was, described(alike[0].Old)))
	}
	parts = append(parts, movedTitles(moved)...)
	if lost, _ := redonated(v); len(parts) == 0 && len(lost) == 0 { // else the lost donation says which result it is
		return resultShardingTitle(v)
	}
	return strings.Join(phrase.Within(parts, 4), "; ")
}

// movedTitles says on which devices arguments lie now: by the mesh, if that is another one.
func movedTitles(list []ParamChange) (parts []string) {
	remeshed := func(p ParamChange) bool {
		is, was := meshOf(p.New), meshOf(p.Old)
		return is != was && is != "" && was != ""
	}
	if at := slices.IndexFunc(list, remeshed); at >= 0 {
		names := Trees(phrase.Map(list, func(p ParamChange) *facts.Parameter { return p.New }))
		return []string{fmt.Sprintf("the mesh is now %s, was %s: %s", meshOf(list[at].New), meshOf(list[at].Old), strings.Join(phrase.Within(names, 4), ", "))}
	}
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("%s is now sharded %s, was sharded %s", p.Name, p.New.Sharding, p.Old.Sharding))
	}
	return parts
}

// meshOf is the mesh that an argument is laid out on: "2 × 4"; "" if it has one axis, or is not told.
func meshOf(p *facts.Parameter) string {
	_, axes, _ := strings.Cut(p.Sharding, "<=[")
	axes, _, _ = strings.Cut(axes, "]")
	if !strings.Contains(axes, ",") {
		return ""
	}
	return strings.ReplaceAll(axes, ",", " × ")
}

// described says how an argument lies on the devices: "split on dimension 1 in 8", "replicated".
func described(p *facts.Parameter) string {
	switch {
	case p.Spec != "":
		return "sharded " + p.Spec
	case Replicated(p):
		return "replicated"
	}
	tiles, ok := strings.CutPrefix(p.Sharding, "{devices=[")
	if !ok {
		return "sharded " + p.Sharding
	}
	tiles, _, _ = strings.Cut(tiles, "]")
	var parts []string
	for d, n := range strings.Split(tiles, ",") {
		if n != "1" && d < len(hlo.ShapeText(p.Shape).Dims()) {
			parts = append(parts, fmt.Sprintf("dimension %d in %s", d, n))
		}
	}
	if len(parts) == 0 {
		return "replicated"
	}
	return "split on " + strings.Join(parts, ", ")
}
