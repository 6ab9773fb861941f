package export

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// node is an instruction, or a kernel of a stored variant.
type node struct {
	id, label string
	layers    []string // the scopes around it, from the outside in
	inputs    []string
	attrs     [][2]string
	kernel    *facts.Priced // nil for what is no launch
}

// graphOf is the graph of all instructions if the module is open, or else that of the kernels.
func graphOf(v *facts.Variant) []node {
	g := &graph{kernels: map[string]*facts.Priced{}}
	all := prices(v)
	for i := range all {
		g.kernels[called(all[i].Kernel, i)] = &all[i]
	}
	if v.Module != nil {
		g.m, g.drawn = v.Module, make([]bool, len(v.Module.Comps))
		g.computation(v.Module.Entry, nil, nil)
		return g.nodes
	}
	for i := range all {
		p := &all[i]
		inputs := phrase.Map(p.From, func(from int32) string { return called(&v.Kernels[from], int(from)) })
		g.nodes = append(g.nodes, node{called(p.Kernel, i), label(p.Kernel), scopes(p.OpName), inputs, attrsOf(p), p})
	}
	return g.nodes
}

type graph struct {
	m       *hlo.Module
	kernels map[string]*facts.Priced
	drawn   []bool // computations that several instructions call are drawn in the first of them
	nodes   []node
}

// label is the label of a kernel in a picture: its kind, some of its operations and its result.
func label(k *facts.Kernel) string {
	what := k.Operations()
	if words := k.Do.Words(); len(words) > 4 {
		what = strings.Join(words[:4], ", ") + ", …"
	}
	if what == k.Kind {
		what = ""
	}
	return strings.Join(strings.Fields(k.Kind+" "+what+" → "+k.Out), " ")
}

// computation draws the instructions of a computation. Its parameters read the arguments of its caller.
func (g *graph) computation(c hlo.CompID, around []string, arguments []string) {
	g.drawn[c] = true
	first, end := g.m.Body(c)
	for id := first; id < end; id++ {
		g.instruction(id, around, arguments)
	}
}

// holding are the opcodes of instructions in which the computations that they call are drawn. What a reduction or a sort applies to elements is not.
var holding = []hlo.Opcode{hlo.OpFusion, hlo.OpWhile, hlo.OpConditional, hlo.OpCall, hlo.OpAsyncStart}

func (g *graph) instruction(id hlo.InstrID, around []string, arguments []string) {
	i, md := &g.m.Instrs[id], g.m.Metadata(id)
	n := node{id: g.m.InstrName(id), label: g.m.OpcodeName(i.Opcode), layers: around}
	n.kernel = g.kernels[n.id]
	if len(around) == 0 {
		n.layers = scopes(md.OpName)
	}
	n.inputs = phrase.Map(g.m.Operands(id), g.m.InstrName)
	if i.Opcode == hlo.OpParameter && int(i.Param) < len(arguments) {
		n.inputs = append(n.inputs, arguments[i.Param])
	}
	n.attrs = append(n.attrs, [2]string{"shape", g.m.ShapeLayoutText(i.Shape)}, [2]string{"op_name", md.OpName})
	if md.Source.File != "" {
		n.attrs = append(n.attrs, [2]string{"source", md.Source.File + ":" + strconv.Itoa(int(md.Source.Line))})
	}
	if n.kernel != nil {
		n.attrs = append(n.attrs, attrsOf(n.kernel)...)
	}
	g.nodes = append(g.nodes, n)
	at := len(g.nodes) - 1
	for _, c := range g.m.Callees(id) {
		if g.drawn[c] || !slices.Contains(holding, i.Opcode) {
			continue
		}
		handed := g.nodes[at].inputs
		if i.Opcode == hlo.OpConditional {
			handed = handed[1:] // the first says which branch it is
		}
		layers := append(append([]string{}, n.layers...), n.id)
		g.computation(c, layers, handed)
		g.nodes[at].inputs = append(g.nodes[at].inputs, g.m.InstrName(g.m.Comps[c].Root))
	}
}

func attrsOf(p *facts.Priced) [][2]string {
	attrs := [][2]string{{"kind", p.Kind}, {"operations", p.Do.String()}}
	if p.Name == "" {
		attrs = append(attrs, [2]string{"shape", p.Out}, [2]string{"op_name", p.OpName})
	}
	return append(attrs, [2]string{"runs", number(p.Runs)}, [2]string{"bytes", number(float64(p.Bytes))}, [2]string{"flops", number(float64(p.Flops))},
		[2]string{"predicted ns", strconv.FormatFloat(p.NS(), 'f', 1, 64)})
}
