package baseline

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// GraphFacts returns the stored facts of TensorFlow's graphs: the collectives outside of XLA, by kind; and, if autoclustering
// ran, the numbers of clusters and clustered operations, and of operations outside of clusters, by kind. It returns nil if there are no graphs.
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

// formatGraphs writes the facts of a target's graphs.
func formatGraphs(target string, n facts.Values) []byte {
	root := document(graphsPage(n))
	root.HeadComment = fmt.Sprintf("# %s/%s: written by xlagate accept; what TensorFlow clustered and what it left out", target, graphsFile)
	return formatted(root)
}

func graphsPage(n facts.Values) any {
	return struct {
		Schema string       `json:"schema"`
		Facts  facts.Values `json:"facts"`
		Whole  any          `json:"whole"`
	}{Schema, n, map[string]int{"facts": len(n)}}
}

// parseGraphs reads the facts of a target's graphs.
func parseGraphs(name string, data []byte) (facts.Values, error) {
	root, err := tree(name, data)
	if err != nil {
		return nil, err
	}
	var said struct {
		Schema string       `yaml:"schema"`
		Facts  facts.Values `yaml:"facts"`
	}
	if err := yamldoc.Decode(root, &said); err != nil {
		return nil, unreadable(name, err)
	}
	if said.Schema != Schema {
		return nil, otherSchema(name, said.Schema)
	}
	return said.Facts, contradiction(name, "its last line", root, graphsPage(keptFacts(said.Facts)))
}

// clustersOf converts the facts back into clusters.
func clustersOf(n facts.Values) *tensorflow.Clusters {
	if n == nil {
		return nil
	}
	_, ran := n[facts.ClustersCount]
	c := &tensorflow.Clusters{Ran: ran, Clustered: int(n[facts.ClustersClustered]), Clusters: make([]tensorflow.Cluster, int(n[facts.ClustersCount]))}
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
