package hlo

import (
	"math/bits"
	"slices"
)

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
