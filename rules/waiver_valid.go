package rules

import (
	"github.com/xlagate/xlagate/internal/rule"
)

var waiverValid = rule.Rule{
	ID: "waiver-valid", Title: "waivers are used, are in force, and hide nothing worse", Category: rule.Integrity, Always: true,
	Why:   "Waivers that never expire, or expire silently, turn a gate off.",
	Reads: []rule.Input{rule.Optimized},
	Options: []rule.Option{
		{Key: "max_days", Type: rule.Count, Sense: rule.Caps, Least: 1, Doc: "how many days from today a waiver may last; one that expires later is ignored"},
	},
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }\nwaivers:\n  - { finding: 6f4e58dc3d8e, reason: \"openxla/xla#47203\", owner: \"@ml-perf\", expires: 2026-11-20 }", Says: "the waiver of 6f4e58dc3d8e (max-step-time) expired on 2026-11-20: renew it or remove it (xlagate.yaml:6:5)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/after", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }\nwaivers:\n  - { finding: 6f4e58dc3d8e, reason: \"openxla/xla#47203\", owner: \"@ml-perf\", expires: 2027-02-01 }"},
	Fix:     "Fix what was waived, remove the waiver, or give it a new date and a reason.",
	Threads: []string{"awslabs/ferret-scan#699", "mick-gsk/drift#461"},
	Without: map[string]string{"target": "waivers are judged together", "program": "waivers are judged together"},
}
