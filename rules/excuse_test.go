package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// What moves in a loop that runs very often is more than an integer holds.
func TestMovesMoreThanAnIntegerHolds(t *testing.T) {
	moving := func(bytes int64) *facts.Variant {
		return &facts.Variant{Kernels: []facts.Kernel{{Form: &facts.Form{Bytes: bytes, Flops: bytes}, Site: &facts.Site{Times: 1<<31 - 1, InLoop: true}}}}
	}
	grown := &diff.Variant{Old: moving(8 << 10), New: moving(8 << 30)}
	if !movesMore(grown) {
		t.Error("a million times as much is not more")
	}
	if inLoops(grown.New).flops <= inLoops(grown.Old).flops {
		t.Error("nor are a million times as many operations")
	}
}
