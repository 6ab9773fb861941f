package rule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

func isType(word string) bool { return slices.Contains(hlo.TypeNames(), word) }

// Shape is a set of types and dimensions with wildcards: f32|bf16[8,*].
type Shape struct {
	types []string // empty: any
	dims  []int64  // see the constants below
	sized bool     // whether dims were written
}

// Wildcards among the sizes of a shape pattern.
const (
	anySize = -1 // *
	anyDims = -2 // ...
)

// ParseShape reads a shape with wildcards; the error is a [SyntaxError].
func ParseShape(text string) (*Shape, error) {
	p := &parser{text: text, flow: &Flow{}}
	p.space()
	start := p.at
	s := p.shape(start, p.words())
	p.space()
	if p.at < len(text) {
		p.fail(p.at, "%q follows the end of the shape", text[p.at:])
	}
	return s, p.err
}

// shape reads the sizes that follow a shape's types.
func (p *parser) shape(start int, types []string) *Shape {
	s := &Shape{types: types}
	if len(types) == 0 {
		p.fail(start, "expected a shape such as f32[8,*]")
	}
	if len(types) == 1 && types[0] == "*" {
		s.types = nil
	}
	for _, t := range s.types {
		if !isType(t) {
			p.fail(start, "unknown type %q%s", t, phrase.DidYouMean(t, hlo.TypeNames()))
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

func (p *parser) dims(s *Shape) {
	if p.eat("]") {
		return
	}
	for p.err == nil {
		p.space()
		start := p.at
		switch {
		case p.eat("*"):
			s.dims = append(s.dims, anySize)
		case p.eat("..."), p.eat("…"):
			if slices.Contains(s.dims, anyDims) {
				p.fail(start, "... occurs twice in one shape")
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
		if p.eat(",") {
			continue
		}
		if !p.eat("]") {
			p.fail(p.at, "expected , or ] in the shape")
		}
		return
	}
}

// Fits compares with a shape as HLO prints it, without layout. A tuple fits when one of its elements does.
func (s *Shape) Fits(shape string) bool {
	if strings.HasPrefix(shape, "(") {
		return slices.ContainsFunc(hlo.ShapeText(shape).Elements(), s.Fits)
	}
	text := hlo.ShapeText(shape)
	if len(s.types) > 0 && !slices.Contains(s.types, text.Type()) {
		return false
	}
	var list []int64
	for _, s := range text.Dims() {
		n, err := strconv.ParseInt(strings.TrimPrefix(s, "<="), 10, 64)
		if err != nil {
			n = anySize
		}
		list = append(list, n)
	}
	return !s.sized || fitDims(s.dims, list)
}

func fitDims(want, have []int64) bool {
	if at := slices.Index(want, anyDims); at >= 0 {
		behind := len(want) - at - 1
		return len(have) >= at+behind && fitDims(want[:at], have[:at]) && fitDims(want[at+1:], have[len(have)-behind:])
	}
	return slices.EqualFunc(want, have, func(w, h int64) bool { return w == anySize || w == h })
}
