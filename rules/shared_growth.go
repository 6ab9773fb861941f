package rules

import "github.com/xlagate/xlagate/internal/rule"

// minGrowth lets growth of a size pass that is too little to matter.
var minGrowth = rule.Option{Key: rule.MinGrowth, Type: rule.Size, Sense: rule.Caps, Default: 0.0, Doc: "ignore growth below this, even where it is more than max_increase"}
