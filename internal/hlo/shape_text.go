package hlo

import "strings"

// ShapeText is a shape as HLO prints it, without layout: "f32[8,64]", "(f32[8], s32[])".
type ShapeText string

// Type returns the element type; of a tuple, that of its first array.
func (s ShapeText) Type() string {
	dtype, _, _ := strings.Cut(strings.TrimLeft(string(s), "("), "[")
	return dtype
}

// Dims returns the sizes of an array's dimensions as they are printed: "8" and "<=64" of f32[8,<=64].
func (s ShapeText) Dims() []string {
	_, dims, ok := strings.Cut(string(s), "[")
	if dims = strings.TrimSuffix(dims, "]"); !ok || dims == "" {
		return nil
	}
	return strings.Split(dims, ",")
}

// SameDims reports whether two arrays differ in nothing but their types.
func (s ShapeText) SameDims(t ShapeText) bool {
	return s[strings.IndexByte(string(s), '[')+1:] == t[strings.IndexByte(string(t), '[')+1:]
}

// SameRank reports whether two arrays differ in nothing but the sizes of their dimensions.
func (s ShapeText) SameRank(t ShapeText) bool {
	return s.Type() == t.Type() && len(s.Dims()) == len(t.Dims())
}

// Elements returns the shapes in a tuple. Any other shape is its own element.
func (s ShapeText) Elements() []string {
	if !strings.HasPrefix(string(s), "(") {
		return []string{string(s)}
	}
	var list []string
	depth, start := 0, 1
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 1 && s[i] == ',' || depth == 0 {
			list = append(list, strings.TrimSpace(string(s[start:i])))
			start = i + 1
		}
	}
	return list
}
