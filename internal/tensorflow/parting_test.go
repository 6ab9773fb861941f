package tensorflow

import (
	"slices"
	"testing"
)

// What parts clusters is in the same function as two of them, and hands on more than what others outside read.
func TestParting(t *testing.T) {
	between := []string{"a Tanh cluster=cluster_0", "b Tanh x cluster=cluster_1"}
	for name, c := range map[string]struct {
		nodes []string
		op    string
		want  Parting
	}{
		"between two clusters":  {append(between, "x PyFunc a"), "PyFunc", Parts},
		"beside one cluster":    {[]string{"a Tanh cluster=cluster_0", "x PyFunc a", "c Tanh x cluster=cluster_0"}, "PyFunc", PartsNothing},
		"in another function":   {[]string{"x PyFunc", "y Identity x"}, "PyFunc", PartsNothing},
		"what XLA could":        {append(between, "x Sqrt a"), "Sqrt", MayPart},
		"a text that is shown":  {append(between, "f StringFormat a", "x PrintV2 f"), "StringFormat", PartsNothing},
		"what shows it":         {append(between, "f StringFormat a", "x PrintV2 f"), "PrintV2", Parts},
		"shown and read":        {append(between, "x PyFunc a", "f PrintV2 x"), "PyFunc", Parts},
		"of a condition":        {append(between, "x Switch a", "s PrintV2 x"), "Switch", Parts},
		"what steps a variable": {append(between, "x AssignAddVariableOp a"), "AssignAddVariableOp", MayPart},
		"what reads a variable": {append(between, "x ReadVariableOp a"), "ReadVariableOp", PartsNothing},
		"returned and not read": {append(between, "f AsString a", "r _Retval f"), "AsString", Parts},
	} {
		outside := graphOf(t, c.nodes...).Clustering().Outside
		at := slices.IndexFunc(outside, func(o Outside) bool { return o.Node.Op == c.op })
		if at < 0 || outside[at].Parts != c.want {
			t.Errorf("%s: %s is not %d: %+v", name, c.op, c.want, outside)
		}
	}
}
