package baseline

import (
	"maps"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// clustered is what autoclustering did to a graph: two clusters of seven operations, three left out, one of them a system operation.
func clustered() *tensorflow.Clusters {
	return &tensorflow.Clusters{
		Ran: true, Clustered: 7, Clusters: []tensorflow.Cluster{{Name: "cluster_0"}, {Name: "cluster_1"}},
		Unclustered: []tensorflow.UnclusteredOp{{Op: "AsString", Node: "a"}, {Op: "AsString", Node: "b"}, {Op: "_Arg", System: true}, {Op: "Where"}},
		Collectives: []tensorflow.Collective{{Op: "HorovodAllreduce", Kind: "all-reduce"}},
	}
}

func TestGraphFacts(t *testing.T) {
	want := facts.Values{"clusters.count": 2, "clusters.clustered_ops": 7, "clusters.unclustered_ops": 3, "unclustered.AsString": 2, "unclustered.Where": 1,
		"collectives.outside": 1, "collectives.outside.all-reduce": 1}
	if got := GraphFacts(clustered()); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := GraphFacts(&tensorflow.Clusters{Ran: true}); got["clusters.unclustered_ops"] != 0 || len(got) != 4 {
		t.Errorf("of an empty graph: %v", got)
	}
	if got := GraphFacts(&tensorflow.Clusters{Graphs: 1}); len(got) != 1 || GraphFacts(clustersOf(got))["collectives.outside"] != 0 {
		t.Errorf("of a graph that autoclustering never looked at: %v", got)
	}
	if GraphFacts(nil) != nil || GraphFacts(&tensorflow.Clusters{Clustered: 7}) != nil {
		t.Error("of no graphs")
	}
}

// What is accepted of graphs comes back as the same numbers.
func TestGraphsRoundTrip(t *testing.T) {
	want := GraphFacts(clustered())
	_, numbers, err := parse("x", formatGraphs(want))
	if err != nil || !maps.Equal(numbers, want) {
		t.Fatalf("%v, %v", numbers, err)
	}
	if again := GraphFacts(clustersOf(numbers)); !maps.Equal(again, want) {
		t.Errorf("%v", again)
	}
	if clustersOf(nil) != nil {
		t.Error("none became some")
	}
}

func TestFormOfTheGraphsFile(t *testing.T) {
	want := `{"baseline":{"schema":"xlagate.baseline/v1"}}
{"fact":{"clusters.count":2}}
{"fact":{"unclustered.A":1}}
{"end":"facts"}
{"end":"baseline"}
`
	if got := string(formatGraphs(facts.Values{"unclustered.A": 1, "clusters.count": 2})); got != want {
		t.Error(got)
	}
}
