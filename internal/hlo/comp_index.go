package hlo

// compIndex finds computations of a text by their names. It has these together in one place: in the text each is a page away from the
// next, and who calls them names nearly all of them again.
type compIndex struct {
	nameTable
	names []byte   // one after the other
	ends  []uint32 // by CompID: where in names its name ends, which begins where that of the one before ends
}

// makeRoom makes an empty index for so many computations.
func (x *compIndex) makeRoom(comps int) {
	const usual = 32 // bytes of a name
	x.nameTable.makeRoom(comps)
	x.names, x.ends = make([]byte, 0, usual*comps), make([]uint32, 0, comps)
}

// find returns the computation that has the name, NoComp when none has.
func (x *compIndex) find(t text, name spelling) CompID {
	return CompID(x.slot(t, name.hash(), name).number - 1)
}

// add enters a computation, which comes behind those that were entered before; it returns false when another one has its name.
func (x *compIndex) add(t text, name spelling, id CompID) bool {
	x.makeSpare()
	hash := name.hash()
	if !x.fill(x.slot(t, hash, name), hash, int32(id)) {
		return false
	}
	for len(x.ends) < int(id) { // those without a name
		x.ends = append(x.ends, uint32(len(x.names)))
	}
	x.names = append(x.names, t[name.at:name.end()]...)
	x.ends = append(x.ends, uint32(len(x.names)))
	return true
}

// named tells whether a computation has a name.
func (x *compIndex) named(t text, id CompID, name spelling) bool {
	start := uint32(0)
	if id > 0 {
		start = x.ends[id-1]
	}
	return string(x.names[start:x.ends[id]]) == string(t[name.at:name.end()])
}

// slot is where a name stands, or would.
func (x *compIndex) slot(t text, hash uint32, name spelling) *nameSlot {
	slots := x.slots
	for i := hash; ; i++ {
		slot := &slots[i&uint32(len(slots)-1)]
		if slot.number == 0 || slot.hash == hash && x.named(t, CompID(slot.number-1), name) {
			return slot
		}
	}
}
