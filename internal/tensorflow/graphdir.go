package tensorflow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/phrase"
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
	for _, d := range dirs {
		for _, graphs := range d.byPass {
			slices.SortFunc(graphs, func(a, b *namedGraph) int {
				return cmp.Or(cmp.Compare(a.name.Number, b.name.Number), cmp.Compare(a.name.Function, b.name.Function),
					cmp.Compare(a.name.Order, b.name.Order), cmp.Compare(a.file.Path, b.file.Path))
			})
		}
	}
	return slices.SortedFunc(maps.Values(dirs), func(a, b *graphDir) int { return cmp.Compare(a.path, b.path) })
}

// load reads graphs that are not read yet and returns those that could be read.
func (d *graphDir) load(graphs []*namedGraph) []*namedGraph {
	var out []*namedGraph
	for _, g := range graphs {
		if g.graph == nil && (g.name.Format == FormatText || g.name.Format == FormatBinary) {
			err := g.file.Read(func(data []byte) (err error) {
				g.graph, err = Parse(data)
				return err
			})
			if err != nil {
				g.graph = nil
				d.problems = append(d.problems, graphProblem(g.file.Path, err))
			}
		}
		if g.graph != nil {
			out = append(out, g)
		}
	}
	return out
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

// embeddedGraphs extracts the graphs that TF_DUMP_GRAPH_PREFIX=- wrote into a log, each named as the dumper would have named its file. The log does not say after
// which pass a graph was dumped. The annotated graph is recognised by its node names; the graph before it is the marked one.
func embeddedGraphs(path string, data []byte) (out []*dump.File, problems []dump.Problem) {
	if !bytes.Contains(data, []byte("\nnode {\n")) && !bytes.HasPrefix(data, []byte("node {\n")) {
		return nil, nil
	}
	found := findEmbedded(data)
	graphs := make([]*Graph, len(found))
	for i, e := range found {
		g, err := Parse(e.Text)
		if err != nil {
			problem := graphProblem(fmt.Sprintf("%s:%d", path, e.Line), err)
			problem.Fix = "dump the graphs into files, where no other output stands between their lines: TF_DUMP_GRAPH_PREFIX=DIR"
			problems = append(problems, problem)
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

// embeddedPasses tells the passes by content, "" for what could not be read. In an annotated graph each name starts with its cluster, or with "unclustered".
func embeddedPasses(graphs []*Graph) []Pass {
	out := make([]Pass, len(graphs))
	for i, g := range graphs {
		switch {
		case g == nil:
		case len(g.Nodes) > 0 && !slices.ContainsFunc(g.Nodes, func(n *Node) bool {
			return !strings.HasPrefix(n.Name, "unclustered/") && (n.Cluster == "" || !strings.HasPrefix(n.Name, n.Cluster+"/"))
		}):
			out[i] = PassMarkAnnotated
			if i > 0 && graphs[i-1] != nil {
				out[i-1] = PassMark
			}
			if i > 1 && graphs[i-2] != nil {
				out[i-2] = PassBeforeMark
			}
		case slices.ContainsFunc(g.Nodes, func(n *Node) bool {
			return n.Kernel || n.Op == "_XlaRun" || n.Op == "_XlaCompile" || n.Op == "_XlaLaunch"
		}):
			out[i] = PassBuildXlaOps // clusters are functions already
		default:
			out[i] = PassBeforeDynamism
		}
	}
	return out
}

// Embedded is a graph that was written into a log (TF_DUMP_GRAPH_PREFIX=-).
type Embedded struct {
	Line int // where it starts, from 1
	Text []byte
}

// findEmbedded finds the graphs that were dumped into a log. Each starts with a field of a GraphDef at the start of a line and ends with its versions.
// A graph that a message of TensorFlow shows is no dump: TensorFlow cuts long messages.
func findEmbedded(log []byte) []Embedded {
	var out []Embedded
	start, startLine, inVersions, shown := -1, 0, false, false
	pos, line := 0, 0
	for text := range bytes.Lines(log) {
		from := pos
		pos, line = pos+len(text), line+1
		text = bytes.TrimRight(text, " \r\n")
		// a message that shows a graph has a head that ends in "meta_optimizer.cc:1313] Optimized graph =", or begins with the mark of text format
		shows := bytes.HasSuffix(text, []byte("graph =")) && bytes.Contains(text, []byte("] ")) || bytes.HasPrefix(text, []byte("goo.gle/debugstr"))
		if shown = shows || shown && graphText.Match(text); shown && start < 0 {
			continue
		}
		if start < 0 && (bytes.Equal(text, []byte("node {")) || bytes.Equal(text, []byte("library {"))) {
			start, startLine = from, line
		}
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

// graphText matches a line of a GraphDef in text format.
var graphText = regexp.MustCompile(`^( |\}|(node|library|versions) \{$)`)

// Pass says at which point a graph was dumped.
type Pass string

// The points at which autoclustering dumps graphs, in their order.
const (
	PassXlaComputationsBefore  Pass = "encapsulate_xla_computations_before"
	PassXlaComputationsHalfway Pass = "encapsulate_xla_computations_halfway"
	PassXlaComputationsAfter   Pass = "encapsulate_xla_computations_after"
	PassBeforeMark             Pass = "before_mark_for_compilation"
	PassMark                   Pass = "mark_for_compilation"
	PassMarkAnnotated          Pass = "mark_for_compilation_annotated"
	PassBeforeDynamism         Pass = "before_increase_dynamism_for_auto_jit_pass"
	PassEncapsulateBefore      Pass = "encapsulate_subgraphs_before"
	PassEncapsulateAfter       Pass = "encapsulate_subgraphs_after"
	PassBuildXlaOps            Pass = "build_xla_ops"

	// The next ones are parts of a graph: one cluster, or one function on its way to XLA.
	PassSubgraph        Pass = "encapsulate_subgraphs_subgraph_"
	PassClusterGraph    Pass = "encapsulate_fdef_graph_"
	PassClusterFunction Pass = "encapsulate_fdef_"
	PassCompileFunction Pass = "xla_compile_function_"
	PassCompileGraph    Pass = "xla_compile_graph_"

	// Grappler dumps its graphs before and after it ran (--vmodule=meta_optimizer=4): Group is the optimizer, "" for a whole iteration.
	PassGrapplerBefore Pass = "before_MetaOptimizer"
	PassGrapplerAfter  Pass = "after_MetaOptimizer"

	// PassNamed is a file of the dumper that names its files by function (TF_DUMP_GRAPH_NAME_FILTER): Group and Tag tell the point.
	PassNamed Pass = "named"
	// PassOther is a graph dumped by something that has nothing to do with clusters.
	PassOther Pass = "other"
)

// wholePasses are the base names that stand alone, apart from TensorFlow's counter.
var wholePasses = []Pass{PassXlaComputationsBefore, PassXlaComputationsHalfway, PassXlaComputationsAfter, PassBeforeMark, PassMark,
	PassMarkAnnotated, PassBeforeDynamism, PassEncapsulateBefore, PassEncapsulateAfter, PassBuildXlaOps}

// formerPasses are what TensorFlow called some of them in 2018.
var formerPasses = map[Pass]Pass{
	"before_encapsulate_subgraphs": PassEncapsulateBefore, "after_encapsulate_subgraphs": PassEncapsulateAfter, "build_xla_launch_ops": PassBuildXlaOps,
}

// partPasses are the base names that a function's or cluster's name follows; the longer of two that start alike stands first.
var partPasses = []Pass{PassSubgraph, PassClusterGraph, PassClusterFunction, PassCompileFunction, PassCompileGraph}

// Format is how a dump file is written.
type Format string

// The formats of dump files.
const (
	FormatText   Format = "pbtxt"
	FormatBinary Format = "pb"
	FormatMLIR   Format = "mlir"
	FormatStacks Format = "csv" // the stack traces of a function's operations
)

// Name is what the name of a dump file says.
type Name struct {
	Pass     Pass
	Number   int    // TensorFlow's counter for the base name in one process; 0 for the first file
	Function string // the function or cluster that the file is about, "" where only the counter tells graphs apart
	Order    int    // PassNamed: the running number within the function
	Group    string // PassNamed: main, graph_opt_pass, op_stacktrace, …
	Tag      string // PassNamed: "before_opt_group_post_rewrite_for_exec", …
	Format   Format
}

// ParseName reads a dump file's name. It reports false for a file that no graph dumper writes.
func ParseName(file string) (Name, bool) {
	base := path.Base(strings.ReplaceAll(file, "\\", "/"))
	if _, inArchive, ok := phrase.CutLast(base, "!"); ok {
		base = inArchive
	}
	stem, ext, ok := phrase.CutLast(base, ".")
	format := Format(ext)
	if !ok || format != FormatText && format != FormatBinary && format != FormatMLIR && format != FormatStacks {
		return Name{}, false
	}
	if n, ok := parseNamed(stem); ok {
		n.Format = format
		return n, true
	}
	if format == FormatStacks {
		return Name{}, false
	}
	n := parseCounted(stem)
	n.Format = format
	return n, n.Pass != PassOther || format == FormatText
}

// parseNamed reads "<function>.<order>.<group>.<tag>".
func parseNamed(stem string) (Name, bool) {
	rest, tag, ok := phrase.CutLast(stem, ".")
	rest, group, ok2 := phrase.CutLast(rest, ".")
	function, order, ok3 := phrase.CutLast(rest, ".")
	number, err := strconv.Atoi(order)
	if !ok || !ok2 || !ok3 || err != nil || function == "" || tag == "" {
		return Name{}, false
	}
	function, _, _ = strings.Cut(function, "_partition_")
	return Name{Pass: PassNamed, Function: function, Order: number, Group: group, Tag: tag}, true
}

// parseCounted reads "<base name>[_<number>]" and "<base name><function>[_<number>]".
func parseCounted(stem string) Name {
	for _, base := range slices.AppendSeq(slices.Clone(wholePasses), maps.Keys(formerPasses)) {
		if number, ok := counter(stem, string(base)); ok {
			return Name{Pass: cmp.Or(formerPasses[base], base), Number: number}
		}
	}
	for _, p := range []Pass{PassGrapplerBefore, PassGrapplerAfter} {
		if rest, ok := strings.CutPrefix(stem, string(p)+"_"); ok {
			return parseGrappler(p, rest)
		}
	}
	for _, p := range partPasses {
		function, ok := strings.CutPrefix(stem, string(p))
		if !ok || function == "" {
			continue
		}
		n := Name{Pass: p, Function: function} // "__inference_step_81__XlaMustCompile=true_", and of its second dump "__inference_step_81__XlaMustCompile=true__1"
		if before, last, ok := phrase.CutLast(function, "_"); ok && strings.HasSuffix(before, "_") && phrase.AllDigits(last) {
			n.Function = before
			n.Number, _ = strconv.Atoi(last)
		}
		return n
	}
	return Name{Pass: PassOther}
}

// parseGrappler reads what follows in "after_MetaOptimizer_iteration_0_model_pruner_140721494314976_1": iteration, optimizer, an address, TensorFlow's counter.
func parseGrappler(p Pass, rest string) Name {
	n := Name{Pass: p}
	if after, ok := strings.CutPrefix(rest, "iteration_"); ok {
		number, optimizer, _ := strings.Cut(after, "_")
		n.Order, _ = strconv.Atoi(number)
		rest = optimizer
	}
	if before, last, ok := phrase.CutLast(rest, "_"); ok && phrase.AllDigits(last) && len(last) < len("140721494") {
		n.Number, _ = strconv.Atoi(last)
		rest = before
	}
	if optimizer, address, ok := phrase.CutLast(rest, "_"); ok && phrase.AllDigits(address) {
		n.Group = optimizer
	}
	return n
}

// counter reads what follows a base name: nothing, or an underscore and a number from 1.
func counter(stem, base string) (int, bool) {
	rest, ok := strings.CutPrefix(stem, base)
	if !ok || rest == "" {
		return 0, ok
	}
	digits, ok := strings.CutPrefix(rest, "_")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

// functionPrefixes are what tf.function puts before the name that the model's author chose.
var functionPrefixes = []string{"__inference_", "__forward_", "__backward_"}

// IsFunctionName reports whether tf.function made the name; bodies of loops and conditions have other ones.
func IsFunctionName(name string) bool {
	return slices.ContainsFunc(functionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

var notWord = regexp.MustCompile(`\W`)

// ModuleName spells a function as XLA does in the name of its module: "__inference_<lambda>_15" is "a_inference__lambda__15" there.
func ModuleName(function string) string {
	name := notWord.ReplaceAllString(function, "_")
	if rest, ok := strings.CutPrefix(name, "__"); ok {
		return "a_" + rest
	}
	return name
}

// ClusterOf returns the cluster that an HLO module was compiled from: cluster_0 for cluster_0__XlaCompiledKernel_true__XlaHasReferenceVars_false_….2.
func ClusterOf(module string) (string, bool) {
	name, _, found := strings.Cut(module, "__Xla")
	if !found || !isClusterName(name) {
		return "", false
	}
	return name, true
}

// isClusterName recognises cluster_0 and, with deterministic names, cluster_1154007346014236116_0.
func isClusterName(name string) bool {
	rest, ok := strings.CutPrefix(name, "cluster_")
	if !ok {
		return false
	}
	return !slices.ContainsFunc(strings.Split(rest, "_"), func(part string) bool { return !phrase.AllDigits(part) })
}
