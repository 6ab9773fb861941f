package tensorflow

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/internal/wire"
)

// sample reads one of the compressed dumps in testdata.
func sample(t testing.TB, name string) []byte { return testfile.Unpack(t, "testdata/"+name+".gz") }

func parse(t testing.TB, name string) *Graph {
	t.Helper()
	g, err := Parse(sample(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return g
}

// One run dumped as text, another of the same program as binary: the graphs are the same.
func TestTextAndBinaryAgree(t *testing.T) {
	text, binary := parse(t, "unclusterable.pbtxt"), parse(t, "unclusterable.pb")
	if len(text.Nodes) != 52 || !reflect.DeepEqual(text, binary) {
		t.Errorf("text has %d nodes, binary %d; equal: %v", len(text.Nodes), len(binary.Nodes), reflect.DeepEqual(text, binary))
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name             string
		nodes, functions int
		clusters, marked int
	}{
		{"unclusterable.pbtxt", 52, 0, 35, 35},
		{"mixed.pbtxt", 63, 5, 13, 13},
		{"mixed_built.pbtxt", 68, 8, 0, 0},
		{"tf23.pbtxt", 20, 0, 15, 15},
		{"function.pbtxt", 0, 1, 0, 0},
		{"function.pb", 0, 1, 0, 0},
	} {
		g := parse(t, tt.name)
		clusters, marked := 0, 0
		for _, n := range g.Nodes {
			if n.Cluster != "" {
				clusters++
			}
			if n.Marked {
				marked++
			}
		}
		if len(g.Nodes) != tt.nodes || len(g.Functions) != tt.functions || clusters != tt.clusters || marked != tt.marked {
			t.Errorf("%s: %d nodes, %d functions, %d in clusters, %d marked; want %+v",
				tt.name, len(g.Nodes), len(g.Functions), clusters, marked, tt)
		}
	}
}

func TestParseFunction(t *testing.T) {
	for _, name := range []string{"function.pbtxt", "function.pb"} {
		f := parse(t, name).Functions[0]
		if !strings.HasPrefix(f.Name, "cluster_") || len(f.Nodes) < 4 || len(f.Args) == 0 {
			t.Errorf("%s: %s(%v) of %d nodes", name, f.Name, f.Args, len(f.Nodes))
		}
	}
}

// What text protos allow, though TensorFlow does not write it.
func TestParseText(t *testing.T) {
	const graph = `# a comment
node < name: 'a\'\303\244\x41\n' "b" op: "Op", input: "x:1"; input: "^c"
  attr { value { type: DT_STRING } key: "T" }
  attr { key: "L" value { list { type: [ DT_INT32, 9 ] func { name: "f" attr { key: "x" value { i: -1 } } } s: "}" } } }
  attr { key: "t" value { tensor { tensor_content: "\000\"{" float_val: 1e-3 } } }
  attr { key: "_XlaCluster" value { s: "cluster_0" } }
  experimental_debug_info { original_func_names: "" original_func_names: "__inference_f_1" } >
library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } } attr { key: "_XlaMustCompile" value { b: true } } } }
versions { producer: 7 min_consumer: 1 }`
	g, err := Parse([]byte(graph))
	if err != nil {
		t.Fatal(err)
	}
	want := &Node{
		Name: "a'äA\nb", Op: "Op", Inputs: []string{"x:1", "^c"}, Origin: "__inference_f_1", Cluster: "cluster_0",
		Types: []DataType{String, Int32, Int64}, Calls: []string{"f"},
	}
	if len(g.Nodes) != 1 || !reflect.DeepEqual(g.Nodes[0], want) {
		t.Errorf("got  %+v\nwant %+v", g.Nodes, want)
	}
	if f := g.function("f"); f == nil || !f.MustCompile || len(f.Args) != 1 {
		t.Errorf("%+v", g)
	}
}

func TestParseErrors(t *testing.T) {
	whole := sample(t, "unclusterable.pbtxt")
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"blank", " \n\t", "the file is empty"},
		{"cut in a node", string(whole[:1050]), "end of the file"},
		{"cut between nodes", string(whole[:bytes.Index(whole[100:], []byte("\nnode {"))+101]), "was cut off"},
		{"another proto", "version: 3\nresults {\n}", "line 2: not a TensorFlow graph: a GraphDef has no field \"results\""},
		{"no value", "node {\n  name: }", "line 2: expected a string, found \"}\""},
		{"open string", "node {\n  name: \"a\n}", "line 2: a string is not closed before the line ends"},
		{"no message", "node: 3", "line 1: expected {, found \"3\""},
		{"garbage", "\x7fELF\x02\x01\x01", "not a protocol buffer"},
		{"another binary", "\x0a\x03abc", "cut off"},
		{"mlir", "module {\n  tfg.graph {\n", "MLIR's tfg dialect"},
	} {
		_, err := Parse([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Parse(sample(t, "tfg.mlir")); !errors.Is(err, errMLIR) {
		t.Errorf("a graph in MLIR: %v", err)
	}
	binary := sample(t, "unclusterable.pb")
	for _, n := range []int{1, 100, len(binary) - 3, len(binary) - 1} {
		if _, err := Parse(binary[:n]); err == nil {
			t.Errorf("a binary graph cut after %d of %d bytes is no error", n, len(binary))
		}
	}
}

// A message nested without end costs no stack.
func TestParseDeep(t *testing.T) {
	deep := "node { attr { key: \"x\" value { list { " + strings.Repeat("list { ", 1<<20)
	if _, err := Parse([]byte(deep)); err == nil {
		t.Error("an endless message is no error")
	}
}

func TestParseName(t *testing.T) {
	for _, tt := range []struct {
		file string
		want Name
		ok   bool
	}{
		{"graph/mark_for_compilation.pbtxt", Name{Pass: PassMark, Format: FormatText}, true},
		{"graph/mark_for_compilation_12.pb", Name{Pass: PassMark, Number: 12, Format: FormatBinary}, true},
		{"dumps/step.tar.gz!mark_for_compilation.pbtxt", Name{Pass: PassMark, Format: FormatText}, true},
		{"before_encapsulate_subgraphs_2.pbtxt", Name{Pass: PassEncapsulateBefore, Number: 2, Format: FormatText}, true},
		{"after_encapsulate_subgraphs.pbtxt", Name{Pass: PassEncapsulateAfter, Format: FormatText}, true},
		{"build_xla_launch_ops_1.pbtxt", Name{Pass: PassBuildXlaOps, Number: 1, Format: FormatText}, true},
		{"before_MetaOptimizer_iteration_0_140721494314976_1.pbtxt", Name{Pass: PassGrapplerBefore, Number: 1, Format: FormatText}, true},
		{"after_MetaOptimizer_iteration_1_model_pruner_140721494314976.pbtxt", Name{Pass: PassGrapplerAfter, Order: 1, Group: "model_pruner", Format: FormatText}, true},
		{"after_MetaOptimizer_140721494314976.pbtxt", Name{Pass: PassGrapplerAfter, Format: FormatText}, true},
		{"mark_for_compilation_annotated_1.pbtxt", Name{Pass: PassMarkAnnotated, Number: 1, Format: FormatText}, true},
		{"before_mark_for_compilation_3.mlir", Name{Pass: PassBeforeMark, Number: 3, Format: FormatMLIR}, true},
		{"before_increase_dynamism_for_auto_jit_pass_20.pbtxt", Name{Pass: PassBeforeDynamism, Number: 20, Format: FormatText}, true},
		{"encapsulate_subgraphs_after_4.pbtxt", Name{Pass: PassEncapsulateAfter, Number: 4, Format: FormatText}, true},
		{"encapsulate_subgraphs_subgraph_cluster_0.pbtxt", Name{Pass: PassSubgraph, Function: "cluster_0", Format: FormatText}, true},
		{"encapsulate_fdef_graph_cluster_1.pbtxt", Name{Pass: PassClusterGraph, Function: "cluster_1", Format: FormatText}, true},
		{"encapsulate_fdef_cluster_1.pbtxt", Name{Pass: PassClusterFunction, Function: "cluster_1", Format: FormatText}, true},
		{"encapsulate_xla_computations_halfway_2.pbtxt", Name{Pass: PassXlaComputationsHalfway, Number: 2, Format: FormatText}, true},
		{"xla_compile_graph___inference_<lambda>_55__XlaMustCompile=true,config_proto=13,executor_type=11_.pbtxt",
			Name{Pass: PassCompileGraph, Function: "__inference_<lambda>_55__XlaMustCompile=true,config_proto=13,executor_type=11_", Format: FormatText}, true},
		{"__inference_outer_98_partition__job:localhost_replica:0_task:0_device:CPU:0.0001.main.before_opt.pbtxt",
			Name{Pass: PassNamed, Function: "__inference_outer_98", Order: 1, Group: "main", Tag: "before_opt", Format: FormatText}, true},
		{"__inference_<lambda>_15.0000.op_stacktrace.initial.csv",
			Name{Pass: PassNamed, Function: "__inference_<lambda>_15", Group: "op_stacktrace", Tag: "initial", Format: FormatStacks}, true},
		{"placer_input.pbtxt", Name{Pass: PassOther, Format: FormatText}, true},
		{"compile_options.pb", Name{Pass: PassOther, Format: FormatBinary}, false},
		{"triton_ir.mlir", Name{Pass: PassOther, Format: FormatMLIR}, false},
		{"results.csv", Name{}, false},
		{"module_0000.jit_f.before_optimizations.txt", Name{}, false},
	} {
		got, ok := ParseName(tt.file)
		if ok != tt.ok || got != tt.want {
			t.Errorf("%s: got %+v, %v; want %+v, %v", tt.file, got, ok, tt.want, tt.ok)
		}
	}
}

func TestFunctionAndClusterNames(t *testing.T) {
	for name, want := range map[string]bool{
		"__inference_train_step_441": true, "__inference_<lambda>_15": true, "__forward_f_3": true, "__backward_f_3": true, "while_body_31": false, "f": false,
	} {
		if got := IsFunctionName(name); got != want {
			t.Errorf("IsFunctionName(%s) = %v, want %v", name, got, want)
		}
	}
	for module, want := range map[string]string{
		"cluster_0__XlaCompiledKernel_true__XlaHasReferenceVars_false__XlaNumConstantArgs_0__XlaNumResourceArgs_1_.2": "cluster_0",
		"cluster_1154007346014236116_2__XlaCompiledKernel_true__XlaHasReferenceVars_false_.3":                         "cluster_1154007346014236116_2",
		"a_inference_f_17__XlaMustCompile_true_.1":                                                                    "", "cluster_assignment": "", "jit_f": "",
	} {
		if got, ok := ClusterOf(module); got != want || ok != (want != "") {
			t.Errorf("ClusterOf(%s) = %q, %v", module, got, ok)
		}
	}
}

func TestParseStacks(t *testing.T) {
	s, err := ParseStacks(sample(t, "stacks.csv"))
	if err != nil {
		t.Fatal(err)
	}
	f, ok := s.Of("cond/else/_41/cond/AsString")
	if !ok || len(f) == 0 || f[0].Line != 117 || f[0].Function != "outer" || filepath.Base(f[0].File) != "s03_auto.py" {
		t.Errorf("AsString is at %+v, %v", f, ok)
	}
	if _, ok := s.Of("cond/else/_41/cond/Nothing"); ok {
		t.Error("a node without a stack has one")
	}
	if _, err := ParseStacks([]byte("a,b\n")); err == nil {
		t.Error("another table is no error")
	}
}

// XLA's names of operations lead to the lines of the model, through loops, functions that were called, and gradients.
func TestTrace(t *testing.T) {
	function, body := &Stacks{own: map[string][]hlo.Location{
		"matmul": {{File: "model.py", Line: 7, Function: "layer"}, {File: "train.py", Line: 12, Function: "step"}}, "while": {{File: "train.py", Line: 19, Function: "step"}}, "call": {{File: "train.py", Line: 18, Function: "step"}},
		"gradient_tape/matmul/MatMul": {{File: "train.py", Line: 25, Function: "step"}}, "gradient_tape/Reshape": {{File: "train.py", Line: 25, Function: "step"}}, "Reshape": {{File: "train.py", Line: 3, Function: "step"}},
		"keras/dense": {},
	}}, &Stacks{own: map[string][]hlo.Location{"while/Sin": {{File: "train.py", Line: 20, Function: "step"}}, "while/Cos": {{File: "train.py", Line: 21, Function: "step"}}}}
	other := &Stacks{own: map[string][]hlo.Location{"while/Cos": {{File: "other.py", Line: 1, Function: "f"}}}}
	trace := &Trace{Function: function, Within: []*Stacks{body, other}}
	for name, want := range map[string]int32{
		"matmul": 7, "while/Sin": 20, "while/Cos": 19, "while/Less": 19, "call/Sigmoid": 18, "Unknown;call/Sigmoid": 18,
		"gradient_tape/matmul/MatMul": 7, "gradient_tape/while/gradients/while/Sin_grad/Cos": 19, "gradient_tape/Reshape": 25,
		"keras/dense": 0, "Unknown": 0, "": 0,
	} {
		got := int32(0)
		if own := trace.Behind(name); len(own) > 0 {
			got = own[0].Line
		}
		if got != want {
			t.Errorf("%s: line %d, want %d", name, got, want)
		}
	}
	if own := trace.Behind("matmul"); len(own) != 2 || own[1] != (hlo.Location{File: "train.py", Line: 12, Function: "step"}) {
		t.Errorf("the stack of matmul is %v", own)
	}
}

func TestParseStacksOfATracedFunction(t *testing.T) {
	s, err := ParseStacks([]byte(stacksHeader + "\n" +
		"2,x,/srv/train.py(80): <module>;/srv/train.py(75): main;/lib/python3/tensorflow/t.py(310): _create_concrete_function;/lib/python3/t.py(1): f;/srv/train.py(56): step;/srv/model.py(33): call;/lib/python3/t.py(2): gelu\n" +
		"3,y,/srv/train.py(75): main;/lib/python3/tensorflow/t.py(310): _create_concrete_function;/lib/python3/t.py(1): f\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if own, _ := s.Of("x"); !slices.Equal(own, []hlo.Location{{File: "/srv/model.py", Line: 33, Function: "call"}, {File: "/srv/train.py", Line: 56, Function: "step"}}) {
		t.Errorf("x is at %v", own)
	}
	if own, known := s.Of("y"); !known || len(own) > 0 {
		t.Errorf("y is at %v, known %v; its stack leads through the framework alone", own, known)
	}
	if want := (hlo.Location{File: "/srv/train.py", Line: 75, Function: "main"}); s.Called != want {
		t.Errorf("called at %v, want %v", s.Called, want)
	}
	var syntax *wire.SyntaxError
	if _, err := ParseStacks([]byte(stacksHeader + "\n2,x,a\n3,y\n")); !errors.As(err, &syntax) || syntax.Line != 3 {
		t.Errorf("a line that is cut off: %v", err)
	}
}

// A log does not say after which passes its graphs were dumped: their content does.
func TestPassesOfGraphsInLogs(t *testing.T) {
	marked := graphOf(t, "a Exp cluster=cluster_0", "b Sin a")
	annotated := graphOf(t, "cluster_0/a Exp cluster=cluster_0", "unclustered/b Sin cluster_0/a")
	built, none := graphOf(t, "a _XlaCompile", "b _XlaRun a"), (*Graph)(nil)
	for _, c := range []struct {
		graphs []*Graph
		want   []Pass
	}{
		{[]*Graph{marked, marked, annotated, marked, built}, []Pass{PassBeforeMark, PassMark, PassMarkAnnotated, PassBeforeDynamism, PassBuildXlaOps}},
		{[]*Graph{annotated, built}, []Pass{PassMarkAnnotated, PassBuildXlaOps}},
		{[]*Graph{none, none, annotated}, []Pass{"", "", PassMarkAnnotated}},
		{[]*Graph{marked, none, {}}, []Pass{PassBeforeDynamism, "", PassBeforeDynamism}},
	} {
		if got := embeddedPasses(c.graphs); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
