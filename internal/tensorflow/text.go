package tensorflow

import "strconv"

// textReader builds a graph from a text proto.
type textReader struct {
	scanner
	graph    Graph
	strings  map[string]string // each name, device and operation once
	versions bool
	function bool // the file is a FunctionDef
}

func parseText(data []byte) (*Graph, error) {
	r := &textReader{scanner: scanner{data: data}, strings: map[string]string{}}
	for r.peek() != 0 {
		if err := r.field(r.top); err != nil {
			return nil, err
		}
	}
	if !r.versions && !r.function {
		return nil, r.errorf(len(data), "the file ends before the graph's versions: the run that wrote it was cut off")
	}
	return &r.graph, nil
}

// intern returns the same string for the same bytes.
func (r *textReader) intern(b []byte) string {
	if s, ok := r.strings[string(b)]; ok {
		return s
	}
	s := string(b)
	r.strings[s] = s
	return s
}

// top reads one field of the file: of a GraphDef or of a FunctionDef.
func (r *textReader) top(name []byte) error {
	start := r.pos - len(name)
	switch string(name) {
	case "node":
		n, err := r.node()
		r.graph.Nodes = append(r.graph.Nodes, n)
		return err
	case "library":
		return r.message(r.library)
	case "versions":
		r.versions = true
		return r.skip()
	case "version", "debug_info":
		return r.skip()
	case "signature", "attr", "node_def", "ret", "control_ret", "arg_attr", "resource_arg_unique_id":
		if !r.function {
			r.function = true
			r.graph.Functions = append(r.graph.Functions, Function{})
		}
		return r.functionField(&r.graph.Functions[0], name)
	}
	return r.errorf(start, "not a TensorFlow graph: a GraphDef has no field %q", name)
}

func (r *textReader) library(name []byte) error {
	if string(name) != "function" {
		return r.skip()
	}
	var f Function
	err := r.message(func(name []byte) error { return r.functionField(&f, name) })
	r.graph.Functions = append(r.graph.Functions, f)
	return err
}

func (r *textReader) functionField(f *Function, name []byte) error {
	switch string(name) {
	case "signature":
		return r.message(func(name []byte) error { return r.signature(f, name) })
	case "node_def":
		n, err := r.node()
		f.Nodes = append(f.Nodes, n)
		return err
	case "attr":
		var n Node
		err := r.attr(&n)
		f.setAttrs(&n)
		return err
	}
	return r.skip()
}

func (r *textReader) signature(f *Function, name []byte) error {
	switch string(name) {
	case "name":
		return r.into(&f.Name)
	case "input_arg":
		return r.message(func(name []byte) error {
			if string(name) != "name" {
				return r.skip()
			}
			var arg string
			err := r.into(&arg)
			f.Args = append(f.Args, arg)
			return err
		})
	}
	return r.skip()
}

// into reads a string value.
func (r *textReader) into(to *string) error {
	b, err := r.text()
	*to = r.intern(b)
	return err
}

func (r *textReader) node() (Node, error) {
	var n Node
	err := r.message(func(name []byte) error {
		switch string(name) {
		case "name":
			return r.into(&n.Name)
		case "op":
			return r.into(&n.Op)
		case "device":
			return r.into(&n.Device)
		case "input":
			return r.input(&n)
		case "attr":
			return r.attr(&n)
		case "experimental_debug_info":
			return r.message(func(name []byte) error { return r.origin(&n, name) })
		}
		return r.skip()
	})
	return n, err
}

func (r *textReader) input(n *Node) error {
	var in string
	err := r.into(&in)
	n.Inputs = append(n.Inputs, in)
	return err
}

func (r *textReader) origin(n *Node, name []byte) error {
	if string(name) != "original_func_names" || n.Origin != "" {
		return r.skip()
	}
	return r.into(&n.Origin)
}

// attr reads one entry of an attribute map. The value is read when the key is known, whatever their order.
func (r *textReader) attr(n *Node) error {
	var key []byte
	value := -1
	err := r.message(func(name []byte) (err error) {
		switch string(name) {
		case "key":
			key, err = r.text()
			return err
		case "value":
			r.blank()
			value = r.pos
		}
		return r.skip()
	})
	if err != nil || value < 0 {
		return err
	}
	end := r.pos
	r.pos = value
	err = r.message(func(name []byte) error { return r.value(n, key, name) })
	r.pos = end
	return err
}

// value reads one field of an AttrValue, or of the list in it.
func (r *textReader) value(n *Node, key, name []byte) error {
	switch string(name) {
	case "s":
		b, err := r.text()
		if err == nil {
			n.setText(string(key), r.intern(b))
		}
		return err
	case "b":
		b, err := r.scalar()
		n.setBool(string(key), string(b) == "true" || string(b) == "1")
		return err
	case "i":
		b, err := r.scalar()
		i, _ := strconv.Atoi(string(b)) // one that is out of range is no argument's place
		n.setInt(string(key), i)
		return err
	case "type":
		return r.types(n)
	case "func":
		return r.message(func(name []byte) error { return r.call(n, name) })
	case "list":
		n.seen(string(key))
		return r.message(func(name []byte) error { return r.listed(n, name) })
	}
	return r.skip()
}

// listed reads one field of a list: only types and functions matter there.
func (r *textReader) listed(n *Node, name []byte) error {
	switch string(name) {
	case "type":
		return r.types(n)
	case "func":
		return r.message(func(name []byte) error { return r.call(n, name) })
	}
	return r.skip()
}

// types reads an element type, or the bracketed list that a text proto may write instead of repeating the field.
func (r *textReader) types(n *Node) error {
	if r.peek() == ':' {
		r.pos++
	}
	if r.peek() != '[' {
		return r.oneType(n)
	}
	r.pos++
	for r.peek() != ']' {
		if err := r.oneType(n); err != nil {
			return err
		}
	}
	r.pos++
	return nil
}

func (r *textReader) oneType(n *Node) error {
	r.blank()
	word, err := r.scalar()
	if err != nil {
		return err
	}
	t, known := dataTypes[string(word)]
	if !known {
		number, _ := strconv.ParseInt(string(word), 10, 32)
		t = DataType(number)
	}
	n.addType(t)
	return nil
}

func (r *textReader) call(n *Node, name []byte) error {
	if string(name) != "name" {
		return r.skip()
	}
	var callee string
	err := r.into(&callee)
	n.Calls = append(n.Calls, callee)
	return err
}
