package hlo

import (
	"fmt"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/wire"
)

// ParseProto reads a serialized HloProto, HloModuleProto or HloSnapshot. Errors name the file. The module keeps src, and decodes
// attributes, metadata and literals when they are asked for.
func ParseProto(src []byte, file string) (*Module, error) {
	r := &protoReader{builder: newBuilder(src, FormatProto), src: src, file: file}
	if err := caught(r.module); err != nil {
		return nil, err
	}
	return r.m, nil
}

// protoReader reads a proto into a module. It throws a *SyntaxError.
type protoReader struct {
	builder
	src  []byte
	file string

	computations idTable
	schedule     sequences
	last         spellingSlot // the last shape

	// Of the current computation:
	bodies       []Range // of its instructions
	ids          []int64 // of its instructions
	instructions idTable
	hasOrder     bool             // some of its instructions have control predecessors
	parts        [partCount]Range // of the current instruction
	operands     []InstrID        // likewise
	says         uint64           // likewise
	fusionKind   int32            // likewise, see fusionKinds
	callees      []CompID         // likewise
}

func (r *protoReader) fail(offset uint32, format string, args ...any) {
	panic(&SyntaxError{File: r.file, Offset: int64(offset), Message: wire.Plain(fmt.Sprintf(format, args...))})
}

// finished throws when a message was not read to its end.
func (r *protoReader) finished(f *fields, what string, name Range) {
	if f.broken != whole {
		r.damaged(f.at, what, name)
	}
}

func (r *protoReader) damaged(at int, what string, name Range) {
	if name.Len() > 0 {
		what += " " + r.m.Text(name)
	}
	r.fail(uint32(at), "%s is damaged: a field does not fit into it", what)
}

// moduleFields holds the fields of an HloModuleProto.
type moduleFields struct {
	start                                                        uint32
	name, schedule, aliases, frames, donors, attributes, devices Range
	entry                                                        int64
	computations, payloads                                       []Range
}

func (r *protoReader) module() {
	m := r.findModule()
	r.m.Name, r.m.payloads = r.m.Text(m.name), m.payloads
	r.findSequences(m.schedule)
	r.prepare(m.computations)
	for _, c := range m.computations {
		r.computation(c)
	}
	r.m.Entry = CompID(r.computations.find(m.entry))
	if r.m.Entry == NoComp {
		r.fail(m.start, "the entry computation (id %d) of module %s is not in the file", m.entry, r.m.Name)
	}
	if at := slices.Index(r.schedule.used, false); at >= 0 {
		r.fail(r.schedule.list[at].Start, "the schedule names a computation (id %d) that is not in the file", r.schedule.ids[at])
	}
	r.header(&m)
	r.finish()
}

// prepare allocates for the instructions. It counts those of large computations, estimates the others from some of them, and adds a little.
func (r *protoReader) prepare(computations []Range) {
	const samples, large = 64, 1 << 16
	counted, n, looked, all := 0, 0, 0, 0
	for i, c := range computations {
		if c.Len() > large {
			counted += r.countInstructions(c)
			continue
		}
		if all += c.Len(); i%(len(computations)/samples+1) == 0 {
			n, looked = n+r.countInstructions(c), looked+c.Len()
		}
	}
	n = counted + n*all/max(1, looked)
	r.reserve(n+n/32, len(computations))
	r.computations.reset(len(computations))
}

// split finds the fields of an HloModuleProto, or returns how the message is broken. It keeps no field that it does not know: a hostile file can have millions.
func (r *protoReader) split(body Range) (m moduleFields, broken brokenness) {
	m.start = body.Start
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes:
			m.name = f.body
		case 3<<3 | wireBytes:
			m.computations = append(m.computations, f.body)
		case 6<<3 | wireVarint:
			m.entry = int64(f.value)
		case 7<<3 | wireBytes:
			m.schedule = f.body
		case 8<<3 | wireBytes:
			m.aliases = f.body
		case 15<<3 | wireBytes:
			m.devices = f.body
		case 17<<3 | wireBytes:
			m.frames = f.body
		case 18<<3 | wireBytes:
			m.donors = f.body
		case 19<<3 | wireBytes:
			m.attributes = f.body
		case 22<<3 | wireBytes:
			m.payloads = append(m.payloads, f.body)
		}
	}
	return m, f.broken
}

// NamesInProto sets the value of each key to the name of the instruction with that id in a serialized HloModuleProto. In newer files the upper
// half of an id is that of the computation: others are skipped.
func NamesInProto(module []byte, byID map[int64]string) {
	in, left := map[int64]bool{0: true}, len(byID)
	for id := range byID {
		in[id>>32] = true
	}
	for c := fieldsOf(module, Range{0, uint32(len(module))}); left > 0 && c.next(); {
		if c.tag != 3<<3|wireBytes { // computations
			continue
		}
		wanted := true
		for w := (computationWalk{fields: fieldsOf(module, c.body)}); wanted && w.next(); {
			name, id := nameAndID(module, w.body)
			if known, ok := byID[id]; ok && known == "" && name.Len() > 0 {
				byID[id] = string(module[name.Start:name.End])
				left--
			}
			wanted = in[id>>32]
		}
	}
}

