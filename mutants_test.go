package xlagate_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutant makes a program worse at one place. It returns nil where that cannot be done.
type mutant struct {
	what string
	of   func(*moduleText, *compText, *instrText) *edit
	// free says why the place may cost nothing. Without it a mutant whose predicted step does not grow survives.
	free string
}

const (
	hidden   = "the launch waits for memory longer than it computes"
	computes = "the launch computes longer than it waits for memory"
	halved   = "a loop that may end early is taken to run half as often"
)

var mutants = []mutant{
	{"product at precision highest", atPrecision("highest"), ""},
	{"product at precision high", atPrecision("high"), ""},
	{"product as six bf16 products", asSixProducts, ""},

	{"bf16 value through f32", through("f32", "bf16", "f16"), ""},
	{"f32 value through f64", through("f64", "f32"), ""},
	{"s32 value through s64", through("s64", "s32", "u32"), ""},
	{"f64 inside a fusion", f64Inside, ""},

	{"value copied", wrapped(1, "%o = # copy(%v)@"), ""},
	{"value transposed and back", transposed, ""},
	{"value through the other layout", relaid, ""},
	{"value padded and cut", padded, ""},
	{"value sorted", sorted, ""},
	{"value reversed", reversed, ""},
	{"value gathered row by row", gathered, ""},
	{"value to the host", toHost, ""},
	{"bitcast became a copy", bitcastCopied, ""},
	{"buffer copied before it is updated in place", updateCopied, ""},

	{"fusion run twice", twice(false, "fusion"), ""},
	{"product run twice", twice(false, "dot", "convolution"), ""},
	{"custom call run twice", twice(false, "custom-call"), ""},
	{"collective run twice", twice(false, "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute"), ""},
	{"loop run twice", twice(false, "while"), ""},
	{"single operation run twice", twice(false, "reduce", "scatter", "gather", "sort", "dynamic-slice", "concatenate", "copy", "transpose", "broadcast"), ""},
	{"fusion run twice in a loop", twice(true, "fusion"), ""},
	{"product run twice in a loop", twice(true, "dot", "convolution"), ""},
	{"two kernels of a chain run again", chainAgain, ""},

	{"broadcast materialised", materialised("broadcast"), ""},
	{"convert materialised", materialised("convert"), ""},
	{"arithmetic materialised", materialised("add", "multiply", "subtract", "divide", "negate", "select", "exponential", "tanh", "maximum"), ""},
	{"view materialised", materialised("transpose", "slice", "reshape", "dynamic-slice", "pad", "concatenate"), ""},
	{"last operation of a fusion split off", splitOff, ""},
	{"fusion taken apart", takenApart, ""},
	{"fusion with one more result", widened, computes},
	{"fusion of several results split", resultsSplit, ""},

	{"library kernel as a plain loop", plainLoop, hidden},
	{"another custom call", otherTarget, ""},

	{"asynchronous copy made synchronous", copySync, ""},
	{"asynchronous slice made synchronous", sliceSync, ""},
	{"asynchronous collective made synchronous", collectiveSync, ""},
	{"transfer waited for at once", waitedAtOnce, ""},
	{"value no longer in fast memory", slowMemory, computes},

	{"groups merged", groupsMerged, ""},
	{"all-reduce on a value", allReduced, ""},
	{"value gathered from all devices", allGathered, ""},
	{"collective in a wider type", widerCollective, ""},
	{"combined collective split", collectiveSplit, ""},

	{"twice the iterations", moreTrips(func(n int) int { return 2 * n }), ""},
	{"one iteration more", moreTrips(func(n int) int { return n + 1 }), ""},
	{"iterations by 1 % more", moreTrips(func(n int) int { return n + (n+99)/100 }), ""},
	{"loop of unknown length", unknownTrips, halved},
	{"host callback in a loop", callback(true), ""},
	{"host callback", callback(false), ""},
	{"kernel moved into a loop", intoLoop, ""},

	{"one function more in a fusion", heavier(1), hidden},
	{"twenty functions more in a fusion", heavier(20), hidden},
	{"a thousand functions more in a fusion", heavier(1000), hidden},
	{"product became a power", otherOperation("multiply", "power"), hidden},
	{"product became a quotient", otherOperation("multiply", "divide"), hidden},
	{"maximum became a remainder", otherOperation("maximum", "remainder"), hidden},

	{"one donation lost", donationsLost(1), ""},
	{"all donations lost", donationsLost(1 << 20), ""},
	{"constant of an array baked in", baked, ""},
	{"scatter with indices that may repeat", indicesRepeat, ""},
}

// wrapped gives the users of an array of at least so many elements another value of its shape.
func wrapped(least int, lines ...string) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		_, dims, _, ok := i.array()
		if !ok || !c.launched || !isValue(i) || elements(dims) < least || len(c.users(i.name)) == 0 && !i.root {
			return nil
		}
		return m.wrap(c, i, lines...)
	}
}

