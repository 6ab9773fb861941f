// Package hlo reads HLO modules, text and HloProto, and fingerprints them.
//
// A [Module] keeps its instructions in flat slices indexed by 32-bit ids, and names and attributes as byte ranges of its source. It
// copies and decodes them when they are asked for. The text and the proto form of a module give equal answers.
//
// The text reader (text_*.go) and the proto reader (proto_*.go) fill a module through one builder (builder.go). [Alike] finds computations
// that are equal but for names, [Prints] fingerprints the module (fingerprint*.go).
package hlo

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// InstrID indexes [Module.Instrs].
type InstrID int32

// CompID indexes [Module.Comps].
type CompID int32

// ShapeID indexes the module's interned shapes; see [Module.Shape].
type ShapeID int32

// The ids of no instruction, computation and shape.
const (
	NoInstr InstrID = -1
	NoComp  CompID  = -1
	NoShape ShapeID = -1
)

// Format is the format that a module was read from.
type Format uint8

// The formats.
const (
	FormatText  Format = iota // XLA's HLO text
	FormatProto               // a serialized HloProto or HloModuleProto
)

// Range is a half-open range of bytes in a module's source.
type Range struct{ Start, End uint32 }

// Len returns the number of bytes in the range.
func (r Range) Len() int { return int(r.End - r.Start) }

// Module is one HLO module. In Comps callees come before callers, in a computation operands before users, as XLA prints them. The
// instructions of one computation are contiguous in Instrs, but not always in the order of Comps.
type Module struct {
	Name   string // as the module says, whatever the name of its file
	Header Header
	Format Format
	Comps  []Computation
	Instrs []Instruction // see [Module.Body]
	Entry  CompID

	operands []InstrID // lists, each preceded by its length; see Instruction.operands
	callees  []CompID  // likewise
	shapes   shapeTable
	frames   frameTables
	metas    []Range  // distinct metadata by MetadataID; the first is empty
	unknown  []string // spellings of the opcodes from NumOpcodes on
	made     []string // names of the computations that have none in the source; see Computation.made
	src      []byte   // the text or the serialized proto that all Ranges refer to
	protoParts
}

// protoParts is what only a module that was read from a proto has.
type protoParts struct {
	payloads []Range            // HloModuleProto.payloads (22): backend configs that several instructions have
	printers sync.Pool          // of *attrPrinter: those that are not in use
	ids      map[CompID][]int64 // of the instructions in those computations that have control predecessors
}

// Header holds the first line of a module.
type Header struct {
	IsScheduled   bool
	NumPartitions int64 // 1 by default
	ReplicaCount  int64 // 1 by default
	Aliases       []Alias
	Donors        []Donor
	Attributes    map[string]string // frontend_attributes of the module
}

// Alias is an entry of input_output_alias: an output that reuses the buffer of a parameter.
type Alias struct {
	Output     []int64 // index into the result, empty unless that is a tuple
	Param      int64
	ParamIndex []int64
	Must       bool // must-alias rather than may-alias
}

// Donor is an entry of buffer_donor: a donated parameter whose buffer no output reuses.
type Donor struct {
	Param      int64
	ParamIndex []int64
}

// Computation is a named list of instructions, in the order of the file (the schedule, where the module is scheduled).
type Computation struct {
	Name    Range
	Source  Range // in a text the braces and all between them, in a proto the HloComputationProto
	Thread  Range // execution_thread; empty for the main thread
	First   InstrID
	Count   int32
	Root    InstrID
	made    int32 // index + 1 into Module.made of the name of a computation that has none in the source; 0: it has one
	wrapped bool  // it holds the operation of an `<op>-start`, whose line has the operation's attributes, too
	shares  bool  // it has no print of its own: the line of the start is also the operation's
}

// Instruction is one operation. The methods of [Module] return its name, operands, callees, attributes and metadata. There are many: its fields leave no gaps.
type Instruction struct {
	says  uint64 // a hash of the attributes that it has not otherwise, and of a constant's literal; see Alike.Own
	Shape ShapeID
	Comp  CompID
	// Param is the parameter number of a parameter, the tuple index of a get-tuple-element, and of a fusion its place in fusionKinds.
	Param  int32
	Opcode Opcode

	// Offsets in the source:
	nameLen uint16
	name    uint32 // of the name, without %
	args    uint32 // in a text of the text in the parentheses, in a proto of the HloInstructionProto
	attrs   uint32 // in a text of the attributes, in a proto of the end of the HloInstructionProto; 0: see bare

	operands uint32 // index into Module.operands of the length of its list; instructions without operands have the index 0
	callees  uint32 // likewise
	meta     MetadataID
}

// bare reports whether an instruction has no attributes but metadata, callees and the index of a get-tuple-element.
func (in *Instruction) bare() bool { return in.attrs == 0 }

// message returns the HloInstructionProto of an instruction of a proto that is not bare.
func (in *Instruction) message() Range { return Range{in.args, in.attrs} }

// maxName is the length of the longest name, in bytes.
const maxName = 1<<16 - 1

// Body returns the ids of the first instruction of a computation and of the one behind its last.
func (m *Module) Body(c CompID) (first, end InstrID) {
	comp := &m.Comps[c]
	return comp.First, comp.First + InstrID(comp.Count)
}

// Operands returns the instruction's operands. The slice belongs to the module.
func (m *Module) Operands(i InstrID) []InstrID {
	return listAt(m.operands, m.Instrs[i].operands)
}

