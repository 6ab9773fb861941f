package artifacts

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// The short cuts read what protowire reads.
func FuzzConsume(f *testing.F) {
	for _, seed := range [][]byte{{0x08, 1}, {0x98, 2, 1}, {0x80, 0}, {0x82, 1, 0}, {0}, {7}, {0xff, 0xff, 0xff, 0xff, 0xff, 1}, {3, 1, 2, 3}, {3, 1}, {0x85}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		num, typ, n := consumeTag(b)
		if wantNum, wantTyp, want := protowire.ConsumeTag(b); n != want || n > 0 && (num != wantNum || typ != wantTyp) {
			t.Errorf("%x is the tag %d of type %d in %d bytes, want %d of %d in %d", b, num, typ, n, wantNum, wantTyp, want)
		}
		v, n := consumeVarint(b)
		if wantV, want := protowire.ConsumeVarint(b); n != want || v != wantV {
			t.Errorf("%x is the number %d in %d bytes, want %d in %d", b, v, n, wantV, want)
		}
		content, n := consumeBytes(b)
		if wantContent, want := protowire.ConsumeBytes(b); n != want || !bytes.Equal(content, wantContent) {
			t.Errorf("%x holds %x in %d bytes, want %x in %d", b, content, n, wantContent, want)
		}
	})
}
