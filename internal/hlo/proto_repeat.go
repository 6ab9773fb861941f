package hlo

import "math/bits"

// protoRepeats are computations that others may be serialized like.
type protoRepeats struct {
	slots  []int32 // by what a computation says: the number of the last that says it; 0: none
	known  []protoRepeatable
	likes  []int32     // by CompID: the number of the one that it is like, or that it is; 0: none
	follow CompID      // what comes is expected to be like this one; or NoComp
	key    uint64      // a hash of what the computation at hand says
	ids    []protoWord // of its instructions
	calls  []CompID    // by its instructions
	gain
}

// protoRepeatable is a computation that others may be serialized like.
type protoRepeatable struct {
	key   uint64
	comp  CompID
	last  CompID // that was like it
	next  int32  // number of another in the same slot, 0 for none
	tried bool   // whether messages was looked for

	messages protoTemplate
}

func (x *protoRepeats) reset(comps []Range) {
	x.slots, x.likes, x.follow = make([]int32, 1<<bits.Len(uint(len(comps)))), make([]int32, 0, len(comps)), NoComp
	if len(comps) > 0 {
		x.start = int(comps[0].Start)
	}
}

func (x *protoRepeats) slot() *int32 { return &x.slots[x.key&uint64(len(x.slots)-1)] }

// expected is what the next computation should be like, 0 for none.
func (x *protoRepeats) expected() int32 {
	if x.follow == NoComp || int(x.follow) >= len(x.likes) {
		return 0
	}
	return x.likes[x.follow]
}

// came notes what the computation that came is like. What follows on it is expected to be what followed the last time.
func (x *protoRepeats) came(n int32) {
	c := CompID(len(x.likes))
	if n > 0 {
		known := &x.known[n-1]
		if x.expected() != n {
			x.follow = known.last
		}
		known.last = c
	}
	x.likes = append(x.likes, n)
	if x.follow != NoComp {
		x.follow++
	}
}

// keepRepeatable notes the computation at hand, which was read, for others.
func (r *protoReader) keepRepeatable(c CompID) {
	x, slot := &r.repeats, r.repeats.slot()
	x.known = append(x.known, protoRepeatable{key: x.key, comp: c, last: c, next: *slot})
	*slot = int32(len(x.known))
	x.likes[c] = *slot
}

// repeatable tells whether a computation may have its instructions in common with others: where they run is not said by them.
func (r *protoReader) repeatable(w *computationWalk) bool {
	return w.broken == whole && w.thread.Len() == 0
}

// asExpected enters the next computation if it is like the one that came in its place the last time. Before anything was like that one, to
// take it apart for the comparison would mostly be in vain.
func (r *protoReader) asExpected(body Range) bool {
	n := r.repeats.expected()
	if n == 0 || !r.repeats.known[n-1].tried {
		return false
	}
	if !r.like(n, body) {
		r.repeats.follow = NoComp
		return false
	}
	return true
}

// repeat enters the computation at hand if it is like a known one. Its instructions are not read yet.
func (r *protoReader) repeat(body Range) bool {
	x := &r.repeats
	x.key = r.gist()
	n := *x.slot()
	for range alikeBeginnings {
		if n == 0 {
			break
		}
		if x.known[n-1].key == x.key && r.like(n, body) {
			return true
		}
		n = x.known[n-1].next
	}
	return false
}

// like enters a computation if it says the same as a known one but for names, and each instruction has an id of its own.
func (r *protoReader) like(n int32, body Range) bool {
	m, known := r.m, &r.repeats.known[n-1]
	if !r.repeats.worthIt(int(body.Start)) {
		return false
	}
	if !known.tried {
		r.repeats.wasted += m.Comps[known.comp].Source.Len()
		known.messages, known.tried = m.protoTemplate(known.comp), true
	}
	if known.messages == nil {
		return false
	}
	other := &m.Comps[known.comp]
	w, match := r.walk(body), protoMatch{
		m: m, left: known.messages, first: other.First, ids: r.repeats.ids[:0], calls: r.repeats.calls[:0], comps: &r.computations,
	}
	for w.next() {
		if !match.message(w.body) {
			r.repeats.wasted += w.at - int(body.Start)
			return false
		}
	}
	ids, calls := match.ids, match.calls
	r.repeats.ids, r.repeats.calls = ids, calls
	if len(match.left) > 0 || !r.repeatable(&w) || ids[other.Root-other.First].value() != w.root || !r.unique(ids) || !r.inOrder(w.id, ids) {
		return false
	}
	r.define(body, &w)
	if r.compact {
		m.repeated(known.comp, w.name, body, calls)
	} else {
		c := m.repeated(known.comp, w.name, body, nil)
		m.place(c, m.moved(known.comp, c), calls)
	}
	r.repeats.saved += body.Len()
	r.repeats.came(n)
	return true
}

// inOrder tells whether instructions run in the order in which they are serialized, for all that the schedule says.
func (r *protoReader) inOrder(computation int64, ids []protoWord) bool {
	at := r.schedule.at.find(computation)
	if at < 0 {
		return true
	}
	sequence := fieldsOf(r.src, r.schedule.list[at])
	if !sequence.next() || sequence.tag != 1<<3|wireBytes {
		return false
	}
	t, i := text(r.src), int(sequence.body.Start)
	for _, id := range ids {
		if n := id.len(); i > len(t)-8 || t.number(i, i+n) != uint64(id) {
			return false
		}
		i += id.len()
	}
	if i != int(sequence.body.End) || sequence.next() || sequence.broken != whole {
		return false
	}
	r.schedule.used[at] = true
	return true
}

// unique tells whether no two of the ids are the same; most are in order.
func (r *protoReader) unique(ids []protoWord) bool {
	ordered := true
	for i := 1; i < len(ids); i++ {
		ordered = ordered && ids[i-1] < ids[i]
	}
	if ordered {
		return true
	}
	r.instructions.reset(len(ids))
	for i, id := range ids {
		if !r.instructions.add(int64(id), int32(i)) {
			return false
		}
	}
	return true
}

// gist hashes what some instructions of the computation at hand say.
func (r *protoReader) gist() uint64 {
	n := len(r.bodies)
	h := uint64(n)
	for _, k := range [...]int{n - 1, n / 3, n * 2 / 3, 0} {
		s := text(r.src).spelling(r.said(r.bodies[k]))
		h = mixed(h^s.head, s.rest)
	}
	return h
}

// said is where in an instruction stands what it says: what follows its name and precedes its id.
func (r *protoReader) said(body Range) (start, end int) {
	const id = 35 << 3
	start = int(body.Start)
	for at := start; at < int(body.End); {
		tag, _, _, next := field(r.src[:body.End], at)
		if tag < 0 || tag >= id {
			return start, at
		}
		if at = next; tag == 1<<3|wireBytes {
			start = at
		}
	}
	return start, int(body.End)
}
