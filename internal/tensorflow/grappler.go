package tensorflow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Rewrite is a change that Grappler made to an operation of the model before autoclustering.
type Rewrite struct {
	Op        string       `json:"op"` // "AsString"
	Node      string       `json:"node"`
	Function  string       `json:"function,omitempty"`
	What      string       `json:"what"`                // "removed", "merged with an equal one", "folded into a constant", "made a _FusedMatMul", "moved to …/device:CPU:0"
	Optimizer string       `json:"optimizer,omitempty"` // "model_pruner"; "" where the dump does not tell
	Source    hlo.Location `json:"source,omitzero"`
	File      string       `json:"file,omitempty"`
}

// rewritten is a graph before and after Grappler.
type rewritten struct {
	before *namedGraph
	names  nodeNames
	steps  []*namedGraph // after single optimizers and whole iterations
}

// rewrites compares the dumps of MetaOptimizer before and after it ran.
func (d *graphDir) rewrites() (out []Rewrite) {
	items := d.grapplerItems()
	d.nameFunctions(phrase.Map(items, func(item *rewritten) *namedGraph { return item.before }))
	for _, item := range items {
		out = append(out, d.compareItem(item)...)
	}
	return out
}

// grapplerItems finds the graphs at the start of Grappler. Every iteration dumps its graph again, under names without the function. A graph whose
// nodes are mostly in a larger one is a later state of that one.
func (d *graphDir) grapplerItems() (items []*rewritten) {
	before := d.load(d.byPass[PassGrapplerBefore])
	slices.SortStableFunc(before, func(a, b *namedGraph) int { return cmp.Compare(len(b.graph.Nodes), len(a.graph.Nodes)) })
	for _, g := range before {
		names := namesOf(g.graph)
		if !slices.ContainsFunc(items, func(item *rewritten) bool { return item.names.overlap(names) > leastOverlap }) {
			items = append(items, &rewritten{before: g, names: names})
		}
	}
	for _, g := range d.load(d.byPass[PassGrapplerAfter]) {
		names := namesOf(g.graph)
		at := slices.IndexFunc(items, func(item *rewritten) bool { return item.names.overlap(names) > leastOverlap })
		if at >= 0 {
			items[at].steps = append(items[at].steps, g)
		}
	}
	for _, item := range items {
		slices.SortStableFunc(item.steps, func(a, b *namedGraph) int {
			return cmp.Or(cmp.Compare(a.name.Order, b.name.Order), cmp.Compare(optimizerOrder(a.name.Group), optimizerOrder(b.name.Group)))
		})
	}
	return items
}

// compareItem lists the changes to the model's operations.
func (d *graphDir) compareItem(item *rewritten) (out []Rewrite) {
	if len(item.steps) == 0 {
		return nil
	}
	last := slices.MinFunc(item.steps, func(a, b *namedGraph) int { return cmp.Compare(len(a.graph.Nodes), len(b.graph.Nodes)) })
	after := nodesByName(last.graph)
	for _, n := range item.before.graph.Nodes {
		what, same := whatBecame(n, after[n.Name])
		if same || SystemOp(n.Op) {
			continue
		}
		op := d.unclustered(item.before, &Outside{Node: n})
		r := Rewrite{Op: n.Op, Node: op.Node, Function: op.Function, What: what, Source: op.Source, File: op.File}
		changed := func(g *namedGraph) bool {
			_, same := whatBecame(n, nodesByName(g.graph)[n.Name])
			return !same && g.name.Group != ""
		}
		if at := slices.IndexFunc(item.steps, changed); at >= 0 {
			r.Optimizer = item.steps[at].name.Group
		}
		if r.Optimizer == "common_subgraph_elimination" {
			r.What = "merged with an equal one"
		}
		out = append(out, r)
	}
	return out
}

func nodesByName(g *Graph) map[string]*Node {
	out := make(map[string]*Node, len(g.Nodes))
	for _, n := range g.Nodes {
		out[n.Name] = n
	}
	return out
}

// whatBecame says how a node was changed.
func whatBecame(was, is *Node) (what string, same bool) {
	switch {
	case is == nil:
		return "removed", false
	case is.Op == "Const" && was.Op != "Const":
		return "folded into a constant", false
	case is.Op != was.Op:
		return "made a " + is.Op, false
	case was.Device != "" && is.Device != was.Device:
		return "moved to " + is.Device, false
	}
	return "", true
}

// optimizers are Grappler's, in the order in which they run in each iteration.
var optimizers = []string{
	"model_pruner", "tfg_optimizer", "implementation_selector", "function_optimizer", "common_subgraph_elimination", "debug_stripper", "constant_folding",
	"shape_optimizer", "auto_mixed_precision", "pin_to_host_optimizer", "arithmetic_optimizer", "layout", "generic_layout_optimizer", "remapper", "loop_optimizer",
	"dependency_optimizer", "memory_optimizer", "auto_parallel", "scoped_allocator_optimizer",
}

// optimizerOrder is an optimizer's place among them; the last for one that is not known.
func optimizerOrder(name string) int {
	at := slices.IndexFunc(optimizers, func(known string) bool { return strings.HasPrefix(name, known) })
	if at < 0 {
		return len(optimizers)
	}
	return at
}
