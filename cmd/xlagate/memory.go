package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
)

// size is the value of a flag: a number of bytes.
type size int64

// Set reads "500MiB".
func (s *size) Set(text string) error {
	n, ok := config.ParseSize(text)
	if !ok || n < 1 {
		return errors.New("a size, as in 500MiB or 2GB")
	}
	*s = size(n)
	return nil
}

// String returns the default that the help prints.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return phrase.Bytes(float64(*s))
}

// maxMemory returns --max-memory, or half of the machine's memory. It passes the limit to the garbage collector, which works harder near it.
func maxMemory(c *cli.Context) int64 {
	const codeMemory = 24 << 20 // roughly that of the program's code, which the garbage collector does not count
	limit := machineMemory(os.DirFS("/")) / 2
	if given, _ := c.Generic("max-memory").(*size); given != nil && *given > 0 {
		limit = int64(*given)
	}
	debug.SetMemoryLimit(max(limit-codeMemory, limit/2))
	return limit
}

// assumedMemory is used when the machine's memory is unknown.
const assumedMemory = 8 << 30

// machineMemory returns the memory of the machine or of the container, in bytes.
func machineMemory(root fs.FS) int64 {
	memory := int64(assumedMemory)
	if info, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscanf(string(info), "MemTotal: %d kB", &kib); err == nil && kib > 0 {
			memory = kib << 10
		}
	}
	for _, name := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		var limit int64
		if text, err := fs.ReadFile(root, name); err == nil {
			if _, err := fmt.Sscan(string(text), &limit); err == nil && limit > 0 { // "max" means no limit
				memory = min(memory, limit)
			}
		}
	}
	return memory
}

// leastGarbage is the least number of bytes allocated between two garbage collections. By default Go collects whenever a small heap has
// doubled, which is too often for a dump of many small modules.
const leastGarbage = 96 << 20

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
