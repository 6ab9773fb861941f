package hlo

import (
	"cmp"
	"slices"
)

// attributesOf hashes the attributes of an instruction, in any order. With those of the instruction that it wraps each counts
// once.
func (p *printer) attributesOf(i, wrapped InstrID) (sum digest) {
	p.attrs = p.attrs[:0]
	p.collect(i)
	if wrapped != NoInstr {
		p.collect(wrapped)
		slices.SortFunc(p.attrs, func(a, b digest) int { return cmp.Compare(a.full, b.full) })
		p.attrs = slices.Compact(p.attrs)
	}
	for _, d := range p.attrs {
		sum = sum.plus(d)
	}
	return sum
}

func (p *printer) collect(i InstrID) {
	p.in, p.target = &p.m.Instrs[i], ""
	p.attributes.each(p.m, i, p.note)
}

// attribute hashes one attribute, unless it is noise.
func (p *printer) attribute(key string, value []byte) {
	if isDefault(key, value) {
		return
	}
	var d digest
	switch key {
	case "index", "origin", "statistics", "outer_dimension_partitions": // a tuple's index is hashed as a number
		return
	case "control-predecessors":
		p.before = append(p.before, value...)
		return
	case "channel_id": // that there is one matters, not which
	case "slice":
		d.full = hashText(canonicalSlice(string(value)))
	case "padding":
		d.full = hashText(canonicalPadding(string(value)))
	case "dynamic_slice_sizes", "slice_sizes", "operand_layout_constraints", "outfeed_shape":
		d.full = hashText(value)
	case "window":
		d = p.window(value)
	case "type":
		if string(value) == p.m.comparison(p.in) {
			return
		}
		d = both(hashText(value))
	case "order": // newer than type=TOTALORDER
		key, d = "type", both(hashText("TOTALORDER"))
	case "replica_groups":
		d = both(hashGroups(value))
	case "frontend_attributes":
		if d = frontendDigest(value); d == (digest{}) {
			return
		}
	case "backend_config":
		if d = p.config(value); d == (digest{}) {
			return
		}
	default:
		if key == "custom_call_target" {
			p.target = string(value)
		}
		d = both(hashText(value))
	}
	p.attrs = append(p.attrs, both(hashText(key)).and(d))
}

// window keeps a convolution's window in its family: it does not grow with the batch. A cumulative sum's does.
func (p *printer) window(value []byte) digest {
	window := canonicalWindow(string(value))
	if p.in.Opcode == OpReduceWindow {
		return digest{full: hashText(window)}
	}
	return both(hashText(window))
}

// noisyAttributes are frontend attributes that name other instructions or number them.
var noisyAttributes = map[string]bool{
	"async_collective_name": true, "chain_id": true, "fingerprint_before_lhs": true, "kernel_metadata": true,
	"_scheduling_group_id": true,
}

func frontendDigest(value []byte) (sum digest) {
	for k, v := range text(value).dictionary(Range{0, uint32(len(value))}) {
		if !noisyAttributes[k] {
			sum = sum.plus(both(mix(hashText(k), hashText(v))))
		}
	}
	return sum
}

// predecessors hashes what must run before an instruction although it does not use it.
func (p *printer) predecessors(i InstrID) (sum digest) {
	if len(p.before) == 0 {
		return digest{}
	}
	t := text(p.before)
	for at := 0; at < len(t); {
		end := t.ident(at)
		if before, found := p.named(p.m.Instrs[i].Comp, t[at:end]); found && before < i {
			sum = sum.plus(p.instr[before-p.first])
		}
		at = max(end, at+1)
	}
	p.before = p.before[:0]
	return sum
}

// named finds an instruction of the computation at hand. Its names are only looked at when one is asked for.
func (p *printer) named(c CompID, name []byte) (InstrID, bool) {
	if p.names == nil {
		p.names = make(map[string]InstrID)
		for i, end := p.m.Body(c); i < end; i++ {
			p.names[p.m.InstrName(i)] = i
		}
	}
	i, found := p.names[string(name)]
	return i, found
}