// isValue leaves out what is no value of its own: what a start hands out, and constants.
func isValue(i *instrText) bool {
	return i.op != "constant" && !strings.HasSuffix(i.op, "-start") && i.op != "after-all" && i.op != "partition-id" && i.op != "replica-id" &&
		!strings.HasPrefix(i.shape, "token") && !strings.Contains(i.shape, "S(2)")
}

var precisions = regexp.MustCompile(`, operand_precision=\{[^}]*\}`)

func atPrecision(name string) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		if i.op != "dot" && i.op != "convolution" || strings.Contains(i.rest, "operand_precision={"+name) || strings.Contains(i.rest, "algorithm=") {
			return nil
		}
		changed := *i
		changed.rest = fmt.Sprintf(", operand_precision={%s,%s}", name, name) + precisions.ReplaceAllString(i.rest, "")
		return m.edit().set(&changed)
	}
}

// asSixProducts leaves out a product at the highest precision, which is six bf16 products already.
func asSixProducts(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "dot" || !strings.HasPrefix(i.shape, "f32") || strings.Contains(i.rest, "operand_precision={highest") || strings.Contains(i.rest, "algorithm=") {
		return nil
	}
	changed := *i
	changed.rest = ", algorithm=dot_bf16_bf16_f32_x6" + precisions.ReplaceAllString(i.rest, "")
	return m.edit().set(&changed)
}

// through takes a value into a wider type and back.
func through(wide string, narrow ...string) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		if typ, _, _, _ := i.array(); !slices.Contains(narrow, typ) {
			return nil
		}
		return wrapped(64, "%t = "+withType(i.shape, wide)+" convert(%v)@", "%o = # convert(%t)@")(m, c, i)
	}
}

func f64Inside(m *moduleText, c *compText, i *instrText) *edit {
	if typ, dims, _, _ := i.array(); !c.fused || typ != "f32" || elements(dims) < 64 || !elementwise(i) {
		return nil
	}
	return m.wrap(c, i, "%t = "+withType(i.shape, "f64")+" convert(%v)@", "%o = # convert(%t)@")
}

func elementwise(i *instrText) bool {
	return slices.Contains([]string{"add", "subtract", "multiply", "divide", "maximum", "minimum", "exponential", "tanh", "negate", "sqrt", "rsqrt", "log", "power", "select"}, i.op)
}

// plainDims is the shape without a layout, its dimensions in the order.
func plainDims(typ string, dims []int, order []int) string {
	var b []string
	for _, d := range order {
		b = append(b, strconv.Itoa(dims[d]))
	}
	return typ + "[" + strings.Join(b, ",") + "]"
}

func counted(n int) (down, up []int) {
	for i := range n {
		up, down = append(up, i), append(down, n-1-i)
	}
	return down, up
}

func list(numbers []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ","), "[]")
}

// matrix is an array of at least two dimensions that are more than 1.
func matrix(i *instrText) (typ string, dims []int, ok bool) {
	typ, dims, _, ok = i.array()
	big := 0
	for _, d := range dims {
		if d > 1 {
			big++
		}
	}
	return typ, dims, ok && big > 1
}

func transposed(m *moduleText, c *compText, i *instrText) *edit {
	typ, dims, ok := matrix(i)
	if !ok {
		return nil
	}
	down, _ := counted(len(dims))
	other := plainDims(typ, dims, down) + "{" + list(down) + "}"
	return wrapped(64, "%t = "+other+" transpose(%v), dimensions={"+list(down)+"}@", "%o = # transpose(%t), dimensions={"+list(down)+"}@")(m, c, i)
}

func relaid(m *moduleText, c *compText, i *instrText) *edit {
	typ, dims, ok := matrix(i)
	_, _, layout, _ := i.array()
	down, up := counted(len(dims))
	if !ok || !strings.HasPrefix(layout, "{"+list(down)) {
		return nil
	}
	return wrapped(64, "%t = "+plainDims(typ, dims, up)+"{"+list(up)+"} copy(%v)@", "%o = # copy(%t)@")(m, c, i)
}

func padded(m *moduleText, c *compText, i *instrText) *edit {
	typ, dims, _, ok := i.array()
	if !ok || len(dims) == 0 || typ == "pred" || strings.HasPrefix(typ, "u4") {
		return nil
	}
	down, up := counted(len(dims))
	more := slices.Clone(dims)
	more[0]++
	var by, parts []string
	for n, d := range dims {
		by, parts = append(by, map[bool]string{true: "0_1", false: "0_0"}[n == 0]), append(parts, fmt.Sprintf("[0:%d]", d))
	}
	return wrapped(64, "%tzero = "+typ+"[] constant(0)",
		"%t = "+plainDims(typ, more, up)+"{"+list(down)+"} pad(%v, %tzero), padding="+strings.Join(by, "x")+"@",
		"%o = # slice(%t), slice={"+strings.Join(parts, ", ")+"}@")(m, c, i)
}

