package tensorflow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/wire"
)

// Graph is one GraphDef, or one FunctionDef. A FunctionDef becomes a graph with a single function and no nodes.
type Graph struct {
	Nodes     []*Node
	Functions []*Function
}

// Function is one function of a graph's library.
type Function struct {
	Name        string
	Args        []string
	Nodes       []*Node
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
	if at := slices.IndexFunc(g.Functions, func(f *Function) bool { return f.Name == name }); at >= 0 {
		return g.Functions[at]
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

// attribute is the value of an attribute that is neither a list, a type nor a function.
type attribute struct {
	text   string
	number int64
	on     bool
}

// set notes an attribute, if it is one that matters.
func (n *Node) set(key string, v attribute) {
	switch key {
	case "_XlaCluster":
		n.Cluster = v.text
	case "_user_specified_name":
		n.UserName, n.Named = v.text, true
	case "_output_shapes":
		n.Named = true
	case "_XlaAlreadyClustered":
		n.Marked = v.on
	case "_XlaMustCompile", "must_compile": // the latter of _XlaCompile
		n.MustCompile = n.MustCompile || v.on
	case "_XlaCompiledKernel":
		n.Kernel = v.on
	case "_tf_data_function":
		n.pipeline = v.on
	case "index": // of _Arg
		n.Index = int(v.number)
	}
}

// DataType is TensorFlow's number of an element type; a reference type is the same number plus 100.
type DataType int32

// The element types that matter to clustering.
const (
	Int32    DataType = 3
	String   DataType = 7
	Int64    DataType = 9
	Resource DataType = 20
	Variant  DataType = 21

	refOffset DataType = 100
)

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
	return slices.Contains(n.Types, t) || slices.Contains(n.Types, t+refOffset)
}

// graphReader builds a graph. The numbers of the fields are those of graph.proto, function.proto, node_def.proto and attr_value.proto.
type graphReader struct {
	graph    Graph
	versions bool
}

func readGraph(data []byte) (*Graph, error) {
	var r graphReader
	var whole Function // the file, where it is a FunctionDef
	fields := r.fields()
	if _, ok := wire.First(data, 3); ok { // a number in a serialized GraphDef, a node in a FunctionDef
		fields = whole.fields()
	} else if wire.IsText(data) {
		fields = slices.Concat(fields, whole.fields(), wire.Fields{{To: func(r *wire.Reader, name string) error {
			return r.Errorf("not a TensorFlow graph: a GraphDef has no field %q", name)
		}}})
	}
	if err := wire.New(data).All(fields); err != nil {
		return nil, err
	}
	switch {
	case whole.Name != "":
		r.graph.Functions = append(r.graph.Functions, &whole)
	case !r.versions:
		return nil, errors.New("the file ends before the graph's versions: the run that wrote it was cut off")
	}
	return &r.graph, nil
}

// fields are those of a GraphDef.
func (r *graphReader) fields() wire.Fields {
	function := func(w *wire.Reader) error {
		var f Function
		err := w.Message(f.fields())
		r.graph.Functions = append(r.graph.Functions, &f)
		return err
	}
	versions := func(*wire.Reader) error {
		r.versions = true
		return nil
	}
	return wire.Fields{
		{1, "node", nodesTo(&r.graph.Nodes)}, {2, "library", wire.Fields{{1, "function", function}}}, {3, "version", nil}, {4, "versions", versions},
		{5, "debug_info", nil},
	}
}

// fields are those of a FunctionDef.
func (f *Function) fields() wire.Fields {
	attr := func(r *wire.Reader) error {
		var n Node
		err := n.readAttr(r)
		f.MustCompile, f.Pipeline = f.MustCompile || n.MustCompile, f.Pipeline || n.pipeline
		return err
	}
	return wire.Fields{
		{1, "signature", wire.Fields{{1, "name", &f.Name}, {2, "input_arg", wire.Fields{{1, "name", &f.Args}}}}}, {3, "node_def", nodesTo(&f.Nodes)},
		{4, "ret", nil}, {5, "attr", attr}, {6, "control_ret", nil}, {7, "arg_attr", nil}, {8, "resource_arg_unique_id", nil},
	}
}

// nodesTo reads a NodeDef to the end of a list.
func nodesTo(nodes *[]*Node) func(*wire.Reader) error {
	return func(r *wire.Reader) error {
		var n Node
		var origins []string
		err := r.Message(wire.Fields{
			{1, "name", &n.Name}, {2, "op", &n.Op}, {3, "input", &n.Inputs}, {4, "device", &n.Device}, {5, "attr", n.readAttr},
			{6, "experimental_debug_info", wire.Fields{{2, "original_func_names", &origins}}},
		})
		n.Origin = cmp.Or(origins...)
		*nodes = append(*nodes, &n)
		return err
	}
}

// readAttr reads one entry of a map of attributes, whose values are AttrValues.
func (n *Node) readAttr(r *wire.Reader) error {
	return r.Entry(func(key string) error {
		var v attribute
		function := wire.Fields{{1, "name", &n.Calls}}
		err := r.Message(wire.Fields{
			{1, "list", wire.Fields{{6, "type", n.readTypes}, {9, "func", function}}},
			{2, "s", &v.text}, {3, "i", &v.number}, {5, "b", &v.on}, {6, "type", n.readTypes}, {10, "func", function},
		})
		n.set(key, v)
		return err
	})
}

// readTypes notes types, each once.
func (n *Node) readTypes(r *wire.Reader) error {
	types, err := r.Enums(dataTypes)
	for _, t := range types {
		if !slices.Contains(n.Types, DataType(t)) {
			n.Types = append(n.Types, DataType(t))
		}
	}
	return err
}
