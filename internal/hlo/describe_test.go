package hlo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// describe spells everything in a module, with computations sorted by name, to compare two forms of one module.
func describe(m *Module) string {
	var b strings.Builder
	h := m.Header
	fmt.Fprintf(&b, "module %s scheduled %v aliases %v donors %v %v entry %s\n",
		m.Name, h.IsScheduled, h.Aliases, h.Donors, h.Attributes, m.CompName(m.Entry))
	order := make([]CompID, len(m.Comps))
	for c := range order {
		order[c] = CompID(c)
	}
	slices.SortStableFunc(order, func(a, b CompID) int { return strings.Compare(m.CompName(a), m.CompName(b)) })
	for _, c := range order {
		fmt.Fprintf(&b, "computation %s root %s thread %q\n", m.CompName(c), m.InstrName(m.Comps[c].Root), m.Text(m.Comps[c].Thread))
		for i, end := m.Body(c); i < end; i++ {
			m.describe(&b, i)
		}
	}
	return b.String()
}

func (m *Module) describe(b *strings.Builder, i InstrID) {
	in := &m.Instrs[i]
	fmt.Fprintf(b, "%s = %s %s(", m.InstrName(i), m.ShapeLayoutText(in.Shape), m.OpcodeName(in.Opcode))
	for _, o := range m.Operands(i) {
		fmt.Fprintf(b, "%s ", m.InstrName(o))
	}
	// The compiler threads of jaxlib 0.10 print subnormal numbers as 0.
	fmt.Fprintf(b, "%d %s)", in.Param, strings.ReplaceAll(m.Literal(i), "1.4013e-45", "0"))
	for _, c := range m.Callees(i) {
		fmt.Fprintf(b, " %s", m.CompName(c))
	}
	for key, value := range m.Attrs(i) {
		fmt.Fprintf(b, " %s=%s", key, sortKeys(key, value))
	}
	// The text may lack the column and function of a place, and the frames.
	md := m.Metadata(i)
	fmt.Fprintf(b, " metadata %q %q %q %d\n", md.OpType, md.OpName, md.Source.File, md.Source.Line)
}

// sortKeys sorts the keys of a backend_config: the text has them sorted, the proto as they were set.
func sortKeys(key, value string) string {
	var config any
	if key != "backend_config" || json.Unmarshal([]byte(value), &config) != nil {
		return value
	}
	sorted, err := json.Marshal(config)
	if err != nil {
		return value
	}
	return string(sorted)
}