func reversed(m *moduleText, c *compText, i *instrText) *edit {
	if _, dims, _, _ := i.array(); len(dims) == 0 {
		return nil
	}
	return wrapped(64, "%o = # reverse(%v), dimensions={0}@")(m, c, i)
}

func sorted(m *moduleText, c *compText, i *instrText) *edit {
	typ, dims, _, ok := i.array()
	if !ok || len(dims) == 0 || typ == "pred" || typ[0] == 'c' {
		return nil
	}
	e := wrapped(64, fmt.Sprintf("%%o = # sort(%%v), dimensions={%d}, to_apply=%%less.mutant@", len(dims)-1))(m, c, i)
	if e != nil {
		e.end = []string{fmt.Sprintf("%%less.mutant (a: %[1]s[], b: %[1]s[]) -> pred[] {\n  %%a.mutant = %[1]s[] parameter(0)\n  %%b.mutant = %[1]s[] parameter(1)\n  ROOT %%lt.mutant = pred[] compare(%%a.mutant, %%b.mutant), direction=LT\n}\n", typ)}
	}
	return e
}

// gathered takes the rows of a matrix in the order of their numbers.
func gathered(m *moduleText, c *compText, i *instrText) *edit {
	_, dims, ok := matrix(i)
	if !ok || len(dims) != 2 {
		return nil
	}
	return wrapped(64, fmt.Sprintf("%%tn = s32[%d]{0} iota(), iota_dimension=0", dims[0]),
		fmt.Sprintf("%%o = # gather(%%v, %%tn), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,%d}@", dims[1]))(m, c, i)
}

func toHost(m *moduleText, c *compText, i *instrText) *edit {
	if !c.launched || !isValue(i) || i.root {
		return nil
	}
	if _, _, _, ok := i.array(); !ok {
		return nil
	}
	e := m.edit()
	return e.insert(i.line, "%%token.mutant = token[] after-all()").
		insert(i.line, "%%outfeed.mutant = token[] outfeed(%%%s, %%token.mutant), outfeed_shape=%s", i.name, i.shape)
}

func bitcastCopied(m *moduleText, c *compText, i *instrText) *edit {
	typ, dims, _, ok := i.array()
	if i.op != "bitcast" || !c.launched || !ok || elements(dims) < 64 {
		return nil
	}
	from := c.find(i.operands[0])
	if from == nil {
		return nil
	}
	if was, given, _, _ := from.array(); was != typ || elements(given) != elements(dims) {
		return nil
	}
	return m.wrap(c, i, "%o = # copy(%v)@")
}

func updateCopied(m *moduleText, c *compText, i *instrText) *edit {
	if !c.launched || i.op != "dynamic-update-slice" && (i.op != "fusion" || !strings.Contains(i.name, "dynamic") || !strings.Contains(i.name, "update")) || len(i.operands) == 0 {
		return nil
	}
	from := c.find(i.operands[0])
	if from == nil || from.shape != i.shape {
		return nil
	}
	return m.edit().insertBefore(i.line, "%%copied.mutant = %s copy(%%%s)%s", from.shape, from.name, i.metadata()).rewireOne(i, from.name, "copied.mutant")
}

func (e *edit) rewireOne(i *instrText, from, to string) *edit {
	e.lines[i.line] = renameOperand(e.m.lines[i.line], from, to)
	return e
}

// twice runs an operation again, for one of its users.
func twice(looped bool, ops ...string) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		if !slices.Contains(ops, i.op) || !c.launched || looped && !c.looped || i.root || isView(i) {
			return nil
		}
		users := c.users(i.name)
		if len(users) == 0 {
			return nil
		}
		again := *i
		again.name += ".mutant"
		e := m.edit().insert(i.line, "%s", again.String())
		return e.rewireOne(users[0], i.name, again.name)
	}
}

// isView tells custom calls that do nothing when they run, and the halves of what runs asynchronously.
func isView(i *instrText) bool {
	return strings.Contains(i.rest, `"AllocateBuffer"`) || strings.Contains(i.rest, `"ConcatBitcast"`) || strings.Contains(i.rest, `"AsyncCollective`) ||
		strings.Contains(i.rest, `"GatherScatterIndicesBitpacked"`) || strings.Contains(i.rest, `"AssumeGatherIndicesInBound"`) || strings.Contains(i.rest, `"SliceToDynamic"`) ||
		strings.Contains(i.rest, `"PadToStatic"`) || strings.Contains(i.rest, `"X64`) || strings.Contains(i.name, "async_collective") || strings.Contains(i.rest, "async_collective")
}

func chainAgain(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "fusion" || !c.launched || i.root || isView(i) || len(c.users(i.name)) == 0 {
		return nil
	}
	for _, name := range i.operands {
		from := c.find(name)
		if from == nil || from.op != "fusion" || isView(from) {
			continue
		}
		first, second := *from, *i
		first.name, second.name = from.name+".mutant", i.name+".mutant"
		second.inside = renameOperand(" = "+i.inside, from.name, first.name)[3:]
		e := m.edit().insert(i.line, "%s", first.String()).insert(i.line, "%s", second.String())
		return e.rewireOne(c.users(i.name)[0], i.name, second.name)
	}
	return nil
}

