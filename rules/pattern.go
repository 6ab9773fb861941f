package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/suggest"
)

// A dataFlow is what `pattern:` describes: operations that feed each other inside one kernel, written as HLO writes them:
//
//	reduce(exponential(subtract(_, broadcast(_))))
//	bf16|f16[*,512] divide($x, broadcast(reduce($x)))
//
//	_              any value
//	$x             any value; the same one wherever $x stands
//	add|subtract   one of these operations; * is any operation
//	op(a, b)       op of these operands, in this order; of add, multiply and the like in any order. Operands that are not written
//	               may be anything
//	constant       a constant
//	parameter      a value that comes into the kernel
//	f32[8,*] op    op with a result of that shape: * is any size, … or ... any number of dimensions; f32|bf16 op with either type
//	..op           op, or anything that is computed from it
//
// Conversions, bitcasts, reshapes and copies between two operations are looked through, unless the pattern names them.
type dataFlow struct {
	root *flowNode
	vars []string
}

// flowNode is one operation of a pattern.
type flowNode struct {
	any     bool // _ or a named value
	name    int  // which $name, -1 for none
	deep    bool // ..
	opcodes []string
	shape   *shapePattern
	args    []*flowNode
}

// PatternError is what is wrong in a pattern, or in an expression, and where: how many bytes into the text.
type PatternError struct {
	Offset  int
	Message string
}

// Error is the message with the column.
func (e *PatternError) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Message) }

// CheckPattern finds what is wrong in a data-flow pattern; the error is a [PatternError].
func CheckPattern(text string) error {
	_, err := parsePattern(text)
	return err
}

// maxPattern bounds how deep a pattern is nested and how long it is.
const maxPattern = 4096

func parsePattern(text string) (*dataFlow, error) {
	p := &patternParser{text: text, flow: &dataFlow{}}
	if len(text) > maxPattern {
		return nil, &PatternError{0, fmt.Sprintf("the pattern is longer than %d bytes", maxPattern)}
	}
	root := p.node(0)
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail(p.at, "%q stands behind the pattern's end", text[p.at:])
	}
	if p.err != nil {
		return nil, p.err
	}
	p.flow.root = root
	return p.flow, nil
}

// opcodes lists the operations that a pattern names.
func (f *dataFlow) opcodes() []string {
	var list []string
	var collect func(*flowNode)
	collect = func(n *flowNode) {
		for _, op := range n.opcodes {
			if !slices.Contains(list, op) && op != "constant" && op != "parameter" && op != "broadcast" {
				list = append(list, op)
			}
		}
		for _, arg := range n.args {
			collect(arg)
		}
	}
	collect(f.root)
	return list
}

type patternParser struct {
	text string
	at   int
	flow *dataFlow
	err  error
}

// fail keeps the first error.
func (p *patternParser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &PatternError{at, fmt.Sprintf(format, args...)}
	}
}

func (p *patternParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *patternParser) eat(token string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], token) {
		p.at += len(token)
		return true
	}
	return false
}

// node reads one operation with its operands.
func (p *patternParser) node(depth int) *flowNode {
	n := &flowNode{name: -1}
	if depth > 100 {
		p.fail(p.at, "the pattern is nested too deep")
		return n
	}
	n.deep = p.eat("..")
	p.space()
	start := p.at
	words := p.words()
	if p.err == nil && len(words) > 0 && isType(words[0]) {
		n.shape = p.shape(start, words)
		p.space()
		start = p.at
		words = p.words()
	}
	if p.err != nil {
		return n
	}
	p.operation(n, start, words)
	if p.eat("(") {
		p.args(n, start, depth)
	}
	return n
}

// operation takes the words for what a node stands for.
func (p *patternParser) operation(n *flowNode, start int, words []string) {
	switch {
	case len(words) == 0 && n.shape != nil:
		p.fail(start, "expected an operation behind the shape, or _ for any value")
	case len(words) == 0:
		p.fail(start, "expected an operation such as add, or _ for any value")
	case words[0] == "_":
		n.any = true
	case strings.HasPrefix(words[0], "$"):
		n.any, n.name = true, p.variable(words[0])
	case words[0] != "*":
		n.opcodes = words
		p.checkOpcodes(start, words)
	}
}

func (p *patternParser) variable(name string) int {
	at := slices.Index(p.flow.vars, name)
	if at < 0 {
		at = len(p.flow.vars)
		p.flow.vars = append(p.flow.vars, name)
	}
	return at
}

