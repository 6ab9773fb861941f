package hlo

import "fmt"

// Prints are content hashes of a module, equal for equal programs and the same on every machine. Of the same program in two
// dumps, these may differ:
//
//   - names, ids, metadata and stack frames, and whether the dump is text or proto;
//   - the order of computations, and of instructions that do not use each other;
//   - channel ids, and the spelling of replica groups and of asynchronous operations;
//   - how many cores the CPU back end splits an operation for, also where it wraps the operation in a call for that;
//   - what a backend_config holds besides the work: picks of the autotuner, estimates, memory offsets (see noisyConfig), the
//     order of its keys, and serialized kernels, which hold the paths and lines of their source;
//   - addresses and numbers of Python callbacks;
//   - the module's own frontend attributes and how far shardings may propagate;
//   - instructions that nothing needs.
//
// Operands keep their order: a+b is not b+a. Constants of more than ten elements count by their shape, since text leaves them out.
type Prints struct {
	Module uint64
	// Instr is of an instruction with all that it is computed from. Family is the same without dimension sizes, layouts and the
	// values of constants: equal for variants whose shapes scale.
	Instr, Family []uint64
	// Op is of an instruction alone: its opcode, shape and attributes and the computations it calls, without its operands.
	Op, OpFamily []uint64
	// Comp is of a computation: its root and, in any order, all that is live in it, so that work done twice counts twice.
	Comp, CompFamily []uint64
}

// Fingerprint is the hash of the whole program in 16 hex digits.
func (p *Prints) Fingerprint() string { return fmt.Sprintf("%016x", p.Module) }

// Fingerprint hashes the whole program; see [Prints].
func (m *Module) Fingerprint() string { return m.Prints().Fingerprint() }

// Prints hashes every instruction and computation in one pass. Keep the result.
func (m *Module) Prints() *Prints {
	n, c := len(m.Instrs), len(m.Comps)
	p := printer{m: m, p: &Prints{
		Instr: make([]uint64, n), Family: make([]uint64, n), Op: make([]uint64, n), OpFamily: make([]uint64, n),
		Comp: make([]uint64, c), CompFamily: make([]uint64, c),
	}}
	p.prepare()
	for c := range m.Comps {
		p.computation(CompID(c))
	}
	p.p.Module = p.module()
	return p.p
}

// printer makes the prints of one module. Callees stand before callers and operands before users, so one pass is enough.
type printer struct {
	m         *Module
	p         *Prints
	shapes    []digest
	opcodes   []digest
	addresses map[InstrID]bool // constants that hold the address of a callback
	effects   []bool           // computations that do more than compute their result
	live      []bool           // instructions of the computation at hand

	attributes attrReader
	note       func(key string, value []byte) bool // calls attribute
	in         *Instruction                        // whose attributes are being hashed
	target     string                              // its custom_call_target
	attrs      []digest                            // of its attributes
	before     []byte                              // its control predecessors, as printed
	names      map[string]InstrID                  // of the computation at hand, nil until one is asked for
}

func (p *printer) prepare() {
	m := p.m
	p.shapes = make([]digest, len(m.shapes.list))
	for id := range m.shapes.list {
		p.shapes[id] = p.shape(&m.shapes.list[id])
	}
	for op := range len(opcodeNames) + len(m.unknown) {
		p.opcodes = append(p.opcodes, both(hashText(m.OpcodeName(Opcode(op)))))
	}
	p.note = func(key string, value []byte) bool {
		p.attribute(key, value)
		return true
	}
	p.effects = make([]bool, len(m.Comps))
	p.addresses = m.callbackAddresses()
}

// computation hashes the instructions of a computation, then what is live in it.
func (p *printer) computation(c CompID) {
	p.names = nil
	first, end := p.m.Body(c)
	for i := first; i < end; i++ {
		p.instruction(i)
	}
	p.findLive(c)
	var all digest
	for i := first; i < end; i++ {
		if p.live[i-first] {
			all = all.plus(p.instr(i))
		}
	}
	d := p.instr(p.m.Comps[c].Root).and(all)
	p.p.Comp[c], p.p.CompFamily[c] = d.full, d.family
}

func (p *printer) instr(i InstrID) digest { return digest{p.p.Instr[i], p.p.Family[i]} }
func (p *printer) comp(c CompID) digest   { return digest{p.p.Comp[c], p.p.CompFamily[c]} }

func (p *printer) instruction(i InstrID) {
	op, operands := p.operation(i)
	d := op
	for _, o := range operands {
		d = d.and(p.instr(o))
	}
	d = d.and(p.predecessors(i))
	p.p.Op[i], p.p.OpFamily[i] = op.full, op.family
	p.p.Instr[i], p.p.Family[i] = d.full, d.family
}

// operation hashes an instruction alone and returns its operands; it looks through what only wraps another instruction.
func (p *printer) operation(i InstrID) (digest, []InstrID) {
	m, in := p.m, &p.m.Instrs[i]
	switch in.Opcode {
	case OpCall:
		if root, wraps := p.wrapped(i); wraps && m.isParallel(root) {
			return digest{p.p.Op[root], p.p.OpFamily[root]}, p.through(i, root)
		}
	case OpAsyncStart:
		if root, wraps := p.wrapped(i); wraps {
			w := &m.Instrs[root]
			return p.start(w.Opcode, w.Shape, m.Callees(root), i, root), p.through(i, root)
		}
	case OpAllReduceStart:
		return p.start(OpAllReduce, in.Shape, m.Callees(i), i, NoInstr), m.Operands(i)
	case OpAllGatherStart:
		return p.start(OpAllGather, m.started(in.Shape), m.Callees(i), i, NoInstr), m.Operands(i)
	case OpCollectivePermuteStart:
		return p.start(OpCollectivePermute, m.started(in.Shape), m.Callees(i), i, NoInstr), m.Operands(i)
	case OpAsyncUpdate, OpAsyncDone, OpAllReduceDone, OpAllGatherDone, OpCollectivePermuteDone:
		return p.plain(asyncStep(in.Opcode), in.Shape, nil, i, NoInstr), m.Operands(i)
	}
	return p.plain(in.Opcode, in.Shape, m.Callees(i), i, NoInstr).and(p.argument(i)), m.Operands(i)
}

// plain hashes an opcode with a shape, callees and the attributes of an instruction and of the one that it wraps, if any.
func (p *printer) plain(op Opcode, shape ShapeID, callees []CompID, i, wrapped InstrID) digest {
	d := p.opcodes[op].and(p.shapes[shape]).and(p.attributesOf(i, wrapped))
	for _, c := range callees {
		d = d.and(p.comp(c))
	}
	return d
}

// argument hashes what stands in the parentheses of a parameter or constant, and the index of a tuple's element.
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

// shape hashes a shape; elements stand before the tuples that hold them.
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

// module hashes the entry computation, what it may overwrite and what it may free.
func (p *printer) module() uint64 {
	var aliases, donors uint64
	for _, a := range p.m.Header.Aliases {
		h := mix(hashNumbers(a.Output), hashNumbers(a.ParamIndex))
		aliases += mix(mix(h, uint64(a.Param)), hashBool(a.Must))
	}
	for _, d := range p.m.Header.Donors {
		donors += mix(hashNumbers(d.ParamIndex), uint64(d.Param))
	}
	return mix(mix(p.p.Comp[p.m.Entry], aliases), donors)
}
