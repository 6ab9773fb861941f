package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var noUnclusteredOps = rule.Rule{
	ID:    "no-unclustered-ops",
	Title: "TensorFlow's autoclustering leaves no operation out",
	Why: "An operation that XLA cannot cluster splits the graph: its neighbours lose their fusions, and its inputs and outputs cross between the " +
		"compiled and the uncompiled part on every step. Under jit_compile=True the whole function fails, and its log names the operation.",
	Reads: []rule.Input{rule.Graphs},
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "operations that may stay outside; system operations (_Arg, _Retval, IteratorGetNext, …) always may"},
		{Key: "min_ratio", Type: rule.Share, Sense: rule.Demands, InPlace: true, Doc: "the smallest share of operations that must be in clusters, instead of all of them"},
	},
	Budget:  &rule.Metric{Noun: "unclustered operations", Better: rule.Lower},
	Forbids: true,
	Bounds:  []string{"min_ratio"},
	Fails:   rule.Example{On: "tf-clusters-unclusterable", Config: "- { rule: no-unclustered-ops }", Says: "AsString is outside every cluster (node \"AsString\"); 23 of 32 operations are clustered"},
	Passes:  rule.Example{On: "tf-clusters-clean", Config: "- { rule: no-unclustered-ops }"},
	Fix:     "Move the operation out of the compiled function (into the input pipeline or after the step), replace it by one that XLA compiles, or allow it by name.",
	Threads: []string{"tensorflow/tensorflow#38450", "tensorflow/tensorflow#55808"},
	Whole:   true,
	Accepts: []string{"clusters.*"},
	Target:  checkNoUnclusteredOps,
}

const graphFix = "set TF_XLA_FLAGS=\"--tf_xla_auto_jit=2 --tf_xla_clustering_debug\" (on a CPU also --tf_xla_cpu_global_jit) and TF_DUMP_GRAPH_PREFIX=DIR; xlagate capture does"

func checkNoUnclusteredOps(c *rule.Context, t *rule.Target) {
	clusters := t.Report.Clusters
	failed := uncompilable(c, t.Report.Logs)
	if clusters == nil || !clusters.Ran {
		if failed {
			c.Checked()
		} else {
			noClusters(c, t, clusters)
		}
		return
	}
	outside := unclusteredOps(c, clusters)
	a := c.Budget("unclustered", float64(len(outside)))
	fresh := outside
	if t.Base != nil {
		known := t.Base.Clusters != nil && t.Base.Clusters.Ran
		var was []tensorflow.UnclusteredOp
		if known {
			was = unclusteredOps(c, t.Base.Clusters)
			fresh = beyond(outside, was)
		}
		a.SetBase(known, float64(len(was)))
		a.Added = float64(len(fresh))
	}
	all := float64(clusters.Clustered + len(outside))
	for _, f := range c.JudgeShare(a, rule.Portion{
		Key: "min_ratio", Subject: "unclustered.min_ratio", Have: rule.PortionOf(float64(clusters.Clustered), all),
		Of: "of " + phrase.Counted(all, "", "operations") + " went into clusters",
	}) {
		if f.Subject != a.Subject {
			continue
		}
		shown, each := outside, []rule.Finding(nil)
		if len(fresh) > 0 && f.Bound == nil {
			shown = fresh
		}
		for _, group := range byOp(shown) {
			each = append(each, unclusteredFinding(c, *f, clusters, group))
		}
		c.Split(f, each)
	}
}

// noClusters says why there is nothing to look at.
func noClusters(c *rule.Context, t *rule.Target, clusters *tensorflow.Clusters) {
	switch {
	case clusters == nil:
		c.Uncovered(rule.Graphs, graphFix)
	case c.Pack != "":
		// A program under jit_compile writes graphs as well: nothing says that autoclustering was wanted.
		c.NotCovered = append(c.NotCovered, c.Rule.ID+" (autoclustering did not run)")
	default:
		c.Problems = append(c.Problems, result.Problem{
			Rule: c.Rule.ID, File: t.Dump, Fix: graphFix,
			Message: "autoclustering did not run: " + because(clusters.Why),
		})
	}
}

