package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// edges finds which launch made each value that another reads.
type edges struct {
	r    *reader
	made []int32 // of every instruction: the launch that makes its value, -1 for none
	from []int32 // what the launch at hand reads from
	read []int32 // by launch: the last that reads from it, counted from 1
}

// connect tells of every launch which others it reads from, and whether its value leaves the program.
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
	var code []byte // of all launches
	ends := make([]int, len(launches))
	for i, l := range launches {
		e.addSources(l, int32(i+1))
		code = appendPlaces(code, e.from)
		ends[i], v.Kernels[i].Outs = len(code), e.outs(l.id)
	}
	all, start := Places(code), 0
	for i, end := range ends {
		v.Kernels[i].From, start = all[start:end], end
	}
	v.Results = e.results(v.Kernels)
}

// addSources lists the launches that a launch reads from, each once. Launches are counted from 1.
func (e *edges) addSources(l launch, count int32) {
	operands := e.r.m.Operands(l.id)
	if l.async != hlo.NoInstr {
		operands = e.r.m.Operands(l.async)
	}
	e.from = e.from[:0]
	for _, o := range operands {
		if id := e.origin(o, 0); id != hlo.NoInstr && e.read[e.made[id]] != count {
			e.from = append(e.from, e.made[id])
			e.read[e.made[id]] = count
		}
		if len(e.from) >= maxSources {
			break
		}
	}
	slices.Sort(e.from)
}

// maxSources bounds the launches that one launch is said to read from: a loop's state can hold thousands.
const maxSources = 256

// origin is the launch behind a value: through views, tuples and whatever else runs nothing; NoInstr for arguments and constants.
func (e *edges) origin(id hlo.InstrID, depth int) hlo.InstrID {
	for ; depth < maxDepth; depth++ {
		if e.made[id] >= 0 {
			return id
		}
		in, operands := &e.r.m.Instrs[id], e.r.m.Operands(id)
		switch {
		case in.Opcode == hlo.OpGetTupleElement && len(operands) == 1:
			id = e.element(operands[0], int(in.Param))
		case in.Opcode == hlo.OpTuple || len(operands) == 0:
			return hlo.NoInstr
		default:
			id = operands[0]
		}
	}
	return hlo.NoInstr
}

// element steps into a tuple that is put together on the spot.
func (e *edges) element(tuple hlo.InstrID, index int) hlo.InstrID {
	if operands := e.r.m.Operands(tuple); e.r.m.Instrs[tuple].Opcode == hlo.OpTuple && index < len(operands) {
		return operands[index]
	}
	return tuple
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
	var list []Op
	for _, o := range e.r.m.Operands(root) {
		list = append(list, e.operation(o))
	}
	return list
}

// operation describes the operation behind bitcasts.
func (e *edges) operation(id hlo.InstrID) Op {
	shape := e.r.shape(e.r.m.Instrs[id].Shape)
	for depth := 0; depth < maxDepth && e.r.m.Instrs[id].Opcode == hlo.OpBitcast && len(e.r.m.Operands(id)) == 1; depth++ {
		id = e.r.m.Operands(id)[0]
	}
	md := e.r.metadata(id)
	return Op{Opcode: e.r.opcode(id), OpName: md.OpName, Shape: shape, Source: e.r.sources.locate(md)}
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
	list := make([]Op, len(leaves))
	for i, leaf := range leaves {
		list[i] = e.result(leaf, kernels)
	}
	return list
}

func (e *edges) result(leaf hlo.InstrID, kernels []Kernel) Op {
	op := Op{Shape: e.r.shape(e.r.m.Instrs[leaf].Shape)}
	id := e.origin(leaf, 0)
	if id == hlo.NoInstr {
		op.Opcode = e.r.opcode(leaf)
		return op
	}
	k := &kernels[e.made[id]]
	k.Result = true
	op.Opcode, op.OpName, op.Source = k.Root, k.OpName, k.Source
	if i := int(e.r.m.Instrs[leaf].Param); e.r.m.Instrs[leaf].Opcode == hlo.OpGetTupleElement && i < len(k.Outs) {
		op.Opcode, op.OpName, op.Source = k.Outs[i].Opcode, k.Outs[i].OpName, k.Outs[i].Source
	}
	return op
}
