package rules

import (
	"fmt"
	"sort"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var maxClusters = rule.Rule{
	ID:    "max-clusters",
	Title: "autoclustering makes few clusters",
	Why:   "Every cluster is compiled by itself, for every shape. A hundred of them instead of two cost minutes.",
	Reads: []rule.Input{rule.Graphs},
	Options: []rule.Option{
		{Key: "min_size", Type: rule.Count, Default: 0.0, Doc: "count only clusters of at least this many nodes"},
		{Key: "max_size", Type: rule.Count, Doc: "the largest number of nodes in a cluster"},
	},
	Budget:  &rule.Metric{Noun: "clusters", Better: rule.Lower},
	Bounds:  []string{"max_size"},
	Fails:   rule.Example{On: "tf-clusters-train", Config: "- { rule: max-clusters, max: 0 }", Says: "1 cluster: at most 0 allowed"},
	Passes:  rule.Example{On: "tf-clusters-train", Config: "- { rule: max-clusters, max: 1 }"},
	Fix:     "Look at the operations outside of clusters (no-unclustered-ops): each one in the middle of the graph cuts a cluster in two.",
	Threads: []string{"tensorflow/tensorflow#38450"},
	Whole:   true,
	Target: func(c *rule.Context, t *rule.Target) {
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
			at := c.At(&changes.Program{Name: one.Function}, nil)
			at.Cap("max_size", one.Name, "", float64(one.Size), one.Name+" has "+phrase.Count(one.Size, "node", "nodes"))
		}
	},
}

func countClusters(c *rule.Context, clusters *tensorflow.Clusters) float64 {
	least, _ := c.Number("min_size")
	return float64(len(phrase.Filter(clusters.Clusters, func(one tensorflow.Cluster) bool { return float64(one.Size) >= least })))
}

// sized reports whether the sizes of clusters are known: a stored baseline holds only their number.
func sized(c *rule.Context, clusters *tensorflow.Clusters) bool {
	least, _ := c.Number("min_size")
	return least == 0 || len(clusters.Clusters) == 0 || clusters.Clusters[0].Size > 0
}

func clusterCause(c *rule.Context, clusters *tensorflow.Clusters) (*changes.Cause, changes.Evidence) {
	list := append([]tensorflow.Cluster{}, clusters.Clusters...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Size > list[j].Size })
	var e changes.Evidence
	for _, one := range list {
		e.After = changes.AddLine(e.After, fmt.Sprintf("%s  %s  %s", one.Name, phrase.Count(one.Size, "node", "nodes"), one.Function))
	}
	if len(list) == 0 {
		return nil, e
	}
	if cause := newClusters(c, clusters); cause != nil {
		return cause, e
	}
	return &changes.Cause{Title: fmt.Sprintf("the largest, %s, has %s", list[0].Name, phrase.Count(list[0].Size, "node", "nodes"))}, e
}

// newClusters says why there are more clusters than there were: an operation parts them, or a function was traced again.
func newClusters(c *rule.Context, clusters *tensorflow.Clusters) *changes.Cause {
	if c.Target.Base == nil {
		return nil
	}
	if cause := changes.ClustersSplitBy(c.Target.Base.Clusters, clusters); cause != nil {
		return cause
	}
	for _, p := range c.Target.Programs {
		if p.Old != nil || p.New == nil {
			continue
		}
		if cause := changes.TracedAgain(c.Target.Programs, p); cause != nil {
			cause.Title = p.Name + " is new: " + cause.Title
			return cause
		}
	}
	return nil
}
