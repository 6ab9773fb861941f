package xlagate_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// moduleText is the text of a module, of which single lines are changed and the rest stays byte by byte.
type moduleText struct {
	lines   []string
	comps   []*compText
	byName  map[string]*compText
	callers map[string]int // how many instructions call a computation
}

type compText struct {
	name   string
	header int // its line
	end    int // the line of its closing brace
	instrs []*instrText
	// How the module uses it: launched from the entry, in the body of a loop, inside a fusion.
	launched, looped, fused bool
}

// instrText is one line. Rest begins behind the operands.
type instrText struct {
	line                    int
	root                    bool
	name, shape, op, inside string
	operands                []string // without %; nil for what is no reference
	rest                    string
}

var (
	called      = regexp.MustCompile(`(calls|to_apply|body|condition|true_computation|false_computation)=%([\w.-]+)`)
	branches    = regexp.MustCompile(`branch_computations=\{([^}]*)\}`)
	referred    = regexp.MustCompile(`%([\w.-]+)`)
	metadataOf  = regexp.MustCompile(`, metadata=\{[^{}]*\}`)
	ofMetadata  = regexp.MustCompile(` ?scheduling_name="[^"]*"`)
	arrayShapes = regexp.MustCompile(`^(\w+)\[([\d,]*)\](\{.*\})?$`)
)

// readModule splits a module into lines that it knows. It returns nil for a print that it does not: without %, or with shapes of operands.
func readModule(text string) *moduleText {
	m := &moduleText{lines: strings.Split(text, "\n"), byName: map[string]*compText{}, callers: map[string]int{}}
	var c *compText
	for n, line := range m.lines {
		switch {
		case strings.HasSuffix(line, " {") && (strings.HasPrefix(line, "%") || strings.HasPrefix(line, "ENTRY %")):
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(line, "ENTRY "), "%"), " ")
			c = &compText{name: name, header: n, launched: strings.HasPrefix(line, "ENTRY ")}
			m.comps, m.byName[name] = append(m.comps, c), c
		case c != nil && strings.HasPrefix(line, "}"):
			c.end, c = n, nil
		case c != nil:
			i := readInstr(line, n)
			if i == nil {
				return nil
			}
			c.instrs = append(c.instrs, i)
		}
	}
	if len(m.comps) == 0 || c != nil {
		return nil
	}
	m.markUses()
	return m
}

func readInstr(line string, n int) *instrText {
	i := &instrText{line: n}
	s := strings.TrimSpace(line)
	s, i.root = strings.CutPrefix(s, "ROOT ")
	name, s, ok := strings.Cut(s, " = ")
	if !ok || !strings.HasPrefix(name, "%") {
		return nil
	}
	i.name = name[1:]
	end := depthZero(s, ' ')
	if end < 0 {
		return nil
	}
	i.shape, s = s[:end], s[end+1:]
	i.op, s, ok = strings.Cut(s, "(")
	end = depthZero(s, ')')
	if !ok || end < 0 {
		return nil
	}
	i.inside, i.rest = s[:end], s[end+1:]
	if i.op == "constant" || i.op == "parameter" || i.op == "iota" {
		return i
	}
	if strings.Contains(i.inside, "] %") || strings.Contains(i.inside, "} %") {
		return nil // shapes of operands
	}
	for _, m := range referred.FindAllStringSubmatch(i.inside, -1) {
		i.operands = append(i.operands, m[1])
	}
	return i
}

