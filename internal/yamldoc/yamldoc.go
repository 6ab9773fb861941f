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
	has := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			has[n.Content[i].Value], own = true, append(own, n.Content[i], n.Content[i+1])
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
		if key := merged[i].Value; !has[key] {
			has[key], own = true, append(own, merged[i], merged[i+1])
		}
	}
	n.Content = own
	return nil
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
