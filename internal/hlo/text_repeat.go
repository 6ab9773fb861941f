package hlo

import (
	"bytes"
	"math/bits"
)

// repeats are computations that others may be spelled like; the zero value keeps none.
type repeats struct {
	slots []int32 // by how a computation begins: the number of the last that begins so; 0: none
	known []repeatable
	last  int32     // number of what the computation before it was like, or became
	match textMatch // of the computation at hand
	calls []CompID  // of the computation at hand
	taken nameSet
	gain
}

// repeatable is a computation that others may be spelled like.
type repeatable struct {
	comp    CompID
	next    int32 // number of another that begins alike, 0 for none
	then    int32 // number of what came behind it when it was last met
	spelled template
	tried   bool // whether spelled was looked for
}

// alikeBeginnings is with how many computations that begin alike one is compared.
const alikeBeginnings = 8

func (r *repeats) reset(p *textParser, start, instrs int) {
	r.start = start
	r.slots = make([]int32, 1<<min(12, bits.Len(uint(instrs/16))))
	r.match = textMatch{t: p.t, calls: p.callsLike}
}

// repeat looks whether the computation whose brace stands at i is spelled like an earlier one: first like the one that came next the
// last time, then like those that begin alike. It returns where that ends, 0 if not, and otherwise the slot for the computation.
func (p *textParser) repeat(i int) (c CompID, end int, slot *int32) {
	r := &p.repeats
	if r.last > 0 {
		if n := r.known[r.last-1].then; n > 0 {
			if end = p.spelledLike(n, i); end > 0 {
				r.last = n
				return r.known[n-1].comp, end, nil
			}
		}
	}
	slot = &r.slots[p.opening(i)&uint64(len(r.slots)-1)]
	n := *slot
	for range alikeBeginnings {
		if n == 0 {
			break
		}
		if end = p.spelledLike(n, i); end > 0 {
			r.follow(n)
			return r.known[n-1].comp, end, nil
		}
		n = r.known[n-1].next
	}
	return NoComp, 0, slot
}

// follow notes what came behind the one before.
func (r *repeats) follow(n int32) {
	if r.last > 0 {
		r.known[r.last-1].then = n
	}
	r.last = n
}

// spelledLike returns where the computation at i ends when it is spelled like a known one, and each instruction has a name of its own.
func (p *textParser) spelledLike(n int32, i int) int {
	r := &p.repeats
	known := &r.known[n-1]
	if !r.worthIt(i) {
		return 0
	}
	if !known.tried {
		r.wasted += p.m.Comps[known.comp].Source.Len()
		known.spelled, known.tried = p.m.template(known.comp), true
	}
	if known.spelled == nil {
		return 0
	}
	r.match.names, r.calls = r.match.names[:0], r.calls[:0]
	end, matches := r.match.computation(known.spelled, i)
	if !matches {
		r.wasted += end - i
		return 0
	}
	if p.t.at(p.t.blanks(end), ',') {
		return 0
	}
	r.taken.reset(len(r.match.names))
	for _, name := range r.match.names {
		if !r.taken.add(name.hash()) {
			return 0
		}
	}
	r.saved += end - i
	return end
}

// callsLike tells whether a name is that of a computation which has the same instructions as the one that the template calls.
func (p *textParser) callsLike(name spelling, instead CompID) bool {
	p.calls = instead
	c := p.calleeNamed(name)
	p.repeats.calls = append(p.repeats.calls, c)
	return c >= 0 && p.m.Original(c) == p.m.Original(instead)
}

// keepRepeatable notes a computation that was read, for others.
func (p *textParser) keepRepeatable(c CompID, slot *int32) {
	r := &p.repeats
	r.known = append(r.known, repeatable{comp: c, next: *slot})
	*slot = int32(len(r.known))
	r.follow(*slot)
}

// opening hashes how the first instructions of a computation begin and end; between these stand names.
func (p *textParser) opening(i int) uint64 {
	const lines, longest = 4, 1 << 9
	h := uint64(0)
	for range lines {
		line := p.t[i:min(i+longest, len(p.t))]
		n := bytes.IndexByte(line, '\n')
		if n < 0 {
			break
		}
		line, i = line[:n], i+n+1
		if equals := bytes.IndexByte(line, '='); equals >= 0 {
			s := p.t.spelling(i-n-1+equals, i-n-1+equals+max(0, bytes.IndexByte(line[equals:], '(')))
			h = mixed(h^s.head, s.rest)
		}
		if last := bytes.LastIndexByte(line, '{'); last >= 0 {
			s := p.t.spelling(i-n-1+last, i-1)
			h = mixed(h^s.head, s.rest)
		}
	}
	return h
}

// nameSet holds hashes of names; two names may have one hash.
type nameSet struct {
	slots []uint64 // the round they were added in, and the hash
	round uint64
}

func (s *nameSet) reset(n int) {
	if size := 1 << bits.Len(uint(2*n)); size > len(s.slots) {
		s.slots, s.round = make([]uint64, size), 0
	}
	s.round++
}

// add returns false when the hash was added before.
func (s *nameSet) add(hash uint32) bool {
	mask, entry := uint64(len(s.slots)-1), s.round<<32|uint64(hash)
	for i := uint64(hash); ; i++ {
		slot := &s.slots[i&mask]
		if *slot>>32 != s.round {
			*slot = entry
			return true
		}
		if *slot == entry {
			return false
		}
	}
}
