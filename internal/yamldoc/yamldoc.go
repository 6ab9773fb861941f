// Package yamldoc reads YAML documents as nodes with positions. It alone imports the YAML library.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"gopkg.in/yaml.v3"
)

// Node is a YAML node with its line and column.
type Node = yaml.Node

// Kind is what a node is.
type Kind = yaml.Kind

// The kinds of nodes.
const (
	Mapping  = yaml.MappingNode
	Sequence = yaml.SequenceNode
	Scalar   = yaml.ScalarNode
	Alias    = yaml.AliasNode
)

// The styles of scalars.
const (
	SingleQuoted = yaml.SingleQuotedStyle
	DoubleQuoted = yaml.DoubleQuotedStyle
	Literal      = yaml.LiteralStyle
	Folded       = yaml.FoldedStyle
)

// maxNodes bounds a document with its aliases expanded: a short file of nested aliases ("a billion laughs") is refused.
const maxNodes = 200_000

// maxDepth bounds how deep nodes are nested, aliases expanded.
const maxDepth = 100

// Parse reads one document and returns its root, with aliases expanded and merge keys (<<) merged.
// An empty document returns nil.
func Parse(data []byte) (*Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, unreadable(data, err)
	}
	var more Node
	switch err := decoder.Decode(&more); {
	case err == nil:
		return nil, fmt.Errorf("line %d: a second document begins; put everything into one", more.Line)
	case !errors.Is(err, io.EOF):
		return nil, unreadable(data, err)
	}
	if plain(doc.Content[0], 0) {
		return doc.Content[0], nil
	}
	budget := maxNodes
	return expand(doc.Content[0], &budget, 0)
}

// plain reports whether a node has neither aliases nor merge keys, so that it is as large as in the file.
func plain(n *Node, depth int) bool {
	if n.Kind == Alias || n.Tag == "!!merge" || depth > maxDepth {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(child *Node) bool { return !plain(child, depth+1) })
}

func expand(n *Node, budget *int, depth int) (*Node, error) {
	if *budget--; *budget < 0 || depth > maxDepth {
		return nil, fmt.Errorf("line %d: the aliases expand to more than %d nodes; write it out more plainly", n.Line, maxNodes)
	}
	if n.Kind == Alias {
		target, err := expand(n.Alias, budget, depth+1)
		if err != nil {
			return nil, err
		}
		copied := *target
		copied.Line, copied.Column = n.Line, n.Column
		return &copied, nil
	}
	out := *n
	out.Content = make([]*Node, 0, len(n.Content))
	for _, child := range n.Content {
		e, err := expand(child, budget, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, e)
	}
	if out.Kind == Mapping {
		if err := mergeKeys(&out); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// mergeKeys resolves `<<`: keys that the mapping has itself win.
func mergeKeys(n *Node) error {
	var own, merged []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			own = append(own, n.Content[i], n.Content[i+1])
			continue
		}
		sources := []*Node{n.Content[i+1]}
		if sources[0].Kind == Sequence {
			sources = sources[0].Content
		}
		for _, s := range sources {
			if s.Kind != Mapping {
				return fmt.Errorf("line %d: the merge key << takes a mapping, or a list of mappings", s.Line)
			}
			merged = append(merged, s.Content...)
		}
	}
	for i := 0; i+1 < len(merged); i += 2 {
		if !hasKey(own, merged[i].Value) {
			own = append(own, merged[i], merged[i+1])
		}
	}
	n.Content = own
	return nil
}

func hasKey(content []*Node, key string) bool {
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == key {
			return true
		}
	}
	return false
}

// Decode fills a Go value from a node; unknown keys are errors of the caller's, not found here.
func Decode(n *Node, into any) error { return mistyped(n.Decode(into)) }

// FlowStyle writes a mapping or a list on one line.
const FlowStyle = yaml.FlowStyle

// Style is how a node is written.
type Style = yaml.Style

// Of returns a value as a document, in the form of its JSON. It panics for a value that has none.
func Of(v any) *Node {
	var b bytes.Buffer
	if err := json.MarshalWrite(&b, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsonv1.OmitEmptyWithLegacySemantics(true)); err != nil {
		panic(err)
	}
	return next(jsontext.NewDecoder(&b, jsontext.AllowInvalidUTF8(true)))
}

// Number returns a number as [Of] writes it.
func Number(n float64) string { return jsontext.Float(n).String() }

// next returns the node of the next JSON value, nil at the end of a mapping or a list.
func next(d *jsontext.Decoder) *Node {
	token, _ := d.ReadToken() // what was just written is well-formed
	n := &Node{Kind: Scalar}
	switch token.Kind() {
	case jsontext.KindEndObject, jsontext.KindEndArray:
		return nil
	case jsontext.KindBeginObject:
		n.Kind, n.Tag = Mapping, "!!map"
	case jsontext.KindBeginArray:
		n.Kind, n.Tag = Sequence, "!!seq"
	case jsontext.KindString:
		return text(token.String())
	default:
		n.Value = token.String()
		return n
	}
	for child := next(d); child != nil; child = next(d) {
		n.Content = append(n.Content, child)
	}
	return n
}

// text returns a string, quoted and escaped where that is necessary.
func text(s string) *Node {
	s = strings.ToValidUTF8(s, "\ufffd")
	n := &Node{Kind: Scalar, Tag: "!!str", Value: s}
	if s == "<<" || strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }) {
		n.Style = DoubleQuoted
	}
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

// unreadable returns the reason why the library could not read a document. It looks first for the most common one, which the library cannot name.
func unreadable(data []byte, err error) error {
	if line := Conflict(data); line > 0 {
		return fmt.Errorf("line %d: a merge conflict of git begins here; settle it first", line)
	}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	place, problem, placed := strings.Cut(message, ": ")
	if line, _ := strconv.Atoi(strings.TrimPrefix(place, "line ")); placed && line > 0 && slices.Contains(early, problem) {
		last := bytes.Count(bytes.TrimRight(data, "\n"), []byte("\n")) + 1
		return errors.New("line " + strconv.Itoa(min(line+1, last)) + ": " + problem)
	}
	return errors.New(message)
}

// early are the errors for which the library names the line before the right one: those of its parser, which counts from 0.
var early = []string{
	"did not find expected key", "did not find expected '-' indicator", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
	"did not find expected node content", "did not find expected <document start>", "found undefined tag handle",
}

// Conflict returns the line of the first conflict marker of git, 0 for none.
func Conflict(data []byte) int {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if bytes.HasPrefix(text, []byte("<<<<<<< ")) || bytes.HasPrefix(text, []byte(">>>>>>> ")) {
			return line
		}
	}
	return 0
}

// mistyped rewrites an error of the library about the type of a value, which names types of Go, in the terms of the file.
func mistyped(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return err
	}
	first := wrong.Errors[0] // the others are of the same kind, and often of the same line
	line, rest, ok := strings.Cut(first, ": cannot unmarshal ")
	at := strings.LastIndex(rest, " into ")
	if !ok || at < 0 {
		return errors.New(first)
	}
	return errors.New(line + ": " + found(rest[:at]) + "; expected " + expected(rest[at+len(" into "):]))
}

func found(value string) string {
	tag, text, _ := strings.Cut(value, " ")
	switch {
	case text != "":
		return text
	case tag == "!!seq":
		return "a list"
	case tag == "!!map":
		return "a mapping"
	}
	return "a value"
}

func expected(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "float"):
		return "a number"
	case goType == "string":
		return "a text"
	case goType == "bool":
		return "true or false"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	}
	return "a mapping"
}
