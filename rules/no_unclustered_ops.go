package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var noUnclusteredOps = rule.Rule{
	ID:    "no-unclustered-ops",
	Title: "TensorFlow's autoclustering leaves no operation out",
	Why: "An operation that XLA cannot cluster splits the graph: its neighbours lose their fusions, and its inputs and outputs cross between the " +
		"parts. Under jit_compile=True the whole function fails, and its log names the operation.",
	Reads: []rule.Input{rule.Graphs},
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Empty: true, Doc: "operations that may stay outside; system operations (_Arg, _Retval, IteratorGetNext, …) always may"},
		{Key: "min_ratio", Type: rule.Share, Doc: "the smallest share of operations that must be in clusters, instead of all of them"},
	},
	Budget:  &rule.Metric{Noun: "unclustered operations", Better: rule.Lower},
	Forbids: true,
	Bounds:  []string{"min_ratio"},
	Fails: rule.Example{On: "tf-clusters-unclusterable", Config: "- { rule: no-unclustered-ops }",
		Says: "AsString is outside every cluster (node \"AsString\"); 23 of 32 operations are clustered"},
	Passes:  rule.Example{On: "tf-clusters-clean", Config: "- { rule: no-unclustered-ops }"},
	Fix:     "Move the operation out of the compiled function, replace it by one that XLA compiles, or allow it by name.",
	Threads: []string{"tensorflow/tensorflow#38450", "tensorflow/tensorflow#55808"},
	Whole:   true,
	Target: func(c *rule.Context, t *rule.Target) {
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
		of := "of " + phrase.Counted(all, "", "operations") + " went into clusters"
		for _, f := range c.JudgeShare(a, "min_ratio", "unclustered.min_ratio", rule.PortionOf(float64(clusters.Clustered), all), of) {
			if f.Subject != a.Subject {
				continue
			}
			shown := outside
			if len(fresh) > 0 && f.Bound == nil {
				shown = fresh
			}
			rule.Split(c, f, byOp(shown), func(f *rule.Finding, group []tensorflow.UnclusteredOp) { describeUnclustered(c, f, clusters, group) })
		}
	},
}

const graphFix = "set TF_XLA_FLAGS=\"--tf_xla_auto_jit=2 --tf_xla_clustering_debug\" (on a CPU also --tf_xla_cpu_global_jit) and TF_DUMP_GRAPH_PREFIX=DIR; xlagate capture does"

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
			Message: "autoclustering did not run: " + cmp.Or(clusters.Why, "the dump holds TensorFlow graphs, but none from MarkForCompilation"),
		})
	}
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
		return cmp.Or(int(changes.Flag(a[0].Compilable)-changes.Flag(b[0].Compilable)), strings.Compare(a[0].Op, b[0].Op))
	})
	return groups
}

func describeUnclustered(c *rule.Context, f *rule.Finding, clusters *tensorflow.Clusters, group []tensorflow.UnclusteredOp) {
	first := group[0]
	f.Program, f.Subject, f.Actual = first.Function, first.Op, float64(len(group))
	f.Message = fmt.Sprintf("%s is outside every cluster (%s); %d of %s clustered",
		first.Op, places(group), clusters.Clustered, phrase.Count(clusters.Clustered+len(unclusteredOps(c, clusters)), "operation is", "operations are"))
	f.Cause = &changes.Cause{Title: "no cluster took " + first.Op, OpName: first.Node, OpType: first.Op, Source: first.Source}
	if first.Reason != "" {
		f.Cause.Title += ": " + first.Reason
	}
	if c.Target.Base != nil {
		f.Cause = cmp.Or(changes.Moved(c.Target.Base.Clusters, clusters), f.Cause)
	}
	for _, op := range group[:min(len(group), changes.MaxLines)] {
		f.Evidence.After = append(f.Evidence.After, strings.TrimSpace(op.Node+"  "+op.Function+"  "+op.File))
	}
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
			f.Cause, f.Evidence.After = &changes.Cause{Title: n.Message, OpType: n.Op, Source: n.Where}, []string{n.Log + ": " + n.Message}
		}
	}
	return len(notes) > 0
}
