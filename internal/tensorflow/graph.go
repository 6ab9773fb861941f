package tensorflow

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/wire"
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
	if !slices.Contains(n.Types, t) {
		n.Types = append(n.Types, t)
	}
}

// The names of the fields that are read, by their numbers in graph.proto, function.proto, node_def.proto and attr_value.proto.
var (
	graphFields     = []string{1: "node", 2: "library", 3: "version", 4: "versions", 5: "debug_info"}
	functionFields  = []string{1: "signature", 3: "node_def", 4: "ret", 5: "attr", 6: "control_ret", 7: "arg_attr", 8: "resource_arg_unique_id"}
	libraryFields   = []string{1: "function"}
	signatureFields = []string{1: "name", 2: "input_arg"}
	nodeFields      = []string{1: "name", 2: "op", 3: "input", 4: "device", 5: "attr", 6: "experimental_debug_info"}
	debugFields     = []string{2: "original_func_names"}
	valueFields     = []string{1: "list", 2: "s", 3: "i", 5: "b", 6: "type", 10: "func"}
	listFields      = []string{6: "type", 9: "func"}
	nameFields      = []string{1: "name"}
)

// graphReader builds a graph.
type graphReader struct {
	*wire.Reader
	graph    Graph
	versions bool
	function bool // the file is a FunctionDef
}

func readGraph(data []byte) (*Graph, error) {
	r, names := &graphReader{Reader: wire.New(data)}, graphFields
	if _, ok := wire.First(data, 3); ok { // a number in a serialized GraphDef, a node in a FunctionDef
		names = functionFields
	}
	if err := r.All(names, r.top); err != nil {
		return nil, err
	}
	if !r.versions && !r.function {
		return nil, errors.New("the file ends before the graph's versions: the run that wrote it was cut off")
	}
	return &r.graph, nil
}

// top reads one field of the file.
func (r *graphReader) top(name string) error {
	switch name {
	case "node":
		return r.node(&r.graph.Nodes)
	case "library":
		return r.Message(libraryFields, func(name string) error {
			if name != "function" {
				return nil
			}
			var f Function
			err := r.Message(functionFields, func(name string) error { return r.functionField(&f, name) })
			r.graph.Functions = append(r.graph.Functions, f)
			return err
		})
	case "versions":
		r.versions = true
	case "version", "debug_info":
	default:
		if !slices.Contains(functionFields, name) {
			return r.Errorf("not a TensorFlow graph: a GraphDef has no field %q", name)
		}
		if !r.function {
			r.function = true
			r.graph.Functions = append(r.graph.Functions, Function{})
		}
		return r.functionField(&r.graph.Functions[0], name)
	}
	return nil
}

func (r *graphReader) functionField(f *Function, name string) error {
	switch name {
	case "signature":
		return r.Message(signatureFields, func(name string) (err error) {
			switch name {
			case "name":
				f.Name, err = r.String()
			case "input_arg":
				err = r.named(&f.Args)
			}
			return err
		})
	case "node_def":
		return r.node(&f.Nodes)
	case "attr":
		var n Node
		err := r.attr(&n)
		f.setAttrs(&n)
		return err
	}
	return nil
}

// named appends the name in a message to a list.
func (r *graphReader) named(list *[]string) error {
	return r.Message(nameFields, func(name string) error {
		if name != "name" {
			return nil
		}
		return r.Strings(list)
	})
}

func (r *graphReader) node(nodes *[]Node) error {
	var n Node
	err := r.Message(nodeFields, func(name string) (err error) {
		switch name {
		case "name":
			n.Name, err = r.String()
		case "op":
			n.Op, err = r.String()
		case "device":
			n.Device, err = r.String()
		case "input":
			err = r.Strings(&n.Inputs)
		case "attr":
			err = r.attr(&n)
		case "experimental_debug_info":
			err = r.Message(debugFields, func(name string) (err error) {
				if name == "original_func_names" && n.Origin == "" {
					n.Origin, err = r.String()
				}
				return err
			})
		}
		return err
	})
	*nodes = append(*nodes, n)
	return err
}

// attr reads one entry of an attribute map.
func (r *graphReader) attr(n *Node) error {
	return r.Entry(func(key string) error {
		return r.Message(valueFields, func(name string) error { return r.value(n, key, name) })
	})
}

// value reads one field of an AttrValue, or of the list in it.
func (r *graphReader) value(n *Node, key, name string) error {
	switch name {
	case "s":
		text, err := r.String()
		n.setText(key, text)
		return err
	case "i":
		i, err := r.Int()
		n.setInt(key, int(i))
		return err
	case "b":
		on, err := r.Bool()
		n.setBool(key, on)
		return err
	case "type":
		types, err := r.Enums(dataTypes)
		for _, t := range types {
			n.addType(DataType(t))
		}
		return err
	case "func":
		return r.named(&n.Calls)
	case "list":
		n.seen(key)
		return r.Message(listFields, func(name string) error {
			if name == "type" || name == "func" {
				return r.value(n, key, name)
			}
			return nil
		})
	}
	return nil
}
