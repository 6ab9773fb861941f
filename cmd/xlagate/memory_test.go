package main

import (
	"testing"
	"testing/fstest"
)

func TestMachineMemory(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for _, c := range []struct {
		root fstest.MapFS
		want int64
	}{
		{fstest.MapFS{}, assumedMemory},
		{fstest.MapFS{"proc/meminfo": file("MemTotal:       16384000 kB\nMemFree: 1 kB\n")}, 16384000 << 10},
		{fstest.MapFS{"proc/meminfo": file("MemTotal:       16384000 kB\n"), "sys/fs/cgroup/memory.max": file("max\n")}, 16384000 << 10},
		{fstest.MapFS{"proc/meminfo": file("MemTotal:       16384000 kB\n"), "sys/fs/cgroup/memory.max": file("2147483648\n")}, 2 << 30},
		{fstest.MapFS{"proc/meminfo": file("no number"), "sys/fs/cgroup/memory/memory.limit_in_bytes": file("1073741824\n")}, 1 << 30},
	} {
		if got := machineMemory(c.root); got != c.want {
			t.Errorf("%d, want %d", got, c.want)
		}
	}
}
