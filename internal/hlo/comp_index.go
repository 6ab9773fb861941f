package hlo

// compIndex finds computations of a text by their names.
type compIndex struct{ nameTable }

// find returns the computation that has the name, NoComp when none has.
func (x *compIndex) find(t text, comps []Computation, name spelling) CompID {
	return CompID(x.slot(t, comps, name.hash(), name).number - 1)
}

// add enters a computation; it returns false when another one has its name.
func (x *compIndex) add(t text, comps []Computation, name spelling, id CompID) bool {
	x.makeSpare()
	hash := name.hash()
	return x.fill(x.slot(t, comps, hash, name), hash, int32(id))
}

// slot is where a name stands, or would.
func (x *compIndex) slot(t text, comps []Computation, hash uint32, name spelling) *nameSlot {
	slots := x.slots
	for i := hash; ; i++ {
		slot := &slots[i&uint32(len(slots)-1)]
		if slot.number == 0 {
			return slot
		}
		if slot.hash == hash && t.spells(comps[slot.number-1].Name, name) {
			return slot
		}
	}
}
