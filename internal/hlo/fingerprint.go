package hlo

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Prints holds content hashes of a module, equal for equal programs and on every machine. The following may differ between equal programs:
//
//   - names, ids, metadata and stack frames, and whether the dump is text or proto;
//   - the order of computations, and of instructions that do not use each other;
//   - channel ids, and the spelling of replica groups and of asynchronous operations;
//   - for how many cores the CPU back end splits an operation, even where it wraps the operation in a call for that;
//   - the parts of a backend_config that are not the computation: picks of the autotuner, estimates, memory offsets (see noisyConfig),
//     the order of its keys, and the paths, lines and names in serialized kernels;
//   - addresses and numbers of Python callbacks;
//   - the module's own frontend attributes and how far shardings may propagate;
//   - instructions that neither the result nor an effect needs.
//
// The order of operands counts: a+b is not b+a. Constants of more than ten elements count by their shape, since the text elides them.
type Prints struct {
	Module uint64
	alike  *Alike
	ops    []digest // by Alike.Index
	comps  []digest // by CompID, of the computations that are the first of their kind
}

// Op returns the hash of an instruction without its operands: of its opcode, shape, attributes and the computations it calls. The family is
// the hash without dimension sizes, layouts and the values of constants, and is equal for variants whose shapes scale.
func (p *Prints) Op(i InstrID) (full, family uint64) {
	d := p.ops[p.alike.Index(i)]
	return d.full, d.family
}

// comp returns the hash of a computation: of its root and, in any order, of all its live instructions, so that work done twice counts twice.
func (p *Prints) comp(c CompID) digest { return p.comps[p.alike.First(c)] }

// Fingerprint returns the hash of the whole program in 16 hex digits.
func (p *Prints) Fingerprint() string { return fmt.Sprintf("%016x", p.Module) }

// Fingerprint hashes the whole program; see [Prints].
func (m *Module) Fingerprint() string { return m.Alike().Prints().Fingerprint() }

// Prints hashes the instructions and computations that are the first of their kind. Keep the result.
func (a *Alike) Prints() *Prints {
	p := printer{m: a.m, p: &Prints{alike: a, ops: make([]digest, 0, a.Len()), comps: make([]digest, len(a.first))}}
	p.prepare()
	for c, first := range a.first {
		if first == CompID(c) {
			p.computation(first)
		}
	}
	p.p.Module = p.module()
	return p.p
}

// printer makes the prints of one module. Callees come before callers and operands before users, so one pass is enough.
type printer struct {
	m         *Module
	p         *Prints
	shapes    []digest
	addresses map[InstrID]bool // constants with the address of a callback
	effects   []bool           // computations with side effects
	known     []knownOp        // instructions alone, by their Alike.Own
	printedComputation
	printedInstruction
}

// printedComputation is what is known of the current computation.
type printedComputation struct {
	first InstrID
	instr []digest           // of an instruction with its operands
	live  []bool             // the result or an effect needs the instruction
	names map[string]InstrID // nil until one is looked up
}

// printedInstruction is what is known of the current instruction.
type printedInstruction struct {
	reader  attrPrinter
	note    func(key string, value []byte) bool // calls attribute
	in      *Instruction                        // whose attributes are hashed
	target  string                              // its custom_call_target
	attrs   []digest                            // of its attributes
	before  []byte                              // its control predecessors, as printed
	through []InstrID                           // the operands of the call that are those of the instruction that it wraps
}

func (p *printer) prepare() {
	m := p.m
	p.shapes = make([]digest, len(m.shapes.list))
	for id := range m.shapes.list {
		p.shapes[id] = p.shape(&m.shapes.list[id])
	}
	p.note = func(key string, value []byte) bool {
		p.attribute(key, value)
		return true
	}
	p.reader.keys = map[string]string{}
	p.effects = make([]bool, len(m.Comps))
	p.known = make([]knownOp, 1<<bits.Len(uint(min(p.p.alike.Len(), mostKnownOps-1))))
	p.addresses = p.callbackAddresses()
}

// computation hashes a computation; see Prints.comp.
func (p *printer) computation(c CompID) {
	first, end := p.m.Body(c)
	p.first, p.instr, p.names = first, slices.Grow(p.instr[:0], int(end-first)), nil
	p.live = slices.Grow(p.live[:0], int(end-first))[:end-first]
	for i := first; i < end; i++ {
		p.instruction(i)
	}
	p.findLive(c)
	var all digest
	for i, d := range p.instr {
		if p.live[i] {
			all = all.plus(d)
		}
	}
	p.p.comps[c] = p.instr[p.m.Comps[c].Root-first].and(all)
}

