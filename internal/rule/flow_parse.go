package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Flow is what `pattern:` describes: operations that feed each other inside one kernel, written as HLO writes them:
//
//	reduce(exponential(subtract(_, broadcast(_))))
//	bf16|f16[*,512] divide($x, broadcast(reduce($x)))
//
//	_              any value
//	$x             any value; the same one wherever $x is
//	add|subtract   one of these operations; * is any operation
//	op(a, b)       op of these operands, in this order; of add, multiply and the like in any order. Operands that are not written
//	               may be anything
//	constant       a constant
//	parameter      a value that comes into the kernel
//	f32[8,*] op    op with a result of that shape: * is any size, … or ... any number of dimensions; f32|bf16 op with either type
//	..op           op, or anything that is computed from it
//
// Conversions, bitcasts, reshapes and copies between two operations are looked through, unless the pattern names them.
type Flow struct {
	root *node
	vars []string
}

// node is one operation of a pattern.
type node struct {
	any     bool // _ or a named value
	name    int  // which $name, -1 for none
	deep    bool // ..
	opcodes []string
	shape   *Shape
	args    []*node
}

// SyntaxError is what is wrong in a text, and where: how many bytes into it.
type SyntaxError struct {
	Offset  int
	Message string
}

// Error is the message with the column.
func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Message) }

// Bounds on a pattern.
const (
	maxLength = 4096
	maxDepth  = 100
)

// ParseFlow reads what is to flow in a kernel; the error is a [SyntaxError].
func ParseFlow(text string) (*Flow, error) {
	p := &parser{text: text, flow: &Flow{}}
	if len(text) > maxLength {
		return nil, &SyntaxError{0, fmt.Sprintf("the pattern is longer than %d bytes", maxLength)}
	}
	root := p.node(0)
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail(p.at, "%q follows the end of the pattern", text[p.at:])
	}
	if p.err != nil {
		return nil, p.err
	}
	p.flow.root = root
	return p.flow, nil
}

// Opcodes lists the operations that a pattern names.
func (f *Flow) Opcodes() []string {
	var list []string
	var collect func(*node)
	collect = func(n *node) {
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

type parser struct {
	text string
	at   int
	flow *Flow
	err  error
}

// fail keeps the first error.
func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{at, fmt.Sprintf(format, args...)}
	}
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) eat(token string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], token) {
		p.at += len(token)
		return true
	}
	return false
}

func (p *parser) node(depth int) *node {
	n := &node{name: -1}
	if depth > maxDepth {
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

// operation makes a node of the words that name its operation or value.
func (p *parser) operation(n *node, start int, words []string) {
	switch {
	case len(words) == 0 && n.shape != nil:
		p.fail(start, "expected an operation after the shape, or _ for any value")
	case len(words) == 0:
		p.fail(start, "expected an operation such as add, or _ for any value")
	case words[0] == "_":
		n.any = true
	case strings.HasPrefix(words[0], "$"):
		if !slices.Contains(p.flow.vars, words[0]) {
			p.flow.vars = append(p.flow.vars, words[0])
		}
		n.any, n.name = true, slices.Index(p.flow.vars, words[0])
	case words[0] != "*":
		n.opcodes = words
		for _, w := range words {
			if _, known := hlo.LookupOpcode(w); !known {
				p.fail(start, "unknown operation %q%s", w, phrase.DidYouMean(w, hlo.OpcodeNames()))
			}
			start += len(w) + 1
		}
	}
}

func (p *parser) args(n *node, start, depth int) {
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
func (p *parser) words() []string {
	var list []string
	for {
		w := p.word()
		if w == "" {
			if len(list) > 0 {
				p.fail(p.at, "expected a word after |")
			}
			return list
		}
		list = append(list, w)
		if p.at >= len(p.text) || p.text[p.at] != '|' {
			return list
		}
		if strings.ContainsAny(w[:1], "_$*") {
			p.fail(p.at, "%s matches anything; an alternative to it has no effect", w)
		}
		p.at++
	}
}

func (p *parser) word() string {
	start := p.at
	if start < len(p.text) && (p.text[start] == '*' || p.text[start] == '$') {
		p.at++
		if p.text[start] == '*' {
			return "*"
		}
	}
	for p.at < len(p.text) && isWord(p.text[p.at]) {
		p.at++
	}
	if p.text[start:p.at] == "$" {
		p.fail(start, "expected a name after $")
	}
	return p.text[start:p.at]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
