package baseline

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Names of the facts of a target's graphs. Behind the last prefix stands an operation: "unclustered.AsString".
const (
	clusterCount    = "clusters.count"
	clusteredOps    = "clusters.clustered_ops"
	unclusteredOps  = "clusters.unclustered_ops"
	unclusteredKind = "unclustered."
	collectiveCount = "collectives.outside"
	collectiveKind  = "collectives.outside."
)

// GraphFacts are the numbers that are kept of TensorFlow's graphs: the collectives outside of XLA, by kind, and of autoclustering, where it
// ran, how many clusters and clustered operations there are, and which operations stayed outside, by kind. Nil when there are no graphs.
func GraphFacts(c *tensorflow.Clusters) facts.Numbers {
	if c == nil || !c.Ran && c.Graphs == 0 && len(c.Collectives) == 0 {
		return nil
	}
	n := facts.Numbers{collectiveCount: float64(len(c.Collectives))}
	for _, op := range c.Collectives {
		n[collectiveKind+op.Kind]++
	}
	if !c.Ran {
		return n
	}
	n[clusterCount], n[clusteredOps], n[unclusteredOps] = float64(len(c.Clusters)), float64(c.Clustered), 0
	for _, op := range c.UserOps() {
		n[unclusteredOps]++
		n[unclusteredKind+op.Op]++
	}
	return n
}

// FormatGraphs writes the facts of a target's graphs in canonical form.
func FormatGraphs(target string, n facts.Numbers) []byte {
	var w writer
	w.line("# %s/%s: written by xlagate accept; what TensorFlow clustered and what it left out", target, graphsFile)
	w.line("schema: %s", Schema)
	w.line("facts:")
	for _, k := range sortedKeys(n) {
		w.line("  %s: %s", quote(k), number(n[k]))
	}
	return w.Bytes()
}

// clustersOf turns the numbers back into the form in which a dump's clusters come.
func clustersOf(n facts.Numbers) *tensorflow.Clusters {
	if n == nil {
		return nil
	}
	_, ran := n[clusterCount]
	c := &tensorflow.Clusters{Ran: ran, Clustered: int(n[clusteredOps]), Clusters: make([]tensorflow.FrameworkCluster, int(n[clusterCount]))}
	for _, k := range sortedKeys(n) {
		if op, ok := strings.CutPrefix(k, unclusteredKind); ok {
			c.Unclustered = append(c.Unclustered, slices.Repeat([]tensorflow.UnclusteredOp{{Op: op}}, int(n[k]))...)
		}
		if kind, ok := strings.CutPrefix(k, collectiveKind); ok {
			c.Collectives = append(c.Collectives, slices.Repeat([]tensorflow.Collective{{Kind: kind}}, int(n[k]))...)
		}
	}
	return c
}