func (p *patternParser) checkOpcodes(start int, words []string) {
	for _, w := range words {
		if _, known := hlo.LookupOpcode(w); !known {
			p.fail(start, "unknown operation %q%s", w, suggest.DidYouMean(w, hlo.OpcodeNames()))
		}
		start += len(w) + 1
	}
}

func (p *patternParser) args(n *flowNode, start, depth int) {
	if n.any {
		p.fail(start, "%s stands for any value and has no operands; * is any operation", p.text[start:p.at-1])
	}
	for p.err == nil {
		n.args = append(n.args, p.node(depth+1))
		if p.eat(",") {
			continue
		}
		if !p.eat(")") {
			p.fail(p.at, "expected , or )")
		}
		return
	}
}

// words reads alternatives: add|subtract, f32|bf16, a single _, * or $name.
func (p *patternParser) words() []string {
	var list []string
	for {
		w := p.word()
		if w == "" {
			if len(list) > 0 {
				p.fail(p.at, "expected a word behind |")
			}
			return list
		}
		list = append(list, w)
		if p.at >= len(p.text) || p.text[p.at] != '|' {
			return list
		}
		if strings.ContainsAny(w[:1], "_$*") {
			p.fail(p.at, "%s is anything; there is nothing else to choose", w)
		}
		p.at++
	}
}

func (p *patternParser) word() string {
	start := p.at
	if start < len(p.text) && (p.text[start] == '*' || p.text[start] == '$') {
		p.at++
		if p.text[start] == '*' {
			return "*"
		}
	}
	for p.at < len(p.text) && (isWord(p.text[p.at]) && p.text[p.at] != '.' || p.text[p.at] == '-') {
		p.at++
	}
	if p.text[start:p.at] == "$" {
		p.fail(start, "expected a name behind $")
	}
	return p.text[start:p.at]
}

func isType(word string) bool { return slices.Contains(hlo.TypeNames(), word) }

// shapePattern is a set of types and dimensions with wildcards.
type shapePattern struct {
	types []string // empty: any
	dims  []int64  // see the constants below
	sized bool     // whether dims were written
}

// What stands for sizes in a shape pattern.
const (
	anySize = -1 // *
	anyDims = -2 // ...
)

// CheckShape finds what is wrong in a shape with wildcards; the error is a [PatternError].
func CheckShape(text string) error {
	_, err := parseShapePattern(text)
	return err
}

func parseShapePattern(text string) (*shapePattern, error) {
	p := &patternParser{text: text, flow: &dataFlow{}}
	p.space()
	start := p.at
	s := p.shape(start, p.words())
	p.space()
	if p.at < len(text) {
		p.fail(p.at, "%q stands behind the shape's end", text[p.at:])
	}
	return s, p.err
}

// shape reads what stands behind a shape's types.
func (p *patternParser) shape(start int, types []string) *shapePattern {
	s := &shapePattern{types: types}
	if len(types) == 0 {
		p.fail(start, "expected a shape such as f32[8,*]")
	}
	if len(types) == 1 && types[0] == "*" {
		s.types = nil
	}
	for _, t := range s.types {
		if !isType(t) {
			p.fail(start, "unknown type %q%s", t, suggest.DidYouMean(t, hlo.TypeNames()))
		}
		start += len(t) + 1
	}
	if p.at < len(p.text) && p.text[p.at] == '[' {
		p.at++
		s.sized = true
		p.dims(s)
	}
	return s
}

func (p *patternParser) dims(s *shapePattern) {
	if p.eat("]") {
		return
	}
	for p.err == nil {
		p.dim(s)
		if p.eat(",") {
			continue
		}
		if !p.eat("]") {
			p.fail(p.at, "expected , or ] in the shape")
		}
		return
	}
}

func (p *patternParser) dim(s *shapePattern) {
	p.space()
	start := p.at
	switch {
	case p.eat("*"):
		s.dims = append(s.dims, anySize)
	case p.eat("..."), p.eat("…"):
		if slices.Contains(s.dims, anyDims) {
			p.fail(start, "... stands twice in one shape")
		}
		s.dims = append(s.dims, anyDims)
	default:
		for p.at < len(p.text) && isDigit(p.text[p.at]) {
			p.at++
		}
		size, err := strconv.ParseInt(p.text[start:p.at], 10, 64)
		if err != nil {
			p.fail(start, "expected a size, * for any size or ... for any dimensions")
		}
		s.dims = append(s.dims, size)
	}
}
