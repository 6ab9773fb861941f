package hlo

import (
	"fmt"
	"math"
	"slices"
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

	// Of the current computation:
	bodies       []Range // of its instructions
	ids          []int64 // of its instructions
	instructions idTable
	hasOrder     bool             // some of its instructions have control predecessors
	parts        [partCount]Range // of the current instruction
}

func (r *protoReader) fail(offset uint32, format string, args ...any) {
	panic(&SyntaxError{File: r.file, Offset: int64(offset), Message: fmt.Sprintf(format, args...)})
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
	name, schedule, aliases, frames, donors, attributes, devices Range
	entry                                                        int64
	computations                                                 []Range
}

func (r *protoReader) module() {
	body, parts := r.findModule()
	r.m.Name = r.m.Text(parts.name)
	r.findSequences(parts.schedule)
	r.prepare(parts.computations)
	for _, c := range parts.computations {
		r.computation(c)
	}
	r.m.Entry = CompID(r.computations.find(parts.entry))
	if r.m.Entry == NoComp {
		r.fail(body.Start, "the entry computation (id %d) of module %s is not in the file", parts.entry, r.m.Name)
	}
	r.scheduleUsed()
	r.header(&parts)
	r.finish()
}

// prepare allocates for the instructions. It estimates their number from a sample of the computations.
func (r *protoReader) prepare(computations []Range) {
	every := max(64, len(computations)>>7)
	all, sampled, n := 0, 0, 0
	for i, c := range computations {
		all += c.Len()
		if i%every == 0 {
			sampled += c.Len()
			n += r.countInstructions(c)
		}
	}
	r.reserve(int(float64(n)*float64(all)/float64(max(sampled, 1)))+n/32, len(computations))
	r.computations.reset(len(computations))
}

// split finds the fields of an HloModuleProto, or returns how the message is broken.
func (r *protoReader) split(body Range) (p moduleFields, broken brokenness) {
	r.m.payloads = nil
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes:
			p.name = f.body
		case 3<<3 | wireBytes:
			p.computations = append(p.computations, f.body)
		case 6<<3 | wireVarint:
			p.entry = int64(f.value)
		case 7<<3 | wireBytes:
			p.schedule = f.body
		case 8<<3 | wireBytes:
			p.aliases = f.body
		case 15<<3 | wireBytes:
			p.devices = f.body
		case 17<<3 | wireBytes:
			p.frames = f.body
		case 18<<3 | wireBytes:
			p.donors = f.body
		case 19<<3 | wireBytes:
			p.attributes = f.body
		case 22<<3 | wireBytes:
			r.m.payloads = append(r.m.payloads, f.body)
		}
	}
	return p, f.broken
}

func (r *protoReader) countInstructions(computation Range) int {
	n := 0
	for f := fieldsOf(r.src, computation); f.next(); {
		if f.tag == 2<<3|wireBytes {
			n++
		}
	}
	return n
}

// findModule finds the HloModuleProto: the file itself, its field 1 (HloProto), or field 1 of that (HloSnapshot).
func (r *protoReader) findModule() (Range, moduleFields) {
	if len(r.src) > math.MaxUint32 {
		r.fail(0, "the file has %d bytes, more than 4 GiB", len(r.src))
	}
	file := Range{0, uint32(len(r.src))}
	r.checkFrame(file)
	hlo := r.firstField(file)
	for _, candidate := range []Range{r.firstField(hlo), hlo, file} {
		if parts, broken := r.split(candidate); broken == whole && r.anyInstructions(parts.computations) {
			return candidate, parts
		}
	}
	r.fail(0, "this is no serialized HLO module: it has no computations")
	return Range{}, moduleFields{}
}

// checkFrame refuses a file that is cut off, even behind the module.
func (r *protoReader) checkFrame(file Range) {
	if file.Len() == 0 {
		r.fail(0, "the file is empty")
	}
	f := fieldsOf(r.src, file)
	for f.next() {
	}
	if f.broken == cutOff && r.src[0] == 1<<3|byte(wireBytes) {
		r.fail(uint32(f.at), "the file is cut off: a message that starts here is longer than the %d bytes that are left",
			len(r.src)-f.at)
	}
	if f.broken != whole {
		r.fail(uint32(f.at), "this is no serialized HLO module")
	}
}

// firstField returns the body of a message's field 1, empty when it has none.
func (r *protoReader) firstField(message Range) Range {
	for f := fieldsOf(r.src, message); f.next(); {
		if f.tag == 1<<3|wireBytes {
			return f.body
		}
	}
	return Range{}
}