// bodyOf is the computation of a fusion that no other fusion uses.
func bodyOf(m *moduleText, i *instrText) *compText {
	call := called.FindStringSubmatch(i.rest)
	if i.op != "fusion" || call == nil || m.callers[call[2]] != 1 {
		return nil
	}
	return m.byName[call[2]]
}

// newHeader is the line above a computation without its parameters and result: they stand below.
func newHeader(name string) string { return "%" + name + " {" }

// materialised moves the first operation of a fusion out of it, one that takes nothing but a parameter.
func materialised(ops ...string) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		body := bodyOf(m, i)
		if body == nil || !c.launched || !strings.Contains(i.rest, "kind=kLoop") && !strings.Contains(i.rest, "kind=kInput") && !strings.Contains(i.rest, "kind=kOutput") {
			return nil
		}
		for _, first := range body.instrs {
			if e := moveOut(m, i, body, first, ops); e != nil {
				return e
			}
		}
		return nil
	}
}

func moveOut(m *moduleText, i *instrText, body *compText, first *instrText, ops []string) *edit {
	if !slices.Contains(ops, first.op) || first.root || len(first.operands) == 0 {
		return nil
	}
	_, dims, _, ok := first.array()
	if !ok || elements(dims) < 64 {
		return nil
	}
	outer := "%" + strings.Join(i.operands, ", %")
	inside := first.inside
	for _, name := range first.operands {
		p := body.find(name)
		if p == nil || p.op != "parameter" {
			return nil
		}
		n, _ := strconv.Atoi(p.inside)
		inside = referred.ReplaceAllStringFunc(inside, func(s string) string {
			if s == "%"+name {
				return "%" + i.operands[n]
			}
			return s
		})
	}
	moved, caller, parameter := *first, *i, *first
	moved.name, moved.inside = first.name+".mutant", inside
	caller.inside = outer + ", %" + moved.name
	parameter.op, parameter.inside, parameter.rest = "parameter", strconv.Itoa(len(i.operands)), ""
	e := m.edit().insertBefore(i.line, "%s", moved.String()).set(&caller).set(&parameter)
	e.lines[body.header] = newHeader(body.name)
	return e
}

// splitOff makes the last operation of a fusion a launch of its own.
func splitOff(m *moduleText, c *compText, i *instrText) *edit {
	body := bodyOf(m, i)
	if body == nil || !c.launched || i.root || !strings.Contains(i.rest, "kind=kLoop") && !strings.Contains(i.rest, "kind=kOutput") {
		return nil
	}
	last := body.rootInstr()
	if !elementwise(last) && last.op != "convert" && last.op != "transpose" {
		return nil
	}
	from := body.find(last.operands[0])
	for _, name := range last.operands[1:] { // what else it takes is an argument of the fusion
		if p := body.find(name); p == nil || p.op != "parameter" {
			return nil
		}
	}
	if from == nil || from.op == "parameter" || from.op == "constant" || from.op == "broadcast" || len(body.users(from.name)) > 1 {
		return nil
	}
	before, behind, inner := *i, *last, *from
	before.name, before.shape = i.name+".mutant", from.shape
	behind.name, behind.root, behind.inside = i.name, i.root, "%"+before.name
	for _, name := range last.operands[1:] {
		n, _ := strconv.Atoi(body.find(name).inside)
		behind.inside += ", %" + i.operands[n]
	}
	behind.shape = i.shape
	inner.root = true
	e := m.edit().set(&before).insert(i.line, "%s", behind.String()).remove(last).set(&inner)
	e.lines[i.line] = "  " + before.String()
	e.lines[body.header] = newHeader(body.name)
	return e
}

// takenApart launches each operation of a fusion by itself.
func takenApart(m *moduleText, c *compText, i *instrText) *edit {
	body := bodyOf(m, i)
	if body == nil || !c.launched || !strings.Contains(i.rest, "kind=kLoop") || len(body.instrs) > 40 {
		return nil
	}
	names, launches := map[string]string{}, 0
	for _, b := range body.instrs {
		names[b.name] = b.name + ".mutant"
		if b.op == "parameter" {
			n, _ := strconv.Atoi(b.inside)
			names[b.name] = i.operands[n]
		} else if b.op != "constant" && b.op != "bitcast" && b.op != "tuple" {
			launches++
		}
	}
	if launches < 2 {
		return nil
	}
	e := m.edit()
	for _, b := range body.instrs {
		if b.op == "parameter" {
			continue
		}
		moved := *b
		moved.name, moved.root = names[b.name], false
		if b.root {
			moved.name, moved.root = i.name, i.root
		}
		moved.inside = referred.ReplaceAllStringFunc(b.inside, func(s string) string { return "%" + names[s[1:]] })
		e.insertBefore(i.line, "%s", moved.String())
	}
	e.remove(i)
	for n := body.header; n <= body.end; n++ {
		e.lines[n] = ""
	}
	return e
}

