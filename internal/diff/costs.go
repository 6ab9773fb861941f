package diff

// Knows reports whether both sides have a fact.
func (v *Variant) Knows(fact string) bool {
	if v.Old == nil {
		return false
	}
	_, before := v.Old.Facts[fact]
	_, now := v.New.Facts[fact]
	return before && now
}

// Cost returns a cost on both sides: of a run where both sides know that, else with each loop counted once.
func (v *Variant) Cost(cost string) (was, is float64) {
	if weighted := "cost.weighted_" + cost[len("cost."):]; v.Knows(weighted) {
		cost = weighted
	}
	return v.Old.Facts[cost], v.New.Facts[cost]
}
