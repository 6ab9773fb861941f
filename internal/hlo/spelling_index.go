package hlo

import "slices"

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
