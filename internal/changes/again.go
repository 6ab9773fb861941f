package changes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// runsAgain names the functions that run once more because an edited line calls them: "encode runs again: 2 dot, tanh". It says so only if their operations are most
// of the new ones, and returns the edits that are told by it. A call that brings no kernel is one that the compiler merges with another.
func (s *suspect) runsAgain(v *Variant) (text string, calls map[*Edit]bool) {
	if v.edited == nil || len(s.unroll) > 0 { // what a loop ran runs as often as before
		return "", nil
	}
	through, elsewhere := v.callees()
	calls = map[*Edit]bool{}
	var names []string
	var steps []Step
	all, forward, sure := 0, false, false
	for _, e := range s.edits {
		all += e.effort()
		called, direct := calledBy(e.Stack, v.edited), v.edited.any(e.Stack)
		if function := functionAt(e.Source); !direct && through[function] { // of equal operations those of the first call may count as the new ones
			called = function
		}
		if called == "" || !elsewhere[called] && !v.did(e) || len(e.Removed)+len(e.IntoLoop) > 0 || recomputed(e) {
			continue
		}
		forward = forward || !isBackward(e.Scope)
		sure = sure || elsewhere[called] || slices.ContainsFunc(e.Added, func(s Step) bool { return effort(s.Opcode) >= heavyEffort })
		calls[e], steps = true, append(steps, e.Added...)
		if !direct { // the function that the line calls has the name
			continue
		}
		// A call of a module is named by its class: Block, not __call__.
		called = strings.TrimSuffix(called, ".__call__")
		if name := called[strings.LastIndexAny(called, "\x00.")+1:]; !strings.HasPrefix(name, "<") { // a lambda
			names = AddNew(names, name)
		}
	}
	told := 0
	for e := range calls {
		told += e.effort()
	}
	if 2*told <= all || len(names) == 0 || !forward || !sure {
		return "", nil
	}
	steps, _ = cancelled(steps, nil)
	leaveOutMoves(&steps, &[]Step{})
	verb := map[bool]string{true: " runs", false: " run"}[len(names) == 1] + " again: "
	switch products := productFlops(s.After); {
	case products > 0 && products <= productFlops(s.Before): // each call does a part of what one did
		return "", nil
	case computing(s.After) == 0 && len(v.New.Kernels) > 0:
		verb = map[bool]string{true: " is", false: " are"}[len(names) == 1] + " called again, and the compiler merges the calls: "
	}
	return phrase.List(names, "and") + verb + stepList(steps), calls
}

// did reports whether the function that an edit adds operations to had all of them before: it runs once more, though all of its calls were edited.
func (v *Variant) did(e *Edit) bool {
	if v.done == nil {
		v.done = map[string]int{}
		for i := range v.Old.Model {
			s := &v.Old.Model[i]
			for _, opcode := range s.Do {
				v.done[opIn(cmp.Or(s.Within, s.Source.NamedFunction()), opcode, s.Type)]++
			}
		}
	}
	return !slices.ContainsFunc(e.Added, func(s Step) bool { return v.done[opIn(e.Within, s.Opcode, s.Type)] < s.Count })
}

// opIn names operations of one kind in a function.
func opIn(function, opcode, dtype string) string { return function + "\x00" + opcode + "\x00" + dtype }

// isBackward reports whether a scope is of the backward pass, whose operations have the lines of the forward pass.
func isBackward(scope string) bool {
	return strings.Contains(scope, "transpose(jvp(") || strings.HasPrefix(scope, "gradient_tape")
}

// productFlops adds up what the products among kernels compute in a run.
func productFlops(kernels []facts.Kernel) (n float64) {
	for i := range kernels {
		if k := &kernels[i]; k.WorkClass() == price.Products {
			n += float64(k.Flops) * k.Runs()
		}
	}
	return n
}

// calledBy is the function that an edited line calls on the way to an operation. Of several edited lines it is the innermost. It is "" if the operation is on that
// line itself, or if no line was edited.
func calledBy(stack []hlo.Location, edited Edited) string {
	at := slices.IndexFunc(stack, func(l hlo.Location) bool { return edited(l) != "" })
	if at < 1 {
		return ""
	}
	return functionAt(stack[at-1])
}

// callees lists the functions of the model that an edited line calls, with those that these call, and those that run without an edited line on the stack. JAX
// traces a function once for equal arguments: what it calls has the stack of its first call.
func (v *Variant) callees() (through, elsewhere map[string]bool) {
	if v.through != nil {
		return v.through, v.elsewhere
	}
	called, elsewhere := map[string]bool{}, map[string]bool{}
	var stacks [][]hlo.Location
	for i := range v.New.Model {
		for _, stack := range v.New.Model[i].Stacks {
			lines, of := linesOf(stack), elsewhere
			stacks = append(stacks, lines)
			if at := slices.IndexFunc(lines, func(l hlo.Location) bool { return v.edited(l) != "" }); at >= 0 {
				lines, of = lines[:at], called
			}
			for _, l := range lines {
				of[functionAt(l)] = true
			}
		}
	}
	through = maps.Clone(called)
	for _, lines := range stacks {
		inside := false
		for _, l := range slices.Backward(lines) {
			if inside = inside || called[functionAt(l)]; inside {
				through[functionAt(l)] = true
			}
		}
	}
	v.through, v.elsewhere = through, elsewhere
	return through, elsewhere
}
