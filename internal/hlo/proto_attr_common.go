package hlo

import (
	"bytes"
	"slices"
	"strconv"
)

// frontendAttributes prints a FrontendAttributes map with sorted keys; a value that is a dictionary itself is not quoted.
func (p *attrPrinter) frontendAttributes(body Range) {
	type entry struct{ key, value []byte }
	var entries []entry
	f := p.walk(body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // map
			key, value := mapEntry(&f)
			entries = append(entries, entry{p.bytes(key), p.bytes(value)})
		}
	}
	p.walked(&f)
	if len(entries) == 0 {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	p.value = append(p.value, '{')
	for i, e := range entries {
		if i > 0 {
			p.value = append(p.value, ',')
		}
		p.value = append(append(p.value, e.key...), '=')
		p.value = appendAttributeValue(p.value, e.value)
	}
	p.value = append(p.value, '}')
	p.emit("frontend_attributes")
}

func (p *attrPrinter) bytes(r Range) []byte { return p.m.src[r.Start:r.End] }

func appendAttributeValue(b, value []byte) []byte {
	if len(value) > 1 && value[0] == '{' && value[len(value)-1] == '}' {
		return append(b, value...)
	}
	b = appendEscaped(append(b, '"'), value)
	return append(b, '"')
}

// appendEscaped writes what stands between the quotes of a printed string, as absl::CEscape does.
func appendEscaped(b, text []byte) []byte {
	for _, c := range text {
		switch {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '"' || c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20 || c >= 0x7f:
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			b = append(b, c)
		}
	}
	return b
}

// controlPredecessors prints the names of the instructions that must run before this one.
func (p *attrPrinter) controlPredecessors() {
	predecessors := p.repeated(37)
	if len(predecessors) == 0 {
		return
	}
	p.value = append(p.value, '{')
	for i, id := range predecessors {
		if i > 0 {
			p.value = append(p.value, ", "...)
		}
		p.value = append(append(p.value, '%'), p.m.protoName(p.in.Comp, id)...)
	}
	p.value = append(p.value, '}')
	p.emit("control-predecessors")
}

// protoName finds the name of the instruction with a proto id in a computation. Few instructions ask for one.
func (m *Module) protoName(c CompID, id int64) string {
	if at := slices.Index(m.ids[c], id); at >= 0 {
		return m.InstrName(m.Comps[c].First + InstrID(at))
	}
	return strconv.FormatInt(id, 10)
}

// statistics prints a StatisticsViz that holds any.
func (p *attrPrinter) statistics() {
	index := uint64(0)
	var stats []byte
	f := p.walk(p.body(82))
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // stat_index_to_visualize
			index = f.value
		case 2<<3 | wireBytes: // statistics
			stats = p.appendStatistic(append(stats, ','), f.body)
		}
	}
	p.walked(&f)
	if len(stats) == 0 {
		return
	}
	p.value = strconv.AppendUint(append(p.value, "{visualizing_index="...), index, 10)
	p.value = append(append(p.value, stats...), '}')
	p.emit("statistics")
}

func (p *attrPrinter) appendStatistic(b []byte, body Range) []byte {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // stat_name
			b = append(b, p.bytes(f.body)...)
		case 2<<3 | wireFixed64: // stat_val
			v := fieldsOf(p.m.src, f.body)
			b = appendFloat64(append(b, '='), v.float64())
		}
	}
	p.walked(&f)
	return b
}

// backendConfig prints field 43, or the payload that 99 holds or points to.
func (p *attrPrinter) backendConfig() {
	config := p.body(43)
	if config.Len() == 0 {
		config = p.payload(p.body(99))
	}
	if config.Len() > 0 {
		p.text("backend_config", config)
	}
}

// payload is what a Payload holds, or the module's payload that it points to.
func (p *attrPrinter) payload(body Range) (config Range) {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // value
			config = f.body
		case 2<<3 | wireVarint: // id
			if f.value < uint64(len(p.m.payloads)) {
				config = p.m.payloads[f.value]
			}
		}
	}
	p.walked(&f)
	return config
}

var accuracyModes = []string{"default", "highest"}

// accuracy prints a ResultAccuracy that is not the default.
func (p *attrPrinter) accuracy() {
	f := p.walk(p.body(91))
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // mode
			if mode := min(f.value, 1); mode != 0 {
				p.word("result_accuracy", "{mode="+accuracyModes[mode]+"}")
			}
		case 2<<3 | wireBytes: // tolerance
			p.tolerance(f.body)
		}
	}
	p.walked(&f)
}

func (p *attrPrinter) tolerance(body Range) {
	var atol, rtol float64
	var ulps int64
	f := p.walk(body)
	for f.next() {
		v := fieldsOf(p.m.src, f.body)
		switch f.tag {
		case 1<<3 | wireFixed64: // atol
			atol = v.float64()
		case 2<<3 | wireFixed64: // rtol
			rtol = v.float64()
		case 3<<3 | wireVarint: // ulps
			ulps = int64(f.value)
		}
	}
	p.walked(&f)
	b := appendFloat64(append(p.value, "{tolerance={atol="...), atol)
	b = appendFloat64(append(b, ",rtol="...), rtol)
	b = strconv.AppendInt(append(b, ",ulps="...), ulps, 10)
	p.value = append(b, "}}"...)
	p.emit("result_accuracy")
}
