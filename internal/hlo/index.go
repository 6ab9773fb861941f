package hlo

import (
	"math/bits"
	"slices"
)

// spellingIndex gives numbers to spellings: a hash table with open addressing. Long spellings stay in the source.
type spellingIndex struct {
	slots []spellingSlot // a power of two, at most half of them in use
	used  int
}

// spellingSlot is free when its spelling is empty.
type spellingSlot struct {
	spelling
	value int32
}

const minSlots = 64

// reset empties the index and keeps its memory.
func (x *spellingIndex) reset() {
	if x.slots == nil {
		x.slots = make([]spellingSlot, minSlots)
	}
	x.slots, x.used = x.slots[:minSlots], 0
	clear(x.slots)
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

// add enters a spelling; it returns false when the index has it already.
func (x *spellingIndex) add(t text, s spelling, value int32) bool {
	if 2*x.used >= len(x.slots) {
		x.grow(t)
	}
	slot := x.slot(t, s)
	if slot.n > 0 {
		return false
	}
	x.used++
	*slot = spellingSlot{s, value}
	return true
}

// slot is where a spelling stands, or would.
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

func (x *spellingIndex) grow(t text) {
	old, n := x.slots, 4*len(x.slots)
	if n <= cap(x.slots) {
		old, x.slots = slices.Clone(old), x.slots[:n]
		clear(x.slots)
	} else {
		x.slots = make([]spellingSlot, n)
	}
	for i := range old {
		if old[i].n > 0 {
			*x.slot(t, old[i].spelling) = old[i]
		}
	}
}

// nameTable holds numbers by the hashes of names: a hash table with open addressing. The names stay in the source.
type nameTable struct {
	slots []nameSlot // a power of two, at most half of them in use
	used  int
}

// nameSlot is free when its number is 0.
type nameSlot struct {
	hash   uint32
	number int32 // counted from 1
}

// makeRoom makes an empty table for so many names.
func (x *nameTable) makeRoom(names int) {
	x.slots, x.used = make([]nameSlot, max(minSlots, 2<<bits.Len(uint(names)))), 0
}

// reset empties the table and keeps its memory.
func (x *nameTable) reset() {
	if x.slots == nil {
		x.makeRoom(0)
	}
	x.slots, x.used = x.slots[:minSlots], 0
	clear(x.slots)
}

// makeSpare grows the table where half of it is in use.
func (x *nameTable) makeSpare() {
	if 2*x.used >= len(x.slots) {
		x.grow()
	}
}

// fill puts a number into a slot; it returns false when the slot is taken.
func (x *nameTable) fill(slot *nameSlot, hash uint32, number int32) bool {
	if slot.number > 0 {
		return false
	}
	x.used++
	*slot = nameSlot{hash, number + 1}
	return true
}

func (x *nameTable) grow() {
	old, n := x.slots, 4*len(x.slots)
	if n <= cap(x.slots) {
		old, x.slots = slices.Clone(old), x.slots[:n]
		clear(x.slots)
	} else {
		x.slots = make([]nameSlot, n)
	}
	for _, slot := range old {
		if slot.number > 0 {
			x.put(slot)
		}
	}
}

func (x *nameTable) put(slot nameSlot) {
	mask := uint32(len(x.slots) - 1)
	i := slot.hash & mask
	for x.slots[i].number > 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = slot
}

// nameIndex finds the instructions of one computation by their names.
type nameIndex struct{ nameTable }

// find returns the number of an instruction in its computation, -1 when none has the name.
func (x *nameIndex) find(t text, instrs []Instruction, name spelling) int32 {
	return x.slot(t, instrs, name.hash(), name).number - 1
}

// add enters an instruction; it returns false when another one has its name.
func (x *nameIndex) add(t text, instrs []Instruction, name spelling, number int32) bool {
	x.makeSpare()
	hash := name.hash()
	return x.fill(x.slot(t, instrs, hash, name), hash, number)
}

// slot is where a name stands, or would.
func (x *nameIndex) slot(t text, instrs []Instruction, hash uint32, name spelling) *nameSlot {
	slots := x.slots
	for i := hash; ; i++ {
		slot := &slots[i&uint32(len(slots)-1)]
		if slot.number == 0 || slot.hash == hash && t.named(&instrs[slot.number-1], name) {
			return slot
		}
	}
}

// named tells whether an instruction has a name.
func (t text) named(in *Instruction, name spelling) bool {
	return uint32(in.nameLen) == name.n && string(t[in.name:in.name+name.n]) == string(t[name.at:name.at+name.n])
}

// idTable finds what stands under a proto's id. Ids are small numbers, or computation<<32 | number in newer files: open
// addressing serves both without an allocation for each.
type idTable struct {
	slots []idSlot // the first mask+1 are in use, at most half of them taken
	mask  uint64
	shift uint8
}

type idSlot struct {
	id    int64
	index int32 // + 1; 0 is a free slot
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

// home is where an id's search starts: ids that follow each other stand side by side. The multiplier is 2^64 divided by the golden
// ratio.
func (t *idTable) home(id int64) uint64 {
	const near = 15
	return uint64(id)>>4*0x9e3779b97f4a7c15>>t.shift&^near | uint64(id)&near
}

// add returns false when the id is there already.
func (t *idTable) add(id int64, index int32) bool {
	for at := t.home(id); ; at++ {
		slot := &t.slots[at&t.mask]
		if slot.index == 0 {
			*slot = idSlot{id, index + 1}
			return true
		}
		if slot.id == id {
			return false
		}
	}
}

// find returns -1 for an id that is not there.
func (t *idTable) find(id int64) int32 {
	for at := t.home(id); ; at++ {
		slot := &t.slots[at&t.mask]
		if slot.index == 0 || slot.id == id {
			return slot.index - 1
		}
	}
}
