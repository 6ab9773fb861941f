package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// The words that options may hold: one that is misspelt would fit nothing, and a rule that forbids it would always pass.
var (
	opcodeWords = hlo.OpcodeNames()
	typeWords   = hlo.TypeNames()
	kernelKinds = append([]string{"loop", "input", "output", "custom", "library", "rng"}, opcodeWords...)

	collectiveWords = slices.DeleteFunc([]string{
		"all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute", "collective-reduce", "ragged-all-to-all", "recv", "reduce-scatter", "send",
	}, func(name string) bool { return !slices.Contains(opcodeWords, name) })
)

// Vocabulary says what the words are that an option takes where they are too many to be listed, "" where they are not.
func (o Option) Vocabulary() string {
	switch {
	case slices.Equal(o.Enum, opcodeWords):
		return "HLO operations, such as reduce"
	case slices.Equal(o.Enum, kernelKinds):
		return "loop | input | output | custom | library | rng, or an HLO operation"
	case slices.Equal(o.Enum, typeWords):
		return "HLO types, such as bf16"
	}
	return ""
}
