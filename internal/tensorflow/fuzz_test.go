package tensorflow

import (
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// readsGraph checks that what the reader returns can be clustered.
func readsGraph(t *testing.T, data []byte) error {
	g, err := Parse(data)
	if (g == nil) == (err == nil) {
		t.Fatalf("graph %v, error %v", g, err)
	}
	if err != nil {
		return err
	}
	if c := g.Clustering(); len(c.Outside) > 2*len(data) {
		t.Errorf("%d operations outside from %d bytes", len(c.Outside), len(data))
	}
	return nil
}

func FuzzGraphText(f *testing.F) {
	seeds := [][]byte{[]byte("node { name: 'a' attr { value { list { type: [DT_FLOAT] } } } } versions <>")}
	for _, name := range []string{"unclusterable.pbtxt", "tf23.pbtxt", "function.pbtxt", "mixed_built.pbtxt", "tfg.mlir"} {
		seeds = append(seeds, sample(f, name))
	}
	fuzztest.Run(f, fuzztest.Text, readsGraph, seeds...)
}

func FuzzGraphProto(f *testing.F) {
	fuzztest.Run(f, fuzztest.Proto, readsGraph, sample(f, "unclusterable.pb"), sample(f, "function.pb"))
}

// FuzzParseStacks: any table ends in an error or in frames with a line.
func FuzzParseStacks(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		s, err := ParseStacks(data)
		if err != nil && s != nil {
			t.Fatalf("%v and %v", s, err)
		}
		if s == nil {
			return err
		}
		for node := range s.own {
			s.Of(node)
			for _, f := range (&Trace{Function: s}).Behind(node) {
				if f.File == "" {
					t.Errorf("%s: a frame without a file", node)
				}
			}
		}
		return err
	}, sample(f, "stacks.csv"))
}
