package hlo

import "bytes"

// text hashes a constant's literal and the attributes, but for metadata and the names of computations.
func (a *Alike) text(h uint64, in *Instruction) uint64 {
	src := a.m.src
	if in.Opcode == OpConstant {
		h = mix(h, hashText(src[in.Args.Start:in.Args.End]))
	}
	if in.bare {
		return h
	}
	if before := a.beforeMetadata(in); before.Len() > 0 && in.callees.n == 0 {
		return a.spelled(h, in, src[before.Start:before.End])
	}
	for key, value := range text(src).attributes(in.Attrs) {
		name := src[key.Start:key.End]
		if string(name) == "metadata" {
			continue
		}
		h = mix(h, hashText(name))
		if _, callee := calleeRole(name); !callee {
			h = a.spelled(h, in, src[key.Start:value.End])
		}
	}
	return h
}

const metadataKey = "metadata="

// beforeMetadata is what an instruction says up to its metadata, where this comes last as it mostly does; empty where it does not.
func (a *Alike) beforeMetadata(in *Instruction) Range {
	src, n := a.m.src, a.m.metas[in.meta].Len()+len(metadataKey)
	if in.meta == 0 || in.Attrs.Len() < n {
		return Range{}
	}
	end := int(in.Attrs.End) - n
	if string(src[end:end+len(metadataKey)]) != metadataKey {
		return Range{}
	}
	return Range{in.Attrs.Start, uint32(end)}
}

// orderedKey is the attribute whose names mean instructions of the same computation.
const orderedKey = "control-predecessors="

// spelled hashes attributes as they stand. What names instructions is like nothing in another computation.
func (a *Alike) spelled(h uint64, in *Instruction, attributes []byte) uint64 {
	if len(attributes) > len(orderedKey) && bytes.Contains(attributes, []byte(orderedKey)) {
		h = mix(h, uint64(in.Comp))
	}
	return mix(h, hashText(attributes))
}
