// Package hlo reads HLO modules (text and HloProto), and walks, prices and fingerprints them.
//
// A [Module] keeps its instructions in flat slices indexed by 32-bit ids, and names and attributes as byte ranges of the
// source it was read from: nothing is copied or decoded before somebody asks for it. The text and the proto form of one
// module answer every question alike.
package hlo

// InstrID indexes [Module.Instrs]. NoInstr stands for none.
type InstrID int32

// CompID indexes [Module.Comps]. NoComp stands for none.
type CompID int32

// ShapeID indexes the module's interned shapes; see [Module.Shape].
type ShapeID int32

// The ids that stand for "none".
const (
	NoInstr InstrID = -1
	NoComp  CompID  = -1
)

// Format tells what a module was read from.
type Format uint8

// The formats that a module is read from.
const (
	FormatText  Format = iota // XLA's HLO text
	FormatProto               // a serialized HloProto or HloModuleProto
)

// Range is a half-open range of bytes in a module's source.
type Range struct{ Start, End uint32 }

// Len is the number of bytes in the range.
func (r Range) Len() int { return int(r.End - r.Start) }

// Module is one HLO module. In Comps callees stand before callers, in a computation operands before users, as XLA prints them.
// The instructions of one computation lie together in Instrs, but not always in the order of Comps.
type Module struct {
	Name   string // from the module's own header, which is authoritative over the file name
	Header Header
	Format Format
	Comps  []Computation
	Instrs []Instruction // see [Module.Body]
	Entry  CompID

	operands []InstrID // lists, each behind its length; see Instruction.operands
	callees  []CompID  // likewise
	shapes   shapeTable
	frames   frameTables
	metas    []Range            // distinct metadata by MetadataID, as the source spells it; the first is empty
	unknown  []string           // spellings of opcodes that are not in the table: Opcode(opUnknown+i)
	made     []string           // names of computations that the reader made; see Computation.made
	src      []byte             // the text or the serialized proto that every Range refers to
	payloads []Range            // HloModuleProto.payloads (22), for deduplicated backend configs
	ids      map[CompID][]int64 // of the instructions in a proto's computations that have control predecessors
}

// Header holds what stands on the module's first line.
type Header struct {
	IsScheduled   bool
	NumPartitions int64 // 1 unless said otherwise
	ReplicaCount  int64 // 1 unless said otherwise
	Aliases       []Alias
	Donors        []Donor
	Attributes    map[string]string // frontend_attributes of the module
	// OperandsLeftOut tells that a compact print left out operands ("...(+3)"): edges are missing.
	OperandsLeftOut bool
}

// Alias is one entry of input_output_alias: an output buffer that reuses a parameter's.
type Alias struct {
	Output     []int64 // index into the result tuple; empty for a non-tuple result
	Param      int64
	ParamIndex []int64
	Must       bool // must-alias rather than may-alias
}

// Donor is one entry of buffer_donor: a donated parameter that no output was matched with.
type Donor struct {
	Param      int64
	ParamIndex []int64
}

// Computation is a named list of instructions, in the order of the file (the schedule, where the module is scheduled).
type Computation struct {
	Name   Range
	Source Range // in a text from the opening brace to behind the closing one, in a proto the HloComputationProto
	Thread Range // execution_thread; empty for the main thread
	First  InstrID
	Count  int32
	Root   InstrID
	// made is the place + 1 in Module.made of the name of a computation that the reader made when it undid syntactic sugar
	// (`<op>-start`); 0 when it stands in the source.
	made    int32
	wrapped bool // it holds the operation of an `<op>-start`
}

// Instruction is one operation. Ask the module for its name, operands, callees, attributes and metadata.
type Instruction struct {
	Shape ShapeID
	Comp  CompID
	// Param is the parameter number of a parameter and the tuple index of a get-tuple-element.
	Param  int32
	Opcode Opcode

	nameLen  uint16
	name     uint32 // where in the source its name begins, without %
	args     uint32 // where in a text begins what stands in the parentheses, and in a proto the HloInstructionProto
	attrs    uint32 // where in a text the attributes begin, and in a proto the HloInstructionProto ends; 0: see bare
	operands uint32 // where in Module.operands the length of its list stands; all that have none share the one at 0
	callees  uint32 // likewise
	meta     MetadataID
}

// bare tells that an instruction has no attributes but metadata, callees and the index of a get-tuple-element.
func (in *Instruction) bare() bool { return in.attrs == 0 }

// message is where in a proto the HloInstructionProto of an instruction lies that is not bare.
func (in *Instruction) message() Range { return Range{in.args, in.attrs} }

// maxName is the longest name in bytes; those of real modules have some dozens.
const maxName = 1<<16 - 1

// Body returns the ids of a computation's first instruction and the one behind its last.
func (m *Module) Body(c CompID) (first, end InstrID) {
	comp := &m.Comps[c]
	return comp.First, comp.First + InstrID(comp.Count)
}

// Operands returns the instruction's operands. The slice belongs to the module.
func (m *Module) Operands(i InstrID) []InstrID {
	return listAt(m.operands, m.Instrs[i].operands)
}

// Callees returns the computations that an instruction calls, in this order: while [body, condition]; conditional its
// branches (for a predicate: true, false); every other the order in which they are printed. The slice belongs to the module.
func (m *Module) Callees(i InstrID) []CompID {
	return listAt(m.callees, m.Instrs[i].callees)
}

// list is the one whose length stands at a place.
func listAt[T ~int32](lists []T, at uint32) []T {
	first := at + 1
	return lists[first : first+uint32(lists[at])]
}

// InstrName is the instruction's name without %.
func (m *Module) InstrName(i InstrID) string { return string(m.nameOf(i)) }

// NameLen is how many bytes the instruction's name has.
func (m *Module) NameLen(i InstrID) int { return int(m.Instrs[i].nameLen) }

func (m *Module) nameOf(i InstrID) []byte {
	in := &m.Instrs[i]
	return m.src[in.name : in.name+uint32(in.nameLen)]
}

// FindInstrs fills in the instructions whose names are the keys; of several with one name the last.
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

// CompName is the computation's name without %.
func (m *Module) CompName(c CompID) string {
	if n := m.Comps[c].made; n > 0 {
		return m.made[n-1]
	}
	return m.Text(m.Comps[c].Name)
}

// Text copies a range of the module's source.
func (m *Module) Text(r Range) string { return string(m.src[r.Start:r.End]) }

// OpcodeName is the opcode's spelling in HLO text.
func (m *Module) OpcodeName(op Opcode) string {
	if int(op) < NumOpcodes {
		return opcodeNames[op]
	}
	return m.unknown[int(op)-NumOpcodes]
}