func because(why string) string {
	if why == "" {
		return "the dump holds TensorFlow graphs, but none from MarkForCompilation"
	}
	return why
}

// beyond leaves out the operations that the baseline has as well, kind by kind.
func beyond(outside, was []tensorflow.UnclusteredOp) []tensorflow.UnclusteredOp {
	had := map[string]int{}
	for _, op := range was {
		had[op.Op]++
	}
	var out []tensorflow.UnclusteredOp
	for _, op := range outside {
		if had[op.Op]--; had[op.Op] < 0 {
			out = append(out, op)
		}
	}
	return out
}

// unclusteredOps lists the operations outside of clusters that the entry does not allow.
func unclusteredOps(c *rule.Context, clusters *tensorflow.Clusters) []tensorflow.UnclusteredOp {
	return phrase.Filter(clusters.Unclustered, func(op tensorflow.UnclusteredOp) bool {
		return !op.System && !phrase.AnyGlob(c.List("allow"), op.Op) && !phrase.AnyGlob(c.List("allow"), op.Node)
	})
}

// byOp groups the operations by kind, those first that XLA cannot compile: others may be outside because of them.
func byOp(ops []tensorflow.UnclusteredOp) [][]tensorflow.UnclusteredOp {
	groups := phrase.Group(ops, func(op tensorflow.UnclusteredOp) string { return op.Op })
	slices.SortFunc(groups, func(a, b []tensorflow.UnclusteredOp) int {
		return cmp.Or(int(diff.Flag(a[0].Compilable)-diff.Flag(b[0].Compilable)), strings.Compare(a[0].Op, b[0].Op))
	})
	return groups
}

func unclusteredFinding(c *rule.Context, f rule.Finding, clusters *tensorflow.Clusters, group []tensorflow.UnclusteredOp) rule.Finding {
	first := group[0]
	f.Program, f.Subject, f.Actual = first.Function, first.Op, float64(len(group))
	f.Message = fmt.Sprintf("%s is outside every cluster (%s); %d of %s clustered",
		first.Op, places(group), clusters.Clustered, phrase.Count(clusters.Clustered+len(unclusteredOps(c, clusters)), "operation is", "operations are"))
	f.Cause = &diff.Cause{Title: "no cluster took " + first.Op, OpName: first.Node, OpType: first.Op, Source: first.Source}
	if first.Reason != "" {
		f.Cause.Title += ": " + first.Reason
	}
	for _, op := range group[:min(len(group), diff.MaxLines)] {
		f.Evidence.After = append(f.Evidence.After, strings.TrimSpace(op.Node+"  "+op.Function+"  "+op.File))
	}
	return f
}

func places(group []tensorflow.UnclusteredOp) string {
	first := fmt.Sprintf("node %q", group[0].Node)
	if group[0].Function != "" {
		first += " of " + group[0].Function
	}
	if len(group) > 1 {
		first += fmt.Sprintf(" and %d more", len(group)-1)
	}
	return first
}

// uncompilable reports the operations that a log says XLA could not compile under jit_compile=True, and whether there were any.
// The error stops the function, so the dump holds no module of it.
func uncompilable(c *rule.Context, logs *tensorflow.Logs) bool {
	notes := logs.Uncompilable()
	for _, n := range notes {
		if !phrase.AnyGlob(c.List("allow"), n.Op) {
			f := c.Find(result.Finding{
				Program: n.Program, Subject: n.Op + " in jit_compile", Actual: 1.0, Limit: 0.0, Bound: &result.Bound{Key: "allow", Needs: "[" + n.Op + "]"},
				Message: fmt.Sprintf("XLA cannot compile %s, which is in a function under jit_compile=True", n.Op),
			})
			f.Cause, f.Evidence.After = &diff.Cause{Title: n.Message, OpType: n.Op, Source: n.Where}, []string{n.Log + ": " + n.Message}
		}
	}
	return len(notes) > 0
}

