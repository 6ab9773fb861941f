package tensorflow

import "testing"

// FuzzParse: whatever the bytes, the reader ends, and what it returns can be clustered.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"unclusterable.pbtxt", "unclusterable.pb", "tf23.pbtxt", "function.pbtxt", "function.pb", "mixed_built.pbtxt", "tfg.mlir"} {
		f.Add(sample(f, name))
	}
	f.Add([]byte("node { name: 'a' attr { value { list { type: [DT_FLOAT] } } } } versions <>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Parse(data)
		if (g == nil) == (err == nil) {
			t.Fatalf("graph %v, error %v", g, err)
		}
		if err != nil {
			return
		}
		c := g.Clustering()
		if len(c.Outside) > 2*len(data) {
			t.Errorf("%d operations outside from %d bytes", len(c.Outside), len(data))
		}
	})
}

// FuzzParseStacks: any table ends in an error or in frames with a line.
func FuzzParseStacks(f *testing.F) {
	f.Add(sample(f, "stacks.csv"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseStacks(data)
		if err != nil && s != nil {
			t.Fatalf("%v and %v", s, err)
		}
		if s == nil {
			return
		}
		for node := range s.Nodes() {
			s.Of(node)
			for _, f := range (&Trace{Function: s}).Behind(node) {
				if f.File == "" {
					t.Errorf("%s: a frame without a file", node)
				}
			}
		}
	})
}
