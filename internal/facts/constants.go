package facts

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// maxConstants bounds the list of constants that is kept of one variant; the largest stay.
const maxConstants = 256

// constants lists what is baked into the program, computation after computation as the program reaches them: text and proto,
// and two compiles of one program, may list computations in different orders.
func (r *reader) constants() []Constant {
	largest := r.largestConstants()
	rank := r.reached()
	slices.SortStableFunc(largest, func(a, b spot) int { return cmp.Compare(rank[a.comp], rank[b.comp]) })
	users := r.firstUsers(func(yield func(hlo.CompID, hlo.InstrID) bool) {
		for _, s := range largest {
			if !yield(s.comp, s.id) {
				return
			}
		}
	})
	list := make([]Constant, len(largest))
	for i, s := range largest {
		list[i] = r.constant(s.id, users[s.id])
	}
	return list
}

// spot is the place of an instruction, which several computations may have in common.
type spot struct {
	comp hlo.CompID
	id   hlo.InstrID
}

// largestConstants lists the largest constants in the order of the file, of several of one size the first.
func (r *reader) largestConstants() []spot {
	sizes := map[int64]int{}
	for id, n := range r.notable() {
		if r.isConstant(id) {
			sizes[r.size(id)] += n
		}
	}
	least, room := int64(-1), maxConstants // how many of the smallest size there is room for
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(sizes))) {
		if sizes[size] > room {
			least = size
			break
		}
		room -= sizes[size]
	}
	var largest []spot
	for c, id := range r.all(func(id hlo.InstrID) bool { return r.isConstant(id) && r.size(id) >= least }) {
		if size := r.size(id); size > least {
			largest = append(largest, spot{c, id})
		} else if room > 0 {
			largest = append(largest, spot{c, id})
			room--
		}
	}
	return largest
}

func (r *reader) isConstant(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpConstant }

// reached ranks the computations by when the program first calls them, the entry first; computations that nothing calls come last.
func (r *reader) reached() []int {
	calls := r.find(func(id hlo.InstrID) bool { return len(r.m.Callees(id)) > 0 })
	rank := make([]int, len(r.m.Comps))
	queue := append(make([]hlo.CompID, 0, len(rank)), r.m.Entry)
	rank[r.m.Entry] = 1
	reach := func(callees []hlo.CompID) {
		for _, c := range callees {
			if rank[c] == 0 {
				queue = append(queue, c)
				rank[c] = len(queue)
			}
		}
	}
	for next := 0; next < len(queue); next++ {
		caller := queue[next]
		for _, at := range calls.in(caller) {
			reach(r.m.Callees(r.m.Comps[caller].First + at))
		}
	}
	for c := range rank {
		if rank[c] == 0 {
			rank[c] = len(rank) + 1
		}
	}
	return rank
}

func (r *reader) size(id hlo.InstrID) int64 { return r.sizes[r.m.Instrs[id].Shape] }

// constant describes one constant. JAX gives constants no metadata: its first user says whose it is.
func (r *reader) constant(id, user hlo.InstrID) Constant {
	md := r.metadata(id)
	if md.OpName == "" && user != hlo.NoInstr {
		md = r.metadata(user)
	}
	return Constant{
		Shape: r.shape(r.m.Instrs[id].Shape), Bytes: r.size(id), Value: r.m.Literal(id), OpName: md.OpName, Source: r.sources.locate(md),
	}
}

// firstUsers finds the first instruction that reads each of the given ones.
func (r *reader) firstUsers(given iter.Seq2[hlo.CompID, hlo.InstrID]) map[hlo.InstrID]hlo.InstrID {
	users, looked := map[hlo.InstrID]hlo.InstrID{}, map[hlo.CompID]bool{}
	for _, id := range given {
		users[id] = hlo.NoInstr
	}
	for c := range given {
		if !looked[c] {
			looked[c] = true
			r.addUsers(users, c)
		}
	}
	return users
}

func (r *reader) addUsers(users map[hlo.InstrID]hlo.InstrID, c hlo.CompID) {
	first, end := r.m.Body(c)
	sought := make([]bool, end-first)
	for id := first; id < end; id++ {
		_, sought[id-first] = users[id]
	}
	for id := first; id < end; id++ {
		for _, o := range r.m.Operands(id) {
			if sought[o-first] {
				users[o], sought[o-first] = id, false
			}
		}
	}
}
