package hlo

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// printed hashes the value of an attribute. It returns false when the attribute does not count.
type printed = func(p *printer, value []byte) (digest, bool)

// attributesOf hashes the attributes of an instruction, in any order. Those that it has in common with the instruction that it wraps count once.
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
	p.m.eachAttribute(i, &p.reader, p.note)
}

// attribute hashes one attribute, unless it is the default or noise.
func (p *printer) attribute(key string, value []byte) {
	known := attributes[key]
	if known.normal != "" && known.normal == string(value) || key == "operand_precision" && isDefaultPrecision(value) {
		return
	}
	d, counts := digest{}, true
	if known.print != nil {
		d, counts = known.print(p, value)
	} else {
		d = both(hashText(value))
	}
	if counts {
		p.attrs = append(p.attrs, both(hashText(cmp.Or(known.like, key))).and(d))
	}
}

// isDefaultPrecision reports whether a value is {default,default}.
func isDefaultPrecision(value []byte) bool {
	return len(bytes.ReplaceAll(bytes.Trim(value, "{}"), []byte("default"), nil)) == bytes.Count(value, []byte(","))
}

func ignored(*printer, []byte) (digest, bool) { return digest{}, false }

// presence counts that there is an attribute, and not its value.
func presence(*printer, []byte) (digest, bool) { return digest{}, true }

// sizes hashes a value that scales with the dimensions, in its canonical spelling.
func sizes(canonical func(string) string) printed {
	return func(_ *printer, value []byte) (digest, bool) {
		if canonical == nil {
			return digest{full: hashText(value)}, true
		}
		return digest{full: hashText(canonical(string(value)))}, true
	}
}

// window hashes a window. That of a convolution does not grow with the batch, and belongs to the family; that of a cumulative sum grows.
func (p *printer) window(value []byte) (digest, bool) {
	window := canonicalWindow(string(value))
	if p.in.Opcode == OpReduceWindow {
		return digest{full: hashText(window)}, true
	}
	return both(hashText(window)), true
}

// comparisonType ignores the type that the type of the operands implies.
func (p *printer) comparisonType(value []byte) (digest, bool) {
	return both(hashText(value)), string(value) != p.m.comparison(p.in)
}

func totalOrder(*printer, []byte) (digest, bool) { return both(hashText("TOTALORDER")), true }

func groupsDigest(_ *printer, value []byte) (digest, bool) { return both(hashGroups(value)), true }

// keepTarget hashes the target of a custom call and keeps it for its backend_config, which comes behind it.
func (p *printer) keepTarget(value []byte) (digest, bool) {
	p.target = string(value)
	return both(hashText(value)), true
}

// keepPredecessors keeps the control predecessors; see predecessors.
func (p *printer) keepPredecessors(value []byte) (digest, bool) {
	p.before = append(p.before, value...)
	return digest{}, false
}

// predecessors hashes the instructions that must run before an instruction although it does not use them.
func (p *printer) predecessors(i InstrID) (sum digest) {
	if len(p.before) == 0 {
		return digest{}
	}
	if p.names == nil { // of the current computation
		p.names = make(map[string]InstrID)
		for i, end := p.m.Body(p.m.Instrs[i].Comp); i < end; i++ {
			p.names[p.m.InstrName(i)] = i
		}
	}
	t := text(p.before)
	for at := 0; at < len(t); {
		end := t.ident(at)
		if before, found := p.names[string(t[at:end])]; found && before < i {
			sum = sum.plus(p.instr[before-p.first])
		}
		at = max(end, at+1)
	}
	p.before = p.before[:0]
	return sum
}

// noisyAttributes are the frontend attributes that name or number other instructions.
var noisyAttributes = map[string]bool{
	"async_collective_name": true, "chain_id": true, "fingerprint_before_lhs": true, "kernel_metadata": true,
	"_scheduling_group_id": true,
}

func frontendDigest(_ *printer, value []byte) (sum digest, counts bool) {
	for k, v := range text(value).dictionary(Range{0, uint32(len(value))}) {
		if !noisyAttributes[k] {
			sum = sum.plus(both(mix(hashText(k), hashText(v))))
		}
	}
	return sum, sum != digest{}
}

// config hashes a backend_config: JSON and MLIR dictionaries with their keys in any order, anything else as it is spelled, and nothing if all of it is noise.
func (p *printer) config(value []byte) (d digest, counts bool) {
	if isCallback(p.target) {
		return digest{}, false // the address or the number of a Python function
	}
	d = p.settings(value)
	if p.target != "" {
		switch kernel, code := kernelIn(string(value)); {
		case kernel != nil:
			d = d.plus(digest{kernel.Print, kernel.Family})
		case code != nil:
			d = d.plus(digest{full: hashText(code)})
		}
	}
	return d, d != digest{}
}

// settings hashes the settings in a backend_config, without the kernel in it.
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

// dictionaryDigest hashes `key = value, key = value`, the attributes of a call through the foreign-function interface. A kernel written for Triton is named
// after its function.
func dictionaryDigest(t text, target string) (sum digest) {
	for i := 0; i < len(t); i++ {
		end := t.entry(i)
		key, value, _ := bytes.Cut(t[i:end], []byte("="))
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		if !noisyConfig[string(key)] && !isAddress(value) && (string(key) != "name" || target != "__gpu$xla.gpu.triton") {
			sum = sum.plus(both(hashText(key)).and(scalarDigest(value)))
		}
		i = end
	}
	return sum
}

// scalarDigest hashes a word or a number. A number is a size and does not belong to the family.
func scalarDigest(value []byte) digest {
	d := digest{full: hashText(value)}
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		d.family = d.full
	}
	return d
}

// canonicalWindow leaves out the parts of a window that are the default in all dimensions.
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

// canonicalSlice spells {[0:4:1], [0:2]} as {[0:4], [0:2]}: XLA prints the strides of all dimensions or of none.
func canonicalSlice(slice string) string {
	bounds := strings.Split(strings.TrimSuffix(strings.TrimPrefix(slice, "{["), "]}"), "], [")
	return "{[" + strings.Join(withThirds(bounds, ":", "1"), "], [") + "]}"
}

// canonicalPadding spells 1_1_0x0_2 as 1_1x0_2: XLA prints the interior padding of all dimensions or of none.
func canonicalPadding(padding string) string {
	return strings.Join(withThirds(strings.Split(padding, "x"), "_", "0"), "x")
}

// withThirds adds the default third number to the entries that lack it, or removes it from all when all have the default.
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
