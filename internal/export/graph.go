package export

import (
	"bytes"
	"fmt"
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
func graphOf(v *facts.Variant, o Options) []node {
	g := &graph{v: v, o: o, kernels: map[string]*facts.Priced{}}
	all := prices(v)
	for i := range all {
		g.kernels[called(all[i].Kernel, i)] = &all[i]
	}
	if v.Module == nil {
		g.stored(all)
	} else {
		g.m, g.drawn = v.Module, make([]bool, len(v.Module.Comps))
		g.computation(v.Module.Entry, nil, nil)
	}
	return g.inScope()
}

type graph struct {
	v       *facts.Variant
	m       *hlo.Module
	o       Options
	kernels map[string]*facts.Priced
	drawn   []bool // computations that several instructions call are drawn in the first of them
	nodes   []node
}

func (g *graph) stored(all []facts.Priced) {
	for i := range all {
		p := &all[i]
		n := node{id: called(p.Kernel, i), label: label(p.Kernel), layers: scopes(p.OpName), attrs: attrsOf(p), kernel: p}
		for _, from := range p.From {
			n.inputs = append(n.inputs, called(&g.v.Kernels[from], int(from)))
		}
		g.nodes = append(g.nodes, n)
	}
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

func (g *graph) instruction(id hlo.InstrID, around []string, arguments []string) {
	i, md := &g.m.Instrs[id], g.m.Metadata(id)
	n := node{id: g.m.InstrName(id), label: g.m.OpcodeName(i.Opcode), layers: around}
	n.kernel = g.kernels[n.id]
	if len(around) == 0 {
		n.layers = scopes(md.OpName)
	}
	for _, operand := range g.m.Operands(id) {
		n.inputs = append(n.inputs, g.m.InstrName(operand))
	}
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
	for _, c := range g.inside(id) {
		handed := g.nodes[at].inputs
		if i.Opcode == hlo.OpConditional {
			handed = handed[1:] // the first says which branch it is
		}
		layers := append(append([]string{}, n.layers...), n.id)
		g.computation(c, layers, handed)
		g.nodes[at].inputs = append(g.nodes[at].inputs, g.m.InstrName(g.m.Comps[c].Root))
	}
}

// inside lists the computations to draw inside an instruction, without those that a reduction or a sort applies to elements.
func (g *graph) inside(id hlo.InstrID) (inside []hlo.CompID) {
	switch g.m.Instrs[id].Opcode {
	case hlo.OpFusion, hlo.OpWhile, hlo.OpConditional, hlo.OpCall, hlo.OpAsyncStart:
		for _, c := range g.m.Callees(id) {
			if !g.drawn[c] {
				inside = append(inside, c)
			}
		}
	}
	return inside
}

// inScope leaves out the nodes outside the selected scopes, and the edges to them.
func (g *graph) inScope() []node {
	if g.o.Scope == "" {
		return g.nodes
	}
	kept := map[string]bool{}
	var nodes []node
	for _, n := range g.nodes {
		if g.o.inScope(n.opName()) {
			kept[n.id] = true
			nodes = append(nodes, n)
		}
	}
	for i := range nodes {
		inputs := phrase.Filter(nodes[i].inputs, func(from string) bool { return kept[from] })
		nodes[i].inputs = inputs
	}
	return nodes
}

func (n *node) opName() string {
	for _, a := range n.attrs {
		if a[0] == "op_name" {
			return a[1]
		}
	}
	return ""
}

func attrsOf(p *facts.Priced) [][2]string {
	attrs := [][2]string{{"kind", p.Kind}, {"operations", p.Do.String()}}
	if p.Name == "" {
		attrs = append(attrs, [2]string{"shape", p.Out}, [2]string{"op_name", p.OpName})
	}
	return append(attrs, [2]string{"runs", number(p.Runs)}, [2]string{"bytes", number(float64(p.Bytes))}, [2]string{"flops", number(float64(p.Flops))},
		[2]string{"predicted ns", rounded(p.NS())})
}

// fill is the colour of a kernel by its change. The colours also differ for people with red-green blindness.
var fill = map[string]string{"": "white", "same": "white", "changed": "#fde9a9", "split": "#f7c6a3", "merged": "#cfe3f7", "added": "#f7c6a3", "removed": "#d9d9d9"}

// dot writes a graph of the kernels, with a frame for each scope and a drawing for each variant. A comparison has both sides.
func dot(views []view, o Options) ([]File, error) {
	var b bytes.Buffer
	b.WriteString("digraph xlagate {\n  rankdir=TB; compound=true; fontname=\"sans-serif\";\n  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=10];\n")
	for i := range views {
		v := &views[i]
		fate := v.fates()
		for side, variant := range v.sides {
			d := &drawing{b: &b, prefix: fmt.Sprintf("%s%d_", side, i), all: prices(variant), o: o}
			d.frame(strings.TrimSpace(v.name+" "+side), func(at int) string { return fate(variant, at) })
		}
	}
	b.WriteString("}\n")
	return []File{{"kernels.dot", b.Bytes()}}, nil
}

// drawing is one variant in a graph.
type drawing struct {
	b      *bytes.Buffer
	prefix string
	all    []facts.Priced
	o      Options
	frames int
}

func (d *drawing) frame(name string, fate func(int) string) {
	fmt.Fprintf(d.b, "  subgraph \"cluster_%s\" {\n    label=%s;\n", d.prefix, quoted(name))
	var at []int
	drawn := make([]bool, len(d.all))
	for i := range d.all {
		if drawn[i] = d.o.inScope(d.all[i].OpName); drawn[i] {
			at = append(at, i)
		}
	}
	d.scope(at, 0, "    ", fate)
	for _, i := range at {
		for _, from := range d.all[i].From {
			if drawn[from] {
				fmt.Fprintf(d.b, "    \"%s%d\" -> \"%s%d\";\n", d.prefix, from, d.prefix, i)
			}
		}
	}
	d.b.WriteString("  }\n")
}

// scope draws kernels whose scopes agree up to a depth. Kernels in deeper scopes get their own frames.
func (d *drawing) scope(at []int, depth int, indent string, fate func(int) string) {
	deeper, order := map[string][]int{}, []string{}
	for _, i := range at {
		layers := scopes(d.all[i].OpName)
		if len(layers) <= depth {
			p := &d.all[i]
			tip := fmt.Sprintf("%s\n%s, %s", label(p.Kernel), called(p.Kernel, i), phrase.Nanoseconds(p.NS()))
			fmt.Fprintf(d.b, "%s\"%s%d\" [label=%s, tooltip=%s, fillcolor=%q];\n", indent, d.prefix, i, quoted(tip), quoted(p.OpName), fill[fate(i)])
			continue
		}
		if deeper[layers[depth]] == nil {
			order = append(order, layers[depth])
		}
		deeper[layers[depth]] = append(deeper[layers[depth]], i)
	}
	for _, layer := range order {
		d.frames++
		fmt.Fprintf(d.b, "%ssubgraph \"cluster_%s%d\" {\n%s  label=%s;\n", indent, d.prefix, d.frames, indent, quoted(layer))
		d.scope(deeper[layer], depth+1, indent+"  ", fate)
		d.b.WriteString(indent + "}\n")
	}
}

// quoted is a string of the DOT language, in which a backslash begins an escape.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x00", "").Replace(strings.ToValidUTF8(s, "\uFFFD")) + `"`
}
