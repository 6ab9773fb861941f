package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// The types of Model Explorer's files: graphs, the data of their nodes, and the mapping between the nodes of two graphs.
type (
	explorerGraphs struct {
		Label  string          `json:"label"`
		Graphs []explorerGraph `json:"graphs"`
	}
	explorerGraph struct {
		ID    string         `json:"id"`
		Nodes []explorerNode `json:"nodes"`
	}
	explorerNode struct { // an instruction, or a kernel of a stored variant
		ID        string         `json:"id"`
		Label     string         `json:"label"`
		Namespace string         `json:"namespace"`
		Attrs     []explorerAttr `json:"attrs,omitempty"`
		Incoming  []explorerEdge `json:"incomingEdges,omitempty"`
	}
	explorerAttr struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	explorerEdge struct {
		Source string `json:"sourceNodeId"`
		Output string `json:"sourceNodeOutputId"`
		Input  string `json:"targetNodeInputId"`
	}
	explorerData struct {
		Name     string                        `json:"name"`
		Results  map[string]map[string]float64 `json:"results"` // the "value" of each node
		Gradient json.RawMessage               `json:"gradient"`
	}
	explorerMapping struct {
		Entries    []explorerEntry `json:"mappingEntries"`
		Highlights bool            `json:"showDiffHighlights"`
	}
	explorerEntry struct {
		Left  []string `json:"leftNodeIds"`
		Right []string `json:"rightNodeIds"`
	}
)

// measures are the overlays of a graph's nodes, one file each.
var measures = []struct {
	file, name string
	of         func(*facts.Priced) float64
}{
	{"predicted-ns", "predicted ns", (*facts.Priced).NS},
	{"bytes", "bytes moved", func(p *facts.Priced) float64 { return p.Runs * float64(p.Bytes) }},
	{"flops", "flops", func(p *facts.Priced) float64 { return p.Runs * float64(p.Flops) }},
}

// modelExplorer writes graph.json, or before.json and after.json with a mapping for each pair of graphs, and the data of the nodes.
func modelExplorer(views []view) ([]File, error) {
	e := &explorer{data: map[string]map[string]explorerData{}}
	for i := range views {
		e.add(&views[i])
	}
	for _, c := range []struct {
		file  string
		value explorerGraphs
	}{{"before.json", e.before}, {e.afterFile, e.after}} {
		if len(c.value.Graphs) > 0 {
			c.value.Label = strings.TrimSuffix(c.file, ".json")
			e.file(c.file, c.value)
		}
	}
	for _, m := range measures {
		e.file("node-data-"+m.file+".json", e.data[m.file])
	}
	return e.files, e.failed
}

type explorer struct {
	before, after explorerGraphs
	afterFile     string
	data          map[string]map[string]explorerData // by measure and graph
	files         []File
	failed        error
}

func (e *explorer) file(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil && e.failed == nil {
		e.failed = fmt.Errorf("write %s: %w", name, err)
	}
	e.files = append(e.files, File{name, data})
}

func (e *explorer) add(v *view) {
	e.afterFile = "graph.json"
	if v.compared {
		e.afterFile = "after.json"
	}
	for side, variant := range v.sides {
		g := graphOf(variant)
		id := strings.TrimSpace(v.name + " " + side)
		to := &e.after
		if variant == v.Old {
			to = &e.before
		}
		to.Graphs = append(to.Graphs, explorerGraph{id, g.nodes})
		for _, m := range measures {
			d := explorerData{m.name, map[string]map[string]float64{}, json.RawMessage(`[{"stop":0,"bgColor":"#fff7e6"},{"stop":1,"bgColor":"#e06c00"}]`)}
			for _, n := range g.nodes {
				if k := g.kernels[n.ID]; k != nil {
					d.Results[n.ID] = map[string]float64{"value": m.of(k)}
				}
			}
			if e.data[m.file] == nil {
				e.data[m.file] = map[string]explorerData{}
			}
			e.data[m.file][id] = d
		}
	}
	if v.Old != nil && v.New != nil {
		e.file("mapping-"+fileName(v.name)+".json", v.mapping())
	}
}

