package baseline

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// GraphFacts are the numbers that are kept of TensorFlow's graphs: the collectives outside of XLA, by kind, and of autoclustering, where it
// ran, how many clusters and clustered operations there are, and which operations stayed outside, by kind. Nil when there are no graphs.
func GraphFacts(c *tensorflow.Clusters) facts.Values {
	if c == nil || !c.Ran && c.Graphs == 0 && len(c.Collectives) == 0 {
		return nil
	}
	n := facts.Values{facts.CollectivesOutsideXLA: float64(len(c.Collectives))}
	for _, op := range c.Collectives {
		n[facts.OutsideCollective.Of(op.Kind)]++
	}
	if !c.Ran {
		return n
	}
	n[facts.ClustersCount], n[facts.ClustersClustered], n[facts.ClustersUnclustered] = float64(len(c.Clusters)), float64(c.Clustered), 0
	for _, op := range c.UserOps() {
		n[facts.ClustersUnclustered]++
		n[facts.UnclusteredOp.Of(op.Op)]++
	}
	return n
}

// FormatGraphs writes the facts of a target's graphs in canonical form.
func FormatGraphs(target string, n facts.Values) []byte {
	var w writer
	w.line("# %s/%s: written by xlagate accept; what TensorFlow clustered and what it left out", target, graphsFile)
	w.line("schema: %s", Schema)
	w.line("facts:")
	for _, k := range sortedKeys(n) {
		w.line("  %s: %s", quote(string(k)), number(n[k]))
	}
	return w.Bytes()
}

// clustersOf turns the numbers back into the form in which a dump's clusters come.
func clustersOf(n facts.Values) *tensorflow.Clusters {
	if n == nil {
		return nil
	}
	_, ran := n[facts.ClustersCount]
	c := &tensorflow.Clusters{Ran: ran, Clustered: int(n[facts.ClustersClustered]), Clusters: make([]tensorflow.FrameworkCluster, int(n[facts.ClustersCount]))}
	for _, k := range sortedKeys(n) {
		if op, ok := facts.UnclusteredOp.Member(k); ok {
			c.Unclustered = append(c.Unclustered, slices.Repeat([]tensorflow.UnclusteredOp{{Op: op}}, int(n[k]))...)
		}
		if kind, ok := facts.OutsideCollective.Member(k); ok {
			c.Collectives = append(c.Collectives, slices.Repeat([]tensorflow.Collective{{Kind: kind}}, int(n[k]))...)
		}
	}
	return c
}
