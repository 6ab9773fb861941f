package tensorflow

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func outside(c *Clustering, system bool) string {
	var ops []string
	for _, o := range c.Outside {
		if o.System == system {
			ops = append(ops, o.Node.Op)
		}
	}
	slices.Sort(ops)
	return strings.Join(ops, " ")
}

// graphOf makes a graph of lines "name op input…", with attributes as "key=value" among the inputs.
func graphOf(t *testing.T, lines ...string) *Graph {
	t.Helper()
	g := &Graph{}
	for _, line := range lines {
		words := strings.Fields(line)
		n := Node{Name: words[0], Op: words[1]}
		for _, w := range words[2:] {
			switch key, value, _ := strings.Cut(w, "="); {
			case key == "type":
				n.Types = append(n.Types, DataType(dataTypes[value]))
			case key == "call":
				n.Calls = append(n.Calls, value)
			case key == "cluster":
				n.Cluster = value
			case key == "device":
				n.Device = value
			case key == "named":
				n.Named = true
			default:
				n.Inputs = append(n.Inputs, w)
			}
		}
		g.Nodes = append(g.Nodes, &n)
	}
	return g
}

func TestClusteringBuilt(t *testing.T) {
	marked, built := parse(t, "mixed.pbtxt").Clustering(), parse(t, "mixed_built.pbtxt").Clustering()
	if outside(marked, false) != outside(built, false) {
		t.Errorf("after marking %s is outside, after building %s", outside(marked, false), outside(built, false))
	}
	for _, c := range []*Clustering{marked, built} {
		var names []string
		for _, k := range c.Clusters {
			names = append(names, fmt.Sprintf("%s %d", k.Name, k.Size))
		}
		slices.Sort(names)
		if got := strings.Join(names, ", "); got != "cluster_0 8, cluster_1 1, cluster_2 4" || c.Inside != 11 {
			t.Errorf("clusters %s, %d operations in them", got, c.Inside)
		}
	}
}

func TestEager(t *testing.T) {
	for _, tt := range []struct {
		name  string
		graph *Graph
		want  bool
	}{
		{"an operation by itself", graphOf(t, "x _Arg", "y _Arg", "AddV2 AddV2 x y", "z_RetVal _Retval AddV2"), true},
		{"annotated", graphOf(t, "unclustered/x _Arg", "unclustered/Cast Cast unclustered/x", "unclustered/y_RetVal _Retval unclustered/Cast"), true},
		{"a store", graphOf(t, "resource _Arg", "value _Arg", "AssignVariableOp AssignVariableOp resource value"), true},
		{"a function of one operation", graphOf(t, "x _Arg named", "AsString AsString x", "identity_RetVal _Retval AsString"), false},
		{"a function without arguments", graphOf(t, "Now Timestamp", "identity_RetVal _Retval Now"), false},
		{"a session", graphOf(t, "_arg_x_0_0 _Arg", "AsString AsString _arg_x_0_0", "_retval_AsString_0_0 _Retval AsString"), false},
		{"two operations", graphOf(t, "x _Arg", "Exp Exp x", "Add Add Exp", "z_RetVal _Retval Add"), false},
		{"nothing", graphOf(t, "NoOp NoOp"), false},
	} {
		if got := tt.graph.Clustering().Eager; got != tt.want {
			t.Errorf("%s: eager %v", tt.name, got)
		}
	}
}

func TestReasons(t *testing.T) {
	for _, tt := range []struct{ graph, want string }{
		{"a AsString", "XLA has no strings"},
		{"a Reshape type=DT_STRING", "XLA has no strings"},
		{"a EagerPyFunc", "it calls back into Python"},
		{"a RandomUniform", "it draws from a random generator"},
		{"a UniqueV2", "the shape of its result depends"},
		{"a CollectiveReduceV2", "it is a collective of TensorFlow's own"},
		{"a HorovodAllreduce", "it is a collective outside of XLA"},
		{"a PartitionedCall call=missing", "it calls functions that XLA cannot compile whole"},
		{"a LookupTableFindV2 type=DT_RESOURCE", "it works on a resource of the host"},
		{"a DecodeJpeg", "XLA has no kernel for it"},
		{"a _FusedMatMul", "TensorFlow's own optimizer made it"},
		{"a TensorListReserve", "lists of tensors"},
		{"a MatMul", "it makes only 1 operation together"},
		{"a MatMul device=/device:CPU:0|b Mul cluster=cluster_0 device=/device:GPU:0", "it is placed on CPU, the clusters are on GPU"},
		{"a Exp|b Sin a|c Cos b|d Tan c", "XLA can compile it, but no cluster took it"},
	} {
		c := graphOf(t, strings.Split(tt.graph, "|")...).Clustering()
		if o := c.Outside[0]; o.System || !strings.Contains(o.Reason, tt.want) {
			t.Errorf("%s: %q, system %v; want %q", tt.graph, o.Reason, o.System, tt.want)
		}
	}
}

// Only a loop's own arithmetic is taken for it.
func TestLoopControl(t *testing.T) {
	c := graphOf(t,
		"x _Arg named", "one Const",
		"enter Enter i", "merge Merge enter next", "less Less merge limit type=DT_INT32", "limit Enter x", "cond LoopCond less",
		"switch Switch merge cond", "inc AddV2 switch one type=DT_INT32", "next NextIteration inc",
		"sum AddV2 x one type=DT_INT32", "out_RetVal _Retval sum",
		"acc AddV2 switch grow type=DT_INT32", "grow Unique switch", "nextacc NextIteration acc",
	).Clustering()
	if got := outside(c, false); got != "AddV2 AddV2 Unique" {
		t.Errorf("outside: %s", got)
	}
}

