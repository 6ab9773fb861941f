package tensorflow

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Graph is one GraphDef, or one FunctionDef. A FunctionDef becomes a graph with a single function and no nodes.
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

// function returns the library's function of that name, nil if there is none.
func (g *Graph) function(name string) *Function {
	for i := range g.Functions {
		if g.Functions[i].Name == name {
			return &g.Functions[i]
		}
	}
	return nil
}

// maxSize is the size above which no graph is read; it is protobuf's own limit.
const maxSize = math.MaxInt32

// errMLIR says that a dump is in MLIR's tfg dialect (--tf_dump_graphs_in_tfg), which is not read.
var errMLIR = errors.New("a graph in MLIR's tfg dialect, which is not read; dump again without --tf_dump_graphs_in_tfg")

// Parse reads a GraphDef or a FunctionDef, as text or binary. It detects the form by the content.
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

// The attributes by which TensorFlow marks what XLA compiles.
const (
	attrCluster     = "_XlaCluster"
	attrMarked      = "_XlaAlreadyClustered"
	attrMustCompile = "_XlaMustCompile"
	attrKernel      = "_XlaCompiledKernel"
	attrBuiltMust   = "must_compile" // of _XlaCompile
	attrUserName    = "_user_specified_name"
	attrShapes      = "_output_shapes"
	attrPipeline    = "_tf_data_function"
	attrIndex       = "index" // of _Arg
)

// setText notes a string attribute, if it is one that matters.
func (n *Node) setText(key, value string) {
	switch key {
	case attrCluster:
		n.Cluster = value
	case attrUserName:
		n.UserName = value
	}
	n.seen(key)
}

// setBool notes a switch, if it is one that matters.
func (n *Node) setBool(key string, on bool) {
	switch key {
	case attrMarked:
		n.Marked = on
	case attrMustCompile, attrBuiltMust:
		n.MustCompile = n.MustCompile || on
	case attrKernel:
		n.Kernel = on
	case attrPipeline:
		n.pipeline = on
	}
}

// setInt notes a number, if it is one that matters.
func (n *Node) setInt(key string, value int) {
	if key == attrIndex {
		n.Index = value
	}
}

// setAttrs notes what a function's own attributes say; they are read into a node.
func (f *Function) setAttrs(n *Node) {
	f.MustCompile = f.MustCompile || n.MustCompile
	f.Pipeline = f.Pipeline || n.pipeline
}

// seen notes an attribute whose presence is what matters.
func (n *Node) seen(key string) {
	if key == attrUserName || key == attrShapes {
		n.Named = true
	}
}

// DataType is TensorFlow's number of an element type; a reference type is the same number plus 100.
type DataType int32

// The element types that matter to clustering.
const (
	Int32    DataType = 3
	String   DataType = 7
	Int64    DataType = 9
	Bool     DataType = 10
	Resource DataType = 20
	Variant  DataType = 21

	refOffset DataType = 100
)

// base returns the type that a reference refers to.
func (t DataType) base() DataType {
	if t > refOffset {
		return t - refOffset
	}
	return t
}

// dataTypes are the names that text graphs use.
var dataTypes = map[string]int64{
	"DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_INT8": 6, "DT_STRING": 7, "DT_COMPLEX64": 8,
	"DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11, "DT_QUINT8": 12, "DT_QINT32": 13, "DT_BFLOAT16": 14, "DT_QINT16": 15,
	"DT_QUINT16": 16, "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19, "DT_RESOURCE": 20, "DT_VARIANT": 21, "DT_UINT32": 22,
	"DT_UINT64": 23, "DT_FLOAT8_E5M2": 24, "DT_FLOAT8_E4M3FN": 25, "DT_INT4": 29, "DT_UINT4": 30,
	"DT_STRING_REF": 107, "DT_RESOURCE_REF": 120, "DT_VARIANT_REF": 121, "DT_FLOAT_REF": 101, "DT_INT32_REF": 103,
	"DT_INT64_REF": 109, "DT_BOOL_REF": 110,
}

// has reports whether the node's attributes name the type, or a reference to it.
func (n *Node) has(t DataType) bool {
	return slices.ContainsFunc(n.Types, func(have DataType) bool { return have.base() == t })
}

// addType notes a type once.
func (n *Node) addType(t DataType) {
	for _, have := range n.Types {
		if have == t {
			return
		}
	}
	n.Types = append(n.Types, t)
}