// widened lets a fusion write one of its values for nobody but the memory.
func widened(m *moduleText, c *compText, i *instrText) *edit {
	body := bodyOf(m, i)
	if body == nil || !c.launched || i.root || strings.HasPrefix(i.shape, "(") {
		return nil
	}
	last := body.rootInstr()
	for _, b := range body.instrs {
		_, dims, _, ok := b.array()
		if !ok || b.root || elements(dims) < 64 || !elementwise(b) {
			continue
		}
		inner, caller := *last, *i
		inner.root = false
		caller.name, caller.shape = i.name+".mutant", "("+i.shape+", "+b.shape+")"
		e := m.edit().set(&inner).set(&caller)
		e.lines[body.header] = newHeader(body.name)
		e.insert(last.line, "ROOT %%%s.both = %s tuple(%%%s, %%%s)", last.name, caller.shape, last.name, b.name)
		return e.insert(i.line, "%%%s = %s get-tuple-element(%%%s), index=0", i.name, i.shape, caller.name)
	}
	return nil
}

// resultsSplit computes the results of a fusion one by one.
func resultsSplit(m *moduleText, c *compText, i *instrText) *edit {
	body := bodyOf(m, i)
	if body == nil || !c.launched || i.root || !strings.HasPrefix(i.shape, "(") || body.rootInstr().op != "tuple" {
		return nil
	}
	last := body.rootInstr()
	users := c.users(i.name)
	if len(last.operands) != 2 || slices.ContainsFunc(users, func(u *instrText) bool { return u.op != "get-tuple-element" }) {
		return nil
	}
	e := m.edit().remove(i).remove(last)
	bodyLines := m.lines[body.header+1 : body.end]
	suffix := regexp.MustCompile(`%([\w.-]+)`)
	for n, name := range last.operands {
		of := body.find(name)
		if of == nil || of.op == "parameter" || of.op == "constant" {
			return nil
		}
		text := newHeader(fmt.Sprintf("%s.mutant%d", body.name, n)) + "\n"
		for at, line := range bodyLines {
			instr := readInstr(line, at)
			if instr == nil || instr.root {
				continue
			}
			instr.root = instr.name == name
			own := instr.String()
			text += "  " + suffix.ReplaceAllStringFunc(own, func(s string) string {
				if body.find(s[1:]) != nil {
					return fmt.Sprintf("%s.mutant%d", s, n)
				}
				return s
			}) + "\n"
		}
		e.before[body.header] = append(e.before[body.header], text+"}\n")
		one := *i
		one.name, one.shape = fmt.Sprintf("%s.mutant%d", i.name, n), of.shape
		one.rest = strings.Replace(i.rest, "%"+body.name, fmt.Sprintf("%%%s.mutant%d", body.name, n), 1)
		e.insertBefore(i.line, "%s", one.String())
	}
	for _, u := range users {
		n := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(u.rest, ",", 3)[1], " index="))
		e.remove(u).rewire(c, u.name, fmt.Sprintf("%s.mutant%s", i.name, n))
	}
	for n := body.header; n <= body.end; n++ {
		e.lines[n] = ""
	}
	return e
}

var (
	backendConfig = regexp.MustCompile(`, backend_config=\{.*\}$`)
	libraryKind   = regexp.MustCompile(`"kind":"(__[a-z_]+)"`)
	callTarget    = regexp.MustCompile(`custom_call_target="([^"]+)"`)
)

func plainLoop(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "fusion" || !c.launched || !libraryKind.MatchString(i.rest) || strings.Contains(i.rest, "__dynamic_memcpy") {
		return nil
	}
	changed := *i
	changed.rest = strings.Replace(backendConfig.ReplaceAllString(i.rest, ""), "kind=kCustom", "kind=kLoop", 1)
	return m.edit().set(&changed)
}

func otherTarget(m *moduleText, c *compText, i *instrText) *edit {
	target := callTarget.FindStringSubmatch(i.rest)
	if i.op != "custom-call" || !c.launched || target == nil || isView(i) {
		return nil
	}
	changed := *i
	changed.rest = strings.Replace(backendConfig.ReplaceAllString(i.rest, ""), `"`+target[1]+`"`, `"other_kernel"`, 1)
	return m.edit().set(&changed)
}

// doneOf is what waits for a start.
func doneOf(c *compText, start *instrText) *instrText {
	users := c.users(start.name)
	if len(users) != 1 || !strings.HasSuffix(users[0].op, "-done") {
		return nil
	}
	return users[0]
}

// besides reports whether a kernel runs between a start and what waits for it.
func besides(c *compText, start, done *instrText) bool {
	return slices.ContainsFunc(c.instrs, func(i *instrText) bool {
		return i.line > start.line && i.line < done.line && (i.op == "fusion" || i.op == "dot" || i.op == "convolution" || i.op == "custom-call" && !isView(i))
	})
}

