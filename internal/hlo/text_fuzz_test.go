package hlo

import (
	"errors"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// Any text is read as a consistent module, or refused with a SyntaxError at a place in it.
func FuzzParseText(f *testing.F) {
	var seeds [][]byte
	for _, name := range append(fixtures(f, "text/handmade/*.txt"), fixtures(f, "text/styles/*/*.txt")...) {
		seeds = append(seeds, readFile(f, name+".txt"))
	}
	for _, c := range grammar {
		seeds = append(seeds, []byte(grammarHead+c.body+"\n}\n"))
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, src []byte) error {
		m, err := ParseText(src, "file.txt")
		var syntax *SyntaxError
		switch {
		case err == nil:
			askEverything(t, m)
			if again, err := ParseText(src, "again.txt"); err != nil || again.Fingerprint() != m.Fingerprint() {
				t.Errorf("another fingerprint the second time, %v", err)
			}
		case !errors.As(err, &syntax):
			t.Fatalf("the error is %T: %v", err, err)
		case syntax.Message == "" || syntax.Line < 1 || syntax.Column < 1 || syntax.Offset > int64(len(src)) || !strings.HasPrefix(err.Error(), "file.txt:"):
			t.Fatalf("the error points nowhere: %+v", syntax)
		}
		return err
	}, seeds...)
}

func askEverything(t *testing.T, m *Module) {
	t.Helper()
	_, last := m.Body(CompID(len(m.Comps) - 1))
	if m.Entry == NoComp || int(last) > len(m.Instrs) {
		t.Fatalf("entry %d, last %d of %d", m.Entry, last, len(m.Instrs))
	}
	for c := range m.Comps {
		first, end := m.Body(CompID(c))
		if root := m.Comps[c].Root; first >= end || root < first || root >= end {
			t.Fatalf("computation %d holds %d to %d, root %d", c, first, end, root)
		}
	}
	for i := range m.Instrs {
		id := InstrID(i)
		first, end := m.Body(m.Instrs[i].Comp)
		for _, o := range m.Operands(id) {
			if o < first || o >= end || o >= id {
				t.Fatalf("%s uses %d", m.InstrName(id), o)
			}
		}
		for _, c := range m.Callees(id) {
			if c >= m.Instrs[i].Comp {
				t.Fatalf("%s calls %d", m.InstrName(id), c)
			}
		}
		_ = m.ShapeLayoutText(m.Instrs[i].Shape)
		_, _ = m.Attr(id, "no such key")
		_, _ = m.Stack(m.Metadata(id)), m.Literal(id)
		for range m.Attrs(id) {
		}
		_, _, _ = m.Settings(id), m.Kernel(id), m.KnownTrips(id)
	}
	m.Alike().Prints()
}
