package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastGarbage is how much memory may be given out between two collections of garbage, however little the program holds. By itself Go
// collects when a small heap has doubled: for a dump of many modules, each of which leaves little behind, again and again.
const leastGarbage = 48 << 20

const liveHeap = "/gc/heap/live:bytes"

// pace tells the collector, now and after every collection, how much may be given out until the next.
func pace() {
	held := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(held)
	debug.SetGCPercent(growth(held[0].Value.Uint64()))
	lost := &[2]*int{} // by nobody held: the next collection finds it
	runtime.AddCleanup(lost, func(struct{}) { pace() }, struct{}{})
}

// growth is by how many percent a heap may grow of which so much was held.
func growth(held uint64) int {
	const smallest = 4 << 20 // Go counts no heap as smaller
	return int(max(100, 100*leastGarbage/max(held, smallest)))
}
