package gate

import (
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// mostBetter bounds the improvements that are named in one line.
const mostBetter = 4

// tellBetter says what got better in one line a program, and nothing of programs that something is wrong with: what was traded for it is told with the
// change.
func tellBetter(r *result.Result) {
	type program struct{ target, name string }
	wrong := map[program]bool{}
	for i := range r.Changes {
		if c := &r.Changes[i]; len(c.Findings) > 0 && !c.Waived {
			wrong[program{c.Target, c.Program}] = true
		}
	}
	var notes []result.Note
	said, at := map[program][]string{}, map[program]int{}
	for _, n := range r.Notes {
		p := program{n.Target, n.Program}
		switch {
		case n.Kind != "better":
			notes = append(notes, n)
		case wrong[p]:
		default:
			if said[p] == nil {
				at[p] = len(notes)
				notes = append(notes, n)
			}
			said[p] = append(said[p], n.Message)
		}
	}
	for p, messages := range said {
		notes[at[p]].Message = strings.Join(phrase.First(messages, mostBetter), ", ")
	}
	r.Notes = notes
}
