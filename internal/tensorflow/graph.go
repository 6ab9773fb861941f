package tensorflow

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// Graph is one GraphDef, or one FunctionDef: then it holds a single function and no nodes.
type Graph struct {
	Nodes     []Node
	Functions []Function
}

// Function is one function of a graph's library.
type Function struct {
	Name        string
	Args        []string
	Nodes       []Node
	MustCompile bool // tf.function(jit_compile=True)
	Pipeline    bool // tf.data runs it on the host, on the elements of a dataset
}

// Node is one operation of a graph.
type Node struct {
	Name   string
	Op     string
	Device string
	Inputs []string // "x", "x:1" and, for control inputs, "^x"
	Origin string   // the function that it was inlined from, where the graph says so

	Cluster     string // _XlaCluster
	Marked      bool   // _XlaAlreadyClustered: a cluster had it once, even if none has it now
	MustCompile bool   // _XlaMustCompile or must_compile: jit_compile=True
	Kernel      bool   // _XlaCompiledKernel: the call of a cluster's function

	Calls []string   // the functions that its attributes name
	Types []DataType // the element types that its attributes name, each once
	Named bool       // the argument carries the name or shape that a tf.function gave it

	UserName string // of an argument: what the function's author calls it; "resource" for a variable
	Index    int    // of an argument: its place

	pipeline bool // _tf_data_function, of a function's own attributes
}

// function returns the library's function of that name, nil when there is none.
func (g *Graph) function(name string) *Function {
	for i := range g.Functions {
		if g.Functions[i].Name == name {
			return &g.Functions[i]
		}
	}
	return nil
}

// maxSize is the size above which no graph is read: protobuf itself stops there.
const maxSize = math.MaxInt32

// errMLIR says that a dump is in MLIR's tfg dialect (--tf_dump_graphs_in_tfg), which is not read.
var errMLIR = errors.New("a graph in MLIR's tfg dialect, which is not read; dump again without --tf_dump_graphs_in_tfg")

// Parse reads a GraphDef or a FunctionDef, as text or binary; the content tells which.
func Parse(data []byte) (*Graph, error) {
	head := bytes.TrimLeft(data[:min(len(data), 4096)], " \t\r\n")
	switch {
	case len(head) == 0:
		return nil, errors.New("the file is empty")
	case len(data) > maxSize:
		return nil, fmt.Errorf("the file has %d bytes; a graph has at most %d", len(data), maxSize)
	case bytes.HasPrefix(head, []byte("module")) || bytes.HasPrefix(head, []byte("tfg.")):
		return nil, errMLIR
	}
	return readGraph(data)
}