// mapping joins the nodes of kernels that correspond, and of arguments of the same place.
func (v *view) mapping() explorerMapping {
	m := explorerMapping{Entries: []explorerEntry{}, Highlights: true}
	for _, l := range v.Links() {
		m.Entries = append(m.Entries, explorerEntry{
			Left:  phrase.Map(l.Old, func(i int) string { return called(&v.Old.Kernels[i], i) }),
			Right: phrase.Map(l.New, func(j int) string { return called(&v.New.Kernels[j], j) }),
		})
	}
	return m
}

func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// graphOf is the graph of all instructions if the module is open, or else that of the kernels.
func graphOf(v *facts.Variant) *graph {
	g := &graph{kernels: map[string]*facts.Priced{}, nodes: []explorerNode{}}
	all := prices(v)
	for i := range all {
		g.kernels[called(all[i].Kernel, i)] = &all[i]
	}
	if v.Module != nil {
		g.m, g.drawn = v.Module, make([]bool, len(v.Module.Comps))
		g.computation(v.Module.Entry, nil, nil)
		return g
	}
	for i := range all {
		p := &all[i]
		inputs := phrase.Map(p.From, func(from int32) string { return called(&v.Kernels[from], int(from)) })
		g.nodes = append(g.nodes, explorerNode{called(p.Kernel, i), label(p.Kernel), namespace(scopes(p.OpName)), attrsOf(p), edges(inputs)})
	}
	return g
}

type graph struct {
	m       *hlo.Module
	kernels map[string]*facts.Priced // by the nodes that launch them
	drawn   []bool                   // computations that several instructions call are drawn in the first of them
	nodes   []explorerNode
}

// namespace is the scopes around a node, from the outside in. A semicolon parts a namespace from what is shown of it.
func namespace(layers []string) string {
	return strings.ReplaceAll(strings.Join(layers, "/"), ";", ",")
}

func edges(inputs []string) []explorerEdge {
	var out []explorerEdge
	for i, from := range inputs {
		out = append(out, explorerEdge{from, "0", strconv.Itoa(i)})
	}
	return out
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
	n := explorerNode{ID: g.m.InstrName(id), Label: g.m.OpcodeName(i.Opcode)}
	layers := around
	if len(around) == 0 {
		layers = scopes(md.OpName)
	}
	n.Namespace = namespace(layers)
	inputs := phrase.Map(g.m.Operands(id), g.m.InstrName)
	if i.Opcode == hlo.OpParameter && int(i.Param) < len(arguments) {
		inputs = append(inputs, arguments[i.Param])
	}
	n.Attrs = append(n.Attrs, explorerAttr{"shape", g.m.ShapeLayoutText(i.Shape)}, explorerAttr{"op_name", md.OpName})
	if md.Source.File != "" {
		n.Attrs = append(n.Attrs, explorerAttr{"source", md.Source.File + ":" + strconv.Itoa(int(md.Source.Line))})
	}
	if k := g.kernels[n.ID]; k != nil {
		n.Attrs = append(n.Attrs, attrsOf(k)...)
	}
	g.nodes = append(g.nodes, n)
	at := len(g.nodes) - 1
	for _, c := range g.m.Callees(id) {
		if g.drawn[c] || !slices.Contains(holding, i.Opcode) {
			continue
		}
		handed := inputs
		if i.Opcode == hlo.OpConditional {
			handed = handed[1:] // the first says which branch it is
		}
		g.computation(c, append(append([]string{}, layers...), n.ID), handed)
		inputs = append(inputs, g.m.InstrName(g.m.Comps[c].Root))
	}
	g.nodes[at].Incoming = edges(inputs)
}

func attrsOf(p *facts.Priced) []explorerAttr {
	attrs := []explorerAttr{{"kind", p.Kind}, {"operations", p.Do.String()}}
	if p.Name == "" {
		attrs = append(attrs, explorerAttr{"shape", p.Out}, explorerAttr{"op_name", p.OpName})
	}
	return append(attrs, explorerAttr{"runs", number(p.Runs)}, explorerAttr{"bytes", number(float64(p.Bytes))}, explorerAttr{"flops", number(float64(p.Flops))},
		explorerAttr{"predicted ns", strconv.FormatFloat(p.NS(), 'f', 1, 64)})
}
