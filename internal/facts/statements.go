package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// maxExpanded bounds the operations that are walked when called functions are counted once for every call, as inlining does.
const maxExpanded = 4 << 20

// statementKey tells statements apart: one line of the model, and the one that called it, in one scope.
type statementKey struct {
	scope, dtype  string
	where, caller sourceLine
}

// sourceLine is a place without its column and function.
type sourceLine struct {
	file string
	line int32
}

// statements gathers operations line by line of the model's source.
type statements struct {
	at   map[statementKey]int
	list []Statement
	seen map[stackOf]bool
}

// stackOf is a stack of a statement in the list.
type stackOf struct {
	statement int
	stack     *Stack
}

func newStatements() *statements {
	return &statements{at: map[statementKey]int{}, seen: map[stackOf]bool{}}
}

// add puts one operation at its place in the model.
func (s *statements) add(op Op, opType string, print uint64) {
	key := statementKey{ScopeOf(op.OpName), typeOf(op), lineOf(op.Source), lineOf(op.Stack.called())}
	i, known := s.at[key]
	if !known {
		i = len(s.list)
		s.at[key] = i
		s.list = append(s.list, Statement{Scope: key.scope, Type: key.dtype, OpName: op.OpName, OpType: opType, Source: op.Source, Caller: op.Stack.called()})
	}
	of := &s.list[i]
	of.Do = append(of.Do, op.Opcode)
	of.Print += print
	if key := (stackOf{i, op.Stack}); op.Stack != nil && !s.seen[key] {
		s.seen[key] = true
		of.Stacks = append(of.Stacks, op.Stack)
	}
}

func lineOf(l hlo.Location) sourceLine { return sourceLine{l.File, l.Line} }

// sorted is what was gathered, in program order, the operations of each statement in canonical order.
func (s *statements) sorted() []Statement {
	for i := range s.list {
		slices.Sort(s.list[i].Do)
	}
	return s.list
}

// typeOf returns the type that an operation computes in, "" for one that takes any: a loop, a branch, a barrier, a custom call.
func typeOf(op Op) string {
	switch op.Opcode {
	case "while", "conditional", "opt-barrier", "custom-call":
		return ""
	}
	return hlo.ShapeText(op.Shape).Type()
}

// ScopeOf is the part of the model that an op_name names. JAX names steps within scopes: "jit(step)/mlp" of "jit(step)/mlp/tanh". A name
// of TensorFlow is one node of the model's own; PyTorch/XLA counts its nodes, "aten__mul.5/aten__mul", so that an edit renames those behind it.
func ScopeOf(opName string) string {
	if node, op, ok := strings.Cut(opName, "/"); ok && withoutNumber(node) == op {
		return op
	}
	if outer, _, _ := strings.Cut(opName, "/"); strings.HasSuffix(outer, ")") {
		return opName[:max(0, strings.LastIndexByte(opName, '/'))] // without its last step
	}
	return opName
}

// modelWalk reads the statements of a module that no compiler has touched, following its calls.
type modelWalk struct {
	r        *reader
	found    *statements
	barriers []Barrier
	steps    int
}

// Threefry is JAX's generator of random numbers: one operation of the model, of about a hundred of HLO, and of a loop on a CPU.
const Threefry = "threefry2x32"

// caller is what a called function's operations take over from its call, as they do when XLA inlines it.
type caller struct {
	prefix string
	stack  *Stack
	depth  int
	call   hlo.InstrID // of which the function's parameters are the operands; NoInstr of a loop, a branch and the entry computation
	outer  *caller     // of the call
}

// model fills in the statements of the framework's program. A module too large to be expanded has none.
func (r *reader) model(v *Variant) {
	w := &modelWalk{r: r, found: newStatements()}
	w.computation(r.m.Entry, &caller{call: hlo.NoInstr})
	if w.steps <= maxExpanded {
		v.Model, v.Barriers, v.ModelAfter = w.found.sorted(), w.barriers, false
	}
}

func (w *modelWalk) computation(c hlo.CompID, from *caller) {
	first, end := w.r.m.Body(c)
	for id := first; id < end && from.depth < maxDepth && w.steps <= maxExpanded; id++ {
		w.steps++
		w.instruction(id, from)
	}
}

