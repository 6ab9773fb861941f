package baseline

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/framework"
)

// Names of the facts of a target's graphs. Behind the last prefix stands an operation: "unclustered.AsString".
const (
	clusterCount    = "clusters.count"
	clusteredOps    = "clusters.clustered_ops"
	unclusteredOps  = "clusters.unclustered_ops"
	unclusteredKind = "unclustered."
)

// GraphFacts are the numbers that are kept of autoclustering: how many clusters and clustered operations, and which operations
// stayed outside, by kind. Nil when it did not run.
func GraphFacts(c *framework.Clusters) facts.Numbers {
	if c == nil || !c.Ran {
		return nil
	}
	n := facts.Numbers{clusterCount: float64(len(c.Clusters)), clusteredOps: float64(c.Clustered), unclusteredOps: 0}
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
func clustersOf(n facts.Numbers) *framework.Clusters {
	if n == nil {
		return nil
	}
	c := &framework.Clusters{Ran: true, Clustered: int(n[clusteredOps]), Clusters: make([]framework.Cluster, int(n[clusterCount]))}
	for _, k := range sortedKeys(n) {
		op, ok := strings.CutPrefix(k, unclusteredKind)
		for range int(n[k]) {
			if ok {
				c.Unclustered = append(c.Unclustered, framework.UnclusteredOp{Op: op})
			}
		}
	}
	return c
}
