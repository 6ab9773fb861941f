package tensorflow

import (
	"errors"
	"slices"

	"github.com/xlagate/xlagate/internal/wire"
)

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