func (w *modelWalk) instruction(id hlo.InstrID, from *caller) {
	op := w.r.m.Instrs[id].Opcode
	switch op {
	case hlo.OpCall, hlo.OpWhile, hlo.OpConditional, hlo.OpAsyncStart:
		at := w.operation(id, from)
		if op == hlo.OpCall && strings.HasPrefix(w.r.m.CompName(w.r.m.Callees(id)[0]), Threefry) {
			at.Opcode = Threefry
			w.found.add(at, "", uint64(w.print(contentOf(0), id, from, 0)))
			return
		}
		inside := &caller{prefix: from.prefix, stack: at.Stack, depth: from.depth + 1, call: hlo.NoInstr, outer: from}
		if op == hlo.OpCall {
			inside.prefix, inside.call = at.OpName, id
		}
		for _, c := range w.r.m.Callees(id) {
			w.computation(c, inside)
		}
		if op == hlo.OpCall || op == hlo.OpAsyncStart {
			return
		}
	}
	if !w.tells(id) {
		return
	}
	found := w.operation(id, from)
	w.found.add(found, w.r.metadata(id).OpType, uint64(w.print(contentOf(0), id, from, 0)))
	if isBarrier(op, found.Opcode) {
		b := Barrier{Op: found}
		for _, o := range w.r.m.Operands(id) {
			b.Inputs = w.producers(b.Inputs, o, from, 0)
		}
		w.barriers = append(w.barriers, b)
	}
}

// print adds the hashes of an operation and what it reads, without names. It goes on through what is no work of its own: of
// {c = constant(2), b = broadcast(c), m = multiply(p, b)}, m has the hash of c as well. A parameter of a function is what its call hands over.
func (w *modelWalk) print(hash contentHash, id hlo.InstrID, from *caller, depth int) contentHash {
	m := w.r.m
	for ; m.Instrs[id].Opcode == hlo.OpParameter && from.call != hlo.NoInstr; from = from.outer {
		operands := m.Operands(from.call)
		if n := int(m.Instrs[id].Param); n < 0 || n >= len(operands) {
			break
		}
		id = operands[m.Instrs[id].Param]
	}
	own, _ := w.r.prints().Op(id)
	hash = hash.number(own)
	operands := m.Operands(id)
	if isTuple := m.Instrs[id].Opcode == hlo.OpTuple; depth > 0 && (depth > maxDepth || w.tells(id) || len(operands) > 1 && !isTuple) {
		return hash
	}
	for _, o := range operands {
		hash = w.print(hash, o, from, depth+1)
	}
	return hash
}

// stack returns the stack of an operation. One of a single line is continued with the stack of the call that holds the operation.
func (w *modelWalk) stack(id hlo.InstrID, from *caller) *Stack {
	own := w.r.stacks()[w.r.m.MetadataID(id)]
	switch {
	case own == nil || from.stack == nil:
		return cmp.Or(own, from.stack)
	case own.Caller != nil:
		return own
	case lineOf(own.Location) == lineOf(from.stack.Location):
		return w.r.interner.stack(Stack{own.Location, from.stack.Caller, own.Library})
	}
	return w.r.interner.stack(Stack{own.Location, from.stack, own.Library})
}

// operation describes an instruction as it reads after inlining.
func (w *modelWalk) operation(id hlo.InstrID, from *caller) Op {
	md := w.r.metadata(id)
	name, _, _ := strings.Cut(md.OpName, ";") // what was merged from several operations carries all their names
	op := Op{Opcode: w.r.opcode(id), OpName: within(from.prefix, name), Shape: w.r.shape(w.r.m.Instrs[id].Shape), Stack: w.stack(id, from)}
	op.Source = op.Stack.at()
	op.Opcode = w.word(id, op.Opcode)
	return op
}

// word is an operation's opcode with what makes it another operation: a custom call's target, a sharding, a precision, a promise, the devices of a collective.
func (w *modelWalk) word(id hlo.InstrID, opcode string) string {
	switch w.r.m.Instrs[id].Opcode {
	case hlo.OpCustomCall:
		target := w.r.m.AttrText(id, "custom_call_target")
		if target == shardingTarget {
			return w.constraint(id)
		}
		return target
	case hlo.OpDot, hlo.OpConvolution, hlo.OpRaggedDot:
		for _, key := range []string{"operand_precision", "algorithm"} {
			if value, ok := w.r.m.Attr(id, key); ok {
				return opcode + " " + value
			}
		}
	case hlo.OpScatter, hlo.OpGather:
		for _, key := range []string{"indices_are_sorted", "unique_indices"} {
			if w.r.m.AttrText(id, key) == "true" {
				opcode += " " + key
			}
		}
	case hlo.OpAllReduce, hlo.OpAllGather, hlo.OpReduceScatter, hlo.OpAllToAll, hlo.OpRaggedAllToAll:
		groups := parseGroups(w.r.m.AttrText(id, "replica_groups"))
		if len(groups) == 0 { // all devices
			break
		}
		// How many devices it joins, and how far apart they are: the names of a mesh's axes may change where nothing else does.
		devices := slices.Sorted(slices.Values(groups[0]))
		opcode += fmt.Sprintf(" over %d devices", len(devices))
		if apart := (devices[len(devices)-1] - devices[0]) / max(1, int64(len(devices)-1)); apart > 1 {
			opcode += fmt.Sprintf(", %d apart", apart)
		}
	}
	return opcode
}

