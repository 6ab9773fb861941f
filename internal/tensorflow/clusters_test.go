package tensorflow

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/testfile"
)

// archived reads the graphs and logs of one of the archived dumps.
func archived(t *testing.T, name string) (graphs, logs []*dump.File) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(testfile.Unpack(t, "../facts/testdata/"+name+".tar.gz"))); ; {
		h, err := r.Next()
		if err == io.EOF {
			return graphs, logs
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case h.Typeflag != tar.TypeReg:
		case path.Ext(h.Name) == ".log":
			logs = append(logs, dump.InMemory(h.Name, data))
		default:
			graphs = append(graphs, dump.InMemory(h.Name, data))
		}
	}
}

// clustersOf measures one of the archived dumps, without its logs.
func clustersOf(t *testing.T, name string) *Clusters {
	t.Helper()
	graphs, _ := archived(t, name)
	c, problems := measured(graphs)
	for _, p := range problems {
		t.Errorf("problem: %s: %s", p.File, p.Message)
	}
	return c
}

// userOps writes what was left out as "AsString 1, Mul 2".
func userOps(c *Clusters) string {
	count := map[string]int{}
	for _, op := range c.UserOps() {
		count[op.Op]++
	}
	var out []string
	for op, n := range count {
		out = append(out, fmt.Sprintf("%s %d", op, n))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func sizes(c *Clusters) string {
	var out []string
	for _, k := range c.Clusters {
		out = append(out, fmt.Sprintf("%s %d", k.Name, k.Size))
	}
	return strings.Join(out, ", ")
}

func TestMeasureClusters(t *testing.T) {
	for _, tt := range []struct {
		name                               string
		ran                                bool
		graphs, eager, pipeline, clustered int
		sizes, outside                     string
	}{
		{"tf-clusters-clean", true, 1, 5, 0, 8, "cluster_0 11", ""},
		{"tf-clusters-train", true, 1, 20, 0, 23, "cluster_0 40", ""},
		{"tf-clusters-nocpujit", false, 1, 5, 0, 0, "", ""},
		{"tf-clusters-unclusterable", true, 1, 7, 0, 23, "cluster_0 21, cluster_1 8, cluster_2 6",
			"AsString 1, EagerPyFunc 1, LookupTableFindV2 1, PrintV2 1, StringFormat 1, StringLength 1, StringLower 1, Sum 1, Unique 1"},
		{"tf-clusters-mixed", true, 1, 0, 0, 11, "cluster_0 8, cluster_1 1, cluster_2 4",
			"AsString 1, Mul 1, StringToNumber 1, Sub 1, _UnaryOpsComposition 1"},
		{"tf-clusters-session", true, 2, 0, 0, 29, "cluster_0 11, cluster_1 40", "RandomUniform 2"},
		{"tf-clusters-mirrored", true, 2, 9, 0, 14, "cluster_0 12, cluster_1 12",
			"CollectiveReduceV2 2, Mul 2, Reshape 2"},
		{"tf-clusters-counter", true, 1, 3, 0, 0, "", ""},
		{"tf-clusters-keras", true, 2, 59, 6, 99, "cluster_0 70, cluster_1 109, cluster_2 14", "AddV2 1, _FusedMatMul 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clustersOf(t, tt.name)
			if c.Ran != tt.ran || (c.Why == "") != tt.ran {
				t.Errorf("ran: %v (%s), want %v", c.Ran, c.Why, tt.ran)
			}
			if c.Graphs != tt.graphs || c.Eager != tt.eager || c.Pipeline != tt.pipeline || c.Clustered != tt.clustered {
				t.Errorf("graphs %d, eager %d, pipeline %d, clustered %d; want %d, %d, %d, %d",
					c.Graphs, c.Eager, c.Pipeline, c.Clustered, tt.graphs, tt.eager, tt.pipeline, tt.clustered)
			}
			if got := sizes(c); got != tt.sizes {
				t.Errorf("clusters %s, want %s", got, tt.sizes)
			}
			if got := userOps(c); got != tt.outside {
				t.Errorf("outside %s, want %s", got, tt.outside)
			}
		})
	}
}

// Every pass shows the same operations outside: which dumps there are must not matter.
func TestClustersFromAnyPass(t *testing.T) {
	for _, archive := range []string{"tf-clusters-mixed", "tf-clusters-session", "tf-clusters-groups"} {
		graphs, _ := archived(t, archive)
		want := userOps(clustersOf(t, archive))
		for _, pass := range []string{"mark_for_compilation_4.", "mark_for_compilation_1.", "annotated", "before_increase", "subgraphs_before",
			"subgraphs_after", "build_xla_ops", "MarkForCompilationPass", "main.after_opt_group_post_rewrite"} {
			var some []*dump.File
			for _, g := range graphs {
				base := path.Base(g.Path)
				if strings.Contains(base, pass) && !strings.HasPrefix(base, "before_mark") && !strings.HasSuffix(base, ".csv") {
					some = append(some, g)
				}
			}
			c, _ := measured(some)
			if c == nil || strings.HasSuffix(pass, "_1.") {
				continue // not dumped, or one of several graphs
			}
			if got := userOps(c); got != want {
				t.Errorf("%s, only %s: outside %s, want %s", archive, pass, got, want)
			}
		}
	}
}

func TestClusterReasons(t *testing.T) {
	c := clustersOf(t, "tf-clusters-unclusterable")
	want := map[string]string{
		"AsString": "XLA has no strings", "EagerPyFunc": "it calls back into Python", "Unique": "the shape of its result depends on the data",
		"Sum": "XLA can compile it, but it makes only 1 operation together with its neighbours; AsString stands between them and others; a cluster takes 4 (--tf_xla_min_cluster_size)",
	}
	for _, op := range c.UserOps() {
		if w := want[op.Op]; w != "" && op.Reason != w {
			t.Errorf("%s: %s, want %s", op.Op, op.Reason, w)
		}
		if op.Reason == "" || op.Node == "" || op.Device == "" || op.File == "" {
			t.Errorf("%+v lacks something", op)
		}
	}
	for _, op := range c.Unclustered {
		if op.System != slices.Contains([]string{"_Arg", "_Retval", "Const", "Identity"}, op.Op) {
			t.Errorf("%s %s: system %v", op.Op, op.Node, op.System)
		}
	}
}

// Stack traces beside the graphs give operations their function and line, also inside loops and conditions.
func TestClusterSources(t *testing.T) {
	c := clustersOf(t, "tf-clusters-groups")
	lines := map[string]int32{"AsString": 117, "StringToNumber": 117, "Mul": 115, "Sub": 115}
	for _, op := range c.UserOps() {
		if op.Function != "outer" {
			t.Errorf("%s stands in %q, want outer", op.Node, op.Function)
		}
		if want, ok := lines[op.Op]; ok && (op.Source.Line != want || path.Base(op.Source.File) != "s03_auto.py") {
			t.Errorf("%s is at %s:%d, want line %d", op.Node, op.Source.File, op.Source.Line, want)
		}
	}
	for _, k := range c.Clusters {
		if k.Function != "outer" {
			t.Errorf("%s stands in %q, want outer", k.Name, k.Function)
		}
	}
}

func TestLoopControlIsSystem(t *testing.T) {
	loops := 0
	for _, op := range clustersOf(t, "tf-clusters-mixed").Unclustered {
		if strings.HasPrefix(op.Reason, "it counts or tests for a loop") {
			loops++
		}
	}
	if loops != 3 {
		t.Errorf("%d operations count for the loop, want 3", loops)
	}
}

func TestClusterLeft(t *testing.T) {
	for _, op := range clustersOf(t, "tf-clusters-session").Unclustered {
		if op.Op == "Shape" && (op.Left != "PartiallyDeclusterPass" || !op.System) {
			t.Errorf("%+v, want it to have left its cluster in PartiallyDeclusterPass", op)
		}
	}
}

// The bridge to XLA dumps its own modules beside the graphs (TF_DUMP_GRAPH_GROUPS=main,bridge_phase2): they are no graphs that cannot be read.
func TestModulesOfTheBridge(t *testing.T) {
	graphs, _ := archived(t, "tf-clusters-session")
	c, problems := measured(append(graphs, dump.InMemory(path.Join(path.Dir(graphs[0].Path), "unknown_graph.0000.main.legalize_hlo_before.mlir"), sample(t, "bridge.mlir"))))
	if len(problems) > 0 || !c.Ran {
		t.Errorf("problems %v, clusters %+v", problems, c)
	}
}

func TestClustersNotReadable(t *testing.T) {
	graphs, _ := archived(t, "tf-clusters-mlir")
	c, problems := measured(graphs)
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "not readable: 4 TensorFlow graphs") || c.Ran || !strings.Contains(c.Why, "MLIR") {
		t.Errorf("problems %v, clusters %+v", problems, c)
	}
	for name, data := range map[string]string{
		"mark_for_compilation.pbtxt":   "node {\n  name: \"a\"\n",
		"mark_for_compilation_1.pbtxt": "",
		"mark_for_compilation_2.pbtxt": "nodes { }",
		"mark_for_compilation_3.pb":    "\x0a\x80",
	} {
		_, problems := measured([]*dump.File{dump.InMemory(name, []byte(data))})
		if len(problems) != 1 || !strings.HasPrefix(problems[0].File, name) {
			t.Errorf("%s: problems %v, want one", name, problems)
		}
	}
	broken := dump.FileAt("gone/mark_for_compilation.pbtxt", 0)
	if _, problems := measured([]*dump.File{broken}); len(problems) != 1 {
		t.Errorf("problems %v, want one", problems)
	}
	if c, problems := measured([]*dump.File{dump.InMemory("module_0000.jit_f.ir-no-opt.ll", nil)}); c != nil || problems != nil {
		t.Errorf("a file that is no graph gives %v, %v", c, problems)
	}
}

