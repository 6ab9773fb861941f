package diff

import (
	"slices"
	"strings"
)

// rematerialized is used as the function of everything that jax.checkpoint computes again.
const rematerialized = "rematerialized"

// forgotten reports whether jax.checkpoint no longer computes again what an edit removed.
func forgotten(e *Edit) bool {
	return recomputed(e) && len(e.Added) == 0 && slices.ContainsFunc(e.Removed, func(s Step) bool { return !wiring[s.Opcode] && !constrains(s) })
}

// keeps reports whether an edit follows from that: a loop stacks values up for another one, and barriers and rounding that made two computations equal are
// gone.
func keeps(e *Edit) bool {
	if len(e.Added) == 0 {
		return !slices.ContainsFunc(e.Removed, func(s Step) bool { return !likens(s) })
	}
	moves := func(s Step) bool { return stacks(s) || wiring[s.Opcode] }
	return inLoop(e.Scope) && len(e.Removed) == 0 && slices.ContainsFunc(e.Added, stacks) && !slices.ContainsFunc(e.Added, func(s Step) bool { return !moves(s) })
}

// recomputed reports whether an edit is in what jax.checkpoint computes again. A sharding constraint is no computation.
func recomputed(e *Edit) bool {
	return isRematerialized(e.Scope) && slices.ContainsFunc(slices.Concat(e.Added, e.Removed), func(s Step) bool { return !constrains(s) })
}

// isRematerialized reports whether a scope is what jax.checkpoint computes again. What it computes the first time is in its scope, too, but not in the
// transposition that makes a backward pass.
func isRematerialized(scope string) bool {
	return strings.Contains(scope, "rematted") ||
		strings.Contains(scope, "transpose(") && (strings.Contains(scope, "/checkpoint") || strings.Contains(scope, "/remat"))
}
