package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

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

// SyntaxError is what is wrong in a text, and where: how many bytes into it.
type SyntaxError struct {
	Offset  int
	Message string
}

// Error is the message with the column.
func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Message) }

// ParseShape reads a shape with wildcards: types, or * for any, and in brackets the dimensions, * for any size, ... or … for any number of dimensions. The
// error is a [SyntaxError].
func ParseShape(text string) (*Shape, error) {
	types, dims, sized := strings.Cut(text, "[")
	s := &Shape{sized: sized}
	if err := s.readTypes(types); err != nil || !sized {
		return s, err
	}
	inside, behind, closed := strings.Cut(dims, "]")
	at := len(types) + 1
	switch {
	case !closed:
		return s, &SyntaxError{len(text), "expected , or ] in the shape"}
	case strings.TrimSpace(behind) != "":
		return s, &SyntaxError{at + len(inside) + 1, fmt.Sprintf("%q follows the end of the shape", behind)}
	case strings.TrimSpace(inside) == "":
		return s, nil
	}
	for part := range strings.SplitSeq(inside, ",") {
		if err := s.readDim(part, at); err != nil {
			return s, err
		}
		at += len(part) + 1
	}
	return s, nil
}

func (s *Shape) readTypes(types string) error {
	if strings.TrimSpace(types) == "" {
		return &SyntaxError{0, "expected a shape such as f32[8,*]"}
	}
	if strings.TrimSpace(types) == "*" {
		return nil
	}
	at := 0
	for part := range strings.SplitSeq(types, "|") {
		word := strings.TrimSpace(part)
		if !slices.Contains(hlo.TypeNames(), word) {
			return &SyntaxError{at, fmt.Sprintf("unknown type %q%s", word, phrase.DidYouMean(word, hlo.TypeNames()))}
		}
		s.types, at = append(s.types, word), at+len(part)+1
	}
	return nil
}

func (s *Shape) readDim(part string, at int) error {
	switch word := strings.TrimSpace(part); word {
	case "*":
		s.dims = append(s.dims, anySize)
	case "...", "…":
		if slices.Contains(s.dims, anyDims) {
			return &SyntaxError{at, "... occurs twice in one shape"}
		}
		s.dims = append(s.dims, anyDims)
	default:
		size, err := strconv.ParseUint(word, 10, 63)
		if err != nil {
			return &SyntaxError{at, "expected a size, * for any size or ... for any dimensions"}
		}
		s.dims = append(s.dims, int64(size))
	}
	return nil
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
	return !s.sized || fitDims(s.dims, sizes(text.Dims()))
}

func sizes(dims []string) []int64 {
	var list []int64
	for _, s := range dims {
		n, err := strconv.ParseInt(strings.TrimPrefix(s, "<="), 10, 64)
		if err != nil {
			n = anySize
		}
		list = append(list, n)
	}
	return list
}

func fitDims(want, have []int64) bool {
	if at := slices.Index(want, anyDims); at >= 0 {
		behind := len(want) - at - 1
		return len(have) >= at+behind && fitDims(want[:at], have[:at]) && fitDims(want[at+1:], have[len(have)-behind:])
	}
	return slices.EqualFunc(want, have, func(w, h int64) bool { return w == anySize || w == h })
}

// Operations are those in a kernel; of one that is no fusion, the one that it is.
func Operations(k *facts.Kernel) []facts.Op {
	if ops := k.Ops.Slice(); len(ops) > 0 {
		return ops
	}
	return []facts.Op{{Opcode: strings.TrimSuffix(k.Root, "-start"), OpName: k.OpName, Shape: k.Out, Layout: k.Layout, Source: k.Source}}
}
