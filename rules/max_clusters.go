package rules

import (
	"fmt"
	"sort"

	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/framework"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/words"
)

var maxClusters = Rule{
	ID:       "max-clusters",
	Title:    "autoclustering makes few clusters",
	Category: Frameworks,
	Why: "Every cluster is compiled by itself, for every shape. A hundred of them instead of two were minutes of compile time for a model whose graph had a few operations in " +
		"the wrong place.",
	Reads: []Input{Graphs},
	Options: []Option{
		{Key: "min_size", Type: Count, Sense: Narrows, Default: 0.0, Doc: "count only clusters of at least that many nodes"},
		{Key: "max_size", Type: Count, Sense: Caps, Doc: "the most nodes that one cluster may have"},
	},
	Budget:  &Metric{Noun: "clusters", Better: Lower},
	Bounds:  []string{"max_size"},
	Fails:   Example{On: "tf-clusters-train", Config: "- { rule: max-clusters, max: 0 }", Says: "1 cluster: at most 0 allowed"},
	Passes:  Example{On: "tf-clusters-train", Config: "- { rule: max-clusters, max: 1 }"},
	Mend:    "Look at what no cluster took (no-unclustered-ops): each such operation in the middle of the graph cuts a cluster in two.",
	Threads: []string{"tensorflow/tensorflow#38450"},
	Since:   "1",
	Whole:   true,
	Accepts: []string{"clusters.*"},
	Target:  checkMaxClusters,
}

func checkMaxClusters(c *Context, t *Target) {
	clusters := t.Report.Clusters
	if clusters == nil || !clusters.Ran {
		c.noClusters(t, clusters)
		return
	}
	a := Amount{
		Subject: "clusters", Noun: "clusters", Better: Lower, Actual: c.countClusters(clusters),
		Cause: func() (*result.Cause, result.Evidence) { return clusterCause(clusters) },
	}
	if t.Base != nil {
		known := t.Base.Clusters != nil && c.sized(t.Base.Clusters)
		was := 0.0
		if known {
			was = c.countClusters(t.Base.Clusters)
		}
		a.baseline(known, was)
	}
	limit, ok := c.Number("max_size")
	if !ok || c.bounded() {
		c.Judge(a)
	}
	if ok {
		c.checkClusterSizes(clusters, limit)
	}
}

func (c *Context) countClusters(clusters *framework.Clusters) float64 {
	least, _ := c.Number("min_size")
	var n float64
	for _, one := range clusters.Clusters {
		n += float64(ledger.One(float64(one.Size) >= least))
	}
	return n
}

// sized says whether the clusters can be counted by size: a stored baseline holds only their number.
func (c *Context) sized(clusters *framework.Clusters) bool {
	least, _ := c.Number("min_size")
	return least == 0 || len(clusters.Clusters) == 0 || clusters.Clusters[0].Size > 0
}

func (c *Context) checkClusterSizes(clusters *framework.Clusters, limit float64) {
	for _, one := range clusters.Clusters {
		c.Checked()
		if float64(one.Size) > limit {
			c.Find(result.Finding{
				Program: one.Function, Subject: one.Name, Actual: float64(one.Size), Limit: limit,
				Message: fmt.Sprintf("%s has %s, at most %v allowed", one.Name, words.Count(one.Size, "node", "nodes"), limit),
			})
		}
	}
}

func clusterCause(clusters *framework.Clusters) (*result.Cause, result.Evidence) {
	list := append([]framework.Cluster{}, clusters.Clusters...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Size > list[j].Size })
	var e result.Evidence
	for _, one := range list {
		e.After = explain.Add(e.After, fmt.Sprintf("%s  %s  %s", one.Name, words.Count(one.Size, "node", "nodes"), one.Function))
	}
	if len(list) == 0 {
		return nil, e
	}
	return &result.Cause{Summary: fmt.Sprintf("the largest, %s, has %s", list[0].Name, words.Count(list[0].Size, "node", "nodes"))}, e
}
