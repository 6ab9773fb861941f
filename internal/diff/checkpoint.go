package diff

import (
	"slices"
	"strings"
)

// rematerializedCode stands for the function that what jax.checkpoint computes again lies in.
const rematerializedCode = "rematerialized"

// forgotten reports whether an edit is that jax.checkpoint does not compute something again any more.
func forgotten(e *Edit) bool {
	return recomputed(e) && len(e.Added) == 0 && slices.ContainsFunc(e.Removed, func(s Step) bool { return !wiring[s.Opcode] && !constrains(s) })
}

// keeps reports whether an edit is what comes with it: a loop stacks up what another one takes from there, and what was computed twice is
// not made alike any more.
func keeps(e *Edit) bool {
	if len(e.Added) == 0 {
		return !slices.ContainsFunc(e.Removed, func(s Step) bool { return !likens(s) })
	}
	moves := func(s Step) bool { return stacks(s) || wiring[s.Opcode] }
	return inLoop(e.Scope) && len(e.Removed) == 0 && slices.ContainsFunc(e.Added, stacks) && !slices.ContainsFunc(e.Added, func(s Step) bool { return !moves(s) })
}

// recomputed reports whether an edit lies in what jax.checkpoint computes again. What only spreads a value over the devices is no computation.
func recomputed(e *Edit) bool {
	return rematerialized(e.Scope) && slices.ContainsFunc(slices.Concat(e.Added, e.Removed), func(s Step) bool { return !constrains(s) })
}

// rematerialized reports whether a scope is what jax.checkpoint computes again. What it computes the first time stands in its scope, too, but
// not behind the transposition that makes a backward pass.
func rematerialized(scope string) bool {
	return strings.Contains(scope, "rematted") ||
		strings.Contains(scope, "transpose(") && (strings.Contains(scope, "/checkpoint") || strings.Contains(scope, "/remat"))
}