// A log that TF_DUMP_GRAPH_PREFIX=- wrote graphs into is as good as a directory of them.
func TestGraphsInLog(t *testing.T) {
	data := testfile.Unpack(t, "testdata/tf-graphs-in-log.txt.gz")
	f := Read(nil, []*dump.File{dump.InMemory("stderr.log", data)}, []string{"module_0003.cluster_0__XlaCompiledKernel_true__XlaNumConstantArgs_0_.2"})
	c, l, problems := f.Clusters, f.Logs, f.Problems
	if len(problems) > 0 || l == nil || !c.Ran || c.Graphs != 1 || c.Eager != 5 || c.Clustered != 8 || userOps(c) != "" {
		t.Errorf("%+v %v", c, problems)
	}
	if len(c.Clusters) != 1 || c.Clusters[0].Module == "" {
		t.Errorf("%+v", c.Clusters)
	}
}

// TensorFlow's log adds its reasons to what the graphs tell.
func TestClusterLogs(t *testing.T) {
	graphs, logs := archived(t, "tf-clusters-mixed")
	ops := Read(graphs, logs, nil).Clusters.UserOps()
	if len(ops) == 0 {
		t.Error("nothing is left out")
	}
	for _, op := range ops {
		if op.Op == "AsString" && !strings.Contains(op.Reason, "TensorFlow's log says: No registered 'AsString' OpKernel") {
			t.Errorf("AsString: %s", op.Reason)
		}
	}
}

