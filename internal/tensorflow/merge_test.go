package tensorflow

import "testing"

// What is known of graphs and logs adds up, whichever side knows it.
func TestMergeOfGraphsAndLogs(t *testing.T) {
	c := &Clusters{Why: "off", Graphs: 1, Clustered: 2, Clusters: []Cluster{{Name: "a"}}}
	d := &Clusters{Ran: true, Graphs: 3, Clustered: 4, Unclustered: []UnclusteredOp{{Op: "x"}}}
	if (*Clusters)(nil).Merge(c) != c || c.Merge(nil) != c {
		t.Error("graphs of one side only")
	}
	if got := c.Merge(d); !got.Ran || got.Why != "" || got.Graphs != 4 || got.Clustered != 6 || len(got.Clusters) != 1 || len(got.Unclustered) != 1 {
		t.Errorf("%+v", got)
	}
	l := &Logs{Compiles: map[string]int{"f": 1, "g": 2}, Events: 3, Notes: []LogNote{{Kind: "a"}}}
	m := &Logs{Compiles: map[string]int{"g": 5}, Events: 4, Misses: []CacheMiss{{Program: "g"}}}
	if (*Logs)(nil).Merge(l) != l || l.Merge(nil) != l {
		t.Error("logs of one side only")
	}
	if got := l.Merge(m); got.Compiles["f"] != 1 || got.Compiles["g"] != 7 || got.Events != 7 || len(got.Notes) != 1 || len(got.Misses) != 1 || l.Compiles["g"] != 2 {
		t.Errorf("%+v", got)
	}
}
