package tensorflow

import (
	"slices"
	"strings"
	"testing"
)

func TestCollectiveKind(t *testing.T) {
	for op, want := range map[string]string{
		"CollectiveReduceV2": "all-reduce", "CollectiveReduceScatterV2": "reduce-scatter", "CollectiveGatherV2": "all-gather", "CollectiveAllToAllV3": "all-to-all",
		"CollectiveBcastSendV2": "collective-broadcast", "HorovodAllreduce": "all-reduce", "HorovodGroupedAllreduce": "all-reduce", "HorovodAllgather": "all-gather",
		"HorovodBroadcast": "collective-broadcast", "NcclAllReduce": "all-reduce", "CollectiveAssignGroupV2": "", "HorovodSize": "", "Sum": "", "XlaAllReduce": "",
	} {
		if got := collectiveKind(op); got != want {
			t.Errorf("%s exchanges %q, wanted %q", op, got, want)
		}
	}
}

// A collective parts what is compiled next to it, whatever runs uncompiled between them.
func TestCollectiveParts(t *testing.T) {
	g := graphOf(t, "x _Arg named", "a PartitionedCall x call=early", "g PartitionedCall a call=gradients", "flat Reshape g", "r HorovodAllreduce flat", "mean Mul r",
		"u PartitionedCall mean call=update", "o _Retval u")
	for _, name := range []string{"early", "gradients", "update"} {
		g.Functions = append(g.Functions, &Function{Name: name, MustCompile: true, Nodes: []*Node{{Name: "m", Op: "MatMul"}}})
	}
	outside := g.Clustering().Outside
	at := slices.IndexFunc(outside, func(o *Outside) bool { return o.Collective != "" })
	if at < 0 || outside[at].Collective != "all-reduce" || strings.Join(outside[at].From, " ") != "gradients" || strings.Join(outside[at].To, " ") != "update" {
		t.Errorf("%+v", outside)
	}
}
