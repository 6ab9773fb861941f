package rules

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// uncompilable reports the operations that a log says XLA could not compile under jit_compile=True, and whether there were any.
// The error stops the function, so the dump holds no module of it.
func uncompilable(c *rule.Context, logs *tensorflow.Logs) bool {
	notes := uncompilableNotes(logs)
	for _, n := range notes {
		if !match.AnyGlob(c.List("allow"), n.Op) {
			c.Find(uncompilableFinding(n))
		}
	}
	return len(notes) > 0
}

// uncompilableNotes lists one note for each operation of a function: a log repeats an error, and only some repetitions name the line.
func uncompilableNotes(logs *tensorflow.Logs) []tensorflow.LogNote {
	if logs == nil {
		return nil
	}
	type key struct{ program, op string }
	at := map[key]int{}
	var notes []tensorflow.LogNote
	for _, n := range logs.Notes {
		if n.Kind != tensorflow.NoteUncompilableOp {
			continue
		}
		k := key{n.Program, n.Op}
		i, seen := at[k]
		switch {
		case !seen:
			at[k] = len(notes)
			notes = append(notes, n)
		case notes[i].Where.File == "" && n.Where.File != "":
			notes[i] = n
		}
	}
	return notes
}

func uncompilableFinding(n tensorflow.LogNote) rule.Finding {
	return rule.Finding{
		Program: n.Program, Subject: n.Op + " in jit_compile", Actual: 1.0, Limit: 0.0,
		Message:  fmt.Sprintf("XLA cannot compile %s, which stands in a function under jit_compile=True", n.Op),
		Cause:    &diff.Cause{Title: n.Message, OpType: n.Op, Source: n.Where},
		Evidence: result.Evidence{After: []string{n.Log + ": " + n.Message}},
	}
}
