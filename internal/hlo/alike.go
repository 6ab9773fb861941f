package hlo

import "iter"

// Alike finds the computations of a module that are equal except for names, metadata and numbering. A model repeats its layers: a fact about one computation
// holds for all equal ones, and is computed once, for the first of them. Equal computations have the same instructions in the same order.
type Alike struct {
	m     *Module
	first []CompID // by CompID
	start []int32  // by CompID: the index of the first instruction; see Index
	own   []uint64 // by index: see Own
	place []uint32 // of an instruction among the operands that Call looks at, counted from 1
}

// Module returns the module whose computations were compared.
func (a *Alike) Module() *Module { return a.m }

// First returns the first computation that is like c: c itself or an earlier one.
func (a *Alike) First(c CompID) CompID { return a.first[c] }

// Index numbers, without gaps, the instructions of the computations that are the first of their kind. An instruction of another has its counterpart's index.
func (a *Alike) Index(i InstrID) int {
	c := a.m.Instrs[i].Comp
	return int(a.start[c]) + int(i-a.m.Comps[c].First)
}

// Len returns the number of indexes.
func (a *Alike) Len() int { return len(a.own) }

// Own returns a hash of an instruction without its name, metadata and operands: of its opcode, shape, attributes and the computations it
// calls. The hashes of calls to computations that are alike are equal.
func (a *Alike) Own(i InstrID) uint64 { return a.own[a.Index(i)] }

// Each yields the instructions of the computations that are the first of their kind, by their index.
func (a *Alike) Each() iter.Seq[InstrID] {
	return func(yield func(InstrID) bool) {
		for c, like := range a.first {
			if like != CompID(c) {
				continue
			}
			for i, end := a.m.Body(like); i < end; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// Call returns a hash of Own and of what the operands are: their shapes, and which of them are the same value. Several goroutines must not call it at once.
func (a *Alike) Call(i InstrID) uint64 {
	h, operands, first := a.Own(i), a.m.Operands(i), a.m.Comps[a.m.Instrs[i].Comp].First
	for n, o := range operands {
		for int(o-first) >= len(a.place) {
			a.place = append(a.place, make([]uint32, len(a.place)+minSlots)...)
		}
		place := &a.place[o-first]
		h = mix(h, uint64(uint32(a.m.Instrs[o].Shape))|uint64(*place)<<32)
		if *place == 0 {
			*place = uint32(n + 1)
		}
	}
	for _, o := range operands {
		a.place[o-first] = 0
	}
	return h
}

// Alike compares all computations in one pass. Keep the result.
func (m *Module) Alike() *Alike {
	n := len(m.Comps)
	a := &Alike{m: m, first: make([]CompID, n), start: make([]int32, n), own: make([]uint64, 0, len(m.Instrs))}
	known := make(map[uint64]CompID, 64)
	for c := range CompID(n) {
		start := len(a.own)
		content := a.computation(c)
		a.first[c], a.start[c] = c, int32(start)
		if like, ok := known[content]; ok {
			a.first[c], a.start[c] = like, a.start[like]
			a.own = a.own[:start]
		} else {
			known[content] = c
		}
	}
	return a
}

// computation hashes a computation and appends the hashes of its instructions to own.
func (a *Alike) computation(c CompID) uint64 {
	m, comp := a.m, &a.m.Comps[c]
	first, end := m.Body(c)
	h := mix(mix(0, uint64(comp.Count)|hashBool(comp.shares)<<32), uint64(comp.Root-first))
	if comp.Thread.Len() > 0 {
		h = mix(h, hashText(m.src[comp.Thread.Start:comp.Thread.End]))
	}
	for i := first; i < end; i++ {
		in := &m.Instrs[i]
		own := a.instruction(c, in)
		a.own = append(a.own, own)
		h = mix(h, own)
		for operands := listAt(m.operands, in.operands); len(operands) > 0; {
			pair := uint64(uint32(operands[0] - first))
			if operands = operands[1:]; len(operands) > 0 {
				pair |= uint64(uint32(operands[0]-first)) << 32
				operands = operands[1:]
			}
			h = mix(h, pair)
		}
	}
	return h
}

// instruction hashes an instruction of a computation; see Own.
func (a *Alike) instruction(c CompID, in *Instruction) uint64 {
	h := mix(mix(0, uint64(in.Opcode)|hashBool(a.m.Comps[c].shares)<<15|uint64(uint32(in.Shape))<<16), uint64(uint32(in.Param))|uint64(a.m.operands[in.operands])<<32)
	for _, callee := range listAt(a.m.callees, in.callees) {
		if callee < c {
			callee = a.first[callee]
		}
		h = mix(h, uint64(callee))
	}
	if in.Opcode == OpCompare { // the type of its operands implies an attribute
		h = mix(h, hashText(a.m.comparison(in)))
	}
	return mix(h, in.says)
}

// digest is a pair of hashes: of everything, and of the part that does not change when dimensions are scaled.
type digest struct{ full, family uint64 }

func both(v uint64) digest { return digest{v, v} }

// and appends a digest: the order counts.
func (d digest) and(e digest) digest { return digest{mix(d.full, e.full), mix(d.family, e.family)} }

// plus adds a digest to a multiset: the order does not count, the number does.
func (d digest) plus(e digest) digest { return digest{d.full + e.full, d.family + e.family} }

// mix appends a number to a hash, with the finalizer of MurmurHash3, which is a bijection.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33 + 0x9e3779b97f4a7c15
}

// hashText hashes bytes, eight at a time.
func hashText[T string | ~[]byte](s T) uint64 {
	h := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	var rest uint64
	for i := len(s) - 1; i >= 0; i-- {
		rest = rest<<8 | uint64(s[i])
	}
	return mix(h, rest)
}

func hashNumbers(numbers []int64) uint64 {
	h := uint64(len(numbers))
	for _, n := range numbers {
		h = mix(h, uint64(n))
	}
	return h
}

func hashBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
