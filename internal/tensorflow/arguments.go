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

// Argument is one argument of a compiled function, as TensorFlow describes it.
type Argument struct {
	Name     string
	Captured bool // nobody hands it over: the function reads it
}

// Arguments holds the arguments of compiled functions by the function's name in XLA's module names. XLA itself does not get the names of arguments.
type Arguments map[string][]Argument

// Of returns a module's arguments, nil if they are not known or if their number differs from the module's.
func (a Arguments) Of(module string, count int) []Argument {
	stem, _, _ := cutLast(moduleStem(module), ".")
	if own := a[stem]; len(own) == count {
		return own
	}
	return nil
}

// handedOver is an argument in TensorFlow's log of what it passes to XLA.
type handedOver struct {
	index    int    // its place among the function's arguments, of which constants are not handed over
	variable string // its name; "" for what is no variable
}

// handOver records an argument. A function that is compiled again passes the same arguments.
func (l *Logs) handOver(e logs.Event) {
	function, at := ModuleName(e.Program), int(e.Value)
	index, err := strconv.Atoi(e.Key)
	if err == nil && at == len(l.arguments[function]) {
		l.arguments[function] = append(l.arguments[function], handedOver{index, e.Text})
	}
}

// namedArguments combines the arguments in the graphs of compiled functions with those in the log.
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

// mapped selects the arguments of a function that are passed to XLA. A variable has its own name, unless several variables have the same name, as
// unnamed ones do.
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

// add records a function's arguments. If two processes have different functions of that name, the arguments are not known.
func (a Arguments) add(function string, arguments []Argument) {
	if was, known := a[function]; known && !slices.Equal(was, arguments) {
		arguments = nil
	}
	a[function] = arguments
}

// clusterArgument ends the name of a cluster's argument: "images_0_arg" is the first result of the node images, "images_1_arg" is images:1.
var clusterArgument = regexp.MustCompile(`_(\d+)_arg$`)

// argumentsOf lists a function's arguments by the names in the model. A captured value has the name of the operation that reads it.
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
