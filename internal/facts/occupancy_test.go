package facts

import (
	"testing"

	"github.com/xlagate/xlagate/internal/artifacts"
)

// What is wanted is worked out by hand from the CUDA programming guide.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		name                       string
		target                     string
		threads, registers, shared int64
		want                       Occupancy
	}{
		{"nothing in its way", "sm_90a", 128, 32, 0, Occupancy{64, 64, ""}},
		{"every register that a thread may have", "sm_90", 128, 255, 0, Occupancy{8, 64, "registers"}},
		{"a Pallas kernel with 128 KiB", "sm_90a", 128, 255, 131072, Occupancy{4, 64, "shared memory"}},
		{"blocks of one warp", "sm_80", 32, 16, 0, Occupancy{32, 64, "blocks"}},
		{"blocks of which three do not fill it", "sm_86", 640, 32, 0, Occupancy{40, 48, "threads"}},
		{"80 registers on Ada", "sm_89", 256, 80, 0, Occupancy{24, 48, "registers"}},
		{"64 registers on Ada", "sm_89", 256, 64, 0, Occupancy{32, 48, "registers"}},
		{"half of the shared memory, less what the system takes of a block", "sm_90", 256, 32, 113 << 10, Occupancy{16, 64, "shared memory"}},
		{"half of the shared memory", "sm_90", 256, 32, 114 << 10, Occupancy{8, 64, "shared memory"}},
		{"a part of a warp", "sm_70", 33, 32, 0, Occupancy{64, 64, ""}},
		{"more than fits", "sm_75", 1024, 255, 0, Occupancy{0, 32, "registers"}},
		{"a family of Blackwell", "sm_120f", 512, 32, 0, Occupancy{48, 48, ""}},
	} {
		k := Kernel{
			Plan: &Plan{Grid: [3]int64{1, 1, 1}, Block: [3]int64{c.threads, 1, 1}, Shared: c.shared / 2},
			Code: &Code{KernelResources: artifacts.KernelResources{Registers: c.registers, Shared: c.shared - c.shared/2}, Target: c.target},
		}
		if got := k.occupancy(); got == nil || *got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	for name, k := range map[string]Kernel{
		"a device that is not in the table": {Plan: &Plan{[3]int64{1, 1, 1}, [3]int64{32, 1, 1}, 0, ""}, Code: &Code{artifacts.KernelResources{Registers: 8}, "sm_999"}},
		"no launch":                         {Code: &Code{artifacts.KernelResources{Registers: 8}, "sm_90"}},
		"no code":                           {Plan: &Plan{[3]int64{1, 1, 1}, [3]int64{32, 1, 1}, 0, ""}},
		"a spill that only a log tells of":  {Plan: &Plan{[3]int64{1, 1, 1}, [3]int64{32, 1, 1}, 0, ""}, Code: &Code{KernelResources: artifacts.KernelResources{SpillStores: 8}}},
	} {
		if got := k.occupancy(); got != nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
