package facts

// Threads is how many threads a launch starts; 0 where the plan was not dumped.
func (k *Kernel) Threads() int64 {
	if k.Plan == nil {
		return 0
	}
	return k.blocks() * product(k.Plan.Block)
}

// blocks is how many blocks a launch starts whose plan is known.
func (k *Kernel) blocks() int64 { return product(k.Plan.Grid) }

func product(n [3]int64) int64 { return n[0] * n[1] * n[2] }

// What a launch starts at least if it is to use a device: more than one warp, and more than one block for more than a few pages.
const (
	warp      = 32
	blockLoad = 64 << 10
)

// Tiny says of a launch that it uses next to nothing of the device.
func (k *Kernel) Tiny() bool {
	n := k.Threads()
	return n > 0 && (n <= warp || k.blocks() == 1 && k.Bytes > blockLoad)
}

// launchShapes counts the launches whose shape is known, and the smallest of them.
func (f Values) launchShapes(kernels []Kernel) {
	var known, oneBlock, oneThread float64
	for i := range kernels {
		k := &kernels[i]
		if k.Threads() == 0 {
			continue
		}
		known++
		if k.blocks() == 1 {
			oneBlock++
		}
		if k.Threads() == 1 {
			oneThread++
		}
	}
	if known > 0 {
		f[LaunchesKnown], f[LaunchesOneBlock], f[LaunchesOneThread] = known, oneBlock, oneThread
	}
}
