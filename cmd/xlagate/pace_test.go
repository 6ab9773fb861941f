package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestGrowth(t *testing.T) {
	for held, want := range map[uint64]int{0: 2400, 4 << 20: 2400, 8 << 20: 1200, 96 << 20: 100, 1 << 30: 100} {
		if got := growth(held); got != want {
			t.Errorf("%d bytes are held: %d %%, wanted %d", held, got, want)
		}
	}
}

// What is held is measured again after each collection.
func TestPaceGoesOn(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	pace()
	for range 2 {
		debug.SetGCPercent(100)
		runtime.GC()
		for set := 100; set == 100; runtime.Gosched() {
			set = debug.SetGCPercent(100)
		}
	}
}