func (p *printer) instruction(i InstrID) {
	op, operands := p.operation(i)
	d := op
	for _, o := range operands {
		d = d.and(p.instr[o-p.first])
	}
	effect := p.hasEffect(i)
	p.effects[p.m.Instrs[i].Comp] = p.effects[p.m.Instrs[i].Comp] || effect
	p.live[i-p.first] = effect || p.m.Instrs[i].Opcode == OpParameter
	p.p.ops = append(p.p.ops, op)
	p.instr = append(p.instr, d.and(p.predecessors(i)))
}

// operation hashes an instruction without its operands and returns these. A call that only wraps an operation is hashed as the operation.
func (p *printer) operation(i InstrID) (digest, []InstrID) {
	m, in := p.m, &p.m.Instrs[i]
	switch in.Opcode {
	case OpCall:
		root, wraps := p.wrapped(i)
		if !wraps {
			break
		}
		config, _ := m.Attr(root, "backend_config")
		_, old := m.Attr(root, "outer_dimension_partitions")
		if old || strings.Contains(config, "outer_dimension_partitions") { // the CPU back end wraps it to run it in parallel; for one core it wraps none
			return p.p.ops[p.p.alike.Index(root)], p.looked(i, root)
		}
	case OpAsyncStart:
		if root, wraps := p.wrapped(i); wraps {
			w := &m.Instrs[root]
			return p.start(w.Opcode, w.Shape, m.Callees(root), i, root), p.looked(i, root)
		}
	}
	return p.alone(i), m.Operands(i)
}

// knownOp is the hash of the instructions with an Alike.Own.
type knownOp struct {
	own  uint64
	hash digest
}

const mostKnownOps = 1 << 12

// alone hashes an instruction that wraps no other. It looks up the hash of an earlier instruction with the same Alike.Own.
func (p *printer) alone(i InstrID) digest {
	own := p.p.alike.own[len(p.p.ops)]
	known := &p.known[own&uint64(len(p.known)-1)]
	if known.own == own {
		return known.hash
	}
	d := p.spelled(i)
	if len(p.before) == 0 && !p.addresses[i] {
		*known = knownOp{own, d}
	}
	return d
}

// spelled hashes an instruction. Asynchronous instructions are spelled differently by different versions and hashed alike.
func (p *printer) spelled(i InstrID) digest {
	m, in := p.m, &p.m.Instrs[i]
	switch in.Opcode {
	case OpAllReduceStart:
		return p.start(OpAllReduce, in.Shape, m.Callees(i), i, NoInstr)
	case OpAllGatherStart:
		return p.start(OpAllGather, m.started(in.Shape), m.Callees(i), i, NoInstr)
	case OpCollectivePermuteStart:
		return p.start(OpCollectivePermute, m.started(in.Shape), m.Callees(i), i, NoInstr)
	case OpAsyncUpdate, OpAsyncDone, OpAllReduceDone, OpAllGatherDone, OpCollectivePermuteDone:
		step := OpAsyncDone
		if in.Opcode == OpAsyncUpdate {
			step = OpAsyncUpdate
		}
		return p.plain(step, in.Shape, nil, i, NoInstr)
	}
	return p.plain(in.Opcode, in.Shape, m.Callees(i), i, NoInstr).and(p.argument(i))
}

// plain hashes an opcode, a shape, callees, and the attributes of an instruction and of the one that it wraps, if any.
func (p *printer) plain(op Opcode, shape ShapeID, callees []CompID, i, wrapped InstrID) digest {
	d := p.opcode(op).and(p.shapes[shape]).and(p.attributesOf(i, wrapped))
	for _, c := range callees {
		d = d.and(p.p.comp(c))
	}
	return d
}

// argument hashes the number of a parameter, the literal of a constant, and the index of a get-tuple-element.
func (p *printer) argument(i InstrID) digest {
	in := &p.m.Instrs[i]
	switch in.Opcode {
	case OpParameter, OpGetTupleElement:
		return both(uint64(in.Param))
	case OpConstant:
		if !p.addresses[i] {
			return digest{full: hashText(canonicalLiteral(p.m.Shape(in.Shape).Type, p.m.Literal(i)))}
		}
	}
	return digest{}
}

func (p *printer) opcode(op Opcode) digest { return both(hashText(p.m.OpcodeName(op))) }