// depthZero finds a byte that is in no bracket.
func depthZero(s string, what byte) int {
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case depth == 0 && c == what:
			return i
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

func (m *moduleText) markUses() {
	for _, c := range slices.Backward(m.comps) { // callers come behind what they call
		for _, i := range c.instrs {
			for _, call := range called.FindAllStringSubmatch(i.rest, -1) {
				to := m.byName[call[2]]
				if to == nil {
					continue
				}
				m.callers[to.name]++
				to.fused = to.fused || i.op == "fusion"
				to.launched = to.launched || c.launched && (call[1] == "body" || i.op == "conditional" || i.op == "call" && !strings.Contains(i.rest, "small_call") && !strings.HasPrefix(to.name, "parallel_"))
				to.looped = to.looped || call[1] == "body" || c.looped && i.op != "fusion"
			}
			if b := branches.FindStringSubmatch(i.rest); b != nil {
				for _, name := range referred.FindAllStringSubmatch(b[1], -1) {
					if to := m.byName[name[1]]; to != nil {
						to.launched, to.looped = to.launched || c.launched, to.looped || c.looped
					}
				}
			}
		}
	}
}

func (c *compText) find(name string) *instrText {
	at := slices.IndexFunc(c.instrs, func(i *instrText) bool { return i.name == name })
	if at < 0 {
		return nil
	}
	return c.instrs[at]
}

func (c *compText) users(name string) (users []*instrText) {
	for _, i := range c.instrs {
		if slices.Contains(i.operands, name) {
			users = append(users, i)
		}
	}
	return users
}

func (c *compText) rootInstr() *instrText {
	at := slices.IndexFunc(c.instrs, func(i *instrText) bool { return i.root })
	return c.instrs[at]
}

func (c *compText) parameter(n int) *instrText {
	for _, i := range c.instrs {
		if i.op == "parameter" && i.inside == strconv.Itoa(n) {
			return i
		}
	}
	return nil
}

// String is the line without its white space.
func (i *instrText) String() string {
	root := ""
	if i.root {
		root = "ROOT "
	}
	return fmt.Sprintf("%s%%%s = %s %s(%s)%s", root, i.name, i.shape, i.op, i.inside, i.rest)
}

// metadata is the place of the model's source that the instruction comes from, as an attribute.
func (i *instrText) metadata() string {
	return ofMetadata.ReplaceAllString(metadataOf.FindString(i.rest), "")
}

// array takes an array's shape apart.
func (i *instrText) array() (typ string, dims []int, layout string, ok bool) { return arrayOf(i.shape) }

func arrayOf(shape string) (typ string, dims []int, layout string, ok bool) {
	m := arrayShapes.FindStringSubmatch(shape)
	if m == nil {
		return "", nil, "", false
	}
	for d := range strings.SplitSeq(m[2], ",") {
		if d != "" {
			n, _ := strconv.Atoi(d)
			dims = append(dims, n)
		}
	}
	return m[1], dims, m[3], true
}

func elements(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// withType is the shape with another element type. Tiles that pack several small elements belong to the old one.
func withType(shape, typ string) string {
	_, rest, _ := strings.Cut(shape, "[")
	for _, packed := range []string{"(2,1)", "(4,1)", "(8,1)"} {
		rest = strings.Replace(rest, packed, "", 1)
	}
	return typ + "[" + rest
}

// edit is a changed copy of a module: lines taken out or replaced, and others put behind or before them.
type edit struct {
	m             *moduleText
	lines         map[int]string
	before, after map[int][]string
	end           []string // computations that are put before the first one
}

func (m *moduleText) edit() *edit {
	return &edit{m, map[int]string{}, map[int][]string{}, map[int][]string{}, nil}
}

func (e *edit) set(i *instrText) *edit {
	e.lines[i.line] = "  " + i.String()
	return e
}

func (e *edit) insert(behind int, format string, args ...any) *edit {
	e.after[behind] = append(e.after[behind], "  "+fmt.Sprintf(format, args...))
	return e
}

func (e *edit) insertBefore(line int, format string, args ...any) *edit {
	e.before[line] = append(e.before[line], "  "+fmt.Sprintf(format, args...))
	return e
}

func (e *edit) remove(i *instrText) *edit {
	e.lines[i.line] = ""
	return e
}

// rewire lets the users of a value in its computation use another one.
func (e *edit) rewire(c *compText, from, to string, but ...*instrText) *edit {
	for _, u := range c.users(from) {
		if slices.Contains(but, u) {
			continue
		}
		line, ok := e.lines[u.line]
		if !ok {
			line = e.m.lines[u.line]
		}
		e.lines[u.line] = renameOperand(line, from, to)
	}
	return e
}

// renameOperand replaces a name behind the opcode's bracket.
func renameOperand(line, from, to string) string {
	head, tail, _ := strings.Cut(line, " = ")
	return head + " = " + referred.ReplaceAllStringFunc(tail, func(s string) string {
		if s == "%"+from {
			return "%" + to
		}
		return s
	})
}

func (e *edit) text() string {
	var out []string
	for n, line := range e.m.lines {
		if len(e.end) > 0 && n == e.m.comps[0].header {
			out = append(out, e.end...)
		}
		out = append(out, e.before[n]...)
		if changed, ok := e.lines[n]; !ok {
			out = append(out, line)
		} else if changed != "" {
			out = append(out, changed)
		}
		out = append(out, e.after[n]...)
	}
	return strings.Join(out, "\n")
}

// wrap hands the users of a value another value of the same shape, made from it by the given lines: `%v` stands for the value, `%o` for
// the new one, `%t` begins names of those between, `#` is the shape and `@` the metadata.
func (m *moduleText) wrap(c *compText, i *instrText, lines ...string) *edit {
	e := m.edit()
	name := i.name + ".mutant"
	given := *i
	if i.root {
		given.root = false
		e.set(&given)
	} else {
		e.rewire(c, i.name, name)
	}
	fill := strings.NewReplacer("%v", "%"+i.name, "%o", "%"+name, "%t", "%"+name+"t", "#", i.shape, "@", i.metadata())
	for n, line := range lines {
		line = fill.Replace(line)
		if i.root && n == len(lines)-1 {
			line = "ROOT " + line
		}
		e.after[i.line] = append(e.after[i.line], "  "+line)
	}
	return e
}