// The body of a function that runs outside the clusters is judged operation by operation; a compiled one is a cluster.
func TestFunctionBodies(t *testing.T) {
	g := graphOf(t, "x _Arg named", "a PartitionedCall x call=host", "b PartitionedCall a call=fast", "c PartitionedCall b call=host")
	g.Functions = []*Function{
		{Name: "host", Nodes: []*Node{{Name: "s", Op: "AsString"}, {Name: "loop", Op: "PartitionedCall", Calls: []string{"host"}}}},
		{Name: "fast", MustCompile: true, Nodes: []*Node{{Name: "m", Op: "MatMul"}, {Name: "t", Op: "Tanh"}}},
	}
	c := g.Clustering()
	if got := outside(c, false); got != "AsString" {
		t.Errorf("outside: %s", got)
	}
	if len(c.Clusters) != 1 || c.Clusters[0].Name != "fast" || !c.Clusters[0].MustCompile || c.Clusters[0].Size != 2 {
		t.Errorf("clusters: %+v", c.Clusters)
	}
}

func TestSystemOp(t *testing.T) {
	for op, want := range map[string]bool{
		"_Arg": true, "_Retval": true, "IteratorGetNext": true, "NoOp": true, "VarHandleOp": true, "ReadVariableOp": true, "Const": true,
		"TensorSliceDataset": true, "BatchDatasetV2": true, "Switch": true, "_XlaRun": true,
		"AssignAddVariableOp": true, "AssignSubVariableOp": true, "ResourceApplyAdam": false, "MatMul": false, "AsString": false, "PrintV2": false, "RandomUniform": false, "Unique": false,
	} {
		if SystemOp(op) != want {
			t.Errorf("SystemOp(%s) = %v", op, !want)
		}
	}
}

func TestFindEmbedded(t *testing.T) {
	const log = "I0000 port.cc] hello\nnode {\n  name: \"a\"\n}\nlibrary {\n}\nversions {\n  producer: 1\n}\nI0000 dump_graph.cc] Dumped Graph to (stderr)\nnode {\n  name: \"b\"\n"
	found := findEmbedded([]byte(log))
	if len(found) != 2 || found[0].Line != 2 || found[1].Line != 11 {
		t.Fatalf("%+v", found)
	}
	if g, err := Parse(found[0].Text); err != nil || len(g.Nodes) != 1 {
		t.Errorf("%+v %v", g, err)
	}
	if _, err := Parse(found[1].Text); err == nil {
		t.Error("a graph that the log cuts off is no error")
	}
}

// TensorFlow shows graphs in messages, which it cuts: no reader needs them, and a dumped graph behind one is found.
func TestShownGraphs(t *testing.T) {
	const shown = "I0000 meta_optimizer.cc:1313] Optimized graph = \ngoo.gle/debugstr    \nnode {\n  name: \"a\"\n  attr {\n    key: \"t\n\n"
	const former = "2020-01-01 meta_optimizer.cc:700] Optimized graph = \nnode {\n  name: \"a\"\n}\nversions {\n}\n\n"
	const dumped = "I0000 dump_graph.cc:245] Dumped Graph to (stderr)\nnode {\n  name: \"b\"\n}\nversions {\n}\n"
	found := findEmbedded([]byte(shown + dumped + former + dumped + shown))
	if len(found) != 2 || found[0].Line != 9 || !bytes.Equal(found[0].Text, found[1].Text) {
		t.Errorf("%+v", found)
	}
}

// What is between two parts of a graph keeps them from being one cluster, as TensorFlow's own log of this run says: it "could not contract"
// exp and the three others "because contracting the edge would create a cycle via [AsString,StringToNumber]".
func TestApart(t *testing.T) {
	got := map[string]string{}
	for _, o := range parse(t, "apart.pbtxt").Clustering().Outside {
		got[o.Node.Name] = o.Reason
	}
	for name, want := range map[string]string{
		"Exp/unary_ops_composition": "only 1 operation together with its neighbours; AsString stands",
		"add":                       "only 3 operations together with its neighbours; StringToNumber stands",
		"mul":                       "only 3 operations together with its neighbours; StringToNumber stands",
	} {
		if !strings.Contains(got[name], want) {
			t.Errorf("%s: %s", name, got[name])
		}
	}
}

// Each _XlaRun runs what the _XlaCompile in its scope compiled.
func TestRunsOfClusters(t *testing.T) {
	g := parse(t, "mixed_built.pbtxt")
	s := &sorter{graph: g, runs: map[string]string{}}
	s.join(g.Nodes)
	for _, n := range g.Nodes {
		scope, run := strings.CutSuffix(n.Name, "_1/xla_run")
		if run != (s.clusterOf(n) != "" && n.Op == "_XlaRun") || run && s.clusterOf(n) != scope {
			t.Errorf("%s runs %q", n.Name, s.clusterOf(n))
		}
	}
	if len(s.runs) != 3 {
		t.Errorf("%v", s.runs)
	}
}
