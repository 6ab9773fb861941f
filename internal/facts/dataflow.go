package facts

import (
	"encoding/binary"
	"math"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What stands in Op.From for values that no operation of the same kernel makes. ^n is the kernel's operand n.
const (
	FromConstant  = int32(math.MinInt32)     // a constant
	FromElsewhere = int32(math.MinInt32 + 1) // it cannot be told: a loop's state
)

// flow collects the operations of a fusion's body, each with where its operands come from.
type flow struct {
	r     *reader
	kinds []int32 // of the operations
	code  []byte  // see body
	from  []int32 // of the operation at hand
}

// operations lists what the computations that a launch calls do: through the fusions and calls inside, without what only names. Their
// kinds stay in r.flow until it is called again.
func (r *reader) operations(l launch) *body {
	w := &r.flow
	w.r, w.kinds, w.code = r, w.kinds[:0], w.code[:0]
	args := make([]int32, len(r.m.Operands(l.id)))
	for i := range args {
		args[i] = ^int32(i)
	}
	for _, c := range r.m.Callees(l.id) {
		w.computation(c, args, 0)
	}
	return &body{r.tables, len(w.kinds), string(w.code)}
}

// computation appends the operations of one computation, given where its arguments come from, and says where its result does.
func (w *flow) computation(c hlo.CompID, args []int32, depth int) int32 {
	first, end := w.r.m.Body(c)
	made := make([]int32, end-first)
	for id := first; id < end; id++ {
		made[id-first] = w.instruction(id, first, made, args, depth)
	}
	if root := w.r.m.Comps[c].Root; root >= first && root < end {
		return made[root-first]
	}
	return FromElsewhere
}

// instruction appends one operation, or what it calls, and says where its value comes from.
func (w *flow) instruction(id, first hlo.InstrID, made, args []int32, depth int) int32 {
	in, operands := &w.r.m.Instrs[id], w.r.m.Operands(id)
	switch op := in.Opcode; {
	case op == hlo.OpConstant:
		return FromConstant
	case op == hlo.OpParameter:
		if in.Param >= 0 && int(in.Param) < len(args) {
			return args[in.Param]
		}
		return FromElsewhere
	case hidden(op):
		if op == hlo.OpTuple || len(operands) == 0 || operands[0] < first {
			return FromElsewhere
		}
		return made[operands[0]-first]
	case depth < maxDepth && entered(op):
		return w.enter(id, w.refs(nil, operands, first, made), depth)
	}
	at, kind := int32(len(w.kinds)), w.r.kindOf(id)
	w.kinds, w.code = append(w.kinds, kind), appendHead(w.code, kind, len(operands))
	w.from = w.refs(w.from[:0], operands, first, made)
	for _, from := range w.from {
		w.code = appendOperand(w.code, at, from)
	}
	return at
}

// enter appends what an instruction calls. What flows into the state of a loop is not followed.
func (w *flow) enter(id hlo.InstrID, args []int32, depth int) int32 {
	from := FromElsewhere
	straight := w.r.m.Instrs[id].Opcode == hlo.OpFusion || w.r.m.Instrs[id].Opcode == hlo.OpCall
	if !straight {
		args = nil
	}
	for _, inner := range w.r.m.Callees(id) {
		if ref := w.computation(inner, args, depth+1); straight {
			from = ref
		}
	}
	return from
}

// refs appends where operands come from.
func (w *flow) refs(list []int32, operands []hlo.InstrID, first hlo.InstrID, made []int32) []int32 {
	for _, o := range operands {
		if o >= first && int(o-first) < len(made) {
			list = append(list, made[o-first])
		} else {
			list = append(list, FromElsewhere)
		}
	}
	return list
}

// kindOf makes sure that the tables hold what an operation says, and says where.
func (r *reader) kindOf(id hlo.InstrID) int32 {
	in := &r.m.Instrs[id]
	kind, known := r.kinds[opKind{in.Shape, in.Opcode}]
	if !known {
		kind = int32(len(r.coded))
		r.kinds[opKind{in.Shape, in.Opcode}], r.coded = kind, append(r.coded, in.Opcode)
		r.tables.Said = append(r.tables.Said, r.stock.says(opSaid{r.m.OpcodeName(in.Opcode), r.shape(in.Shape), r.m.Shape(in.Shape).Layout}))
	}
	return kind
}

// entered says whether the operations inside an operation stand for it.
func entered(op hlo.Opcode) bool {
	return op == hlo.OpFusion || op == hlo.OpCall || op == hlo.OpWhile || op == hlo.OpConditional
}

// ops lists the operations in computations. Equal lists are one.
func (r *reader) ops(of *body, callees []hlo.CompID) OpList {
	r.origins, r.origin = r.origins[:0], 0
	for _, c := range callees {
		r.addOrigins(c, 0)
	}
	if known, ok := r.lists[opList{of, string(r.origins)}]; ok {
		return known
	}
	fresh := opList{of, string(r.origins)}
	r.lists[fresh] = OpList{&fresh}
	return OpList{&fresh}
}

// addOrigins walks a computation as flow does.
func (r *reader) addOrigins(c hlo.CompID, depth int) {
	first, end := r.m.Body(c)
	for id := first; id < end; id++ {
		switch op := r.m.Instrs[id].Opcode; {
		case hidden(op):
		case depth < maxDepth && entered(op):
			for _, inner := range r.m.Callees(id) {
				r.addOrigins(inner, depth+1)
			}
		default:
			meta := r.m.MetadataID(id)
			r.keepOrigin(meta)
			r.origins = binary.AppendVarint(r.origins, int64(meta-r.origin))
			r.origin = meta
		}
	}
}

// keepOrigin makes sure that the tables hold where operations with this metadata come from.
func (r *reader) keepOrigin(meta hlo.MetadataID) {
	if r.tables.Origins[meta] == nil {
		r.decode(meta)
		md := &r.metas[meta]
		r.tables.Origins[meta] = r.stock.origin(md.OpName, r.sources.frames(*md))
	}
}
