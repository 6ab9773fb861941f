// Package fuzztest feeds readers with files that are nearly right: a mutator that knows lines, fields and messages gets further into a
// reader than one that only knows bytes.
package fuzztest

import (
	"math/rand/v2"
	"runtime/metrics"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// Format is what a mutator knows of a file.
type Format func(r *rand.Rand, data []byte) []byte

// What one run of a reader may take: far more than any takes, so that a busy machine fails nothing.
const (
	mostTime    = 10 * time.Second
	mostMemory  = 256 << 20
	mostPerByte = 1 << 11
	mostSaid    = 1000 // bytes of an error: the file's name, 400 characters of its text, escaped, and what is wrong
)

// editsOfSeed is how often each seed is edited where the targets run as tests.
const editsOfSeed = 8

// Run fuzzes a reader, which fails the test where it is wrong, and returns the error that it refuses the data with. Neither may take long or
// much memory, and an error says something, briefly, and without characters that a terminal obeys.
func Run(f *testing.F, format Format, read func(t *testing.T, data []byte) error, seeds ...[]byte) {
	f.Helper()
	for _, seed := range seeds {
		for edits := range uint64(editsOfSeed + 1) {
			f.Add(seed, edits)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, edits uint64) {
		data = edited(format, data, edits)
		start, before := time.Now(), allocated()
		err := read(t, data)
		if took := time.Since(start); took > mostTime {
			t.Errorf("%d bytes take %v", len(data), took)
		}
		if taken := allocated() - before; taken > mostMemory+mostPerByte*uint64(len(data)) {
			t.Errorf("%d bytes take %d bytes of memory", len(data), taken)
		}
		if err != nil {
			CheckError(t, err)
		}
	})
}

// CheckError checks what an error says of a hostile file.
func CheckError(t *testing.T, err error) {
	t.Helper()
	switch text := err.Error(); {
	case text == "":
		t.Error("an error without a message")
	case len(text) > mostSaid:
		t.Errorf("an error of %d bytes: %.200q", len(text), text)
	case !utf8.ValidString(text):
		t.Errorf("an error that is no text: %q", text)
	default:
		for _, c := range text {
			if unicode.IsControl(c) && c != '\n' {
				t.Fatalf("an error with a control character: %q", text)
			}
		}
	}
}

// edited returns the data with a few edits, which the number decides; 0 is for none.
func edited(format Format, data []byte, edits uint64) []byte {
	if edits == 0 {
		return data
	}
	r := rand.New(rand.NewPCG(edits, 0))
	for range 1 + r.IntN(4) {
		data = format(r, data)
	}
	return data
}

// allocated is how many bytes the program has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