// anyInstructions reports whether messages are computations. In other protos the field holds something else.
func (r *protoReader) anyInstructions(computations []Range) bool {
	return slices.ContainsFunc(computations, func(c Range) bool { return r.countInstructions(c) > 0 })
}

// header reads the fields that the text has in its first line and in its stack-frame tables.
func (r *protoReader) header(p *moduleFields) {
	h := &r.m.Header
	h.NumPartitions, h.ReplicaCount = 1, 1
	r.devices(p.devices)
	r.aliases(p.aliases)
	r.donors(p.donors)
	h.Attributes = r.attributes(p.attributes)
	r.frameTables(p.frames)
}

// devices reads a DeviceAssignmentProto, the only message with the counts.
func (r *protoReader) devices(body Range) {
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // replica_count
			r.m.Header.ReplicaCount = int64(f.value)
		case 2<<3 | wireVarint: // computation_count
			r.m.Header.NumPartitions = int64(f.value)
		}
	}
	r.finished(&f, "the device assignment", Range{})
}

func (r *protoReader) aliases(body Range) {
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // entries
			r.m.Header.Aliases = append(r.m.Header.Aliases, r.alias(f.body))
		}
	}
	r.finished(&f, "input_output_alias", Range{})
}

func (r *protoReader) alias(body Range) (a Alias) {
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes, 1<<3 | wireVarint: // output_shape_index
			a.Output = appendNumbers(a.Output, &f)
		case 2<<3 | wireVarint: // parameter_number
			a.Param = int64(f.value)
		case 3<<3 | wireBytes, 3<<3 | wireVarint: // parameter_shape_index
			a.ParamIndex = appendNumbers(a.ParamIndex, &f)
		case 4<<3 | wireVarint: // kind
			a.Must = f.value == 2
		}
	}
	r.finished(&f, "input_output_alias", Range{})
	return a
}

func (r *protoReader) donors(body Range) {
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // entries
			r.m.Header.Donors = append(r.m.Header.Donors, r.donor(f.body))
		}
	}
	r.finished(&f, "buffer_donor", Range{})
}

func (r *protoReader) donor(body Range) (d Donor) {
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // parameter_number
			d.Param = int64(f.value)
		case 2<<3 | wireBytes, 2<<3 | wireVarint: // parameter_shape_index
			d.ParamIndex = appendNumbers(d.ParamIndex, &f)
		}
	}
	r.finished(&f, "buffer_donor", Range{})
	return d
}

// attributes reads FrontendAttributes, a map. It returns nil when there are none.
func (r *protoReader) attributes(body Range) map[string]string {
	var attributes map[string]string
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag != 1<<3|wireBytes { // map
			continue
		}
		if attributes == nil {
			attributes = make(map[string]string)
		}
		key, value := mapEntry(&f)
		attributes[r.m.Text(key)] = r.m.Text(value)
	}
	r.finished(&f, "frontend_attributes", Range{})
	return attributes
}

// mapEntry reads an entry of a map from string to string.
func mapEntry(f *fields) (key, value Range) {
	e := fieldsOf(f.src, f.body)
	for e.next() {
		switch e.tag {
		case 1<<3 | wireBytes:
			key = e.body
		case 2<<3 | wireBytes:
			value = e.body
		}
	}
	f.broken = e.broken
	return key, value
}

// frameTables reads a StackFrameIndexProto.
func (r *protoReader) frameTables(body Range) {
	t := &r.m.frames
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // file_names
			t.files = append(t.files, r.m.Text(f.body))
		case 2<<3 | wireBytes: // function_names
			t.functions = append(t.functions, r.m.Text(f.body))
		case 3<<3 | wireBytes: // file_locations
			n := r.numbers(f.body)
			t.locations = append(t.locations, frameLocation{file: n[1], function: n[2], line: n[3], column: n[4]})
		case 4<<3 | wireBytes: // stack_frames
			n := r.numbers(f.body)
			t.frames = append(t.frames, stackFrame{location: n[1], parent: n[2]})
		}
	}
	r.finished(&f, "stack_frame_index", Range{})
}

// numbers reads a message of numbers, by field number.
func (r *protoReader) numbers(body Range) (n [8]int32) {
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag < len(n)<<3 && f.tag&7 == wireVarint {
			n[f.tag>>3] = int32(f.value)
		}
	}
	r.finished(&f, "stack_frame_index", Range{})
	return n
}
