package rule

import "github.com/xlagate/xlagate/internal/excuse"

// OnlyCostly lets pass what the program does not pay for.
var OnlyCostly = Option{
	Key: "only_costly", Type: Switch, Sense: Caps, Default: false,
	Doc: "allow growth that costs nothing: no more kernels, no more copies of more than one number, and no more memory traffic (up to 1 %) than in the baseline",
}

// MinGrowth lets pass what is too little to matter.
var MinGrowth = Option{Key: "min_growth", Type: Size, Sense: Caps, Default: 0.0, Doc: "ignore growth below this, even where it is more than max_increase"}

// UnlessCheaper lets pass more of what stands in the program where that is what a cheaper run is made of.
var UnlessCheaper = Option{
	Key: "unless_cheaper", Type: Switch, Sense: Caps, Default: false,
	Doc: "let growth pass that a whole run does not pay for: what left a loop and stands before it, what stands in a branch that a run may leave out, what tests whether a loop may end early, where one iteration less pays for it, what the compiler for TPU expects clearly fewer cycles of, or what computes and moves hardly more than half, or less. In the entry that says max, it holds for that as well, where the baseline keeps it",
}

// allowed is what the settings let pass besides the amounts that they name.
func (s *Settings) allowed() excuse.Allowance {
	least, _ := s.Number(MinGrowth.Key)
	a := excuse.Allowance{Least: least, Costless: s.On(OnlyCostly.Key) && !s.Rule.OwnCosts, Cheaper: s.On(UnlessCheaper.Key)}
	if s.MaxIncrease != nil {
		a.Room = s.MaxIncrease.Of
	}
	return a
}
