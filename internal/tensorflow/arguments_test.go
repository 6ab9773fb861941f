package tensorflow

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/logs"
)

// Constants are not handed over, names are given once, and what two processes call alike without being it has none.
func TestArguments(t *testing.T) {
	own := []Argument{{"x", false}, {"axis", false}, {"matmul_resource", true}, {"add_resource", true}, {"mul_resource", true}}
	got := mapped(own, []handedOver{{0, ""}, {2, "Variable"}, {3, "Variable"}, {4, "bias"}})
	if want := []Argument{{"x", false}, {"matmul_resource", true}, {"add_resource", true}, {"bias", true}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	functions := Arguments{}
	functions.add("f", own)
	functions.add("f", own)
	if functions.Of("module_0001.f.12", 5) == nil || functions.Of("module_0001.f.12", 4) != nil {
		t.Error("they are found by name and number")
	}
	functions.add("f", got)
	if functions.Of("module_0001.f.12", 5) != nil {
		t.Error("two functions of one name")
	}
}

// A function's arguments in its graph: those that the model names keep their names, what it captures has the name of what reads it.
func TestArgumentsOfGraphs(t *testing.T) {
	node := func(index int, name, user string, types ...DataType) *Node {
		return &Node{Name: name, Op: "_Arg", Index: index, UserName: user, Types: types}
	}
	for _, c := range []struct {
		what  string
		nodes []*Node
		want  []Argument
	}{
		{"in any order", []*Node{node(1, "arg_1", "y"), node(0, "arg_0", "x")}, []Argument{{"x", false}, {"y", false}}},
		{"captured", []*Node{node(0, "x", "x"), node(1, "matmul_resource", "r", Resource), node(2, "const", "")}, []Argument{{"x", false}, {"matmul_resource", true}, {"const", true}}},
		{"two of one name", []*Node{node(0, "a_0", "x"), node(1, "a_1", "x")}, []Argument{{"a_0", false}, {"a_1", false}}},
		{"of a cluster", []*Node{node(0, "images_0_arg", ""), node(1, "images_1_arg", "")}, []Argument{{"images", true}, {"images:1", true}}},
		{"none at an impossible place", []*Node{node(99, "x", "x"), node(-1, "y", "y"), {Name: "Add", Op: "AddV2"}}, nil},
	} {
		if got := argumentsOf(&Graph{Nodes: c.nodes}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// The log says in which order arguments are handed over; a function that is compiled again hands over the same.
func TestArgumentsInLogs(t *testing.T) {
	l := &Logs{arguments: map[string][]handedOver{}}
	for _, e := range []logs.Event{
		{Program: "__inference_f_1", Value: 0, Key: "0"},
		{Program: "__inference_f_1", Value: 1, Key: "2", Text: "w"},
		{Program: "__inference_f_1", Value: 0, Key: "0"},
		{Program: "__inference_f_1", Value: 1, Key: "2", Text: "w"},
		{Program: "__inference_f_1", Value: 2, Key: "no number"},
	} {
		e.Kind = logs.Argument
		l.take("run.log", []logs.Event{e}, nil)
	}
	if got, want := namedArguments(nil, l).Of("module_0001."+ModuleName("__inference_f_1")+".7", 2), []Argument{{}, {"w", true}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