// The order in which files are listed means nothing.
func TestClustersInAnyOrder(t *testing.T) {
	graphs, _ := archived(t, "tf-clusters-groups")
	want, _ := measured(graphs)
	backwards := slices.Clone(graphs)
	slices.Reverse(backwards)
	got, _ := measured(backwards)
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// What TensorFlow of 2018 dumped under other names: a _XlaLaunch for each cluster, told apart by its function. No such version runs here:
// the names are its, the graph is of today.
func TestClustersOf2018(t *testing.T) {
	graphs, _ := archived(t, "tf-clusters-mixed")
	want := clustersOf(t, "tf-clusters-mixed")
	kernel := regexp.MustCompile(`\n  op: "(cluster_\d+)"`)
	for today, former := range map[string]string{"encapsulate_subgraphs_before_4": "before_encapsulate_subgraphs_4", "encapsulate_subgraphs_after_4": "build_xla_launch_ops_4"} {
		at := slices.IndexFunc(graphs, func(f *dump.File) bool { return strings.Contains(f.Path, today) })
		data, _, err := graphs[at].Bytes()
		if err != nil {
			t.Fatal(err)
		}
		launched := kernel.ReplaceAll(data, []byte("\n  op: \"_XlaLaunch\"\n  attr {\n    key: \"function\"\n    value {\n      func {\n        name: \"$1\"\n      }\n    }\n  }"))
		c, problems := measured([]*dump.File{dump.InMemory("graph/"+former+".pbtxt", launched)})
		if len(problems) > 0 || !c.Ran || len(c.Clusters) != len(want.Clusters) || userOps(c) != userOps(want) {
			t.Errorf("%s: clusters %s, wanted %s, outside %s, wanted %s, problems %v", former, sizes(c), sizes(want), userOps(c), userOps(want), problems)
		}
	}
}

func measured(graphs []*dump.File) (*Clusters, []dump.Problem) {
	f := Read(graphs, nil, nil)
	return f.Clusters, f.Problems
}
