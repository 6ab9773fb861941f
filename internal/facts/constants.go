package facts

import (
	"cmp"
	"iter"
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
	slices.SortStableFunc(largest, func(a, b hlo.InstrID) int { return cmp.Compare(rank[r.m.Instrs[a].Comp], rank[r.m.Instrs[b].Comp]) })
	users := r.firstUsers(slices.Values(largest))
	list := make([]Constant, len(largest))
	for i, id := range largest {
		list[i] = r.constant(id, users[id])
	}
	return list
}

// largestConstants lists the largest constants in the order of the file, of several of one size the first.
func (r *reader) largestConstants() []hlo.InstrID {
	all := slices.Collect(r.notable(r.isConstant))
	if len(all) <= maxConstants {
		return all
	}
	bySize := slices.Clone(all)
	slices.SortStableFunc(bySize, func(a, b hlo.InstrID) int { return cmp.Compare(r.size(b), r.size(a)) })
	least, room := r.size(bySize[maxConstants-1]), 0 // how many of the smallest size there is room for
	for _, id := range bySize[:maxConstants] {
		if r.size(id) == least {
			room++
		}
	}
	return slices.DeleteFunc(all, func(id hlo.InstrID) bool {
		if r.size(id) == least {
			room--
		}
		return r.size(id) < least || r.size(id) == least && room < 0
	})
}

func (r *reader) isConstant(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpConstant }

// reached ranks the computations by when the program first calls them, the entry first; computations that nothing calls come last.
func (r *reader) reached() []int {
	calls := make([][]hlo.CompID, len(r.m.Comps))
	for id := range r.notable(func(id hlo.InstrID) bool { return len(r.m.Callees(id)) > 0 }) {
		c := r.m.Instrs[id].Comp
		calls[c] = append(calls[c], r.m.Callees(id)...)
	}
	rank := make([]int, len(r.m.Comps))
	queue := append(make([]hlo.CompID, 0, len(rank)), r.m.Entry)
	rank[r.m.Entry] = 1
	for next := 0; next < len(queue); next++ {
		for _, c := range calls[queue[next]] {
			if rank[c] == 0 {
				queue = append(queue, c)
				rank[c] = len(queue)
			}
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
func (r *reader) firstUsers(given iter.Seq[hlo.InstrID]) map[hlo.InstrID]hlo.InstrID {
	users, looked := map[hlo.InstrID]hlo.InstrID{}, map[hlo.CompID]bool{}
	for id := range given {
		users[id] = hlo.NoInstr
	}
	for id := range given {
		if c := r.m.Instrs[id].Comp; !looked[c] {
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
