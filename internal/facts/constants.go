package facts

import (
	"cmp"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// maxConstants bounds the list of constants that is kept of one variant; the largest stay.
const maxConstants = 256

// constants lists what is baked into the program, computation after computation as the program reaches them: text and proto,
// and two compiles of one program, may list computations in different orders.
func (r *reader) constants() []Constant {
	ids := r.all(hlo.OpConstant)
	if len(ids) > maxConstants {
		slices.SortStableFunc(ids, func(a, b hlo.InstrID) int { return cmp.Compare(r.size(b), r.size(a)) })
		ids = ids[:maxConstants]
	}
	rank := r.reached()
	slices.SortFunc(ids, func(a, b hlo.InstrID) int {
		return cmp.Or(cmp.Compare(rank[r.m.Instrs[a].Comp], rank[r.m.Instrs[b].Comp]), cmp.Compare(a, b))
	})
	users := r.firstUsers(ids)
	list := make([]Constant, len(ids))
	for i, id := range ids {
		list[i] = r.constant(id, users[id])
	}
	return list
}

// reached ranks the computations by when the program first calls them, the entry first; computations that nothing calls come last.
func (r *reader) reached() []int {
	rank := make([]int, len(r.m.Comps))
	queue := []hlo.CompID{r.m.Entry}
	rank[r.m.Entry] = 1
	for next := 0; next < len(queue); next++ {
		first, end := r.m.Body(queue[next])
		for id := first; id < end; id++ {
			for _, c := range r.m.Callees(id) {
				if rank[c] == 0 {
					queue = append(queue, c)
					rank[c] = len(queue)
				}
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

// all lists the instructions with an opcode.
func (r *reader) all(op hlo.Opcode) []hlo.InstrID {
	var ids []hlo.InstrID
	for id := range r.m.Instrs {
		if r.m.Instrs[id].Opcode == op {
			ids = append(ids, hlo.InstrID(id))
		}
	}
	return ids
}

func (r *reader) size(id hlo.InstrID) int64 { return r.m.ShapeBytes(r.m.Instrs[id].Shape) }

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
func (r *reader) firstUsers(ids []hlo.InstrID) map[hlo.InstrID]hlo.InstrID {
	users, sought := make(map[hlo.InstrID]hlo.InstrID, len(ids)), make([]bool, len(r.m.Instrs))
	for _, id := range ids {
		users[id], sought[id] = hlo.NoInstr, true
	}
	for id := range r.m.Instrs {
		for _, o := range r.m.Operands(hlo.InstrID(id)) {
			if sought[o] {
				users[o], sought[o] = hlo.InstrID(id), false
			}
		}
	}
	return users
}
