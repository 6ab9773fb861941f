package facts

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Identity says which function a module was compiled from.
type Identity struct {
	Program  string // the function's own name
	Function string // its qualified name, where the stacks tell: "Encoder.__call__"
	Source   string // the file of it, below the folder that all files of the model in the stacks are in
	Family   string // what it does, and within which function, where neither name says anything
	Cut      string // the line where PyTorch/XLA ended the graph before its function ended; "" for a whole function
	Helper   bool   // one of the framework's own one-operation programs
}

// identify finds out which function the module was compiled from.
func (out *measuring) identify(r *reader) {
	jax := out.Toolchain.Framework == "jax"
	if jax {
		out.Program = r.jitted(out.Program)
	}
	dispatched := jax && r.isDispatched(out.Program)
	least := originPackage
	if dispatched && r.multiplications() == 0 { // a package, such as haliax, has functions of the names of JAX's around those
		least = originModel
	}
	out.Function, out.Source = r.ownFunction(out.Program, least)
	out.Helper = dispatched && out.Function == ""
	out.Family = ""
	unnamed := nameless[out.Program] && !strings.Contains(out.Function, ".") // no stack tells the class of the method
	if unnamed || jax && out.Function == "" && !out.Helper {
		if outer, known := r.sharedFunction(); unnamed || known {
			out.Family = r.operationCounts() + outer
		}
	}
}

// jitted is the name of the function that JAX compiled, as its operations spell it: "jit(sort_)/sin". A module's name lacks the underscores at the end.
func (r *reader) jitted(program string) string {
	for _, md := range r.metas() {
		rest, root := strings.CutPrefix(md.OpName, "jit(")
		if name, _, _ := strings.Cut(rest, ")"); root && strings.Trim(name, "_") == strings.Trim(program, "_") {
			return name
		}
	}
	return program
}

// ownFunction is the qualified name and the file of the function that the stacks of operations run through under the program's name, in files of an origin or one nearer to
// the model; "" where none does. Functions of that name that call each other, as methods __call__ do, are named together as far as all stacks agree.
func (r *reader) ownFunction(program string, least origin) (function, file string) {
	var shared, files []string // from the outside in
	seen, last := map[string]bool{}, ""
	for stack := range r.eachStack() {
		var own []string
		for _, frame := range slices.Backward(stack) {
			from := r.sources.origin(frame.File)
			if from == originModel && frame.File != last && !seen[frame.File] {
				files = append(files, frame.File)
				seen[frame.File] = true
			}
			last = frame.File
			if from >= least && isNamed(frame.Function, program) {
				if own = append(own, frame.Function); file == "" {
					file = frame.File
				}
			}
		}
		if n := common(shared, own); n > 0 {
			shared = shared[:n]
		} else if shared == nil {
			shared = own
		}
	}
	return strings.Join(slices.Compact(shared), callsInto), strings.TrimPrefix(file, sharedFolder(files))
}

// sharedFolder is the innermost folder that all files are in, with a slash behind it.
func sharedFolder(files []string) string {
	var folder string
	for i, file := range files {
		own := file[:strings.LastIndexByte(file, '/')+1]
		if i == 0 {
			folder = own
		}
		for !strings.HasPrefix(own, folder) {
			folder = folder[:strings.LastIndexByte(folder[:len(folder)-1], '/')+1]
		}
	}
	return folder
}

// isSameFile reports whether one of two paths ends like the other: each process may have the model in another folder, and each module tells a part of the path.
func isSameFile(a, b string) bool {
	return a == "" || b == "" || strings.HasSuffix("/"+a, "/"+b) || strings.HasSuffix("/"+b, "/"+a)
}

// callsInto separates functions of one name, the outer one first.
const callsInto = " < "

// isWithin reports whether one of two functions is the other one or within it, as far as they are known.
func isWithin(a, b string) bool {
	return a == "" || b == "" || strings.HasPrefix(a+callsInto, b+callsInto) || strings.HasPrefix(b+callsInto, a+callsInto)
}

// sharedFunction is the innermost function that all stacks run through; known reports whether there are stacks.
func (r *reader) sharedFunction() (function string, known bool) {
	var shared, functions [][2]string // with the names of their files, from the outside in
	for stack := range r.eachStack() {
		functions = functions[:0]
		for _, frame := range slices.Backward(stack) {
			functions = append(functions, [2]string{frame.Function, path.Base(frame.File)})
		}
		if !known {
			shared, known = slices.Clone(functions), true
		}
		shared = shared[:common(shared, functions)]
	}
	if len(shared) == 0 {
		return "", known
	}
	return strings.Join(shared[len(shared)-1][:], " "), known
}

// eachStack yields the stacks behind operations whose functions are known, each once, innermost frame first.
func (r *reader) eachStack() func(yield func([]hlo.Location) bool) {
	return func(yield func([]hlo.Location) bool) {
		seen := map[int32]bool{0: true}
		for _, md := range r.metas() {
			if seen[md.Frame] {
				continue
			}
			seen[md.Frame] = true
			stack := r.sources.stack(md)
			if len(stack) > 0 && stack[0].Function != "" && !yield(stack) {
				return
			}
		}
	}
}

