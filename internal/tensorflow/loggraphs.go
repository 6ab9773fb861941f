package tensorflow

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
)

// graphsInLog extracts the graphs that TF_DUMP_GRAPH_PREFIX=- wrote into a log. The log does not say after which pass a graph was dumped. The annotated
// graph is recognised by its node names; the graph before it is the marked one.
func graphsInLog(log *dump.File) ([]*dump.File, []Problem) {
	var out []*dump.File
	var problems []Problem
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
func embeddedGraphs(path string, data []byte) (out []*dump.File, problems []Problem) {
	found := FindEmbedded(data)
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

// FindEmbedded finds the text graphs in a log. Each starts with a field of a GraphDef at the start of a line and ends with its versions.
func FindEmbedded(log []byte) []Embedded {
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
