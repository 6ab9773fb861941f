package main

import (
	"runtime"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// The kernels are read to the end, but for those that are nested too deep or claim more than there is.
func TestKernels(t *testing.T) {
	for name, of := range map[string]struct {
		content    func(int) []byte
		operations int
		products   int
	}{
		"dictionary": {wideDictionary, 100, 0}, "call sites": {callSites, 101, 100}, "wide types": {wideTypes, 101, 100},
	} {
		m, err := hlo.Parse(of.content(100), name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var operations, products int
		for id := range m.Instrs {
			if k := m.Kernel(hlo.InstrID(id)); k != nil {
				for _, n := range k.Ops {
					operations += n
				}
				products += len(k.Products)
			}
		}
		if operations != of.operations || products != of.products {
			t.Errorf("%s: %d operations and %d products are read, want %d and %d", name, operations, products, of.operations, of.products)
		}
	}
}

// mostAllocated is how many bytes may be allocated for each byte of a file. Doubling alone does not show what a deep file takes: its depth is bounded.
const mostAllocated = 64

// What the reader of modules and kernels allocates is in proportion to the file. Seconds are left to the program.
func TestAllocations(t *testing.T) {
	for name, content := range map[string]func(int) []byte{
		"dictionary": wideDictionary, "nested regions": nestedRegions, "attributes in others": attributeChain, "call sites": callSites, "wide types": wideTypes,
		"nested literal": nestedLiteral,
	} {
		file := content(4000)
		small, large := allocated(t, content(2000)), allocated(t, file)
		if large > most*small || large > mostAllocated*uint64(len(file)) {
			t.Errorf("%s: %d bytes are allocated for a file of %d, %d for one of half its size", name, large, len(file), small)
		}
	}
}

// allocated is how many bytes are allocated while a module is read with its kernels and literals.
func allocated(t *testing.T, content []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := hlo.Parse(content, "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	for id := range m.Instrs {
		m.Kernel(hlo.InstrID(id))
		m.Literal(hlo.InstrID(id))
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
