package tensorflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// declusterPass is the only pass between marking and encapsulating that removes operations from clusters.
const declusterPass = "PartiallyDeclusterPass"

// leastOverlap is the share of nodes that two dumps of the same function's graph have in common, whatever passes ran between them.
const leastOverlap = 0.7

// nodeNames is the set of a graph's node names.
type nodeNames map[string]bool

func namesOf(g *Graph) nodeNames {
	out := make(nodeNames, len(g.Nodes))
	for i := range g.Nodes {
		out[PlainName(g.Nodes[i].Name)] = true
	}
	return out
}

// overlap is the share of the smaller set's names that are in the larger set.
func (a nodeNames) overlap(b nodeNames) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	common := 0
	for name := range a {
		if b[name] {
			common++
		}
	}
	return float64(common) / float64(len(a))
}

// nameFunctions finds the function of a graph that has only a number: dumps that are named by function, and stack traces, show the
// same nodes.
func (d *graphDir) nameFunctions(graphs []*namedGraph) {
	d.loadStacks()
	candidates := d.functionNodes()
	for _, g := range graphs {
		if g.function == "" {
			g.function = bestMatch(namesOf(g.graph), candidates)
		}
	}
}

// functionNodes collects, by function, the nodes that the other dumper shows before clusters become functions.
func (d *graphDir) functionNodes() map[string]nodeNames {
	out := map[string]nodeNames{}
	for _, tag := range []string{"before_opt_group_post_rewrite_for_exec", "MarkForCompilationPass"} {
		for _, g := range d.load(d.withTag(tag)) {
			out[g.function] = namesOf(g.graph)
		}
	}
	for function, stacks := range d.stacks {
		if out[function] != nil {
			continue
		}
		names := nodeNames{}
		for name := range stacks.Nodes() {
			names[name] = true
		}
		out[function] = names
	}
	return out
}

// bestMatch returns the candidate that shares most nodes, "" if none is similar. A handful of nodes proves nothing.
func bestMatch(names nodeNames, candidates map[string]nodeNames) string {
	best, most := "", leastOverlap
	for _, f := range slices.Sorted(maps.Keys(candidates)) {
		if len(names) < 4 || len(candidates[f]) < 4 {
			continue
		}
		if share := names.overlap(candidates[f]); share > most {
			best, most = f, share
		}
	}
	return best
}

// loadStacks reads the stack traces that were dumped beside the graphs. If a function has several, the first counts.
func (d *graphDir) loadStacks() {
	for _, g := range d.byPass[PassNamed] {
		if g.name.Format != FormatStacks || d.stacks[g.function] != nil {
			continue
		}
		err := g.file.Read(func(data []byte) (err error) {
			d.stacks[g.function], err = ParseStacks(data)
			return err
		})
		if err != nil {
			d.problems = append(d.problems, dump.Problem{File: g.file.Path, Message: fmt.Sprintf("stack traces of a TensorFlow graph: %v", err)})
		}
	}
}

// lineOf is the model's line of a node. A node that TensorFlow made from another one, and named below it, has the line of that one.
func (d *graphDir) lineOf(function, node string) hlo.Location {
	at := d.source(function, node)
	for slash := strings.LastIndexByte(node, '/'); at.File == "" && slash > 0; slash = strings.LastIndexByte(node, '/') {
		node = node[:slash]
		at = d.source(function, node)
	}
	return at
}

// source finds the model's line of a node in its function, or else in the only function that has a node of that name.
func (d *graphDir) source(function, node string) hlo.Location {
	if f, ok := frameOf(d.stacks[function], node); ok {
		return f
	}
	var found []hlo.Location
	for _, stacks := range d.stacks {
		if f, ok := frameOf(stacks, node); ok && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return hlo.Location{}
	}
	return found[0]
}

// frameOf is the model's line of a node. If all its frames are in the framework, it is the line that called the function.
func frameOf(stacks *Stacks, node string) (hlo.Location, bool) {
	own, known := stacks.Of(node)
	switch {
	case len(own) > 0:
		return own[0], true
	case known && stacks.Called.File != "":
		return stacks.Called, true
	}
	return hlo.Location{}, false
}

// leftLater finds, for each graph, the operations that a pass after marking removed from their cluster, and that pass.
func (d *graphDir) leftLater(graphs []*namedGraph) map[*namedGraph]map[string]string {
	out := map[*namedGraph]map[string]string{}
	later := append(d.load(d.byPass[PassEncapsulateBefore]), d.load(d.optimizerPasses())...)
	for _, g := range later {
		nodes := declustered(g.graph)
		if len(nodes) == 0 {
			continue
		}
		at := sameGraph(g, graphs)
		if at == nil {
			continue
		}
		if out[at] == nil {
			out[at] = map[string]string{}
		}
		for _, key := range nodes {
			if out[at][key] == "" {
				out[at][key] = passName(g.name)
			}
		}
	}
	return out
}

// optimizerPasses lists the named dumps after single passes, in the order of the passes.
func (d *graphDir) optimizerPasses() []*namedGraph {
	var out []*namedGraph
	for _, g := range d.byPass[PassNamed] {
		if strings.Contains(g.name.Tag, "_post_rewrite_for_exec_phase_") {
			out = append(out, g)
		}
	}
	return out
}

// passName is the pass behind a dump: "…_phase_30_PartiallyDeclusterPass".
func passName(n Name) string {
	if _, rest, ok := strings.Cut(n.Tag, "_phase_"); ok {
		if _, pass, ok := strings.Cut(rest, "_"); ok {
			return pass
		}
	}
	return declusterPass
}

// declustered lists the nodes that were in a cluster and are in none.
func declustered(g *Graph) []string {
	var out []string
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Marked && n.Cluster == "" {
			out = append(out, nodeKey(n))
		}
	}
	return out
}

// sameGraph finds the graph that a later dump shows again.
func sameGraph(later *namedGraph, graphs []*namedGraph) *namedGraph {
	var best *namedGraph
	names, most := namesOf(later.graph), leastOverlap
	for _, g := range graphs {
		if len(g.graph.Nodes) < len(later.graph.Nodes)/2 {
			continue
		}
		if share := names.overlap(namesOf(g.graph)); share > most {
			best, most = g, share
		}
	}
	return best
}

// whyNotRun explains a dump in which autoclustering looked at no function.
func whyNotRun(dirs []*graphDir) string {
	seen := map[Pass]bool{}
	mlir := false
	for _, d := range dirs {
		mlir = mlir || len(d.mlir()) > 0
		for pass, graphs := range d.byPass {
			seen[pass] = seen[pass] || len(graphs) > 0
		}
	}
	switch {
	case mlir:
		return "the graphs are in MLIR's tfg dialect, which is not read"
	case seen[PassMark] || seen[PassMarkAnnotated]:
		return "it saw no function or session, only operations that Python ran one by one"
	case seen[PassCompileFunction] || seen[PassCompileGraph]:
		return "the program compiles functions with jit_compile=True only"
	case seen[PassBeforeDynamism]:
		return "there are graphs from before IncreaseDynamism, but none from MarkForCompilation: either it is off (on a CPU it needs " +
			"--tf_xla_cpu_global_jit besides --tf_xla_auto_jit=2 in TF_XLA_FLAGS), or it found nothing that XLA can compile"
	}
	return "none of the graphs is from MarkForCompilation or later"
}
