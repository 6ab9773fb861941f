package baseline

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// GraphFacts returns the stored facts of TensorFlow's graphs: the collectives outside of XLA, by kind; and, if autoclustering
// ran, the numbers of clusters and clustered operations, of operations outside of clusters, by kind, and of those on each device. It returns nil if there are no graphs.
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
	for device, ops := range c.Placed {
		n[facts.PlacedOn.Of(device)] = float64(len(ops))
	}
	return n
}

// formatGraphs writes the facts of a target's graphs.
func formatGraphs(n facts.Values) []byte {
	w := newWriter()
	w.add(record{Baseline: &headRecord{Schema: Schema}})
	for _, id := range sortedKeys(n) {
		w.add(record{Fact: map[facts.ID]*float64{id: new(n[id])}})
	}
	w.end(endFacts)
	w.end(endBaseline)
	return w.text()
}

// clustersOf converts the facts back into clusters.
func clustersOf(n facts.Values) *tensorflow.Clusters {
	if n == nil {
		return nil
	}
	_, ran := n[facts.ClustersCount]
	c := &tensorflow.Clusters{Ran: ran, Clustered: int(n[facts.ClustersClustered]),
		Clusters: make([]tensorflow.Cluster, int(n[facts.ClustersCount])), Placed: tensorflow.Placement{}}
	for _, k := range sortedKeys(n) {
		if op, ok := facts.UnclusteredOp.Member(k); ok {
			c.Unclustered = append(c.Unclustered, slices.Repeat([]tensorflow.UnclusteredOp{{Op: op}}, int(n[k]))...)
		}
		if device, ok := facts.PlacedOn.Member(k); ok {
			c.Placed[device] = make([]tensorflow.PlacedOp, int(n[k]))
		}
		if kind, ok := facts.OutsideCollective.Member(k); ok {
			c.Collectives = append(c.Collectives, slices.Repeat([]tensorflow.Collective{{Kind: kind}}, int(n[k]))...)
		}
	}
	return c
}
