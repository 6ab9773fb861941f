package hlo

import (
	"fmt"
	"slices"
)

// builder fills a module; the text reader and the proto reader share it.
type builder struct {
	m       *Module
	shapes  spellingIndex // ShapeIDs by printed text or the bytes of a ShapeProto
	opcodes spellingIndex // numbers of opcodes by their spelling
	metas   metadataIndex
}

func newBuilder(src []byte, format Format) builder {
	const metas = 64 // a small module has
	b := builder{
		m:      &Module{Format: format, src: src, Entry: NoComp, metas: make([]Range, 1, metas)},
		shapes: newSpellingIndex(0), opcodes: newSpellingIndex(0),
	}
	b.metas.reset()
	b.metas.parts, b.metas.behind = make([]distinct, 1, metas), make([]MetadataID, 1, metas)
	return b
}

// reserve allocates for about so many instructions and computations.
func (b *builder) reserve(instrs, comps int) {
	const shortest = 32 // bytes of most instructions and computations: an estimate that makes them shorter is wrong
	instrs, comps = min(instrs, len(b.m.src)/shortest)+16, min(comps, len(b.m.src)/shortest)+1
	b.m.Instrs, b.m.Comps = make([]Instruction, 0, instrs), make([]Computation, 0, comps)
	b.m.operands, b.m.callees = append(make([]InstrID, 0, 2*instrs), 0), append(make([]CompID, 0, instrs/4), 0)
}

// keep appends an instruction to the module.
func (b *builder) keep(in *Instruction) InstrID {
	b.m.Instrs = append(b.m.Instrs, *in)
	return InstrID(len(b.m.Instrs) - 1)
}

// addOperands adds a list of operands to the module and returns its index; see [Instruction].
func (b *builder) addOperands(ids ...InstrID) uint32 { return addList(&b.m.operands, ids) }

// addCallees adds a list of callees to the module and returns its index.
func (b *builder) addCallees(ids ...CompID) uint32 { return addList(&b.m.callees, ids) }

func addList[T ~int32](lists *[]T, list []T) uint32 {
	if len(list) == 0 {
		return 0
	}
	at := len(*lists)
	*lists = append(append(*lists, T(len(list))), list...)
	return uint32(at)
}

// Errors of both readers.
const (
	tooManyOpcodes = "there are too many opcodes that no version of XLA knows"
	shapeTooLarge  = "the shape is too large: its size in bytes overflows 64 bits"
)

// unknownOpcode numbers an opcode that is not in the table. It returns false when there are too many of them.
func (b *builder) unknownOpcode(name string) (Opcode, bool) {
	op := NumOpcodes + len(b.m.unknown)
	b.m.unknown = append(b.m.unknown, name)
	return Opcode(op), op < int(noOpcode)
}

// finish completes a module whose computations are all there.
func (b *builder) finish() {
	used := map[string]int{}
	for i, name := range b.m.made { // they are unique as XLA makes them so: "async_wrapped", "async_wrapped.1"
		if n := used[name]; n > 0 {
			b.m.made[i] = fmt.Sprintf("%s.%d", name, n)
		}
		used[name]++
	}
	b.m.Instrs, b.m.operands = trimmed(b.m.Instrs), trimmed(b.m.operands)
}

// trimmed reallocates a slice with much unused capacity. A little more than was used costs less than a copy: its pages are never touched.
func trimmed[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/2 {
		return slices.Clip(slices.Clone(s))
	}
	return s
}