// Callees returns the computations that an instruction calls: of a while the body and the condition, of a conditional its branches (those
// for true and false), of any other in printed order. The slice belongs to the module.
func (m *Module) Callees(i InstrID) []CompID {
	return listAt(m.callees, m.Instrs[i].callees)
}

// listAt returns the list whose length is at an index.
func listAt[T ~int32](lists []T, at uint32) []T {
	first := at + 1
	return lists[first : first+uint32(lists[at])]
}

// InstrName returns the name of an instruction without %.
func (m *Module) InstrName(i InstrID) string { return string(m.nameOf(i)) }

func (m *Module) nameOf(i InstrID) []byte {
	in := &m.Instrs[i]
	return m.src[in.name : in.name+uint32(in.nameLen)]
}

// FindInstrs sets the value of each key to the instruction of that name, the last where several have it. It leaves the values of names
// that no instruction has, and all values that are not NoInstr.
func (m *Module) FindInstrs(byName map[string]InstrID) {
	left := len(byName)
	for i := len(m.Instrs) - 1; i >= 0 && left > 0; i-- {
		name := m.nameOf(InstrID(i))
		if known, wanted := byName[string(name)]; wanted && known == NoInstr {
			byName[string(name)] = InstrID(i)
			left--
		}
	}
}

// CompName returns the name of a computation without %.
func (m *Module) CompName(c CompID) string {
	if n := m.Comps[c].made; n > 0 {
		return m.made[n-1]
	}
	return m.Text(m.Comps[c].Name)
}

// Text returns a range of the module's source.
func (m *Module) Text(r Range) string { return string(m.src[r.Start:r.End]) }

// Source returns the file that the module was read from, decompressed.
func (m *Module) Source() []byte { return m.src }

// OpcodeName returns the spelling of an opcode in HLO text.
func (m *Module) OpcodeName(op Opcode) string {
	if int(op) < NumOpcodes {
		return opcodeNames[op]
	}
	return m.unknown[int(op)-NumOpcodes]
}

// Params returns the parameters of a computation by number, NoInstr for a number that it does not have.
func (m *Module) Params(c CompID) (params []InstrID) {
	first, end := m.Body(c)
	for id := first; id < end; id++ {
		if in := &m.Instrs[id]; in.Opcode == OpParameter && in.Param >= 0 && in.Param < int32(end-first) {
			for int(in.Param) >= len(params) {
				params = append(params, NoInstr)
			}
			params[in.Param] = id
		}
	}
	return params
}

// Users holds the users of the instructions of a module. It finds those of a computation when the first is asked for. It is not to be asked by
// several goroutines at once.
type Users struct {
	m          *Module
	found      []bool   // by CompID
	start, end []uint32 // by InstrID: its users are list[start:end]
	list       []InstrID
}

// Users returns the users of the instructions of a module. Keep the result.
func (m *Module) Users() *Users {
	n := len(m.Instrs)
	return &Users{m: m, found: make([]bool, len(m.Comps)), start: make([]uint32, n), end: make([]uint32, n), list: make([]InstrID, 0, len(m.operands))}
}

// Of returns the instructions that have i as an operand, in order, each once. The slice belongs to u.
func (u *Users) Of(i InstrID) []InstrID {
	if c := u.m.Instrs[i].Comp; !u.found[c] {
		u.find(c)
	}
	return u.list[u.start[i]:u.end[i]]
}

// find finds the users of all instructions of a computation in one pass.
func (u *Users) find(c CompID) {
	u.found[c] = true
	first, end := u.m.Body(c)
	for i := first; i < end; i++ {
		for _, o := range u.m.Operands(i) {
			u.start[o]++
		}
	}
	at := uint32(len(u.list))
	for i := first; i < end; i++ {
		at, u.start[i], u.end[i] = at+u.start[i], at, at
	}
	u.list = u.list[:at]
	for i := first; i < end; i++ {
		for _, o := range u.m.Operands(i) {
			if end := u.end[o]; end == u.start[o] || u.list[end-1] != i {
				u.list[end] = i
				u.end[o]++
			}
		}
	}
}

// Parse reads a module from a proto, which begins with control characters, or from text. Errors name the file. The module keeps src.
func Parse(src []byte, file string) (*Module, error) {
	if slices.ContainsFunc(src[:min(len(src), 1<<10)], func(c byte) bool { return c < ' ' && !strings.ContainsRune("\t\n\v\f\r", rune(c)) }) {
		return ParseProto(src, file)
	}
	return ParseText(src, file)
}

// caught calls read and returns the *SyntaxError that it throws.
func caught(read func()) (err error) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case *SyntaxError:
			err = failure
		default:
			panic(failure)
		}
	}()
	read()
	return nil
}

// SyntaxError is the reason why a module could not be read, and where.
type SyntaxError struct {
	File         string
	Line, Column int    // 1-based, in bytes; 0 for a proto
	Offset       int64  // bytes from the start
	Near         string // the text at that place, at most 40 bytes
	Message      string // "the file ends inside an instruction of %fused_computation.4"
}

// Error returns the place, the message and the text at that place.
func (e *SyntaxError) Error() string {
	place := fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	if e.Line == 0 {
		place = fmt.Sprintf("%s: at byte %d", e.File, e.Offset)
	}
	if e.Near == "" {
		return place + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s, near %q", place, e.Message, e.Near)
}
