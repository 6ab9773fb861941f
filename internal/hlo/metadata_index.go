package hlo

import "bytes"

// metadataIndex gives numbers to metadata: a hash table with open addressing.
type metadataIndex struct {
	slots    []metadataSlot // a power of two, at most half of them in use
	schedule bool           // scheduling names were seen
}

// metadataSlot is free when its id is 0.
type metadataSlot struct {
	hash uint32
	id   MetadataID
}

// told is what counts of metadata: all of it, or what stands before and behind the scheduling name.
type told struct{ before, behind Range }

// find returns 0 for metadata that was not added yet.
func (x *metadataIndex) find(m *Module, r Range) (id MetadataID, hash uint32) {
	told := x.told(m, r)
	hash = text(m.src).hash(told)
	for i := hash; ; i++ {
		slot := x.slots[i&uint32(len(x.slots)-1)]
		if slot.id == 0 || slot.hash == hash && m.same(told, x.told(m, m.metas[slot.id])) {
			return slot.id, hash
		}
	}
}

// add returns the number of metadata, a new one when it was not added yet.
func (x *metadataIndex) add(m *Module, r Range) MetadataID {
	if r.Len() == 0 {
		return 0
	}
	id, hash := x.find(m, r)
	if id > 0 {
		return id
	}
	if !x.schedule {
		x.schedule = true
		x.schedule = x.told(m, r).before != r
		hash = text(m.src).hash(x.told(m, r))
	}
	if 2*len(m.metas) > len(x.slots) {
		x.grow()
	}
	id = MetadataID(len(m.metas))
	m.metas = append(m.metas, r)
	x.put(metadataSlot{hash, id})
	return id
}

func (x *metadataIndex) put(slot metadataSlot) {
	mask := uint32(len(x.slots) - 1)
	i := slot.hash & mask
	for x.slots[i].id > 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = slot
}

func (x *metadataIndex) grow() {
	old := x.slots
	x.slots = make([]metadataSlot, 4*len(old))
	for _, slot := range old {
		if slot.id > 0 {
			x.put(slot)
		}
	}
}

func (x *metadataIndex) told(m *Module, r Range) told {
	switch {
	case !x.schedule:
		return told{before: r}
	case m.Format == FormatProto:
		return toldByProto(m.src, r)
	}
	return text(m.src).told(r)
}

// told leaves out the value of scheduling_name="fusion.12".
func (t text) told(r Range) told {
	const key = `scheduling_name="`
	n := bytes.Index(t[r.Start:r.End], []byte(key))
	if n < 0 {
		return told{before: r}
	}
	start := int(r.Start) + n + len(key)
	end := t.quoted(start - 1)
	if end > int(r.End) {
		return told{before: r}
	}
	return told{Range{r.Start, uint32(start)}, Range{uint32(end), r.End}}
}

// toldByProto leaves out OpMetadata.scheduling_name (16).
func toldByProto(src []byte, r Range) told {
	f := fieldsOf(src, r)
	for start := r.Start; f.next(); start = f.body.End {
		if f.tag == 16<<3|wireBytes {
			return told{Range{r.Start, start}, Range{f.body.End, r.End}}
		}
	}
	return told{before: r}
}

func (t text) hash(told told) uint32 {
	a := t.spelling(int(told.before.Start), int(told.before.End))
	h := mixed(a.head, a.rest)
	if told.behind.Len() > 0 {
		b := t.spelling(int(told.behind.Start), int(told.behind.End))
		h = mixed(h^b.head, b.rest)
	}
	return uint32(h ^ h>>32)
}

func (m *Module) same(a, b told) bool {
	return string(m.src[a.before.Start:a.before.End]) == string(m.src[b.before.Start:b.before.End]) &&
		string(m.src[a.behind.Start:a.behind.End]) == string(m.src[b.behind.Start:b.behind.End])
}
