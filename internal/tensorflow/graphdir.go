package tensorflow

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"

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
	problems []Problem
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
func graphProblem(file string, err error) Problem {
	p := Problem{File: file, Message: "TensorFlow graph: " + err.Error(), Fix: "dump the graphs again"}
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
	d.problems = append(d.problems, Problem{
		File: files[0], Message: fmt.Sprintf("not readable: %d TensorFlow graphs in MLIR's tfg dialect", len(files)),
		Fix: "dump again without --tf_dump_graphs_in_tfg",
	})
}

// mlir lists the files in MLIR's dialect, sorted.
func (d *graphDir) mlir() []string {
	var out []string
	for _, graphs := range d.byPass {
		for _, g := range graphs {
			if g.name.Format == FormatMLIR {
				out = append(out, g.file.Path)
			}
		}
	}
	slices.Sort(out)
	return out
}
