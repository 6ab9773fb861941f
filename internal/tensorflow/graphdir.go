package tensorflow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/wire"
)

// namedGraph is one dumped graph with what its name says.
type namedGraph struct {
	file     *dump.File
	name     Name
	graph    *Graph
	function string // the tf.function it belongs to, raw; "" when unknown
}

// graphDir is what one process dumped: the files of one directory.
type graphDir struct {
	path     string
	byPass   map[Pass][]*namedGraph
	stacks   map[string]*Stacks // by raw function name
	problems []dump.Problem
}

// graphDirs sorts graph dumps into the directories they came from; what no graph dumper writes is left out.
func graphDirs(files []*dump.File) []*graphDir {
	dirs := map[string]*graphDir{}
	for _, f := range files {
		name, ok := ParseName(f.Path)
		if !ok {
			continue
		}
		at := path.Dir(f.Path)
		if dirs[at] == nil {
			dirs[at] = &graphDir{path: at, byPass: map[Pass][]*namedGraph{}, stacks: map[string]*Stacks{}}
		}
		dirs[at].byPass[name.Pass] = append(dirs[at].byPass[name.Pass], &namedGraph{file: f, name: name, function: name.Function})
	}
	out := make([]*graphDir, 0, len(dirs))
	for _, d := range dirs {
		for _, graphs := range d.byPass {
			slices.SortFunc(graphs, compareNamed)
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *graphDir) int { return cmp.Compare(a.path, b.path) })
	return out
}

func compareNamed(a, b *namedGraph) int {
	return cmp.Or(cmp.Compare(a.name.Number, b.name.Number), cmp.Compare(a.name.Function, b.name.Function),
		cmp.Compare(a.name.Order, b.name.Order), cmp.Compare(a.file.Path, b.file.Path))
}

// load reads graphs that are not read yet and returns those that could be read.
func (d *graphDir) load(graphs []*namedGraph) []*namedGraph {
	var out []*namedGraph
	for _, g := range graphs {
		if g.graph == nil && (g.name.Format == FormatText || g.name.Format == FormatBinary) {
			d.loadOne(g)
		}
		if g.graph != nil {
			out = append(out, g)
		}
	}
	return out
}

func (d *graphDir) loadOne(g *namedGraph) {
	err := g.file.Read(func(data []byte) (err error) {
		g.graph, err = Parse(data)
		return err
	})
	if err != nil {
		g.graph = nil
		d.problems = append(d.problems, graphProblem(g.file.Path, err))
	}
}

// graphProblem puts the place of a syntax error behind the file's name.
func graphProblem(file string, err error) dump.Problem {
	p := dump.Problem{File: file, Message: "TensorFlow graph: " + err.Error(), Fix: "dump the graphs again"}
	var syntax *wire.SyntaxError
	if errors.As(err, &syntax) {
		p.File = fmt.Sprintf("%s:%d:%d", file, syntax.Line, syntax.Column)
		p.Message = "TensorFlow graph: " + syntax.Message
	}
	return p
}

// refuseMLIR says once that a directory's graphs are in a dialect that is not read.
func (d *graphDir) refuseMLIR() {
	files := d.mlir()
	if len(files) == 0 {
		return
	}
	d.problems = append(d.problems, dump.Problem{
		File: files[0], Message: fmt.Sprintf("not readable: %d TensorFlow graphs in MLIR's tfg dialect", len(files)),
		Fix: "dump again without --tf_dump_graphs_in_tfg",
	})
}

// mlir lists the graphs in MLIR's dialect, sorted. The files that are named by function are in MLIR where the bridge to XLA dumped its modules.
func (d *graphDir) mlir() []string {
	var out []string
	for pass, graphs := range d.byPass {
		for _, g := range graphs {
			if g.name.Format == FormatMLIR && pass != PassNamed {
				out = append(out, g.file.Path)
			}
		}
	}
	slices.Sort(out)
	return out
}

