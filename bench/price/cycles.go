package main

import (
	"fmt"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// cycles compares prices with the cycles that the compiler for TPU expects, over the kernels of which it says any.
type cycles struct{ ours, theirs []float64 }

func (c *cycles) add(r *facts.Report) {
	if r == nil {
		return
	}
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			if v.Device != nil && v.Device.Family == price.TPU {
				c.variant(v)
			}
		}
	}
}

func (c *cycles) variant(v *facts.Variant) {
	var ours, theirs float64
	blind := *v
	blind.Kernels = make([]facts.Kernel, len(v.Kernels))
	for i, k := range v.Kernels {
		form := *k.Form
		form.Work[price.Cycles] = 0
		k.Form = &form
		blind.Kernels[i] = k
	}
	for i, k := range blind.Prices(v.Device) {
		if said := v.Kernels[i].Work[price.Cycles]; said > 0 {
			ours, theirs = ours+k.NS(), theirs+k.Runs*said/v.Device.Clock
		}
	}
	if theirs > 0 {
		c.ours, c.theirs = append(c.ours, ours), append(c.theirs, theirs)
	}
}

func (c *cycles) print() {
	if len(c.ours) > 0 {
		fmt.Printf("rank correlation with the compiler's cycles %.3f over %d programs\n", race.RankCorrelation(c.ours, c.theirs), len(c.ours))
	}
}