// isDispatched reports whether a module without a frame of its own function is an operation that JAX dispatched by itself.
//
// JAX leaves its own files out of stacks. Behind an operation that it dispatches stands the line of the model that called it, and for all operations of
// the module it is the same line and column: jax.random.normal(key) is 257 instructions with one stack. A function of the model that took the name of another,
// by functools.wraps or __name__, has itself in the stacks, and so several, unless it consists of one call. Such a call alone looks like a dispatched one. It
// is taken for one only if JAX has a function of that name and it multiplies at most once. (From dumps of JAX 0.10.2 and 0.12.0.)
//
// Before jaxlib 0.8.3 the text holds no stacks, but one line of the model for each operation, which looks the same for both. There, and without
// metadata, a module is dispatched only if it is one operation. What consists of several, as random numbers do, is taken for the model's. (From dumps
// of JAX 0.4.30 and 0.6.2.)
func (r *reader) isDispatched(program string) bool {
	var first []hlo.Location
	for stack := range r.eachStack() {
		if first != nil && !slices.Equal(stack, first) {
			return false
		}
		first = stack
	}
	if !dump.IsHelperName(program) {
		return false
	}
	if r.multiplications() > 1 {
		return false
	}
	return first != nil || r.isPrimitive(program) || r.computing(r.m.Entry) <= 1 && !r.isNested(program)
}

// multiplications counts the products and convolutions.
func (r *reader) multiplications() int {
	counts := r.opcodes()
	return counts["dot"] + counts["ragged-dot"] + counts["scaled-dot"] + counts["convolution"]
}

// isNested reports whether another jitted function called an operation: "jit(sort)/jit(main)/jit(sort)/sort".
func (r *reader) isNested(program string) bool {
	for _, md := range r.metas() {
		rest, own := strings.CutPrefix(md.OpName, "jit("+program+")/")
		if own && strings.HasPrefix(strings.TrimPrefix(rest, "jit(main)/"), "jit(") {
			return true
		}
	}
	return false
}

// computing counts the operations in a computation, and in what it calls, that compute something. The function of a reduction or a sort is a part of it.
func (r *reader) computing(c hlo.CompID) (n int) {
	for id, end := r.m.Body(c); id < end; id++ {
		switch op := r.opcode(id); {
		case arranging[op]:
		case op == "call" || op == "fusion" || op == "while" || op == "conditional":
			for _, callee := range r.m.Callees(id) {
				n += r.computing(callee)
			}
		default:
			n++
		}
	}
	return n
}

// isPrimitive reports whether all operations are of the primitive that the program is called after: "jit(concatenate)/jit(main)/concatenate[dimension=0]".
func (r *reader) isPrimitive(program string) bool {
	found := false
	for id := range r.m.Instrs {
		switch r.m.Instrs[id].Opcode {
		case hlo.OpParameter, hlo.OpConstant, hlo.OpTuple, hlo.OpGetTupleElement:
			continue
		}
		name, _, _ := strings.Cut(r.metadata(hlo.InstrID(id)).OpName, "[")
		if found = strings.Replace(name, "/jit(main)/", "/", 1) == "jit("+program+")/"+program; !found {
			return false
		}
	}
	return found
}

// nameless are names that say nothing of the function. Frameworks give the first ones to whatever they compile; Keras has the last of them for the step of
// fit, of evaluate and of predict. The others are methods of every class.
var nameless = map[string]bool{
	"SyncTensorsGraph": true, "IrToHlo": true, "restored_function_body": true, "one_step_on_data": true,
	"__call__": true, "call": true, "forward": true,
}

// arranging operations decide the place, order and type of values, not what is computed: a batch of another size may need one more.
var arranging = map[string]bool{
	"parameter": true, "constant": true, "tuple": true, "get-tuple-element": true, "broadcast": true, "reshape": true, "transpose": true,
	"slice": true, "pad": true, "convert": true, "copy": true, "bitcast": true,
}

