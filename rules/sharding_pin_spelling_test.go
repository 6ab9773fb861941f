package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// Baselines that hold shardings by their axes were accepted before those were kept in tiles.
func TestShardingsInTwoSpellings(t *testing.T) {
	param := func(sharding string) *facts.Parameter { return &facts.Parameter{Sharding: sharding} }
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"{mesh['x'=8], [{'x'}, {}]}", "{devices=[8,1]<=[8]}", true},
		{"{mesh['x'=8], [{}, {'x'}]}", "{devices=[8,1]<=[8]}", false},
		{"{mesh['x'=8], [{}, {}]}", "", true},
		{"{mesh['x'=8], [{}, {}]}", "{devices=[8,1]<=[8]}", false},
	} {
		if got := alikeSharded(param(c.a), param(c.b)); got != c.want {
			t.Errorf("%s is alike %s: %v", c.a, c.b, got)
		}
	}
	if spreadAs("{mesh['x'=8], [*]}", param("{replicated}")) {
		t.Error("a pattern was read as a sharding")
	}
}