// inStep puts one operation in the place of a start and what waits for it, where a kernel ran beside them.
func inStep(m *moduleText, c *compText, start *instrText, op, rest string) *edit {
	done := doneOf(c, start)
	if done == nil || !c.launched || !besides(c, start, done) {
		return nil
	}
	one := *done
	one.op, one.inside, one.rest = op, start.inside, rest
	return m.edit().remove(start).set(&one)
}

func copySync(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "copy-start" {
		return nil
	}
	return inStep(m, c, i, "copy", i.metadata())
}

func sliceSync(m *moduleText, c *compText, i *instrText) *edit {
	switch {
	case i.op == "slice-start":
		return inStep(m, c, i, "slice", i.rest)
	case i.op == "async-start" && bodyOf(m, i) == nil:
		call := called.FindStringSubmatch(i.rest)
		if call == nil || m.byName[call[2]] == nil {
			return nil
		}
		inner := m.byName[call[2]].rootInstr()
		if !strings.Contains(inner.op, "slice") {
			return nil
		}
		e := inStep(m, c, i, inner.op, inner.rest)
		for n := m.byName[call[2]].header; e != nil && n <= m.byName[call[2]].end; n++ {
			e.lines[n] = ""
		}
		return e
	}
	return nil
}

func collectiveSync(m *moduleText, c *compText, i *instrText) *edit {
	op, ok := strings.CutSuffix(i.op, "-start")
	if !ok || !strings.HasPrefix(op, "all-") && !strings.HasPrefix(op, "collective-") {
		return nil
	}
	return inStep(m, c, i, op, strings.Replace(i.rest, `, async_execution_thread="sparsecore"`, "", 1))
}

// waitedAtOnce waits for a transfer where it begins: nothing runs beside it.
func waitedAtOnce(m *moduleText, c *compText, i *instrText) *edit {
	if !strings.HasSuffix(i.op, "-start") || !c.launched {
		return nil
	}
	done := doneOf(c, i)
	if done == nil || done.root || !besides(c, i, done) {
		return nil
	}
	return m.edit().remove(done).insert(i.line, "%s", done.String())
}

func slowMemory(m *moduleText, c *compText, i *instrText) *edit {
	if !c.launched || i.op != "fusion" || strings.HasPrefix(i.shape, "(") || !strings.Contains(i.shape, "S(1)") {
		return nil
	}
	changed := *i
	changed.shape = strings.Replace(i.shape, "S(1)", "", 1)
	return m.edit().set(&changed)
}

var (
	twoGroups  = regexp.MustCompile(`replica_groups=\{\{([\d,]+)\},\{([\d,]+)\}\}`)
	iotaGroups = regexp.MustCompile(`replica_groups=\[(\d+),(\d+)\]<=\[[\d,]+\](T\([\d,]+\))?`)
	partitions = regexp.MustCompile(`num_partitions=(\d+)`)
	replicas   = regexp.MustCompile(`replica_count=(\d+)`)
)

func groupsMerged(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "all-reduce" && i.op != "all-reduce-start" && i.op != "all-to-all" {
		return nil
	}
	changed := *i
	if g := iotaGroups.FindStringSubmatch(i.rest); g != nil && g[1] != "1" {
		n, _ := strconv.Atoi(g[1])
		each, _ := strconv.Atoi(g[2])
		changed.rest = strings.Replace(i.rest, g[0], fmt.Sprintf("replica_groups=[1,%d]<=[%d]", n*each, n*each), 1)
	} else {
		changed.rest = twoGroups.ReplaceAllString(i.rest, "replica_groups={{$1,$2}}")
	}
	if changed.rest == i.rest {
		return nil
	}
	return m.edit().set(&changed)
}

// devices is how many devices a module runs on, with the groups and attributes of a collective over all of them.
func (m *moduleText) devices() (n int, groups string) {
	n = 1
	for _, expression := range []*regexp.Regexp{partitions, replicas} {
		if found := expression.FindStringSubmatch(m.lines[0]); found != nil {
			by, _ := strconv.Atoi(found[1])
			n *= by
		}
	}
	return n, fmt.Sprintf("channel_id=901, replica_groups=[1,%d]<=[%d], use_global_device_ids=true", n, n)
}

func allReduced(m *moduleText, c *compText, i *instrText) *edit {
	n, groups := m.devices()
	typ, dims, _, _ := i.array()
	if n < 2 || len(dims) == 0 || typ != "f32" && typ != "bf16" {
		return nil
	}
	e := wrapped(64, "%o = # all-reduce(%v), "+groups+", to_apply=%add.mutant@")(m, c, i)
	if e != nil {
		e.end = []string{fmt.Sprintf("%%add.mutant (a: %[1]s[], b: %[1]s[]) -> %[1]s[] {\n  %%a.mutant = %[1]s[] parameter(0)\n  %%b.mutant = %[1]s[] parameter(1)\n  ROOT %%sum.mutant = %[1]s[] add(%%a.mutant, %%b.mutant)\n}\n", typ)}
	}
	return e
}