var maxClusters = rule.Rule{
	ID:    "max-clusters",
	Title: "autoclustering makes few clusters",
	Why: "Every cluster is compiled by itself, for every shape. A hundred of them instead of two cost minutes of compile time for a model whose graph had a few operations in " +
		"the wrong place.",
	Reads: []rule.Input{rule.Graphs},
	Options: []rule.Option{
		{Key: "min_size", Type: rule.Count, Sense: rule.Narrows, Default: 0.0, Doc: "count only clusters of at least this many nodes"},
		{Key: "max_size", Type: rule.Count, Sense: rule.Caps, Doc: "the largest number of nodes in a cluster"},
	},
	Budget:  &rule.Metric{Noun: "clusters", Better: rule.Lower},
	Bounds:  []string{"max_size"},
	Fails:   rule.Example{On: "tf-clusters-train", Config: "- { rule: max-clusters, max: 0 }", Says: "1 cluster: at most 0 allowed"},
	Passes:  rule.Example{On: "tf-clusters-train", Config: "- { rule: max-clusters, max: 1 }"},
	Fix:     "Look at the operations outside of clusters (no-unclustered-ops): each one in the middle of the graph cuts a cluster in two.",
	Threads: []string{"tensorflow/tensorflow#38450"},
	Whole:   true,
	Accepts: []string{"clusters.*"},
	Target:  checkMaxClusters,
}

func checkMaxClusters(c *rule.Context, t *rule.Target) {
	clusters := t.Report.Clusters
	if clusters == nil || !clusters.Ran {
		noClusters(c, t, clusters)
		return
	}
	a := c.Budget("clusters", countClusters(c, clusters))
	if t.Base != nil {
		known := t.Base.Clusters != nil && t.Base.Clusters.Ran && sized(c, t.Base.Clusters)
		was := 0.0
		if known {
			was = countClusters(c, t.Base.Clusters)
		}
		a.SetBase(known, was)
	}
	if _, sized := c.Number("max_size"); !sized || c.Bounded() {
		if f := c.Judge(a); f != nil {
			f.Cause, f.Evidence = clusterCause(c, clusters)
		}
	}
	for _, one := range clusters.Clusters {
		at := c.At(&diff.Program{Name: one.Function}, nil)
		at.Cap("max_size", one.Name, "", float64(one.Size), one.Name+" has "+phrase.Count(one.Size, "node", "nodes"))
	}
}

func countClusters(c *rule.Context, clusters *tensorflow.Clusters) float64 {
	least, _ := c.Number("min_size")
	var n float64
	for _, one := range clusters.Clusters {
		n += float64(diff.Flag(float64(one.Size) >= least))
	}
	return n
}

// sized reports whether the sizes of clusters are known: a stored baseline holds only their number.
func sized(c *rule.Context, clusters *tensorflow.Clusters) bool {
	least, _ := c.Number("min_size")
	return least == 0 || len(clusters.Clusters) == 0 || clusters.Clusters[0].Size > 0
}

func clusterCause(c *rule.Context, clusters *tensorflow.Clusters) (*diff.Cause, diff.Evidence) {
	list := append([]tensorflow.Cluster{}, clusters.Clusters...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Size > list[j].Size })
	var e diff.Evidence
	for _, one := range list {
		e.After = diff.AddLine(e.After, fmt.Sprintf("%s  %s  %s", one.Name, phrase.Count(one.Size, "node", "nodes"), one.Function))
	}
	if len(list) == 0 {
		return nil, e
	}
	if cause := newClusters(c, clusters); cause != nil {
		return cause, e
	}
	return &diff.Cause{Title: fmt.Sprintf("the largest, %s, has %s", list[0].Name, phrase.Count(list[0].Size, "node", "nodes"))}, e
}

