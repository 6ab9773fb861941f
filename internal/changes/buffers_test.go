package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// kept spells buffers that are new or grew: "a 0→8".
func kept(t *testing.T, old, fresh []facts.Buffer) string {
	t.Helper()
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Buffers, b.Buffers = old, fresh
	var out []string
	for _, c := range compared(t, a, b).Buffers {
		out = append(out, fmt.Sprintf("%s %d→%d", c.New.OpName, c.Old, c.New.Bytes))
	}
	return strings.Join(out, ", ")
}

func TestBuffersThatGrew(t *testing.T) {
	buf := func(name string, bytes int64) facts.Buffer { return facts.Buffer{OpName: name, Bytes: bytes} }
	list := func(b ...facts.Buffer) []facts.Buffer { return b }
	for name, c := range map[string]struct {
		old, fresh []facts.Buffer
		want       string
	}{
		"the same":              {list(buf("a", 8)), list(buf("a", 8)), ""},
		"grew":                  {list(buf("a", 8)), list(buf("a", 16)), "a 8→16"},
		"shrank":                {list(buf("a", 16)), list(buf("a", 8)), ""},
		"new":                   {list(buf("a", 8)), list(buf("a", 8), buf("b", 4)), "b 0→4"},
		"gone":                  {list(buf("a", 8), buf("b", 4)), list(buf("a", 8)), ""},
		"one more of it":        {list(buf("a", 8)), list(buf("a", 8), buf("a", 8)), "a 0→8"},
		"one of two grew":       {list(buf("a", 8), buf("a", 4)), list(buf("a", 8), buf("a", 6)), "a 4→6"},
		"the most growth first": {list(buf("a", 8)), list(buf("b", 4), buf("a", 90), buf("c", 5)), "a 8→90, c 0→5, b 0→4"},
		"without names":         {list(buf("", 8)), list(buf("", 16)), " 0→16"},
		"in another order":      {list(buf("a", 8), buf("b", 4)), list(buf("b", 4), buf("a", 8)), ""},
	} {
		if got := kept(t, c.old, c.fresh); got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}

// A stored baseline does not know lines; a buffer is the same without them.
func TestBufferIsTheSameOnAnotherLine(t *testing.T) {
	a := facts.Buffer{OpName: "a", Bytes: 8, Shape: "f32[2]"}
	b := a
	b.Source = hlo.Location{File: "m.py", Line: 3}
	if got := kept(t, []facts.Buffer{a}, []facts.Buffer{b}); got != "" {
		t.Error(got)
	}
	b.Shape = "s32[2]"
	if got := kept(t, []facts.Buffer{a}, []facts.Buffer{b}); got != "" {
		t.Errorf("another shape of the same size: %s", got)
	}
}
