package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastGarbage is the least number of bytes allocated between two garbage collections. By default Go collects whenever a small heap has
// doubled, which is too often for a dump of many small modules.
const leastGarbage = 48 << 20

const liveHeap = "/gc/heap/live:bytes"

// pace sets GOGC now and after every collection, from the size of the heap.
func pace() {
	held := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(held)
	debug.SetGCPercent(growth(held[0].Value.Uint64()))
	lost := &[2]*int{} // unreachable: the next collection finalizes it
	runtime.AddCleanup(lost, func(struct{}) { pace() }, struct{}{})
}

// growth returns the GOGC percentage for a heap of the given size.
func growth(held uint64) int {
	const smallest = 4 << 20 // Go's own minimum heap
	return int(max(100, 100*leastGarbage/max(held, smallest)))
}
