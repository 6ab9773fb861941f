package rules

import (
	"github.com/xlagate/xlagate/internal/rule"
)

var factsComplete = rule.Rule{
	ID: "facts-complete", Title: "every dumped module could be read completely", Category: rule.Integrity, Always: true,
	Why:     "A module that is cut off or unreadable holds fewer kernels than the program has; its numbers would look like an improvement.",
	Reads:   []rule.Input{rule.Optimized},
	Fails:   rule.Example{On: "damaged/cut_off_text", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }", Says: "the file ends inside an instruction of %fused_computation"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: build/xla }"},
	Fix:     "Dump again: the run was cut off, or is still writing. Or leave the program out with programs.exclude.",
	Without: unlookable,
}
