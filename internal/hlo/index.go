package hlo

import (
	"math/bits"
	"slices"
)

// The tables of this file are hash tables with open addressing: at most half of their slots are in use, a power of two.

const minSlots = 64

// spellingIndex finds numbers by spellings. Long spellings stay in the source.
type spellingIndex struct {
	slots []spellingSlot
	used  int
}

// spellingSlot is free when its spelling is empty.
type spellingSlot struct {
	spelling
	value int32
}

// newSpellingIndex makes an index with room for about n spellings.
func newSpellingIndex(n int) spellingIndex {
	return spellingIndex{slots: make([]spellingSlot, max(minSlots, 2<<bits.Len(uint(n))))}
}

// find returns the number of a spelling, -1 when it has none.
func (x *spellingIndex) find(t text, s spelling) int32 {
	if s.n <= shortSpelling {
		return x.findShort(s.head, s.rest, s.n)
	}
	if slot := x.slot(t, s); slot.n > 0 {
		return slot.value
	}
	return -1
}

// findShort is find for a short spelling.
func (x *spellingIndex) findShort(head, rest uint64, n uint32) int32 {
	slots := x.slots
	for i := mixed(head, rest); ; i++ {
		slot := &slots[i&uint64(len(slots)-1)]
		if slot.n == 0 {
			return -1
		}
		if slot.head == head && slot.rest == rest && slot.n == n {
			return slot.value
		}
	}
}

// add enters a spelling. It returns false when the index has it already.
func (x *spellingIndex) add(t text, s spelling, value int32) bool {
	if 2*x.used >= len(x.slots) {
		old := x.slots
		x.slots = make([]spellingSlot, 4*len(old))
		for i := range old {
			if old[i].n > 0 {
				*x.slot(t, old[i].spelling) = old[i]
			}
		}
	}
	slot := x.slot(t, s)
	if slot.n > 0 {
		return false
	}
	x.used++
	*slot = spellingSlot{s, value}
	return true
}

// slot returns the slot of a spelling, a free one when the index does not have it.
func (x *spellingIndex) slot(t text, s spelling) *spellingSlot {
	slots := x.slots
	for i := mixed(s.head, s.rest); ; i++ {
		slot := &slots[i&uint64(len(slots)-1)]
		if slot.n == 0 || slot.head == s.head && slot.rest == s.rest && slot.n == s.n && (s.n <= shortSpelling || t.same(slot, s)) {
			return slot
		}
	}
}

func (t text) same(a *spellingSlot, b spelling) bool {
	return string(t[a.at:a.at+a.n]) == string(t[b.at:b.at+b.n])
}

// hashTable holds numbers by hashes. Who uses it compares the keys.
type hashTable struct {
	slots []hashSlot
	used  int
}

// hashSlot is free when its number is 0.
type hashSlot struct {
	hash   uint32
	number int32 // counted from 1
}

// reset empties the table and keeps its memory.
func (x *hashTable) reset() {
	if x.slots == nil {
		x.slots = make([]hashSlot, minSlots)
	}
	x.slots, x.used = x.slots[:minSlots], 0
	clear(x.slots)
}

// makeSpare grows the table when half of it is in use.
func (x *hashTable) makeSpare() {
	if 2*x.used < len(x.slots) {
		return
	}
	old, n := x.slots, 4*len(x.slots)
	if n <= cap(x.slots) {
		old, x.slots = slices.Clone(old), x.slots[:n]
		clear(x.slots)
	} else {
		x.slots = make([]hashSlot, n)
	}
	mask := uint32(n - 1)
	for _, slot := range old {
		if slot.number > 0 {
			i := slot.hash & mask
			for x.slots[i].number > 0 {
				i = (i + 1) & mask
			}
			x.slots[i] = slot
		}
	}
}

// fill puts a number, counted from 0, into a slot. It returns false when the slot is taken.
func (x *hashTable) fill(slot *hashSlot, hash uint32, number int32) bool {
	if slot.number > 0 {
		return false
	}
	x.used++
	*slot = hashSlot{hash, number + 1}
	return true
}

// nameIndex finds the instructions of one computation by their names.
type nameIndex struct{ hashTable }

// slot returns the slot of a name, a free one when no instruction has it.
func (x *nameIndex) slot(t text, instrs []Instruction, hash uint32, name spelling) *hashSlot {
	slots := x.slots
	for i := hash; ; i++ {
		slot := &slots[i&uint32(len(slots)-1)]
		if slot.number == 0 || slot.hash == hash && t.named(&instrs[slot.number-1], name) {
			return slot
		}
	}
}

// named reports whether an instruction has a name.
func (t text) named(in *Instruction, name spelling) bool {
	if uint32(in.nameLen) != name.n {
		return false
	}
	if at, n := int(in.name), int(name.n); 8 <= n && n <= shortSpelling { // two numbers that overlap
		return t.eight(at) == name.head && t.eight(at+n-8) == t.eight(int(name.at)+n-8)
	}
	return string(t[in.name:in.name+name.n]) == string(t[name.at:name.at+name.n])
}

// idTable finds numbers by the ids of a proto. Ids are small numbers, or computation<<32 | number in newer files.
type idTable struct {
	slots []idSlot // the first mask+1 are in use
	mask  uint64
	shift uint8
}

// idSlot is free when its number is 0.
type idSlot struct {
	id     int64
	number int32 // counted from 1
}

// reset empties the table and makes room for n ids.
func (t *idTable) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if size > len(t.slots) {
		t.slots = make([]idSlot, size)
	} else {
		clear(t.slots[:size])
	}
	t.mask, t.shift = uint64(size-1), uint8(64-bits.Len(uint(size-1)))
}

// home returns the slot in which the search for an id starts. Ids that follow each other are side by side. The multiplier is 2^64 divided by the golden ratio.
func (t *idTable) home(id int64) uint64 {
	const near = 15
	return uint64(id)>>4*0x9e3779b97f4a7c15>>t.shift&^near | uint64(id)&near
}

// add enters an id. It returns false when the table has it already.
func (t *idTable) add(id int64, number int32) bool {
	for at := t.home(id); ; at++ {
		slot := &t.slots[at&t.mask]
		if slot.number == 0 {
			*slot = idSlot{id, number + 1}
			return true
		}
		if slot.id == id {
			return false
		}
	}
}

// find returns the number of an id, -1 when the table does not have it.
func (t *idTable) find(id int64) int32 {
	for at := t.home(id); ; at++ {
		slot := &t.slots[at&t.mask]
		if slot.number == 0 || slot.id == id {
			return slot.number - 1
		}
	}
}
