package tensorflow

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/logs"
)

// Argument is what TensorFlow tells of an argument of a compiled function.
type Argument struct {
	Name     string
	Captured bool // nobody hands it over: the function reads it
}

// Arguments are those of compiled functions, by the function as XLA spells it in its module's name. XLA itself is told no names.
type Arguments map[string][]Argument

// Of finds a module's arguments: nil where they are not known, or are not as many as the module has.
func (a Arguments) Of(module string, count int) []Argument {
	stem, _, _ := cutLast(moduleStem(module), ".")
	if own := a[stem]; len(own) == count {
		return own
	}
	return nil
}

// handedOver is an argument as TensorFlow's log tells of it when it hands it over to XLA.
type handedOver struct {
	index    int    // its place among the function's arguments, of which constants are not handed over
	variable string // its name; "" for what is no variable
}

// handOver notes an argument. A function that is compiled again hands over the same ones.
func (l *Logs) handOver(e logs.Event) {
	function, at := ModuleName(e.Program), int(e.Value)
	index, err := strconv.Atoi(e.Key)
	if err == nil && at == len(l.arguments[function]) {
		l.arguments[function] = append(l.arguments[function], handedOver{index, e.Text})
	}
}

// namedArguments puts together what the graphs of functions on their way to XLA and the log tell.
func namedArguments(dirs []*graphDir, l *Logs) Arguments {
	functions := Arguments{}
	for _, d := range dirs {
		for _, g := range d.load(d.byPass[PassCompileFunction]) {
			functions.add(ModuleName(g.function), argumentsOf(g.graph))
		}
	}
	if l == nil {
		return functions
	}
	out := maps.Clone(functions)
	for function, handed := range l.arguments {
		out[function] = mapped(functions[function], handed)
	}
	return out
}

// mapped picks a function's arguments that are handed over. Variables are called by their names, unless several have one name, as those have that
// were given none.
func mapped(own []Argument, handed []handedOver) []Argument {
	names, arguments := map[string]int{}, make([]Argument, len(handed))
	for i, h := range handed {
		if h.index < len(own) {
			arguments[i] = own[h.index]
		}
		names[cmp.Or(h.variable, arguments[i].Name)]++
	}
	for i, h := range handed {
		if h.variable != "" && names[h.variable] == 1 {
			arguments[i] = Argument{h.variable, true}
		}
	}
	return arguments
}

// add notes a function's arguments. Where two processes call other functions so, they are not known.
func (a Arguments) add(function string, arguments []Argument) {
	if was, known := a[function]; known && !slices.Equal(was, arguments) {
		arguments = nil
	}
	a[function] = arguments
}

// clusterArgument ends the name of a cluster's argument: "images_0_arg" is the first result of the node images, "images_1_arg" is images:1.
var clusterArgument = regexp.MustCompile(`_(\d+)_arg$`)

// argumentsOf lists a function's arguments as its author calls them; what it captures goes by the operation that reads it.
func argumentsOf(g *Graph) (arguments []Argument) {
	count := map[string]int{}
	for i := range g.Nodes {
		count[g.Nodes[i].UserName]++
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != "_Arg" || n.Index < 0 || n.Index > len(g.Nodes) {
			continue
		}
		if n.Index >= len(arguments) {
			arguments = append(arguments, make([]Argument, n.Index+1-len(arguments))...)
		}
		a := Argument{strings.TrimSuffix(clusterArgument.ReplaceAllString(n.Name, ":$1"), ":0"), n.UserName == "" || n.has(Resource)}
		if !a.Captured && count[n.UserName] == 1 {
			a.Name = n.UserName
		}
		arguments[n.Index] = a
	}
	return arguments
}
