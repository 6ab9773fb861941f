package facts

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// print fills in a form's content hashes: what its instruction is, without what it is computed from, and the shapes that it
// reads. A loop or branch is told by its own shapes only: its body has launches of its own.
func (r *reader) print(f *Form, l launch) {
	prints := r.prints()
	op, family := prints.Op(l.id)
	if l.class == ClassControl {
		op, family = 0, 0
	}
	print := hashOf(op).text(f.Kind).text(f.Out)
	for shape := range f.In.All() {
		print = print.text(shape)
	}
	f.Print, f.Family = print.String(), r.intern(hashOf(family).text(f.Kind).String())
}

// contentHash is FNV-1a of a number and texts, each of which ends with a zero byte.
type contentHash uint64

func (h contentHash) add(b byte) contentHash { return (h ^ contentHash(b)) * 1099511628211 }

func hashOf(content uint64) contentHash {
	h := contentHash(14695981039346656037)
	for range 8 {
		h = h.add(byte(content))
		content >>= 8
	}
	return h
}

func (h contentHash) text(s string) contentHash {
	for i := range len(s) {
		h = h.add(s[i])
	}
	return h.add(0)
}

// String spells the hash in 16 hex digits.
func (h contentHash) String() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(h))
	return hex.EncodeToString(b[:])
}

// alike says which computations are the same, found out once.
func (r *reader) alike() *hlo.Alike {
	if r.same == nil {
		r.same = r.m.Alike()
	}
	return r.same
}

// prints are the module's content hashes, made once.
func (r *reader) prints() *hlo.Prints {
	if r.hashes == nil {
		r.hashes = r.alike().Prints()
	}
	return r.hashes
}

// prepare finds out side by side, where there are hands for it, what most facts are taken from.
func (r *reader) prepare(h *hands) error {
	same := r.alike()
	return h.share(3, func(i int) {
		switch i {
		case 0:
			r.costs = price.Price(same, nil)
		case 1:
			r.hashes = same.Prints()
		case 2:
			_, _ = r.walk() // who asks for it is told why it failed
		}
	})
}
