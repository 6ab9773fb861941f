package fuzztest

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Each format changes what it gets, in many ways, and leaves the seed itself as it was.
func TestFormatsEdit(t *testing.T) {
	text := []byte("HloModule m, is_scheduled=true\n  %a = f32[4,8]{1,0} add(%b, %c)\n  ROOT %d = f32[2] negate(%a)\n")
	message := join([]field{{1<<3 | 2, []byte("name")}, {2 << 3, []byte{5}}, {3<<3 | 2, join([]field{{1<<3 | 2, []byte("add")}, {4<<3 | 1, make([]byte, 8)}})}})
	if len(fields(message)) != 3 || !bytes.Equal(join(fields(message)), message) {
		t.Fatal("a message is not what its fields are")
	}
	for name, c := range map[string]struct {
		format Format
		seed   []byte
	}{"text": {Text, text}, "proto": {Proto, message}, "blocks": {Blocks(8), text}, "nothing": {Text, nil}, "no message": {Proto, nil}} {
		seed, results := bytes.Clone(c.seed), map[string]bool{}
		for i := range uint64(500) {
			results[string(edited(c.format, seed, i))] = true
			if !bytes.Equal(seed, c.seed) {
				t.Fatalf("%s: edit %d changes the seed", name, i)
			}
		}
		if want := min(100, len(seed)+1); len(results) < want {
			t.Errorf("%s: %d results", name, len(results))
		}
	}
}

// Nothing that the mutators may be fed with stops them.
func FuzzFormats(f *testing.F) {
	f.Add([]byte("\x0a\x02\x08\x01\n"), uint64(1))
	f.Fuzz(func(_ *testing.T, data []byte, edits uint64) {
		r := rand.New(rand.NewPCG(edits, 1))
		for _, format := range []Format{Text, Proto, Blocks(16)} {
			format(r, data)
		}
	})
}