// graphsInLog extracts the graphs that TF_DUMP_GRAPH_PREFIX=- wrote into a log. The log does not say after which pass a graph was dumped. The annotated
// graph is recognised by its node names; the graph before it is the marked one.
func graphsInLog(log *dump.File) ([]*dump.File, []dump.Problem) {
	var out []*dump.File
	var problems []dump.Problem
	_ = log.Read(func(data []byte) error { // that it cannot be read is said once: see readLogs
		if !bytes.Contains(data, []byte("\nnode {\n")) && !bytes.HasPrefix(data, []byte("node {\n")) {
			return nil
		}
		out, problems = embeddedGraphs(log.Path, data)
		return nil
	})
	return out, problems
}

// embeddedGraphs names each graph as the dumper would have named its file.
func embeddedGraphs(path string, data []byte) (out []*dump.File, problems []dump.Problem) {
	found := findEmbedded(data)
	graphs := make([]*Graph, len(found))
	for i, e := range found {
		g, err := Parse(e.Text)
		if err != nil {
			problems = append(problems, graphProblem(fmt.Sprintf("%s:%d", path, e.Line), err))
			continue
		}
		graphs[i] = g
	}
	numbers := map[Pass]int{}
	for i, pass := range embeddedPasses(graphs) {
		if pass == "" {
			continue
		}
		name := fmt.Sprintf("%s/%s_%d.pbtxt", path, pass, numbers[pass])
		if numbers[pass] == 0 {
			name = fmt.Sprintf("%s/%s.pbtxt", path, pass)
		}
		numbers[pass]++
		out = append(out, dump.InMemory(name, bytes.Clone(found[i].Text)))
	}
	return out, problems
}

// embeddedPasses identifies the passes by content: "" for a graph that could not be read.
func embeddedPasses(graphs []*Graph) []Pass {
	out := make([]Pass, len(graphs))
	for i, g := range graphs {
		switch {
		case g == nil:
		case isAnnotated(g):
			out[i] = PassMarkAnnotated
			if i > 0 && graphs[i-1] != nil {
				out[i-1] = PassMark
			}
			if i > 1 && graphs[i-2] != nil {
				out[i-2] = PassBeforeMark
			}
		case isBuilt(g):
			out[i] = PassBuildXlaOps
		default:
			out[i] = PassBeforeDynamism
		}
	}
	return out
}

// isAnnotated reports whether every node's name starts with its cluster, or with "unclustered".
func isAnnotated(g *Graph) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !strings.HasPrefix(n.Name, "unclustered/") && (n.Cluster == "" || !strings.HasPrefix(n.Name, n.Cluster+"/")) {
			return false
		}
	}
	return len(g.Nodes) > 0
}

// isBuilt reports whether clusters are functions already.
func isBuilt(g *Graph) bool {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kernel || n.Op == "_XlaRun" || n.Op == "_XlaCompile" || n.Op == "_XlaLaunch" {
			return true
		}
	}
	return false
}

// Embedded is a graph that was written into a log (TF_DUMP_GRAPH_PREFIX=-).
type Embedded struct {
	Line int // where it starts, from 1
	Text []byte
}

// findEmbedded finds the text graphs in a log. Each starts with a field of a GraphDef at the start of a line and ends with its versions.
func findEmbedded(log []byte) []Embedded {
	var out []Embedded
	start, startLine, inVersions := -1, 0, false
	pos, line := 0, 0
	for pos < len(log) {
		end := bytes.IndexByte(log[pos:], '\n')
		if end < 0 {
			end = len(log) - pos - 1
		}
		text := bytes.TrimRight(log[pos:pos+end+1], "\r\n")
		line++
		if start < 0 && isGraphField(text) {
			start, startLine = pos, line
		}
		pos += end + 1
		switch {
		case start < 0:
		case bytes.Equal(text, []byte("versions {")):
			inVersions = true
		case inVersions && bytes.Equal(text, []byte("}")):
			out = append(out, Embedded{Line: startLine, Text: log[start:pos]})
			start, inVersions = -1, false
		}
	}
	if start >= 0 {
		out = append(out, Embedded{Line: startLine, Text: log[start:]})
	}
	return out
}

func isGraphField(line []byte) bool {
	return bytes.Equal(line, []byte("node {")) || bytes.Equal(line, []byte("library {"))
}
