package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// Owner is what instructions come from: an operation of the model, by its name, in a function of the model where that is known.
type Owner struct {
	Op     string `json:"op,omitempty"`
	Within string `json:"within,omitempty"`
}

// Counts are the facts that count instructions, parted by what the instructions come from. A fact is the sum of its parts. A baseline stores the parts: what two
// branches change in two operations merges.
//
// The model computes tanh(x) + y. The name of tanh has {"instructions.after": 1, "dtypes.f32": 1}, and so has the name of the addition; the instructions
// without a name, such as the parameters of the program, are under "".
type Counts map[Owner]Values

// AddTo adds the parts to the facts.
func (c Counts) AddTo(f Values) {
	for _, part := range c {
		for id, n := range part {
			f[id] += n
		}
	}
}

// count adds n to a fact, and to the part of it that an instruction's operation has.
func (v *Variant) count(r *reader, id hlo.InstrID, fact ID, n float64) {
	v.Facts[fact] += n
	v.part(r, r.owners().of[id])[fact] += n
}

// part returns the part of the counts that an owner of a module's instructions has.
func (v *Variant) part(r *reader, owner int32) Values {
	o := r.owners()
	if o.parts[owner] == nil {
		if v.Counts == nil {
			v.Counts = make(Counts, len(o.list))
		}
		if v.Counts[o.list[owner]] == nil {
			v.Counts[o.list[owner]] = Values{}
		}
		o.parts[owner] = v.Counts[o.list[owner]]
	}
	return o.parts[owner]
}

// owners are what the instructions of a module come from.
type owners struct {
	list  []Owner  // each once, none the first
	of    []int32  // by InstrID, into the list
	parts []Values // by owner, nil where it was not asked for yet; see part
}

func (r *reader) owner(id hlo.InstrID) Owner {
	o := r.owners()
	return o.list[o.of[id]]
}

// newOwners returns what each instruction comes from. An instruction without a name belongs to its first operand's owner, else to its first user's, else to
// that of the instruction that calls its computation.
func (r *reader) newOwners() *owners {
	m, metas, of := r.m, r.metas(), make([]int32, len(r.m.Instrs))
	named, list, known := make([]int32, len(metas)), []Owner{{}}, make(map[Owner]int32, len(metas))
	for meta := range metas {
		if metas[meta].OpName == "" {
			continue
		}
		owner := Owner{operationOf(metas[meta].OpName), r.stacks()[meta].at().Function}
		if owner == list[0] {
			continue
		}
		if known[owner] == 0 {
			known[owner] = int32(len(list))
			list = append(list, owner)
		}
		named[meta] = known[owner]
	}
	var callers []hlo.InstrID
	for id := range of {
		in := &m.Instrs[id]
		if in.Opcode != hlo.OpParameter || in.Comp != m.Entry { // the name of an argument is no operation's
			of[id] = named[m.MetadataID(hlo.InstrID(id))]
		}
		if len(m.Callees(hlo.InstrID(id))) > 0 {
			callers = append(callers, hlo.InstrID(id))
		}
		if of[id] > 0 {
			continue
		}
		for _, o := range m.Operands(hlo.InstrID(id)) {
			if of[id] = of[o]; of[id] > 0 {
				break
			}
		}
	}
	for id := len(of) - 1; id >= 0; id-- {
		if of[id] == 0 {
			continue
		}
		for _, o := range m.Operands(hlo.InstrID(id)) {
			if of[o] == 0 && m.Instrs[o].Opcode != hlo.OpParameter {
				of[o] = of[id]
			}
		}
	}
	for _, id := range slices.Backward(callers) { // they come behind what they call
		if of[id] == 0 {
			continue
		}
		// What a reduction or a sort applies to elements has names of its own, "reduce_sum", which tell no place.
		runs := entered(m.Instrs[id].Opcode) || m.Instrs[id].Opcode == hlo.OpAsyncStart
		for _, c := range m.Callees(id) {
			first, end := m.Body(c)
			for inner := first; inner < end; inner++ {
				if of[inner] == 0 || !runs {
					of[inner] = of[id]
				}
			}
		}
	}
	return &owners{list, of, make([]Values, len(list))}
}

// operationOf is the first of the names that a merged instruction carries. Of a node of PyTorch/XLA it leaves out the number, which an edit elsewhere changes.
func operationOf(opName string) string {
	opName, _, _ = strings.Cut(opName, ";")
	if node, op, ok := strings.Cut(opName, "/"); ok && withoutNumber(node) == op {
		return op
	}
	return opName
}

// countCosts parts the flops, bytes and transcendentals of a computation, which runs so often, by operations. It goes into loops and calls.
func (v *Variant) countCosts(r *reader, c hlo.CompID, costs *price.Costs, as [3]ID, runs float64, depth int) {
	for id, end := r.m.Body(c); id < end; id++ {
		callees, op := r.m.Callees(id), r.m.Instrs[id].Opcode
		switch {
		case depth >= maxDepth:
		case op == hlo.OpWhile && len(callees) == 2:
			body, condition := runs, runs
			if trips := r.trips(id); as[0] == CostWeightedFlops && trips != unknownTrips {
				body, condition = runs*float64(trips), runs*float64(trips+1)
			}
			v.countCosts(r, callees[0], costs, as, body, depth+1)
			v.countCosts(r, callees[1], costs, as, condition, depth+1)
			continue
		case (op == hlo.OpCall || op == hlo.OpAsyncStart) && len(callees) == 1:
			v.countCosts(r, callees[0], costs, as, runs, depth+1)
			continue
		}
		cost := costs.Instr(id)
		for i, n := range [3]float64{cost.Flops, cost.BytesAccessed, cost.Transcendentals} {
			if n != 0 && as[i] != "" {
				v.part(r, r.owners().of[id])[as[i]] += n * runs
			}
		}
	}
}
