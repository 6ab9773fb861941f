package facts

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/price"
)

// A branch that calls the host and computes nothing is not taken: that it brings into shape what the call returned is no work. What is in a branch that computes is half as likely as what is around it.
func TestLikelihoods(t *testing.T) {
	kernel := func(branch, does string, calls float64) Kernel {
		k := Kernel{Form: &Form{Do: []OpcodeTimes{{Opcode: does, Times: 1}}}, Site: &Site{Branch: branch}}
		k.Work[price.Calls] = calls
		return k
	}
	likely := likelihoods([]Kernel{
		kernel("", "add", 0), kernel("0.0", "custom-call", 1), kernel("0.0", "copy", 0), kernel("1.0", "add", 0), kernel("1.0", "custom-call", 1),
		kernel("1.0 2.1", "sort", 0), kernel("3.1", "copy", 0),
	})
	for branch, want := range map[string]float64{"": 1, "0.0": 0, "1.0": 0.5, "1.0 2.1": 0.25, "3.1": 0.5} {
		if got := likely[branch]; got != want {
			t.Errorf("branch %q is taken with %v, want %v", branch, got, want)
		}
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		devices []int64
		want    float64
	}{
		{nil, 1}, {[]int64{5}, 1}, {[]int64{0, 1, 2, 3, 4, 5, 6, 7}, 8}, {[]int64{0, 2, 4, 6}, 8}, {[]int64{8, 15}, 8}, {[]int64{0, 2, 14}, 16}, {[]int64{7, 8}, 16},
	} {
		if got := reachOf(c.devices); got != c.want {
			t.Errorf("%v reaches over %v devices, want %v", c.devices, got, c.want)
		}
	}
}

// What a collective reaches over are the devices of its groups, not their places in a mesh, and of a message those that it goes between.
func TestReachOfACollective(t *testing.T) {
	kernels := only(t, "tpu-v5e-sharded").Kernels
	if at := slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == "all-reduce.1" }); at < 0 || kernels[at].Work[price.Reach] != 2 {
		t.Errorf("all-reduce.1 goes along the axis with the nearest devices: device_ids=([2,2]T(1,0)), kernel %d", at)
	}
	const message = `HloModule m, num_partitions=16

ENTRY %e (x: f32[8]) -> token[] {
  %x = f32[8] parameter(0)
  %t = token[] after-all()
  %s = (f32[8], u32[], token[]) send(%x, %t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{2,3}}"}
  ROOT %d = token[] send-done(%s), channel_id=1
}
`
	r, w := walked(t, message)
	if work := r.work(w.launches[0]); work[price.Peers] != 2 || work[price.Reach] != 2 || work[price.Sent] != 32 {
		t.Errorf("a message between neighbours: %v", work)
	}
}
