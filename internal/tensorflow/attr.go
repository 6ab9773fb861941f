package tensorflow

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
