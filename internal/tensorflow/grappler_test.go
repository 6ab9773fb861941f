package tensorflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What Grappler did to a function, held against what its log said of the same run: 28 nodes, 27 after model_pruner, 24 after constant_folding.
func TestRewrites(t *testing.T) {
	var got []string
	for _, r := range clustersOf(t, "tf-clusters-grappler").Rewrites {
		got = append(got, fmt.Sprintf("%s %s %s by %s", r.Op, r.Node, r.What, r.Optimizer))
	}
	want := []string{
		"AsString AsString removed by model_pruner", "AddV2 add removed by constant_folding", "Mul mul removed by constant_folding",
		"Transpose transpose removed by dependency_optimizer", "Transpose transpose_1 removed by dependency_optimizer",
		"Mul mul_1 folded into a constant by constant_folding",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
