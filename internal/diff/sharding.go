package diff

import (
	"fmt"
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

// shardingTitle says which arguments are sharded in another way.
func shardingTitle(v *Variant) string {
	var parts []string
	for _, p := range v.Params {
		if p.Old == nil || p.New == nil || SameSharding(p.Old, p.New) {
			continue
		}
		is, was := described(p.New), described(p.Old)
		if is == was { // in the same parts, on other devices
			is, was = "sharded "+p.New.Sharding, "sharded "+p.Old.Sharding
		}
		parts = append(parts, fmt.Sprintf("%s is now %s, was %s", p.Name, is, was))
	}
	return strings.Join(phrase.Within(parts, 4), "; ")
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