// within puts the caller's op_name before the callee's, unless the callee's already has it.
func within(prefix, opName string) string {
	if prefix == "" || strings.HasPrefix(opName, prefix) {
		return opName
	}
	if opName == "" {
		return prefix
	}
	return prefix + "/" + opName
}

// tells reports whether an operation is part of the model's work. One that only names, wires or reshapes is not.
func (w *modelWalk) tells(id hlo.InstrID) bool {
	m := w.r.m
	switch op := m.Instrs[id].Opcode; op {
	case hlo.OpBroadcast, hlo.OpReshape, hlo.OpAfterAll, hlo.OpDomain, hlo.OpAddDependency,
		hlo.OpGetDimensionSize, hlo.OpSetDimensionSize, hlo.OpPartitionId, hlo.OpReplicaId,
		hlo.OpSendDone, hlo.OpRecvDone:
		return false
	case hlo.OpConvert:
		operands := m.Operands(id)
		return len(operands) != 1 || hlo.ShapeText(w.r.shape(m.Instrs[operands[0]].Shape)).Type() != hlo.ShapeText(w.r.shape(m.Instrs[id].Shape)).Type()
	case hlo.OpCustomCall:
		target := m.AttrText(id, "custom_call_target")
		return !strings.HasPrefix(target, "xla.sdy.") && !strings.HasPrefix(target, "SPMD") // the edges of shard_map and of the function
	default:
		return !hidden(op)
	}
}

// isBarrier reports whether fusion cannot cross an operation: an optimization barrier or a call of the host.
func isBarrier(op hlo.Opcode, name string) bool {
	switch op {
	case hlo.OpOptBarrier, hlo.OpInfeed, hlo.OpOutfeed, hlo.OpSend, hlo.OpRecv:
		return true
	}
	return strings.Contains(name, "callback")
}

// producers follows a value to what computes it, through tuples, views and calls.
func (w *modelWalk) producers(list []Op, id hlo.InstrID, from *caller, depth int) []Op {
	m := w.r.m
	if depth > maxDepth || len(list) >= 64 {
		return list
	}
	switch m.Instrs[id].Opcode {
	case hlo.OpParameter, hlo.OpConstant:
		return list
	case hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBitcast, hlo.OpReshape, hlo.OpBroadcast:
		for _, o := range m.Operands(id) {
			list = w.producers(list, o, from, depth+1)
		}
		return list
	case hlo.OpCall:
		if callees := m.Callees(id); len(callees) == 1 {
			at := w.operation(id, from)
			return w.producers(list, m.Comps[callees[0]].Root, &caller{prefix: at.OpName, stack: at.Stack, call: id, outer: from}, depth+1)
		}
	}
	return append(list, w.operation(id, from))
}

// optimizedModel reads the statements off the kernels, where the module as the framework handed it over was not dumped. The
// compiler has repeated and removed operations by then: each is named once.
func (v *Variant) optimizedModel() {
	found, seen := newStatements(), map[*Op]bool{}
	walked := map[*FusedOp]bool{} // the lists that launches share
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if len(k.Ops) == 0 {
			if k.Class != ClassCopy && k.OpName != "" {
				found.add(Op{Opcode: cmp.Or(k.Target, plainOpcode(k.Root)), OpName: k.OpName, Shape: k.Out, Source: k.Source, Stack: k.Stack}, k.OpType, 0)
			}
			continue
		}
		if walked[&k.Ops[0]] {
			continue
		}
		walked[&k.Ops[0]] = true
		for _, op := range k.Ops {
			if seen[op.Op] || op.OpName == "" || op.Opcode == "broadcast" || op.Opcode == "reshape" || op.Opcode == "copy" {
				continue
			}
			seen[op.Op] = true
			found.add(*op.Op, "", 0)
		}
	}
	v.Model, v.ModelAfter = found.sorted(), true
	for i := range v.Model {
		v.Model[i].Do = slices.Clip(slices.Compact(v.Model[i].Do))
	}
}
