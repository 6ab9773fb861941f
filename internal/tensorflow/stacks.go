package tensorflow

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// Stacks are the Python stacks of a function's operations, where they run through the model's code: what TF_DUMP_GRAPH_GROUPS=op_stacktrace dumps.
type Stacks struct {
	Called hlo.Location // the line that called the function and so had it traced; zero where no stack tells

	own map[string][]hlo.Location // by node, innermost first, within the function that was traced
}

const stacksHeader = "node_id,node_name,stackframes"

// ParseStacks reads an op_stacktrace dump: "2,matmul,/a/train.py(145): <module>;/a/model.py(12): layer;…" in each line, outermost frame first.
func ParseStacks(data []byte) (*Stacks, error) {
	out := &Stacks{own: map[string][]hlo.Location{}}
	header, rest, _ := bytes.Cut(data, []byte{'\n'})
	if string(bytes.TrimSpace(header)) != stacksHeader {
		return nil, &wire.SyntaxError{Line: 1, Column: 1, Message: fmt.Sprintf("expected %q", stacksHeader)}
	}
	known := map[string]hlo.Location{}
	for line := 2; len(rest) > 0; line++ {
		var row []byte
		row, rest, _ = bytes.Cut(rest, []byte{'\n'})
		fields := bytes.SplitN(bytes.TrimSpace(row), []byte{','}, 3)
		if len(fields) == 1 && len(fields[0]) == 0 {
			continue
		}
		if len(fields) != 3 {
			return nil, &wire.SyntaxError{Line: line, Column: 1, Message: "expected a node's number, its name and its stack"}
		}
		out.add(string(fields[1]), fields[2], known)
	}
	return out, nil
}

// add keeps a node's own frames up to where its function was traced, and the first one outside. Most frames are known: they repeat.
func (s *Stacks) add(node string, stack []byte, known map[string]hlo.Location) {
	var own []hlo.Location
	traced := false
	for end := len(stack); end >= 0; {
		start := bytes.LastIndexByte(stack[:end], ';') + 1
		text := stack[start:end]
		end = start - 1
		f, seen := known[string(text)]
		if !seen {
			f = parseFrame(string(text))
			if logs.Installed(f.File) { // only its function's name counts
				f = hlo.Location{Function: f.Function}
			}
			known[string(text)] = f
		}
		switch {
		case f.Function == tracing:
			traced = true
		case f.File == "":
		case !traced:
			own = append(own, f)
		default:
			if s.Called.File == "" {
				s.Called = f
			}
			end = -1
		}
	}
	s.own[node] = own
}

// tracing is the frame of TensorFlow that traces a function: the frames outside of it call the function.
const tracing = "_create_concrete_function"

// parseFrame reads "/a/model.py(12): layer", and nothing of any other text.
func parseFrame(text string) hlo.Location {
	place, function, ok := strings.Cut(strings.TrimSpace(text), "): ")
	file, line, ok2 := phrase.CutLast(place, "(")
	n, err := strconv.Atoi(line)
	if !ok || !ok2 || err != nil {
		return hlo.Location{}
	}
	return hlo.Location{File: file, Line: int32(n), Function: function}
}

// Of finds the model's frames of a node, innermost first, also of one that a function's body put into the graph: "while/body/_1/while/add" was "while/add".
func (s *Stacks) Of(node string) (own []hlo.Location, known bool) {
	if s == nil {
		return nil, false
	}
	if own, known = s.own[node]; known {
		return own, true
	}
	parts := strings.Split(node, "/")
	for i := len(parts) - 2; i > 0; i-- {
		if number, ok := strings.CutPrefix(parts[i], "_"); ok && phrase.AllDigits(number) {
			own, known = s.own[strings.Join(parts[i+1:], "/")]
			return own, known
		}
	}
	return nil, false
}

// Trace is what stacks tell of the operations that XLA was given: those of the function that it compiled, and of what was laid into it.
type Trace struct {
	Function *Stacks   // nil where it is not known
	Within   []*Stacks // of bodies of loops and the like, any of which may be within
}

// Behind finds the model's frames of an operation by the name that XLA knows it by, innermost first. The operations of a gradient are told
// by the line of what it is the gradient of, those of a function that was called by the line of the call.
func (t *Trace) Behind(opName string) []hlo.Location {
	for name := range strings.SplitSeq(opName, ";") { // the compiler made one operation of several
		forward, gradient := strings.CutPrefix(name, "gradient_tape/")
		if gradient {
			if own := t.around(above(forward)); len(own) > 0 {
				return own
			}
		}
		if own := t.around(name); len(own) > 0 {
			return own
		}
	}
	return nil
}

// around finds the frames of a node, else of the innermost node that it is named below.
func (t *Trace) around(name string) []hlo.Location {
	for name != "" {
		if own, known := t.Function.Of(name); known {
			return own
		}
		if own := t.within(name); len(own) > 0 {
			return own
		}
		name = above(name)
	}
	return nil
}

// within finds a node in the bodies; nothing where they differ in what they call so.
func (t *Trace) within(name string) []hlo.Location {
	var found []hlo.Location
	for _, s := range t.Within {
		own := s.own[name]
		if len(own) > 0 && len(found) > 0 && !slices.Equal(own, found) {
			return nil
		}
		if len(own) > 0 {
			found = own
		}
	}
	return found
}

// above is the scope of a name, "" at the top.
func above(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// declusterPass is the only pass between marking and encapsulating that removes operations from clusters.
const declusterPass = "PartiallyDeclusterPass"

// leastOverlap is the share of nodes that two dumps of the same function's graph have in common, whatever passes ran between them.
const leastOverlap = 0.7

// nodeNames is the set of a graph's node names.
type nodeNames map[string]bool

func namesOf(g *Graph) nodeNames {
	return setOf(phrase.Map(g.Nodes, func(n *Node) string { return PlainName(n.Name) })...)
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

// nameFunctions finds the function of a graph that has only a number: dumps that are named by function, and stack traces, show the same nodes.
func (d *graphDir) nameFunctions(graphs []*namedGraph) {
	for _, g := range d.byPass[PassNamed] { // if a function has several stack traces, the first counts
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
		for _, g := range d.load(d.named(strings.HasSuffix, tag)) {
			out[g.function] = namesOf(g.graph)
		}
	}
	for function, stacks := range d.stacks {
		if out[function] == nil {
			out[function] = setOf(slices.Collect(maps.Keys(stacks.own))...)
		}
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
	later := slices.Concat(d.byPass[PassEncapsulateBefore], d.named(strings.Contains, "_post_rewrite_for_exec_phase_"))
	for _, g := range d.load(later) {
		var nodes []string
		for _, n := range g.graph.Nodes {
			if n.Marked && n.Cluster == "" {
				nodes = append(nodes, nodeKey(n))
			}
		}
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
		_, numbered, _ := strings.Cut(g.name.Tag, "_phase_") // …_phase_30_PartiallyDeclusterPass
		_, pass, _ := strings.Cut(numbered, "_")
		for _, key := range nodes {
			if out[at][key] == "" {
				out[at][key] = cmp.Or(pass, declusterPass)
			}
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
		return "no graph is from MarkForCompilation: on a CPU autoclustering needs --tf_xla_cpu_global_jit besides --tf_xla_auto_jit=2 in TF_XLA_FLAGS; " +
			"with both, it found nothing that XLA can compile"
	}
	return "none of the graphs is from MarkForCompilation or later"
}
