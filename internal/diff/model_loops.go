package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// loopBody is in the scope of what JAX traces in the body of a loop.
const loopBody = "/while/body"

func inLoop(scope string) bool { return strings.Contains(scope+"/", loopBody+"/") }

// sameWhiles reports whether both models have as many loops, so that what is new in one was moved there.
func sameWhiles(old, fresh *facts.Variant) bool {
	n := countWhiles(old.Model)
	return n > 0 && n == countWhiles(fresh.Model)
}

func countWhiles(model []facts.Statement) (n int) {
	for i := range model {
		for _, op := range model[i].Do {
			if op == "while" {
				n++
			}
		}
	}
	return n
}

// moved finds work that moved from outside of all loops into one. Its removal is no edit of its own.
func moved(edits []Edit) []Edit {
	for i := range edits {
		if e := &edits[i]; inLoop(e.Scope) {
			for _, s := range e.Added {
				if effort(s.Opcode) >= heavyEffort && takeOutside(edits, s) {
					e.IntoLoop = append(e.IntoLoop, s)
				}
			}
		}
	}
	return slices.DeleteFunc(edits, func(e Edit) bool { return len(e.Added)+len(e.Removed) == 0 })
}

// takeOutside takes away a step that went from outside of every loop.
func takeOutside(edits []Edit, s Step) bool {
	for i := range edits {
		e := &edits[i]
		at := slices.Index(e.Removed, s)
		if at >= 0 && !inLoop(e.Scope) {
			e.Removed = slices.Delete(e.Removed, at, at+1)
			return true
		}
	}
	return false
}

// intoLoop says what is done in every step of a loop now, and takes it out of what came.
func intoLoop(edits []*Edit, added *[]Step) string {
	var list []Step
	for _, e := range edits {
		list = append(list, e.IntoLoop...)
	}
	if len(list) == 0 {
		return ""
	}
	*added, _ = cancelled(*added, list)
	return fmt.Sprintf("moved into a loop: %s", stepList(list))
}
