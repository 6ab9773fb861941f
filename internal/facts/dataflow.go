package facts

import (
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// The values of FusedOp.From for values that no operation of the same kernel makes. ^n is the kernel's operand n.
const (
	FromConstant  = int32(math.MinInt32)     // a constant
	FromElsewhere = int32(math.MinInt32 + 1) // it cannot be told: a loop's state
)

// flow lists the operations in the bodies of fusions, with the origin of each operand.
type flow struct {
	r   *reader
	ops []FusedOp
}

// operations lists the operations in the computation that a fusion or a call runs. It enters nested fusions and calls, and leaves out operations that only name
// a value. It returns nil for other launches. Launches of one computation share the list.
func (r *reader) operations(launch hlo.InstrID) []FusedOp {
	callees := r.m.Callees(launch)
	if op := r.m.Instrs[launch].Opcode; op != hlo.OpFusion && op != hlo.OpCall || len(callees) == 0 {
		return nil
	}
	ops, known := r.inside[callees[0]]
	if !known {
		args := make([]int32, len(r.m.Operands(launch)))
		for i := range args {
			args[i] = ^int32(i)
		}
		n := int64(0)
		for _, c := range callees {
			n += r.bodies()[c].listed
		}
		w := &flow{r: r, ops: make([]FusedOp, 0, n)}
		for _, c := range callees {
			w.computation(c, args, 0)
		}
		ops = w.ops
		r.inside[callees[0]] = ops
	}
	return ops
}

// computation appends the operations of one computation. args has the origins of its arguments, numbered as [FusedOp.From] is; it returns the origin of its
// result. In {p, a = negate(p), ROOT b = exp(a)}, a comes from args[0], b from a, and the result from b.
func (w *flow) computation(c hlo.CompID, args []int32, depth int) int32 {
	first, end := w.r.m.Body(c)
	made := make([]int32, end-first)
	for id := first; id < end; id++ {
		made[id-first] = w.instruction(id, first, made, args, depth)
	}
	return made[w.r.m.Comps[c].Root-first]
}

// instruction appends one operation, or the operations that it calls, and returns the origin of its value.
func (w *flow) instruction(id, first hlo.InstrID, made, args []int32, depth int) int32 {
	r := w.r
	in, operands := &r.m.Instrs[id], r.m.Operands(id)
	switch op := in.Opcode; {
	case op == hlo.OpConstant:
		return FromConstant
	case op == hlo.OpParameter && in.Param >= 0 && int(in.Param) < len(args):
		return args[in.Param]
	case op == hlo.OpParameter, op == hlo.OpTuple, hidden(op) && len(operands) == 0:
		return FromElsewhere
	case hidden(op):
		return made[operands[0]-first]
	}
	if len(r.from) < len(operands) {
		r.from = make([]int32, max(256, len(operands)))
	}
	from := r.from[:len(operands):len(operands)]
	r.from = r.from[len(operands):]
	for i, o := range operands {
		from[i] = made[o-first]
	}
	if depth < maxDepth && entered(in.Opcode) {
		return w.enter(id, from, depth)
	}
	w.ops = append(w.ops, FusedOp{r.op(id), from})
	return int32(len(w.ops) - 1)
}

// mostAlike bounds the operations among which one is looked for that is alike.
const mostAlike = 8

// madeOp is a description of the operations of one opcode and shape that share their metadata.
type madeOp struct {
	shape  hlo.ShapeID
	opcode hlo.Opcode
	op     *Op
}

// op describes an operation inside a kernel. Operations that share their metadata and are alike share the description.
func (r *reader) op(id hlo.InstrID) *Op {
	in, meta := &r.m.Instrs[id], r.m.MetadataID(id)
	for _, known := range r.ops[meta] {
		if known.opcode == in.Opcode && known.shape == in.Shape {
			return known.op
		}
	}
	if len(r.fresh) == 0 {
		r.fresh = make([]Op, 16)
	}
	stack, op := r.stacks()[meta], &r.fresh[0]
	r.fresh = r.fresh[1:]
	*op = Op{Opcode: r.opcode(id), OpName: r.metas()[meta].OpName, Shape: r.shape(in.Shape), Layout: r.m.Shape(in.Shape).Layout, Source: stack.at(), Stack: stack}
	if len(r.ops[meta]) < mostAlike {
		r.ops[meta] = append(r.ops[meta], madeOp{in.Shape, in.Opcode, op})
	}
	return op
}

// enter appends the computations that an instruction calls. It does not follow the values of a loop's state.
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

// entered reports whether an operation is replaced by the operations inside it.
func entered(op hlo.Opcode) bool {
	return op == hlo.OpFusion || op == hlo.OpCall || op == hlo.OpWhile || op == hlo.OpConditional
}

// edges finds which launch made each value that another reads.
type edges struct {
	r    *reader
	made []int32 // of every instruction: the launch that makes its value, -1 for none
	read []int32 // by launch: the number of the last one that reads from it, from 1
}

// connect sets for every launch which others it reads from, and whether its value leaves the program.
func (r *reader) connect(launches []launch, v *Variant) {
	e := &edges{r: r, made: make([]int32, len(r.m.Instrs)), read: make([]int32, len(launches))}
	for i := range e.made {
		e.made[i] = -1
	}
	for i, l := range launches {
		e.made[l.id] = int32(i)
		if l.async != hlo.NoInstr {
			e.made[l.async] = int32(i)
		}
	}
	for i, l := range launches {
		v.Kernels[i].From, v.Kernels[i].Outs = e.sources(l, int32(i+1)), e.outs(l.id)
	}
	v.Results = e.results(v.Kernels)
}

// sources lists the launches that a launch reads from, each once. number is that of the launch, from 1.
func (e *edges) sources(l launch, number int32) []int32 {
	operands, from := e.r.m.Operands(l.id), []int32{}
	if l.async != hlo.NoInstr {
		operands = e.r.m.Operands(l.async)
	}
	for _, o := range operands {
		if id := e.origin(o); id != hlo.NoInstr && e.read[e.made[id]] != number {
			from = append(from, e.made[id])
			e.read[e.made[id]] = number
		}
		if len(from) == maxSources {
			break
		}
	}
	slices.Sort(from)
	return from
}

// maxSources bounds the launches that one launch is said to read from: a loop's state can hold thousands.
const maxSources = 256

// origin is the launch behind a value: through views, tuples and whatever else runs nothing; NoInstr for arguments and constants.
func (e *edges) origin(id hlo.InstrID) hlo.InstrID {
	for range maxDepth {
		if e.made[id] >= 0 {
			return id
		}
		in, operands := &e.r.m.Instrs[id], e.r.m.Operands(id)
		switch {
		case in.Opcode == hlo.OpGetTupleElement && len(operands) == 1:
			id = operands[0]
			if elements := e.r.m.Operands(id); e.r.m.Instrs[id].Opcode == hlo.OpTuple && int(in.Param) < len(elements) {
				id = elements[in.Param]
			}
		case in.Opcode == hlo.OpTuple || len(operands) == 0:
			return hlo.NoInstr
		default:
			id = operands[0]
		}
	}
	return hlo.NoInstr
}

// outs lists the operations whose values leave a fusion that has several results.
func (e *edges) outs(id hlo.InstrID) []Op {
	callees := e.r.m.Callees(id)
	if e.r.m.Instrs[id].Opcode != hlo.OpFusion || len(callees) == 0 {
		return nil
	}
	root := e.r.m.Comps[callees[0]].Root
	if e.r.m.Instrs[root].Opcode != hlo.OpTuple {
		return nil
	}
	operands := e.r.m.Operands(root)
	list := make([]Op, len(operands))
	for i, o := range operands {
		shape := e.r.shape(e.r.m.Instrs[o].Shape)
		for depth := 0; depth < maxDepth && e.r.m.Instrs[o].Opcode == hlo.OpBitcast && len(e.r.m.Operands(o)) == 1; depth++ {
			o = e.r.m.Operands(o)[0]
		}
		md := e.r.metadata(o)
		list[i] = Op{Opcode: e.r.opcode(o), OpName: md.OpName, Shape: shape, Source: e.r.sources.locate(md)}
	}
	return list
}

// results lists what the program returns, each with the operation that makes it, and marks the launches behind them.
func (e *edges) results(kernels []Kernel) []Op {
	root := e.r.m.Comps[e.r.m.Entry].Root
	leaves := []hlo.InstrID{root}
	switch {
	case e.r.m.Instrs[root].Opcode == hlo.OpTuple:
		leaves = e.r.m.Operands(root)
	case e.made[root] >= 0 && len(kernels[e.made[root]].Outs) > 0:
		kernels[e.made[root]].Result = true
		return kernels[e.made[root]].Outs
	}
	return phrase.Map(leaves, func(leaf hlo.InstrID) Op { return e.result(leaf, kernels) })
}

func (e *edges) result(leaf hlo.InstrID, kernels []Kernel) Op {
	op := Op{Shape: e.r.shape(e.r.m.Instrs[leaf].Shape)}
	id := e.origin(leaf)
	if id == hlo.NoInstr {
		op.Opcode = e.r.opcode(leaf)
		return op
	}
	k := &kernels[e.made[id]]
	k.Result = true
	if in := &e.r.m.Instrs[id]; in.Opcode == hlo.OpCopy && e.isArgument(e.r.m.Operands(id)[0]) {
		op.Opcode = "parameter"
		return op
	}
	for depth := 0; depth < maxDepth && k.Class == ClassCopy && k.OpName == "" && len(e.r.m.Operands(id)) > 0; depth++ { // what the compiler copies, something else made
		operand := e.r.m.Operands(id)[0]
		behind := e.origin(operand)
		if behind == hlo.NoInstr {
			break
		}
		leaf, id, k = operand, behind, &kernels[e.made[behind]]
	}
	op.Opcode, op.OpName, op.Source = k.Root, k.OpName, k.Source
	if i := int(e.r.m.Instrs[leaf].Param); e.r.m.Instrs[leaf].Opcode == hlo.OpGetTupleElement && i < len(k.Outs) {
		op.Opcode, op.OpName, op.Source = k.Outs[i].Opcode, k.Outs[i].OpName, k.Outs[i].Source
	}
	return op
}

// isArgument reports whether a value is an argument of the program, or a view of one.
func (e *edges) isArgument(id hlo.InstrID) bool {
	for ; e.made[id] < 0; id = e.r.m.Operands(id)[0] {
		if e.r.m.Instrs[id].Opcode == hlo.OpParameter {
			return true
		}
		if len(e.r.m.Operands(id)) != 1 {
			return false
		}
	}
	return false
}
