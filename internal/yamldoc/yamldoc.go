// Package yamldoc reads YAML documents as nodes with positions. It alone imports the YAML library.
package yamldoc

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// Node is a YAML node with its line and column.
type Node = yaml.Node

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

// Parse reads one document and returns its root, with aliases replaced by what they stand for and merge keys (<<) merged.
// An empty document returns nil.
func Parse(data []byte) (*Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
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

// plain says that nothing in a node stands for anything else: it is as large as the file made it.
func plain(n *Node, depth int) bool {
	if n.Kind == Alias || n.Tag == "!!merge" || depth > maxDepth {
		return false
	}
	for _, child := range n.Content {
		if !plain(child, depth+1) {
			return false
		}
	}
	return true
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
