package tensorflow

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of graph.proto, function.proto, node_def.proto, attr_value.proto and versions.proto.
const (
	graphNode, graphLibrary, graphVersions = 1, 2, 4

	libraryFunction = 1

	functionSignature, functionNode, functionAttr = 1, 3, 5

	signatureName, signatureArg = 1, 2

	argName = 1

	nodeName, nodeOp, nodeInput, nodeDevice, nodeAttr, nodeDebugInfo = 1, 2, 3, 4, 5, 6

	debugFunctions = 2

	entryKey, entryValue = 1, 2

	valueList, valueString, valueInt, valueBool, valueType, valueFunc = 1, 2, 3, 5, 6, 10
	listFunc                                                          = 9

	callName = 1
)

// binaryReader builds a graph from the wire format. Every message is a slice of the file, so that an error has a place.
type binaryReader struct {
	data     []byte
	graph    Graph
	strings  map[string]string
	versions bool
}

func parseBinary(data []byte) (*Graph, error) {
	r := &binaryReader{data: data, strings: map[string]string{}}
	if isFunctionDef(data) {
		var f Function
		if err := r.fields(data, func(number protowire.Number, v value) error { return r.functionField(&f, number, v) }); err != nil {
			return nil, err
		}
		return &Graph{Functions: []Function{f}}, nil
	}
	if err := r.fields(data, r.top); err != nil {
		return nil, err
	}
	if len(r.graph.Nodes)+len(r.graph.Functions) == 0 && !r.versions {
		return nil, fmt.Errorf("not a TensorFlow graph: it holds no node, no function and no version")
	}
	if !r.versions {
		return nil, r.errorf(nil, "the file ends before the graph's versions: the run that wrote it was cut off")
	}
	return &r.graph, nil
}

// isFunctionDef tells the two kinds of file apart: field 3 is a number in a GraphDef and a node in a FunctionDef.
func isFunctionDef(data []byte) bool {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return false
		}
		if number == functionNode {
			return kind == protowire.BytesType
		}
		size := protowire.ConsumeFieldValue(number, kind, data[n:])
		if size < 0 {
			return false
		}
		data = data[n+size:]
	}
	return false
}

// errorf places an error at the start of rest, which is a tail of the file or of a message in it.
func (r *binaryReader) errorf(rest []byte, format string, args ...any) error {
	offset := cap(r.data) - cap(rest) // every slice of the file keeps its capacity up to the file's end
	if rest == nil {
		offset = len(r.data)
	}
	return &SyntaxError{Offset: max(offset, 0), Message: fmt.Sprintf(format, args...)}
}

// value is one field's content: bytes or a number.
type value struct {
	bytes  []byte
	number uint64
}

// fields calls each for every field of a message.
func (r *binaryReader) fields(msg []byte, each func(number protowire.Number, v value) error) error {
	for len(msg) > 0 {
		number, kind, n := protowire.ConsumeTag(msg)
		if n < 0 {
			return r.errorf(msg, "not a TensorFlow graph, or cut off: %v", protowire.ParseError(n))
		}
		v, size := consume(number, kind, msg[n:])
		if size < 0 {
			return r.errorf(msg, "not a TensorFlow graph, or cut off: field %d: %v", number, protowire.ParseError(size))
		}
		msg = msg[n+size:]
		if err := each(number, v); err != nil {
			return err
		}
	}
	return nil
}

// consume reads one field's value; a size below 0 is protowire's error.
func consume(number protowire.Number, kind protowire.Type, b []byte) (value, int) {
	switch kind {
	case protowire.BytesType:
		v, n := protowire.ConsumeBytes(b)
		return value{bytes: v}, n
	case protowire.VarintType:
		v, n := protowire.ConsumeVarint(b)
		return value{number: v}, n
	}
	return value{}, protowire.ConsumeFieldValue(number, kind, b)
}

func (r *binaryReader) intern(b []byte) string {
	if s, ok := r.strings[string(b)]; ok {
		return s
	}
	s := string(b)
	r.strings[s] = s
	return s
}

