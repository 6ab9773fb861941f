package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var maxOutsideCollectives = rule.Rule{
	ID:      "max-outside-collectives",
	Title:   "TensorFlow runs no more collectives between compiled functions than before",
	Why:     "A collective of TensorFlow itself, of NCCL or of Horovod runs outside of XLA: the compiled function ends before it, and nothing overlaps with it.",
	Reads:   []rule.Input{rule.Graphs},
	Options: []rule.Option{onlyKinds},
	Budget:  &rule.Metric{Noun: "outside collectives", Better: rule.Lower},
	Fails:   rule.Example{On: "tf-reduced/after", Config: "- { rule: max-outside-collectives, max_increase: 0 }", Says: "4 outside all-reduces: up from 2 in the baseline"},
	Passes:  rule.Example{On: "tf-reduced/after", Config: "- { rule: max-outside-collectives, max: 4 }"},
	Fix:     "Reduce all gradients together (HOROVOD_FUSION_THRESHOLD, tf.distribute's CommunicationOptions).",
	Threads: []string{"tensorflow/tensorflow#29640", "horovod/horovod#2590"},
	Whole:   true,
	Target: func(c *rule.Context, t *rule.Target) {
		if t.Report.Clusters == nil {
			c.Uncovered(rule.Graphs, anyGraphFix)
			return
		}
		if len(t.Report.Programs) == 0 && !t.Report.Clusters.Ran {
			noClusters(c, t, t.Report.Clusters) // XLA compiled nothing: there is no outside
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
	},
}

const anyGraphFix = "set TF_DUMP_GRAPH_PREFIX=DIR and TF_XLA_FLAGS=--tf_xla_clustering_debug; xlagate capture does"

func outsideByKind(clusters *tensorflow.Clusters) map[string][]tensorflow.Collective {
	out := map[string][]tensorflow.Collective{}
	for _, o := range clusters.Collectives {
		out[o.Kind] = append(out[o.Kind], o)
	}
	return out
}

// outsideCause names the collectives of a kind, each with what it parts.
func outsideCause(collectives []tensorflow.Collective) (*changes.Cause, changes.Evidence) {
	var e changes.Evidence
	if len(collectives) == 0 {
		return nil, e
	}
	for i := range collectives {
		o := &collectives[i]
		e.After = changes.AddLine(e.After, strings.TrimSpace(fmt.Sprintf("%s  %s  %s", o.Op, o.Node, o.Place())))
	}
	last := &collectives[len(collectives)-1]
	summary := strings.TrimSpace(last.Op + " runs outside of XLA " + last.Place())
	return &changes.Cause{Title: summary, OpName: last.Node, OpType: last.Op, Source: last.Source}, e
}