func allGathered(m *moduleText, c *compText, i *instrText) *edit {
	n, groups := m.devices()
	typ, dims, _, _ := i.array()
	if n < 2 || len(dims) == 0 {
		return nil
	}
	down, up := counted(len(dims))
	more := slices.Clone(dims)
	more[0] *= n
	var parts []string
	for _, d := range dims {
		parts = append(parts, fmt.Sprintf("[0:%d]", d))
	}
	return wrapped(64, "%t = "+plainDims(typ, more, up)+"{"+list(down)+"} all-gather(%v), "+groups+", dimensions={0}@",
		"%o = # slice(%t), slice={"+strings.Join(parts, ", ")+"}@")(m, c, i)
}

func widerCollective(m *moduleText, c *compText, i *instrText) *edit {
	typ, _, _, ok := i.array()
	if !ok || typ != "bf16" && typ != "f32" || !c.launched || i.root || len(i.operands) != 1 || !slices.Contains([]string{"all-gather", "all-to-all", "collective-permute"}, i.op) {
		return nil
	}
	wide := map[string]string{"bf16": "f32", "f32": "f64"}[typ]
	from := c.find(i.operands[0])
	if from == nil {
		return nil
	}
	changed := *i
	changed.shape, changed.inside = withType(i.shape, wide), "%"+i.name+".wide"
	e := m.wrap(c, i, "%o = # convert(%v)@").set(&changed)
	return e.insertBefore(i.line, "%%%s.wide = %s convert(%%%s)%s", i.name, withType(from.shape, wide), from.name, i.metadata())
}

func collectiveSplit(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "all-reduce" || !strings.HasPrefix(i.shape, "(") || !c.launched || i.root || len(i.operands) < 2 {
		return nil
	}
	users := c.users(i.name)
	if slices.ContainsFunc(users, func(u *instrText) bool { return u.op != "get-tuple-element" }) {
		return nil
	}
	e := m.edit().remove(i)
	for n, name := range i.operands {
		from := c.find(name)
		if from == nil {
			return nil
		}
		one := *i
		one.name, one.shape, one.inside = fmt.Sprintf("%s.mutant%d", i.name, n), from.shape, "%"+name
		e.insertBefore(i.line, "%s", one.String())
	}
	for _, u := range users {
		n := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(u.rest, ",", 3)[1], " index="))
		e.remove(u).rewire(c, u.name, fmt.Sprintf("%s.mutant%s", i.name, n))
	}
	return e
}

var (
	knownTrips = regexp.MustCompile(`"known_trip_count":\{"n":"(\d+)"\},?`)
	condition  = regexp.MustCompile(`condition=%([\w.-]+)`)
	bodyName   = regexp.MustCompile(`body=%([\w.-]+)`)
)

// bound finds the constant that the condition of a loop holds the counter against.
func bound(m *moduleText, i *instrText, n string) (*compText, *instrText) {
	name := condition.FindStringSubmatch(i.rest)
	if name == nil || m.byName[name[1]] == nil {
		return nil, nil
	}
	for c := m.byName[name[1]]; c != nil; {
		for _, k := range c.instrs {
			if k.op == "constant" && k.inside == n {
				return c, k
			}
		}
		call := called.FindStringSubmatch(c.rootInstr().rest)
		if call == nil {
			return nil, nil
		}
		c = m.byName[call[2]]
	}
	return nil, nil
}

func moreTrips(by func(int) int) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		known := knownTrips.FindStringSubmatch(i.rest)
		if i.op != "while" || !c.launched || known == nil {
			return nil
		}
		_, limit := bound(m, i, known[1])
		if limit == nil {
			return nil
		}
		n, _ := strconv.Atoi(known[1])
		longer, changed := *limit, *i
		longer.inside = strconv.Itoa(by(n))
		changed.rest = strings.Replace(i.rest, known[0], strings.Replace(known[0], `"`+known[1]+`"`, `"`+longer.inside+`"`, 1), 1)
		return m.edit().set(&longer).set(&changed)
	}
}