// shape hashes a shape. Elements come before the tuples that hold them.
func (p *printer) shape(s *Shape) digest {
	d := both(uint64(s.Type)).and(both(uint64(len(s.Dims))))
	for _, n := range s.Dims {
		d.full = mix(d.full, uint64(n))
	}
	d.full = mix(mix(d.full, s.Dynamic), hashText(s.Layout))
	for _, e := range s.Elements {
		d = d.and(p.shapes[e])
	}
	return d
}

// module hashes the entry computation, the aliases and the donors.
func (p *printer) module() uint64 {
	var aliases, donors uint64
	for _, a := range p.m.Header.Aliases {
		h := mix(hashNumbers(a.Output), hashNumbers(a.ParamIndex))
		aliases += mix(mix(h, uint64(a.Param)), hashBool(a.Must))
	}
	for _, d := range p.m.Header.Donors {
		donors += mix(hashNumbers(d.ParamIndex), uint64(d.Param))
	}
	return mix(mix(p.p.comp(p.m.Entry).full, aliases), donors)
}

// findLive marks the instructions of a computation that its result or an effect needs, and the parameters.
func (p *printer) findLive(c CompID) {
	m := p.m
	first, end := m.Body(c)
	p.live[m.Comps[c].Root-first] = true
	for i := end - 1; i >= first; i-- {
		if !p.live[i-first] {
			continue
		}
		for _, o := range m.Operands(i) {
			p.live[o-first] = true
		}
	}
}

// hasEffect reports whether an instruction has a side effect or communicates with other devices.
func (p *printer) hasEffect(i InstrID) bool {
	switch p.m.Instrs[i].Opcode {
	case OpSend, OpSendDone, OpRecv, OpRecvDone, OpInfeed, OpOutfeed, OpTrace, OpRng, OpRngGetAndUpdateState,
		OpAllReduce, OpAllReduceStart, OpAllGather, OpAllGatherStart, OpReduceScatter, OpAllToAll, OpRaggedAllToAll,
		OpCollectivePermute, OpCollectivePermuteStart, OpCollectiveBroadcast, OpCollectiveReduce:
		return true
	case OpCustomCall:
		effect, _ := p.m.Attr(i, "custom_call_has_side_effect")
		return effect == "true"
	}
	for _, c := range p.m.Callees(i) {
		if p.effects[p.p.alike.First(c)] {
			return true
		}
	}
	return false
}

// wrapped returns the root of the computation that an instruction calls. wraps is true when the computation consists of parameters and the root.
func (p *printer) wrapped(caller InstrID) (root InstrID, wraps bool) {
	m := p.m
	callees := m.Callees(caller)
	if len(callees) != 1 {
		return NoInstr, false
	}
	root = m.Comps[callees[0]].Root
	first, end := m.Body(callees[0])
	given := uint32(len(m.Operands(caller)))
	for i := first; i < end; i++ {
		in := &m.Instrs[i]
		if isParameter := in.Opcode == OpParameter; isParameter == (i == root) || isParameter && uint32(in.Param) >= given {
			return NoInstr, false
		}
	}
	return root, true
}

// looked returns the caller's operands in the order in which the wrapped instruction uses them.
func (p *printer) looked(caller, root InstrID) []InstrID {
	given := p.m.Operands(caller)
	p.through = p.through[:0]
	for _, o := range p.m.Operands(root) {
		p.through = append(p.through, given[p.m.Instrs[o].Param])
	}
	return p.through
}

// start hashes the start of an asynchronous operation, alike for an `all-gather-start` and an `async-start` that calls a computation with
// an all-gather. The latter has the attributes on either instruction, or on both.
func (p *printer) start(op Opcode, shape ShapeID, callees []CompID, i, wrapped InstrID) digest {
	return p.opcode(OpAsyncStart).and(p.plain(op, shape, callees, i, wrapped))
}

// callbackAddresses finds the constants with the address of a Python function that old versions of JAX pass to a callback.
func (p *printer) callbackAddresses() map[InstrID]bool {
	addresses, m := make(map[InstrID]bool), p.m
	for i := range p.p.alike.Each() {
		if m.Instrs[i].Opcode != OpCustomCall {
			continue
		}
		if target, _ := m.Attr(i, "custom_call_target"); !isCallback(target) {
			continue
		}
		for _, o := range m.Operands(i) {
			if s := m.Shape(m.Instrs[o].Shape); m.Instrs[o].Opcode == OpConstant && len(s.Dims) == 0 && (s.Type == S64 || s.Type == U64) {
				addresses[o] = true
			}
		}
	}
	return addresses
}

func isCallback[T string | []byte](target T) bool {
	return bytes.Contains([]byte(target), []byte("callback"))
}