// nameAndID reads an instruction up to its id: protobuf writes the name before it.
func nameAndID(src []byte, instruction Range) (name Range, id int64) {
	for f := fieldsOf(src, instruction); f.next(); {
		switch f.tag {
		case 1<<3 | wireBytes:
			name = f.body
		case 35<<3 | wireVarint:
			return name, int64(f.value)
		}
	}
	return name, 0
}

func (r *protoReader) countInstructions(computation Range) int {
	n := 0
	for w := r.walk(computation); w.next(); {
		n++
	}
	return n
}

// findModule finds the HloModuleProto: the file itself, its field 1 (HloProto), or field 1 of that (HloSnapshot). In other protos the field of the
// computations holds something else.
func (r *protoReader) findModule() moduleFields {
	if len(r.src) > math.MaxUint32 {
		r.fail(0, "the file has %d bytes, more than 4 GiB", len(r.src))
	}
	file := Range{0, uint32(len(r.src))}
	if file.Len() == 0 {
		r.fail(0, "the file is empty")
	}
	f := fieldsOf(r.src, file) // of which none may be cut off, even behind the module
	for f.next() {
	}
	if f.broken == cutOff && r.src[0] == 1<<3|byte(wireBytes) {
		r.fail(uint32(f.at), "the file is cut off: a message that starts here is longer than the %d bytes that are left", len(r.src)-f.at)
	}
	if f.broken != whole {
		r.fail(uint32(f.at), "this is no serialized HLO module")
	}
	hlo := firstField(r.src, file, 1)
	for _, candidate := range []Range{firstField(r.src, hlo, 1), hlo, file} {
		hasInstructions := func(c Range) bool { return r.countInstructions(c) > 0 }
		if m, broken := r.split(candidate); broken == whole && slices.ContainsFunc(m.computations, hasInstructions) {
			return m
		}
	}
	r.fail(0, "this is no serialized HLO module: it has no computations")
	return moduleFields{}
}

// header reads the fields that the text has in its first line and in its stack-frame tables.
func (r *protoReader) header(p *moduleFields) {
	h, t := &r.m.Header, &r.m.frames
	h.NumPartitions, h.ReplicaCount = 1, 1
	r.part("the device assignment", p.devices, func(m *message) { // replica_count, computation_count
		if m.has(1) {
			h.ReplicaCount = m.number(1)
		}
		if m.has(2) {
			h.NumPartitions = m.number(2)
		}
	})
	r.part("input_output_alias", p.aliases, func(m *message) {
		for _, body := range m.bodies(1) {
			a := m.inside(body) // output_shape_index, parameter_number, parameter_shape_index, kind
			h.Aliases = append(h.Aliases, Alias{Output: a.list(1), Param: a.number(2), ParamIndex: a.list(3), Must: a.number(4) == 2})
		}
	})
	r.part("buffer_donor", p.donors, func(m *message) {
		for _, body := range m.bodies(1) {
			d := m.inside(body) // parameter_number, parameter_shape_index
			h.Donors = append(h.Donors, Donor{Param: d.number(1), ParamIndex: d.list(2)})
		}
	})
	r.part("frontend_attributes", p.attributes, func(m *message) {
		for _, body := range m.bodies(1) {
			if h.Attributes == nil {
				h.Attributes = make(map[string]string)
			}
			e := m.inside(body)
			h.Attributes[string(m.bytes(e.body(1)))] = string(m.bytes(e.body(2)))
		}
	})
	r.part("stack_frame_index", p.frames, func(m *message) {
		for _, body := range m.bodies(1) {
			t.files = append(t.files, string(m.bytes(body)))
		}
		for _, body := range m.bodies(2) {
			t.functions = append(t.functions, string(m.bytes(body)))
		}
		for _, body := range m.bodies(3) {
			n := m.numbersOf(body)
			t.locations = append(t.locations, frameLocation{int32(n[1]), int32(n[2]), int32(n[3]), int32(n[4])})
		}
		for _, body := range m.bodies(4) {
			n := m.numbersOf(body)
			t.frames = append(t.frames, stackFrame{int32(n[1]), int32(n[2])})
		}
	})
}

// part reads a message of the header. It throws when the message is damaged.
func (r *protoReader) part(what string, body Range, read func(m *message)) {
	damage := whole
	m := messageOf(r.src, body, &damage)
	if read(&m); damage != whole {
		r.damaged(int(body.Start), what, Range{})
	}
}