func (r *binaryReader) top(number protowire.Number, v value) error {
	switch number {
	case graphNode:
		n, err := r.node(v.bytes)
		r.graph.Nodes = append(r.graph.Nodes, n)
		return err
	case graphLibrary:
		return r.fields(v.bytes, r.library)
	case graphVersions:
		r.versions = true
		return r.fields(v.bytes, func(protowire.Number, value) error { return nil })
	}
	return nil
}

func (r *binaryReader) library(number protowire.Number, v value) error {
	if number != libraryFunction {
		return nil
	}
	var f Function
	err := r.fields(v.bytes, func(number protowire.Number, v value) error { return r.functionField(&f, number, v) })
	r.graph.Functions = append(r.graph.Functions, f)
	return err
}

func (r *binaryReader) functionField(f *Function, number protowire.Number, v value) error {
	switch number {
	case functionSignature:
		return r.fields(v.bytes, func(number protowire.Number, v value) error { return r.signature(f, number, v) })
	case functionNode:
		n, err := r.node(v.bytes)
		f.Nodes = append(f.Nodes, n)
		return err
	case functionAttr:
		var n Node
		err := r.attr(&n, v.bytes)
		f.setAttrs(&n)
		return err
	}
	return nil
}

func (r *binaryReader) signature(f *Function, number protowire.Number, v value) error {
	switch number {
	case signatureName:
		f.Name = r.intern(v.bytes)
	case signatureArg:
		return r.fields(v.bytes, func(number protowire.Number, v value) error {
			if number == argName {
				f.Args = append(f.Args, r.intern(v.bytes))
			}
			return nil
		})
	}
	return nil
}

func (r *binaryReader) node(msg []byte) (Node, error) {
	var n Node
	err := r.fields(msg, func(number protowire.Number, v value) error {
		switch number {
		case nodeName:
			n.Name = r.intern(v.bytes)
		case nodeOp:
			n.Op = r.intern(v.bytes)
		case nodeDevice:
			n.Device = r.intern(v.bytes)
		case nodeInput:
			n.Inputs = append(n.Inputs, r.intern(v.bytes))
		case nodeAttr:
			return r.attr(&n, v.bytes)
		case nodeDebugInfo:
			return r.fields(v.bytes, func(number protowire.Number, v value) error {
				if number == debugFunctions && n.Origin == "" {
					n.Origin = r.intern(v.bytes)
				}
				return nil
			})
		}
		return nil
	})
	return n, err
}

func (r *binaryReader) attr(n *Node, entry []byte) error {
	var key string
	var content []byte
	err := r.fields(entry, func(number protowire.Number, v value) error {
		switch number {
		case entryKey:
			key = string(v.bytes)
		case entryValue:
			content = v.bytes
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.fields(content, func(number protowire.Number, v value) error { return r.value(n, key, number, v) })
}

func (r *binaryReader) value(n *Node, key string, number protowire.Number, v value) error {
	switch number {
	case valueString:
		n.setText(key, r.intern(v.bytes))
	case valueInt:
		n.setInt(key, int(v.number))
	case valueBool:
		n.setBool(key, v.number != 0)
	case valueType:
		n.addType(DataType(v.number))
	case valueFunc:
		return r.call(n, v.bytes)
	case valueList:
		n.seen(key)
		return r.fields(v.bytes, func(number protowire.Number, v value) error { return r.list(n, number, v) })
	}
	return nil
}

// list reads the types and functions of a list; types are packed.
func (r *binaryReader) list(n *Node, number protowire.Number, v value) error {
	switch number {
	case valueType:
		if v.bytes == nil {
			n.addType(DataType(v.number))
		}
		for packed := v.bytes; len(packed) > 0; {
			t, size := protowire.ConsumeVarint(packed)
			if size < 0 {
				return r.errorf(packed, "a list of types is cut off")
			}
			n.addType(DataType(t))
			packed = packed[size:]
		}
	case listFunc:
		return r.call(n, v.bytes)
	}
	return nil
}

func (r *binaryReader) call(n *Node, msg []byte) error {
	return r.fields(msg, func(number protowire.Number, v value) error {
		if number == callName {
			n.Calls = append(n.Calls, r.intern(v.bytes))
		}
		return nil
	})
}
