package tensorflow

import (
	"slices"
	"testing"
)

// What parts clusters is in the same function as two of them, and hands on more than what others outside read.
func TestSeparation(t *testing.T) {
	between := []string{"a Tanh cluster=cluster_0", "b Tanh x cluster=cluster_1"}
	for name, c := range map[string]struct {
		nodes []string
		op    string
		want  Separation
	}{
		"between two clusters":  {append(between, "x PyFunc a"), "PyFunc", Separates},
		"beside one cluster":    {[]string{"a Tanh cluster=cluster_0", "x PyFunc a", "c Tanh x cluster=cluster_0"}, "PyFunc", SeparatesNothing},
		"in another function":   {[]string{"x PyFunc", "y Identity x"}, "PyFunc", SeparatesNothing},
		"what XLA could":        {append(between, "x Sqrt a"), "Sqrt", MaySeparate},
		"a text that is shown":  {append(between, "f StringFormat a", "x PrintV2 f"), "StringFormat", SeparatesNothing},
		"what shows it":         {append(between, "f StringFormat a", "x PrintV2 f"), "PrintV2", Separates},
		"shown and read":        {append(between, "x PyFunc a", "f PrintV2 x"), "PyFunc", Separates},
		"of a condition":        {append(between, "x Switch a", "s PrintV2 x"), "Switch", Separates},
		"what steps a variable": {append(between, "x AssignAddVariableOp a"), "AssignAddVariableOp", MaySeparate},
		"what reads a variable": {append(between, "x ReadVariableOp a"), "ReadVariableOp", SeparatesNothing},
		"returned and not read": {append(between, "f AsString a", "r _Retval f"), "AsString", Separates},
	} {
		outside := graphOf(t, c.nodes...).Clustering().Outside
		at := slices.IndexFunc(outside, func(o *Outside) bool { return o.Node.Op == c.op })
		if at < 0 || outside[at].Separates != c.want {
			t.Errorf("%s: %s is not %d: %+v", name, c.op, c.want, outside)
		}
	}
}
