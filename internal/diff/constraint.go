package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// constraint begins what with_sharding_constraint asks for, and how the value is spread follows: "Sharding P('data')".
const constraint = "Sharding "

func constrains(s Step) bool { return strings.HasPrefix(s.Opcode, constraint) }

// Spreads says whether a cause asks for nothing new but how values are spread over the devices.
func (c *Cause) Spreads() bool {
	return len(c.Edits) > 0 && !slices.ContainsFunc(c.Edits, func(e Edit) bool {
		return slices.ContainsFunc(e.Added, func(s Step) bool { return !constrains(s) })
	})
}

// respread pairs sharding constraints that came with as many that went: "a sharding constraint is P('data', None), was P('data', 'model')".
func respread(added, removed *[]Step) string {
	i, j := slices.IndexFunc(*added, constrains), slices.IndexFunc(*removed, constrains)
	if i < 0 || j < 0 || (*added)[i].Count != (*removed)[j].Count {
		return ""
	}
	now, before := (*added)[i], (*removed)[j]
	takeSteps(added, func(s Step) bool { return s == now })
	takeSteps(removed, func(s Step) bool { return s == before })
	is, was := strings.TrimPrefix(now.Opcode, constraint), strings.TrimPrefix(before.Opcode, constraint)
	if now.Count > 1 {
		return fmt.Sprintf("%d sharding constraints are %s now, were %s", now.Count, is, was)
	}
	return fmt.Sprintf("a sharding constraint is %s now, was %s", is, was)
}

// unspelled is what the model asks for with its sharding constraints as an older baseline has them: without how they spread their values.
func unspelled(old, fresh []facts.Statement) []facts.Statement {
	bare := strings.TrimSpace(constraint)
	if !slices.ContainsFunc(old, func(s facts.Statement) bool { return slices.Contains(s.Do, bare) }) {
		return fresh
	}
	out := slices.Clone(fresh)
	for i := range out {
		out[i].Do = slices.Clone(out[i].Do)
		for j, op := range out[i].Do {
			if strings.HasPrefix(op, constraint) {
				out[i].Do[j] = bare
			}
		}
	}
	return out
}

// Constrains says whether a cause is a sharding constraint that came, went or changed: what the devices say to each other follows from it,
// wherever in the program they say it.
func (c *Cause) Constrains() bool {
	return slices.ContainsFunc(c.Edits, func(e Edit) bool {
		return slices.ContainsFunc(slices.Concat(e.Added, e.Removed), constrains)
	})
}
