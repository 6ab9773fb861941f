package yamldoc

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// FlowStyle writes a mapping or a list on one line.
const FlowStyle = yaml.FlowStyle

// Map is a mapping of keys and values in turns. A key whose value is nil is left out.
func Map(style yaml.Style, pairs ...any) *Node {
	n := &Node{Kind: Mapping, Tag: "!!map", Style: style}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value, _ := pairs[i+1].(*Node); value != nil {
			n.Content = append(n.Content, Text(pairs[i].(string)), value)
		}
	}
	return n
}

// List is a list; nil when it is empty.
func List(style yaml.Style, items []*Node) *Node {
	if len(items) == 0 {
		return nil
	}
	return &Node{Kind: Sequence, Tag: "!!seq", Style: style, Content: items}
}

// Text is a string. What is not printed as it stands is quoted and escaped.
func Text(s string) *Node {
	s = strings.ToValidUTF8(s, "\ufffd")
	n := &Node{Kind: Scalar, Tag: "!!str", Value: s}
	if s == "<<" || strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }) {
		n.Style = DoubleQuoted
	}
	return n
}

// TextOrNone is a string, nil for none.
func TextOrNone(s string) *Node {
	if s == "" {
		return nil
	}
	return Text(s)
}

// Number is a number in all its digits.
func Number(v float64) *Node {
	n := &Node{Kind: Scalar, Value: strconv.FormatFloat(v, 'f', -1, 64)}
	n.Tag = n.ShortTag()
	return n
}

// Format writes a document.
func Format(root *Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}
