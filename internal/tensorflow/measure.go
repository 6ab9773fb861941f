package tensorflow

import (
	"cmp"
	"slices"
	"strings"
)

// measureClusters says what autoclustering did to the graphs of a dump: nil when there are none. Each graph is dumped after several
// passes; the file right after MarkForCompilation is the one that counts, and where it is missing the next later one.
func measureClusters(dirs []*graphDir) *Clusters {
	if len(dirs) == 0 {
		return nil
	}
	out := &Clusters{}
	for _, d := range dirs {
		d.refuseMLIR()
		d.measure(out)
	}
	if !out.Ran {
		out.Why = whyNotRun(dirs)
		out.Unclustered, out.Clusters = nil, nil
	}
	return out
}

// measure adds one process's graphs.
func (d *graphDir) measure(out *Clusters) {
	graphs, ran := d.marked()
	d.nameFunctions(graphs)
	out.Rewrites = append(out.Rewrites, d.rewrites()...)
	left := d.leftLater(graphs)
	known := map[string]bool{}
	for _, g := range graphs {
		for i := range g.graph.Nodes {
			known[nodeKey(&g.graph.Nodes[i])] = true
		}
	}
	pipeline := d.pipelineFunctions()
	for _, g := range graphs {
		c := g.graph.Clustering()
		d.addCollectives(out, g, c, known)
		switch {
		case c.Eager:
			out.Eager++
			continue
		case runsOnHost(g.graph, c, pipeline):
			out.Pipeline++
		default:
			out.Graphs++
			out.Ran = out.Ran || ran
		}
		if ran {
			d.add(out, g, c, known)
			d.addLeft(out, g, left[g])
		}
	}
}

// marked picks one graph for each function or session that ran, and says whether autoclustering looked at them. TensorFlow writes
// the graph after marking only where it found something that XLA could compile; the dump before the next pass is always there and
// holds the others.
func (d *graphDir) marked() (graphs []*namedGraph, ran bool) {
	main := d.load(d.byPass[PassMark])
	if len(main) == 0 {
		main = d.load(d.byPass[PassMarkAnnotated])
	}
	ran = len(main) > 0
	for _, later := range d.laterDumps() {
		loaded := d.load(later)
		if len(loaded) == 0 {
			continue
		}
		rest := unmatched(loaded, main)
		for _, g := range rest {
			ran = ran || g.graph.Ran()
		}
		return append(main, rest...), ran
	}
	return main, ran
}

// laterDumps lists what shows the graphs of a process after marking, the earliest pass first.
func (d *graphDir) laterDumps() [][]*namedGraph {
	lists := [][]*namedGraph{d.byPass[PassBeforeDynamism], d.byPass[PassEncapsulateBefore]}
	if len(d.byPass[PassMark])+len(d.byPass[PassMarkAnnotated]) > 0 {
		return lists // from the next pass on the graphs look different: they could not be matched
	}
	return append(lists, d.withTag("MarkForCompilationPass"), d.byPass[PassEncapsulateAfter], d.byPass[PassBuildXlaOps],
		d.withTag("after_opt_group_post_rewrite_for_exec"), d.withTag("before_partition"))
}

// withTag lists the files of the dumper that names them by function whose tag ends so.
func (d *graphDir) withTag(tag string) []*namedGraph {
	var out []*namedGraph
	for _, g := range d.byPass[PassNamed] {
		if strings.HasSuffix(g.name.Tag, tag) {
			out = append(out, g)
		}
	}
	return out
}

// unmatched returns the graphs that are not, node by node, among the others; each of those stands for one.
func unmatched(graphs, others []*namedGraph) []*namedGraph {
	count := map[string]int{}
	for _, g := range others {
		count[nodeList(g.graph)]++
	}
	var out []*namedGraph
	for _, g := range graphs {
		key := nodeList(g.graph)
		if count[key] > 0 {
			count[key]--
			continue
		}
		out = append(out, g)
	}
	return out
}

// nodeList writes a graph's nodes and operations in order of name, by which dumps of the same graph are recognised.
func nodeList(g *Graph) string {
	lines := make([]string, len(g.Nodes))
	for i := range g.Nodes {
		lines[i] = nodeKey(&g.Nodes[i])
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// add counts one graph. Operations of a function's body are left out where that function's own graph was dumped as well.
func (d *graphDir) add(out *Clusters, g *namedGraph, c *Clustering, known map[string]bool) {
	out.Clustered += c.Inside
	slices.SortFunc(c.Clusters, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range c.Clusters {
		t.Function = programOf(g.function)
		out.Clusters = append(out.Clusters, t)
	}
	for i := range c.Outside {
		o := &c.Outside[i]
		if o.Body != "" && known[nodeKey(o.Node)] {
			continue
		}
		op := d.unclustered(g, o.Node, o.Body)
		op.System, op.Reason, op.Separates = o.System, o.Reason, o.Separates
		if o.Left {
			op.Left = declusterPass
		}
		out.Unclustered = append(out.Unclustered, op)
	}
}

// addCollectives lists what exchanges data outside of XLA. One in a function's body is left out where that function's own graph was dumped.
func (d *graphDir) addCollectives(out *Clusters, g *namedGraph, c *Clustering, known map[string]bool) {
	for i := range c.Outside {
		o := &c.Outside[i]
		if o.Collective == "" || o.Body != "" && known[nodeKey(o.Node)] {
			continue
		}
		op := d.unclustered(g, o.Node, o.Body)
		out.Collectives = append(out.Collectives, Collective{
			Op: op.Op, Kind: o.Collective, Node: op.Node, Function: op.Function, From: programsOf(o.From), To: programsOf(o.To), Source: op.Source, File: op.File,
		})
	}
}

// programsOf names compiled functions as the programs that they become.
func programsOf(functions []string) []string {
	var out []string
	for _, f := range functions {
		if name := programOf(f); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// addLeft lists what a graph's clusters had and lost again; the graph itself counts it as clustered.
func (d *graphDir) addLeft(out *Clusters, g *namedGraph, left map[string]string) {
	for i := range g.graph.Nodes {
		n := &g.graph.Nodes[i]
		if pass := left[nodeKey(n)]; pass != "" && n.Cluster != "" {
			op := d.unclustered(g, n, "")
			op.System, op.Reason, op.Left = true, ReasonLeft, pass
			out.Unclustered = append(out.Unclustered, op)
		}
	}
}

// unclustered describes a node outside the clusters, in its function and at its line as far as the dump tells them.
func (d *graphDir) unclustered(g *namedGraph, n *Node, body string) UnclusteredOp {
	name := PlainName(n.Name)
	return UnclusteredOp{
		Op: n.Op, Node: name, Function: programOf(authorsFunction(body, g.function, n.Origin)), Device: n.Device, File: g.file.Path,
		Source: d.lineOf(cmp.Or(body, g.function), name),
	}
}

// authorsFunction picks the first function that has a name of the author's: bodies of loops and conditions are numbered by TensorFlow.
func authorsFunction(functions ...string) string {
	for _, f := range functions {
		if IsFunctionName(f) {
			return f
		}
	}
	return ""
}

// nodeKey tells nodes of one graph apart, and finds them again in another dump of it.
func nodeKey(n *Node) string { return PlainName(n.Name) + "\x00" + n.Op }
