package rules

import (
	"github.com/xlagate/xlagate/internal/rule"
)

// unlookable are the common keys that mean nothing where there was nothing to look at.
var unlookable = map[string]string{
	"level": "a part that could not be checked is never green", "program": "it holds for all that was named", "target": "it holds for all that was named",
	"name": "it makes no findings", "reason": "it makes no findings",
}

var targetRan = rule.Rule{
	ID: "target-ran", Title: "every target has a dump, and every named program is in it", Category: rule.Integrity, Always: true,
	Why:     "A gate that could not check must not be green: a test suite that no longer runs would pass forever.",
	Reads:   []rule.Input{rule.Optimized},
	Fails:   rule.Example{On: "gpu-softmax_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - name: model\n    dump: build/xla\n    programs: { include: [softmax, decode] }", Says: "no program matches \"decode\": it was not compiled, or not dumped"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "version: 1\nextends: [recommended]\ntargets:\n  - name: model\n    dump: build/xla\n    programs: { include: [softmax] }"},
	Fix:     "Run the job that dumps, or fix the path or the program's name.",
	Threads: []string{"iree-org/iree#22855"},
	Without: unlookable,
}
