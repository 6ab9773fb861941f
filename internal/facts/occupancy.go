package facts

import "strings"

// Occupancy is how much of a multiprocessor a kernel can fill at best.
type Occupancy struct {
	Warps   int64  // that run side by side
	Most    int64  // that the multiprocessor has room for
	Limited string // what keeps more from it: registers, shared memory, blocks or threads; "" of a full one
}

// Share is the occupancy as a number from 0 to 1.
func (o Occupancy) Share() float64 { return float64(o.Warps) / float64(o.Most) }

// multiprocessor is what a GPU's multiprocessor has room for.
type multiprocessor struct {
	blocks   int64
	warps    int64
	shared   int64 // bytes
	reserved int64 // bytes of shared memory that the system takes of each block
	unit     int64 // in which shared memory is handed out
}

// What all multiprocessors since 2014 have in common.
const (
	registerFile = 64 << 10 // registers
	registerUnit = 256      // in which they are handed out to a warp
	partitions   = 4        // that share the registers evenly; a warp stays in one
)

// multiprocessors by compute capability, as it stands in PTX behind "sm_".
//
// The numbers are those of the CUDA programming guide, "Technical Specifications per Compute Capability"; how registers and shared
// memory are handed out is what cuda_occupancy.h of CUDA 13 says.
var multiprocessors = map[string]multiprocessor{
	"60":  {32, 64, 64 << 10, 0, 256},
	"61":  {32, 64, 96 << 10, 0, 256},
	"70":  {32, 64, 96 << 10, 0, 256},
	"72":  {32, 64, 96 << 10, 0, 256},
	"75":  {16, 32, 64 << 10, 0, 256},
	"80":  {32, 64, 164 << 10, 1 << 10, 128},
	"86":  {16, 48, 100 << 10, 1 << 10, 128},
	"87":  {16, 48, 164 << 10, 1 << 10, 128},
	"89":  {24, 48, 100 << 10, 1 << 10, 128},
	"90":  {32, 64, 228 << 10, 1 << 10, 128},
	"100": {32, 64, 228 << 10, 1 << 10, 128},
	"103": {32, 64, 228 << 10, 1 << 10, 128},
	"110": {24, 48, 228 << 10, 1 << 10, 128},
	"120": {24, 48, 100 << 10, 1 << 10, 128},
	"121": {24, 48, 100 << 10, 1 << 10, 128},
}

// Occupancy says how much of a multiprocessor the kernel can fill; false where its code, its launch or the device is not known.
func (k *Kernel) Occupancy() (Occupancy, bool) {
	if k.Code == nil || k.Code.Registers == 0 || k.Threads() == 0 {
		return Occupancy{}, false
	}
	m, ok := multiprocessors[strings.TrimRight(strings.TrimPrefix(k.Code.Target, "sm_"), "af")]
	if !ok {
		return Occupancy{}, false
	}
	return m.occupancy(product(k.Plan.Block), k.Code.Registers, k.Code.Shared+k.Plan.Shared), true
}

// occupancy is what blocks of so many threads leave of a multiprocessor, each thread with so many registers, each block with so much
// shared memory.
func (m multiprocessor) occupancy(threads, registers, shared int64) Occupancy {
	warps := (threads + warp - 1) / warp
	perWarp := roundUp(registers*warp, registerUnit)
	limits := []struct {
		of     string
		blocks int64
	}{
		{"registers", registerFile / partitions / perWarp * partitions / warps},
		{"shared memory", m.shared / max(m.unit, roundUp(shared+m.reserved, m.unit))},
		{"blocks", m.blocks},
		{"threads", m.warps / warps},
	}
	least := limits[0]
	for _, l := range limits[1:] {
		if l.blocks < least.blocks {
			least = l
		}
	}
	o := Occupancy{Warps: least.blocks * warps, Most: m.warps, Limited: least.of}
	if o.Warps == o.Most {
		o.Limited = ""
	}
	return o
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
