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
	if metadata, last := a.metadataLast(in); last && in.callees.n == 0 {
		return a.spelled(h, in, src[in.Attrs.Start:metadata])
	}
	h, rest := a.named(h, in)
	return a.spelled(h, in, src[rest:in.Attrs.End])
}

// named hashes the attributes up to the metadata, without the names of computations, and says where the others begin.
func (a *Alike) named(h uint64, in *Instruction) (hash uint64, rest uint32) {
	t := text(a.m.src)
	key, value, ok := t.attributeKey(int(in.Attrs.Start))
	for ok && key.End <= in.Attrs.End {
		name := t[key.Start:key.End]
		if in.meta != 0 && string(name) == "metadata" {
			return h, uint32(value + a.m.metas[in.meta].Len())
		}
		h = mix(h, hashText([]byte(name)))
		end := t.attributeValue(key, value)
		if _, callee := calleeRole(name); !callee {
			h = a.spelled(h, in, t[key.Start:end])
		}
		key, value, ok = t.attributeKey(end)
	}
	return h, in.Attrs.End
}

const metadataKey = "metadata="

// metadataLast says where an instruction's metadata begins if nothing stands behind it, as is mostly so.
func (a *Alike) metadataLast(in *Instruction) (start uint32, last bool) {
	src, n := a.m.src, a.m.metas[in.meta].Len()+len(metadataKey)
	if in.meta == 0 || in.Attrs.Len() < n {
		return 0, false
	}
	at := int(in.Attrs.End) - n
	return uint32(at), string(src[at:at+len(metadataKey)]) == metadataKey
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
