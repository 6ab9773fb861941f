package hlo

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
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

// config hashes a backend_config: JSON with its keys in any order, an MLIR dictionary likewise, anything else as it stands. It is
// nothing when all of it is noise, or an address.
func (p *printer) config(value []byte) digest {
	if isCallback(p.target) {
		return digest{} // the address or the number of a Python function
	}
	d := p.settings(value)
	if p.target != "" {
		if kernel := kernelIn(string(value)); kernel != nil {
			d = d.plus(digest{kernel.Print, kernel.Family})
		}
	}
	return d
}

// settings hashes what a backend_config holds beside a kernel.
func (p *printer) settings(value []byte) digest {
	if isAddress(value) {
		return digest{}
	}
	c := configReader{src: value}
	if d, ok := c.value(0); ok && c.skipBlanks() == len(value) {
		return d
	}
	if len(value) > 1 && value[0] == '{' && value[len(value)-1] == '}' {
		return dictionaryDigest(value[1:len(value)-1], p.target)
	}
	return both(hashText(value))
}

// dictionaryDigest hashes `key = value, key = value`, the attributes of a call through the foreign-function interface.
func dictionaryDigest(t text, target string) (sum digest) {
	for i := 0; i < len(t); i++ {
		end := t.entry(i)
		key, value, _ := bytes.Cut(t[i:end], []byte("="))
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		if !noisyConfig[string(key)] && !isAddress(value) && (string(key) != "name" || target != tritonCall) {
			sum = sum.plus(both(hashText(key)).and(scalarDigest(value)))
		}
		i = end
	}
	return sum
}

// tritonCall is the target of a kernel written for Triton, which is named after its function.
const tritonCall = "__gpu$xla.gpu.triton"

// scalarDigest hashes a word or number; a number is a size, and no part of the family.
func scalarDigest(value []byte) digest {
	d := digest{full: hashText(value)}
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		d.family = d.full
	}
	return d
}

// defaults are the values of attributes that say what their absence says: XLA's printer leaves most of them out, a hand may write them,
// or leave out the others. A channel 0 is none.
var defaults = map[string]string{
	"api_version": "API_VERSION_ORIGINAL", "async_execution_thread": "main", "batch_group_count": "1", "channel_id": "0",
	"constrain_layout": "false", "control-predecessors": "{}", "custom_call_has_side_effect": "false", "feature_group_count": "1",
	"frontend_attributes": "{}", "indices_are_sorted": "false", "input_batching_dims": "{}", "is_associative": "false", "is_composite": "false",
	"is_cross_program_prefetch": "false", "is_host_transfer": "false", "is_reverse": "false", "is_stable": "false",
	"left_side": "false", "lhs_batch_dims": "{}", "lhs_contracting_dims": "{}", "lhs_ragged_dims": "{}", "lower": "false",
	"operand_batching_dims": "{}", "output_to_operand_aliasing": "{}", "replica_groups": "{}", "result_accuracy": "{mode=default}",
	"rhs_batch_dims": "{}", "rhs_contracting_dims": "{}", "rhs_group_dims": "{}",
	"scatter_indices_batching_dims": "{}", "schedule": "SCHEDULE_NONE", "start_indices_batching_dims": "{}",
	"unique_indices": "false", "unit_diagonal": "false", "use_global_device_ids": "false", "window": "{}",
}

// isDefault tells whether an attribute says what its absence says.
func isDefault(key string, value []byte) bool {
	if key == "operand_precision" {
		return len(bytes.ReplaceAll(bytes.Trim(value, "{}"), []byte("default"), nil)) == bytes.Count(value, []byte(","))
	}
	normal, known := defaults[key]
	return known && normal == string(value)
}

// canonicalWindow leaves out the parts of a window that are usual in all dimensions.
func canonicalWindow(window string) string {
	var parts []string
	for _, part := range strings.Fields(strings.Trim(window, "{}")) {
		name, value, _ := strings.Cut(part, "=")
		if strings.Trim(strings.ReplaceAll(value, usualWindow[name], ""), "x") != "" {
			parts = append(parts, part)
		}
	}
	return "{" + strings.Join(parts, " ") + "}"
}

var usualWindow = map[string]string{"stride": "1", "pad": "0_0", "lhs_dilate": "1", "rhs_dilate": "1", "rhs_reversal": "0"}

// canonicalSlice spells {[0:4:1], [0:2]} as {[0:4], [0:2]}: strides stand in all dimensions or in none.
func canonicalSlice(slice string) string {
	bounds := strings.Split(strings.TrimSuffix(strings.TrimPrefix(slice, "{["), "]}"), "], [")
	return "{[" + strings.Join(withThirds(bounds, ":", "1"), "], [") + "]}"
}

// canonicalPadding spells 1_1_0x0_2 as 1_1x0_2: paddings inside stand in all dimensions or in none.
func canonicalPadding(padding string) string {
	return strings.Join(withThirds(strings.Split(padding, "x"), "_", "0"), "x")
}

// withThirds gives all entries of numbers a third one, or none where all have the usual one.
func withThirds(entries []string, separator, usual string) []string {
	all, unusual := make([]string, len(entries)), false
	for i, entry := range entries {
		if strings.Count(entry, separator) < 2 {
			entry += separator + usual
		}
		all[i] = entry
		unusual = unusual || !strings.HasSuffix(entry, separator+usual)
	}
	for i, entry := range all {
		if !unusual {
			all[i] = strings.TrimSuffix(entry, separator+usual)
		}
	}
	return all
}
