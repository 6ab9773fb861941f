package main

import (
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