// newClusters says why there are more clusters than there were: an operation parts them, or a function was traced again.
func newClusters(c *rule.Context, clusters *tensorflow.Clusters) *diff.Cause {
	if c.Target.Base == nil {
		return nil
	}
	if op := diff.CutBy(c.Target.Base.Clusters, clusters); op != nil {
		return &diff.Cause{Title: diff.CutTitle(op), OpName: op.Node, OpType: op.Op, Source: op.Source}
	}
	for _, p := range c.Target.Programs {
		if p.Old != nil || p.New == nil {
			continue
		}
		if cause := diff.TracedAgain(c.Target.Programs, p); cause != nil {
			cause.Title = p.Name + " is new: " + cause.Title
			return cause
		}
	}
	return nil
}

var maxOutsideCollectives = rule.Rule{
	ID:    "max-outside-collectives",
	Title: "TensorFlow runs no more collectives between compiled functions than before",
	Why: "A collective of TensorFlow itself, of NCCL or of Horovod runs outside of XLA: the compiled function ends before it, its results go to memory, and nothing overlaps " +
		"with it. One collective for each gradient, instead of one for all, is a launch and a wait for each.",
	Reads: []rule.Input{rule.Graphs},
	Options: []rule.Option{
		onlyKinds,
	},
	Budget:  &rule.Metric{Noun: "outside collectives", Better: rule.Lower},
	Fails:   rule.Example{On: "tf-reduced/after", Config: "- { rule: max-outside-collectives, max_increase: 0 }", Says: "4 outside all-reduces: up from 2 in the baseline"},
	Passes:  rule.Example{On: "tf-reduced/after", Config: "- { rule: max-outside-collectives, max: 4 }"},
	Fix:     "Reduce all gradients together: one tensor, or a list that the framework packs into one (HOROVOD_FUSION_THRESHOLD, tf.distribute's CommunicationOptions).",
	Threads: []string{"tensorflow/tensorflow#29640", "horovod/horovod#2590"},
	Whole:   true,
	Accepts: []string{"collectives.outside*"},
	Target:  checkMaxOutsideCollectives,
}

const anyGraphFix = "set TF_DUMP_GRAPH_PREFIX=DIR and TF_XLA_FLAGS=--tf_xla_clustering_debug; xlagate capture does"

func checkMaxOutsideCollectives(c *rule.Context, t *rule.Target) {
	if t.Report.Clusters == nil {
		c.Uncovered(rule.Graphs, anyGraphFix)
		return
	}
	now, was := outsideByKind(t.Report.Clusters), map[string][]tensorflow.Collective{}
	known := t.Base != nil && t.Base.Clusters != nil
	if known {
		was = outsideByKind(t.Base.Clusters)
	}
	kinds := c.List("kinds")
	if kinds == nil {
		kinds = slices.Sorted(maps.Keys(now))
	}
	for _, kind := range kinds {
		a := c.Budget(kind, float64(len(now[kind])))
		a.Noun = "outside " + kind + "s"
		if t.Base != nil {
			a.SetBase(known, float64(len(was[kind])))
		}
		rule.Explain(c.Judge(a), outsideCause, now[kind])
	}
	if len(kinds) == 0 {
		c.Checked()
	}
}

func outsideByKind(clusters *tensorflow.Clusters) map[string][]tensorflow.Collective {
	out := map[string][]tensorflow.Collective{}
	for _, o := range clusters.Collectives {
		out[o.Kind] = append(out[o.Kind], o)
	}
	return out
}

// outsideCause names the collectives of a kind, each with what it parts.
func outsideCause(collectives []tensorflow.Collective) (*diff.Cause, diff.Evidence) {
	var e diff.Evidence
	if len(collectives) == 0 {
		return nil, e
	}
	for i := range collectives {
		o := &collectives[i]
		e.After = diff.AddLine(e.After, strings.TrimSpace(fmt.Sprintf("%s  %s  %s", o.Op, o.Node, o.Place())))
	}
	last := &collectives[len(collectives)-1]
	summary := strings.TrimSpace(last.Op + " runs outside of XLA " + last.Place())
	return &diff.Cause{Title: summary, OpName: last.Node, OpType: last.Op, Source: last.Source}, e
}