// unknownTrips lets a value of the loop end it.
func unknownTrips(m *moduleText, c *compText, i *instrText) *edit {
	known := knownTrips.FindStringSubmatch(i.rest)
	name := condition.FindStringSubmatch(i.rest)
	if i.op != "while" || !c.launched || known == nil || name == nil || m.byName[name[1]] == nil {
		return nil
	}
	cond := m.byName[name[1]]
	last, p := cond.rootInstr(), cond.parameter(0)
	inner := strings.Split(strings.Trim(p.shape, "()"), ", ")
	for n, shape := range inner {
		shape = regexp.MustCompile(`/\*.*?\*/`).ReplaceAllString(shape, "")
		typ, dims, _, ok := arrayOf(shape)
		if !ok || typ != "f32" || len(inner) != strings.Count(p.shape, ", ")+1 {
			continue
		}
		before, changed := *last, *i
		before.root = false
		changed.rest = strings.Replace(i.rest, known[0], "", 1)
		e := m.edit().set(&before).set(&changed)
		value := "%value.mutant"
		e.insert(last.line, "%s = %s get-tuple-element(%%%s), index=%d", value, shape, p.name, n)
		if len(dims) > 0 {
			var parts, ones []string
			for range dims {
				parts, ones = append(parts, "[0:1]"), append(ones, "1")
			}
			down, _ := counted(len(dims))
			e.insert(last.line, "%%part.mutant = f32[%s]{%s} slice(%s), slice={%s}", strings.Join(ones, ","), list(down), value, strings.Join(parts, ", "))
			e.insert(last.line, "%%scalar.mutant = f32[] reshape(%%part.mutant)")
			value = "%scalar.mutant"
		}
		e.insert(last.line, "%%most.mutant = f32[] constant(1e+30)")
		e.insert(last.line, "%%below.mutant = pred[] compare(%s, %%most.mutant), direction=LT", value)
		return e.insert(last.line, "ROOT %%both.mutant = pred[] and(%%%s, %%below.mutant)", last.name)
	}
	return nil
}

func callback(looped bool) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		if c.looped != looped {
			return nil
		}
		target := "xla_ffi_python_cpu_callback"
		if strings.Contains(strings.Join(m.lines[:1], ""), "gpu") || strings.Contains(i.rest, "operation_queue_id") {
			target = "xla_ffi_python_gpu_callback"
		}
		return wrapped(1, `%o = # custom-call(%v), custom_call_target="`+target+`", custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI@, backend_config={index = 0 : ui64}`)(m, c, i)
	}
}

// intoLoop runs a kernel in each iteration of the loop that takes its result.
func intoLoop(m *moduleText, c *compText, i *instrText) *edit {
	name := bodyName.FindStringSubmatch(i.rest)
	if i.op != "while" || !c.launched || name == nil || m.byName[name[1]] == nil {
		return nil
	}
	body := m.byName[name[1]]
	for _, g := range body.instrs {
		if typ, dims, _, ok := g.array(); ok && g.op == "get-tuple-element" && (typ == "f32" || typ == "bf16") && elements(dims) >= 64 && len(body.users(g.name)) > 0 {
			return m.wrap(body, g, "%o = # tanh(%v)@")
		}
	}
	return nil
}

// heavier lets a fusion compute so many functions more on one of its values.
func heavier(times int) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		typ, dims, _, _ := i.array()
		if !c.fused || typ != "f32" && typ != "bf16" || elements(dims) < 64 || !elementwise(i) {
			return nil
		}
		lines, from := []string{}, "%v"
		for n := range times {
			to := fmt.Sprintf("%%t%d", n)
			if n == times-1 {
				to = "%o"
			}
			lines = append(lines, fmt.Sprintf("%s = # %s(%s)@", to, []string{"tanh", "exponential"}[n%2], from))
			from = to
		}
		return m.wrap(c, i, lines...)
	}
}

func otherOperation(from, to string) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		typ, dims, _, _ := i.array()
		if i.op != from || !c.fused || elements(dims) < 64 || typ != "f32" && typ != "bf16" {
			return nil
		}
		changed := *i
		changed.op = to
		return m.edit().set(&changed)
	}
}

var donation = regexp.MustCompile(`\{[\d, ]*\}: \(\d+, \{[\d, ]*\}, (?:may|must)-alias\)(?:, )?`)

func donationsLost(most int) func(*moduleText, *compText, *instrText) *edit {
	return func(m *moduleText, c *compText, i *instrText) *edit {
		if i != m.comps[len(m.comps)-1].instrs[0] || !donation.MatchString(m.lines[0]) {
			return nil
		}
		left := most
		header := donation.ReplaceAllStringFunc(m.lines[0], func(s string) string {
			if left--; left >= 0 {
				return ""
			}
			return s
		})
		e := m.edit()
		e.lines[0] = strings.Replace(strings.Replace(header, ", input_output_alias={  }", "", 1), ",  }", " }", 1)
		return e
	}
}

func baked(m *moduleText, c *compText, i *instrText) *edit {
	typ, dims, _, _ := i.array()
	if typ != "f32" || elements(dims) < 512 || elements(dims) > 1<<20 { // XLA's parser fills it
		return nil
	}
	return wrapped(64, "%t = # constant({...})", "%o = # add(%v, %t)@")(m, c, i)
}

func indicesRepeat(m *moduleText, c *compText, i *instrText) *edit {
	if i.op != "scatter" || !strings.Contains(i.rest, "unique_indices=true") {
		return nil
	}
	changed := *i
	changed.rest = strings.Replace(strings.Replace(i.rest, ", unique_indices=true", "", 1), ", indices_are_sorted=true", "", 1)
	return m.edit().set(&changed)
}