// operationCounts spells how often each operation is in the module, without those that arrange values; of a graph that computes nothing, with them.
func (r *reader) operationCounts() string {
	for _, without := range []map[string]bool{arranging, nil} {
		var words []string
		for op, n := range r.opcodes() {
			if !without[op] {
				words = append(words, op+":"+strconv.Itoa(n))
			}
		}
		if slices.Sort(words); len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// compiled is what was compiled from one function.
type compiled struct {
	Identity
	arguments map[string]bool // their names, without what is within them
}

// group puts the compiles of one program together, and equal compiles into one variant, in order of first compilation. A whole function has its name
// without a number, also where a part of it was compiled first.
func group(results []*measuring) (programs, helpers []*Program) {
	whole, cut := phrase.Filter(results, func(m *measuring) bool { return m.Variant != nil && m.Cut == "" }), phrase.Filter(results, func(m *measuring) bool { return m.Variant != nil && m.Cut != "" })
	all := map[bool]*grouping{false: newGrouping(), true: newGrouping()} // by whether they are helpers
	for _, m := range slices.Concat(whole, cut) {
		all[m.Helper].program(&compiled{m.Identity, argumentNames(m.Variant)}).add(m.Variant)
	}
	programs, helpers = all[false].programs, all[true].programs
	for _, p := range slices.Concat(programs, helpers) {
		p.settle()
	}
	return programs, helpers
}

// grouping holds the programs of a dump, which may be thousands.
type grouping struct {
	programs []*Program
	from     map[string][]*Program // by the function's own name
	named    map[string]bool
}

func newGrouping() *grouping {
	return &grouping{from: map[string][]*Program{}, named: map[string]bool{}}
}

// program finds the program that was compiled from a function, and adds it where it is new.
func (g *grouping) program(of *compiled) *Program {
	for _, p := range g.from[of.Program] {
		if p.of.isOf(of) {
			maps.Copy(p.of.arguments, of.arguments)
			return p
		}
	}
	p := &Program{Name: of.name(), of: &compiled{of.Identity, map[string]bool{}}}
	maps.Copy(p.of.arguments, of.arguments)
	for n := 2; g.named[p.Name]; n++ {
		p.Name = of.name() + "-" + strconv.Itoa(n)
	}
	g.named[p.Name] = true
	g.programs, g.from[of.Program] = append(g.programs, p), append(g.from[of.Program], p)
	return p
}

// isOf reports whether two modules were compiled from the same function: one of the same name and file, as far as they are known, that has an argument in
// common. A compilation lacks the arguments that it does not use.
func (c *compiled) isOf(m *compiled) bool {
	switch {
	case c.Program != m.Program || c.Helper != m.Helper || c.Cut != m.Cut:
		return false
	case m.Helper:
		return true
	case c.Family != "" && m.Family != "":
		return c.Family == m.Family
	case !isWithin(c.Function, m.Function) || !isSameFile(c.Source, m.Source):
		return false
	case len(c.arguments) == 0 || len(m.arguments) == 0:
		return true
	}
	for name := range m.arguments {
		if c.arguments[name] {
			return true
		}
	}
	return false
}

// argumentNames are the names of a function's arguments: "params" for params['w']. They are none where one is not known.
func argumentNames(v *Variant) map[string]bool {
	names := map[string]bool{}
	for i := range v.Params {
		name := v.Params[i].Name
		if end := strings.IndexAny(name, ".["); end >= 0 {
			name = name[:end]
		}
		if name != "" && !v.Params[i].Captured {
			names[name] = true
		}
	}
	return names
}

// name is what the program is called: a method with its class, "Encoder.__call__". What a function is defined in changes with every refactoring, and is left out.
func (i *Identity) name() string {
	function, _, _ := strings.Cut(i.Function, callsInto)
	if at := strings.LastIndex(function, "<locals>."); at >= 0 {
		function = function[at+len("<locals>."):]
	}
	name := strings.Trim(i.Program, "<>_ ") // JAX names a function that has no name
	if anonymous := name == "lambda" || strings.HasPrefix(name, "unnamed"); strings.Contains(function, ".") && !anonymous {
		return function
	}
	return i.Program
}

// Numbered is what comes before the number in the name of a program that shares its name with others: "step" of "step-2". The first of them has no
// number. Which one is the first depends on the run, see [changes.NameGraphs].
func Numbered(program string) (stem string, ok bool) {
	at := strings.LastIndexByte(program, '-')
	n, err := strconv.Atoi(program[at+1:])
	if at < 0 || err != nil || n < 2 {
		return program, false
	}
	return program[:at], true
}

// NumberedGraph is the same of a graph that its framework gives no name; the first of them counts as numbered, too.
func NumberedGraph(program string) (stem string, ok bool) {
	stem, _ = Numbered(program)
	return stem, nameless[stem]
}

// Names are what a pattern may call a program: "Encoder.__call__-2" is also "Encoder.__call__" and "__call__".
func Names(program string) []string {
	names := []string{program}
	stem, numbered := Numbered(program)
	if numbered {
		names = append(names, stem)
	}
	if at := strings.LastIndexByte(stem, '.'); at >= 0 && at+1 < len(stem) {
		names = append(names, stem[at+1:])
	}
	return names
}

// Fits reports whether a pattern fits one of the names of a program.
func Fits(pattern, program string) bool {
	return phrase.Glob(pattern, program) || slices.ContainsFunc(Names(program)[1:], func(name string) bool { return phrase.Glob(pattern, name) })
}

// PlainName is the name of the function alone: "__call__" of "Encoder.__call__-2". Logs and profiles know no more.
func PlainName(program string) string {
	names := Names(program)
	return names[len(names)-1]
}
