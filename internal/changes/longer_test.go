package changes

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes/changestest"
	"github.com/xlagate/xlagate/internal/facts"
)

// More work for no other reason than that a loop runs more often is put down to that loop.
func TestLoopThatRunsMoreOften(t *testing.T) {
	for _, c := range []struct {
		old, fresh *facts.Variant
		edits      []Edit
		says       string
		line       int32
	}{
		{changestest.Looping(8, 4), changestest.Looping(8, 8), nil, "the loop ran 4 times, now 8", 2},
		{changestest.Looping(8, 4), changestest.Looping(9, 8), nil, "the loop ran 4 times, now 8, and 1 more loop changed", 2},
		{changestest.Looping(8, 4), changestest.Looping(8, 4), nil, "", 0},
		{changestest.Looping(8, 4), changestest.Looping(8, 2), nil, "", 0},
		{changestest.Looping(-1), changestest.Looping(4), nil, "", 0},
		{changestest.Looping(8, 4), changestest.Looping(8, 8), []Edit{{Scope: "jit(f)/b"}}, "", 0},
	} {
		v := &Variant{Old: c.old, New: c.fresh}
		v.Model.Edits = c.edits
		says, line := "", int32(0)
		if cause, _ := longerLoop(v); cause != nil {
			says, line = cause.Title, cause.Source.Line
		}
		if says != c.says || line != c.line {
			t.Errorf("%q at line %d, wanted %q at line %d", says, line, c.says, c.line)
		}
	}
}
