package changes_test

import (
	"path"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// cluster is a program of one compile.
func cluster(name, signature string, kernels float64) *facts.Program {
	return &facts.Program{Name: name, Variants: []*facts.Variant{{Signature: signature, Facts: facts.Values{"kernels.total": kernels, "memory.temp_bytes": kernels}, Compiled: facts.Compiled{Fingerprint: name + signature}}}}
}

func TestClustersThatMergedOrSplit(t *testing.T) {
	small, large, whole, other := cluster("cluster_0", "(a)", 3), cluster("cluster_1", "(b)", 7), cluster("cluster_0", "(c)", 9), cluster("cluster_2", "(d)", 2)
	moved := cluster("cluster_1", "(d)", 2)
	twice := cluster("cluster_1", "(b)", 7)
	twice.Variants = append(twice.Variants, &facts.Variant{Signature: "(e)"})
	for _, c := range []struct {
		name       string
		old, fresh []*facts.Program
		want       map[string]float64 // kernels of what is compared, by name
	}{
		{"merged", []*facts.Program{small, large}, []*facts.Program{whole}, map[string]float64{"cluster_0 + cluster_1": 9}},
		{"split", []*facts.Program{whole}, []*facts.Program{small, large}, map[string]float64{"cluster_0 + cluster_1": 10}},
		{"another one renumbered", []*facts.Program{small, large, other}, []*facts.Program{whole, moved}, map[string]float64{"cluster_0 + cluster_1": 9, "cluster_1": 2}},
		{"one more", []*facts.Program{small}, []*facts.Program{small, large}, map[string]float64{"cluster_0": 3, "cluster_1": 7}},
		{"changed", []*facts.Program{small, large}, []*facts.Program{whole, large}, map[string]float64{"cluster_0": 9, "cluster_1": 7}},
		{"compiled twice", []*facts.Program{small, twice}, []*facts.Program{whole}, map[string]float64{"cluster_0": 9, "cluster_1": 0}},
	} {
		got := map[string]float64{}
		for _, p := range changes.Compare(&facts.Report{Programs: c.old}, &facts.Report{Programs: c.fresh}).Programs {
			got[p.Name] = 0
			if p.New != nil {
				got[p.Name] = p.Variants[0].New.Facts["kernels.total"]
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, wanted %v", c.name, got, c.want)
		}
		for name, n := range c.want {
			if got[name] != n {
				t.Errorf("%s: %v, wanted %v", c.name, got, c.want)
			}
		}
	}
}

// A cluster that came may have the number of one that is as it was.
func TestClusterThatTookAnothersNumber(t *testing.T) {
	search, eval, kept := cluster("cluster_0", "(a)", 3), cluster("cluster_0", "(b)", 9), cluster("cluster_1", "(a)", 3)
	r := changes.Compare(&facts.Report{Programs: []*facts.Program{search}}, &facts.Report{Programs: []*facts.Program{eval, kept}})
	for _, p := range r.Programs {
		if (p.New == eval) != (p.Old == nil) || p.New == kept && p.Old != search {
			t.Errorf("%s is compared with %v", p.Name, p.Old)
		}
	}
}

// A cluster may take over what another one did and keep its arguments: then the other is not gone.
func TestClusterThatTookOver(t *testing.T) {
	doing := func(name, signature, do string) *facts.Program {
		p := cluster(name, signature, 1)
		p.Variants[0].Fingerprint += do
		p.Variants[0].Model = []facts.Statement{asks("forward", do, 0)}
		return p
	}
	first, second := doing("cluster_0", "(x, w)", "dot maximum reduce sqrt"), doing("cluster_1", "(h)", "tanh exponential multiply")
	whole, other := doing("cluster_0", "(x, w)", "dot maximum tanh exponential multiply"), doing("cluster_0", "(x, w)", "dot maximum")
	for _, c := range []struct {
		name       string
		old, fresh []*facts.Program
		want       string
	}{
		{"took over", []*facts.Program{first, second}, []*facts.Program{whole}, "cluster_0 + cluster_1"},
		{"handed over", []*facts.Program{whole}, []*facts.Program{first, second}, "cluster_0 + cluster_1"},
		{"gone", []*facts.Program{first, second}, []*facts.Program{other}, "cluster_0, cluster_1"},
		{"gone beside the same", []*facts.Program{first, second}, []*facts.Program{first}, "cluster_0, cluster_1"},
	} {
		var got []string
		for _, p := range changes.Compare(&facts.Report{Programs: c.old}, &facts.Report{Programs: c.fresh}).Programs {
			got = append(got, p.Name)
		}
		if names := strings.Join(got, ", "); names != c.want {
			t.Errorf("%s: compares %s, wanted %s", c.name, names, c.want)
		}
	}
}

// What clusters cost more together is put down to the operation that parts them, unless the model was edited for it.
func TestWhatPartsClusters(t *testing.T) {
	launching := func(p *facts.Program, do ...string) *facts.Program {
		p.Variants[0].Kernels = []facts.Kernel{{Form: &facts.Form{Kind: "loop", Do: facts.OpcodesOf(do...), Print: strings.Join(do, " ")}, Site: &facts.Site{Times: 1}}}
		return p
	}
	old := &facts.Report{Programs: []*facts.Program{launching(cluster("cluster_0", "(a)", 1), "add", "tanh")}, Clusters: clustered(1, "_Arg")}
	fresh := []*facts.Program{launching(cluster("cluster_0", "(b)", 1), "add"), launching(cluster("cluster_1", "(c)", 1), "tanh")}
	for _, c := range []struct {
		clusters *tensorflow.Clusters
		want     string
	}{
		{clustered(2, "_Arg", "PrintV2"), "PrintV2 is in no cluster and splits them"},
		{clustered(2, "_Arg", "Switch", "AsString"), "AsString is in no cluster and splits them"},
		{clustered(2, "_Arg", "Switch", "cond/Tanh"), "a condition (Switch) is in no cluster and splits them"},
		{clustered(2, "_Arg", "?CheckNumerics", "PyFunc"), "PyFunc is in no cluster and splits them"},
		{clustered(2, "_Arg", "?CheckNumerics", "Switch"), "a condition (Switch) is in no cluster and splits them"},
		{clustered(2, "_Arg", "?CheckNumerics"), "CheckNumerics is in no cluster and splits them"},
		{clustered(2, "_Arg", "!AsString", "PyFunc", "PyFunc"), "PyFunc is in no cluster and splits them"},
		{clustered(2, "_Arg", "AssignAddVariableOp"), "AssignAddVariableOp is in no cluster and splits them"},
		{clustered(2, "_Arg", "AssignAddVariableOp", "PyFunc"), "PyFunc is in no cluster and splits them"},
		{clustered(2, "_Arg", "AsString", "PyFunc"), ""},
		{clustered(2, "_Arg", "!AsString"), ""},
		{clustered(2, "_Arg", "_Arg"), ""},
		{clustered(1, "_Arg", "PrintV2"), ""},
		{nil, ""},
	} {
		v := changes.Compare(old, &facts.Report{Programs: fresh, Clusters: c.clusters}).Programs[0].Variants[0]
		if len(v.Causes) == 0 || strings.Contains(v.Causes[0].Title, "splits them") != (c.want != "") || c.want != "" && v.Causes[0].Title != c.want {
			t.Errorf("%+v: %+v, wanted %q", c.clusters, v.Causes, c.want)
		}
	}
}

// A function of xla.compile is named by a hash of what it computes: one that sorts as well is the same function, changed.
func TestHashedClusters(t *testing.T) {
	doing := func(name, signature string, do ...string) *facts.Program {
		p := cluster(name, signature, 1)
		for _, d := range do {
			p.Variants[0].Model = append(p.Variants[0].Model, asks("layer", d, 0))
		}
		return p
	}
	old := []*facts.Program{doing("cluster_11111111111111111__", "(a)", "dot", "tanh"), doing("cluster_22222222222222222__", "(a)", "exp", "log", "sine")}
	fresh := []*facts.Program{doing("cluster_44444444444444444__", "(a)", "exp", "log", "sine"), doing("cluster_33333333333333333__", "(a)", "dot", "tanh", "sort")}
	for _, p := range changes.Compare(&facts.Report{Programs: old}, &facts.Report{Programs: fresh}).Programs {
		if want := map[string]string{"cluster_33333333333333333__": old[0].Name, "cluster_44444444444444444__": old[1].Name}[p.Name]; p.Was != want {
			t.Errorf("%s was %q, wanted %q", p.Name, p.Was, want)
		}
	}
}

func TestOperationsThatMoved(t *testing.T) {
	placed := func(first, second int) *tensorflow.Clusters {
		c := &tensorflow.Clusters{Ran: true, Clusters: make([]tensorflow.Cluster, 1+min(second, 1)), Placed: tensorflow.Placement{}}
		for device, n := range map[string]int{"CPU:0": first, "CPU:1": second} {
			for range n {
				c.Placed[device] = append(c.Placed[device], tensorflow.PlacedOp{Op: "Tanh", Node: "Tanh"})
			}
		}
		return c
	}
	for name, c := range map[string]struct {
		old, fresh *tensorflow.Clusters
		want       string
	}{
		"moved":     {placed(9, 0), placed(7, 2), "CPU:1 now runs Tanh"},
		"more":      {placed(9, 1), placed(7, 3), "CPU:1 now runs 3 operations, 1 before"},
		"grown":     {placed(9, 0), placed(9, 2), ""},
		"not known": {clustered(1), placed(7, 2), ""},
		"none":      {nil, placed(7, 2), ""},
	} {
		got := ""
		if cause := changes.Moved(c.old, c.fresh); cause != nil {
			got = cause.Title
		}
		if got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
	if cause := changes.ClustersSplitBy(placed(9, 0), placed(7, 2)); cause == nil || cause.Title != "CPU:1 now runs Tanh" {
		t.Errorf("clusters are split by %+v", cause)
	}
}

// clustered is what autoclustering made, and the nodes that it left outside: "?" stands before one that XLA could compile, "!" before one
// that has no two clusters in its function.
func clustered(count int, outside ...string) *tensorflow.Clusters {
	separations := map[byte]tensorflow.Separation{'?': tensorflow.MaySeparate, '!': tensorflow.SeparatesNothing}
	c := &tensorflow.Clusters{Ran: true, Clusters: make([]tensorflow.Cluster, count)}
	for _, node := range outside {
		parts, marked := separations[node[0]]
		op := path.Base(strings.TrimLeft(node, "?!"))
		switch {
		case marked:
		case tensorflow.SystemOp(op):
			parts = tensorflow.SystemSeparation(op)
		default:
			parts = tensorflow.Separates
		}
		if op == "Switch" {
			node = "cond/switch_pred/_2"
		}
		c.Unclustered = append(c.Unclustered, tensorflow.UnclusteredOp{Op: op, Node: node, System: tensorflow.SystemOp(op), Separates: parts})
	}
	return c
}

func TestPartsOfAName(t *testing.T) {
	if !changes.IsPart("cluster_0 + cluster_1", "cluster_1") || changes.IsPart("cluster_0 + cluster_1", "cluster_2") || changes.IsPart("cluster_0", "cluster_0") {
		t.Error("a part is one of several names")
	}
}
