package hlo

import "bytes"

// text hashes a constant's literal and the attributes, but for metadata and the names of computations.
func (a *Alike) text(h uint64, in *Instruction) uint64 {
	t := text(a.m.src)
	if in.Opcode == OpConstant {
		h = mix(h, hashText(a.m.src[in.args:t.balanced(int(in.args)-1)]))
	}
	if in.bare() {
		return h
	}
	for key := t.key(int(in.attrs)); key.n > 0; {
		value := t.blanks(key.end() + 1)
		name := t[key.at:key.end()]
		end := 0
		if string(name) == "metadata" {
			end = t.knownValue(value, a.m.metas[in.meta])
		} else {
			end = t.attributeValue(key.bounds(), value)
			h = a.attribute(h, in, name, t[value:end])
		}
		key = t.key(end)
	}
	return h
}

// attribute hashes one attribute as it stands. What names instructions is like nothing in another computation.
func (a *Alike) attribute(h uint64, in *Instruction, key, value []byte) uint64 {
	h = mix(h, hashText(key))
	if _, callee := calleeRole(key); callee {
		return h
	}
	if string(key) == "control-predecessors" {
		h = mix(h, uint64(in.Comp))
	}
	return mix(h, hashText(value))
}

// knownValue skips a value that most often is spelled like another one.
func (t text) knownValue(i int, known Range) int {
	if known.Len() > 0 && bytes.HasPrefix(t[i:], t[known.Start:known.End]) {
		return i + known.Len()
	}
	return t.value(i)
}
