package rule

import (
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// The words that options may hold: one that is misspelt would fit nothing, and a rule that forbids it would always pass.
var (
	OpcodeWords = hlo.OpcodeNames()
	TypeWords   = hlo.TypeNames()
	KernelKinds = append([]string{"loop", "input", "output", "custom", "library", "rng"}, OpcodeWords...)

	CollectiveWords = slices.DeleteFunc([]string{
		"all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute", "collective-reduce", "ragged-all-to-all", "recv", "reduce-scatter", "send",
	}, func(name string) bool { return !slices.Contains(OpcodeWords, name) })
)

// Vocabulary says what the words are that an option takes where they are too many to be listed, "" where they are not.
func (o Option) Vocabulary() string {
	switch {
	case slices.Equal(o.Enum, OpcodeWords):
		return "HLO operations, such as reduce"
	case slices.Equal(o.Enum, KernelKinds):
		return "loop | input | output | custom | library | rng, or an HLO operation"
	case slices.Equal(o.Enum, TypeWords):
		return "HLO types, such as bf16"
	}
	return ""
}
