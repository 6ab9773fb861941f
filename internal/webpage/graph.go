package webpage

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// graph is the instructions of a module, column by column: the page opens modules of fifty thousand.
type graph struct {
	Entry     int      `json:"entry"` // in Comps
	Comps     []comp   `json:"comps"`
	Names     []string `json:"names"`
	Opcodes   []int    `json:"opcodes"` // in Words, as are the next five
	Shapes    []int    `json:"shapes"`
	Attrs     []int    `json:"attrs"`
	Ops       []int    `json:"ops"` // op_name
	Places    []int    `json:"places"`
	Operands  [][]int  `json:"operands"`
	Callees   [][]int  `json:"callees"`
	Arguments []string `json:"arguments"` // a parameter's number, a constant's value; "" for others
	Words     []string `json:"words"`
}

type comp struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Count int    `json:"count"`
	Root  int    `json:"root"`
}

// words keeps each text once.
type words struct {
	list []string
	at   map[string]int
}

func (w *words) of(text string) int {
	at, known := w.at[text]
	if !known {
		at = len(w.list)
		w.at[text] = at
		w.list = append(w.list, cut(text))
	}
	return at
}

func (b *builder) graph(m *hlo.Module) any {
	g, w := &graph{Entry: int(m.Entry)}, &words{at: map[string]int{}}
	for c := range m.Comps {
		first, end := m.Body(hlo.CompID(c))
		g.Comps = append(g.Comps, comp{cut(m.CompName(hlo.CompID(c))), int(first), int(end - first), int(m.Comps[c].Root)})
	}
	for i := range m.Instrs {
		b.instruction(m, hlo.InstrID(i), g, w)
	}
	g.Words = w.list
	return g
}

func (b *builder) instruction(m *hlo.Module, id hlo.InstrID, g *graph, w *words) {
	in, md := &m.Instrs[id], m.Metadata(id)
	g.Names = append(g.Names, cut(m.InstrName(id)))
	g.Opcodes = append(g.Opcodes, w.of(m.OpcodeName(in.Opcode)))
	g.Shapes = append(g.Shapes, w.of(m.ShapeLayoutText(in.Shape)))
	g.Attrs = append(g.Attrs, w.of(attributes(m, id)))
	g.Ops = append(g.Ops, w.of(md.OpName))
	at := b.model.place(md.Source)
	g.Places = append(g.Places, w.of(at.Short()))
	g.Operands = append(g.Operands, numbers(m.Operands(id)))
	g.Callees = append(g.Callees, numbers(m.Callees(id)))
	argument := ""
	switch in.Opcode {
	case hlo.OpConstant:
		argument = cut(m.Literal(id))
	case hlo.OpParameter:
		argument = phraseNumber(in.Param)
	}
	g.Arguments = append(g.Arguments, argument)
}

// attributes are what the text says behind the operands, without what the page shows elsewhere.
func attributes(m *hlo.Module, id hlo.InstrID) string {
	var parts []string
	for key, value := range m.Attrs(id) {
		parts = append(parts, key+"="+value)
	}
	return strings.Join(parts, ", ")
}

func numbers[T ~int32](list []T) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}
