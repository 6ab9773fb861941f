package hlo

import "math/bits"

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
