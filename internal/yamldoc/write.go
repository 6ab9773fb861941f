package yamldoc

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Format writes a document, with the head comment of its root. The library writes what a simple writer cannot.
func Format(root *Node) ([]byte, error) {
	w := writer{}
	if root.HeadComment != "" {
		w.b = append(w.b, root.HeadComment+"\n"...)
	}
	if w.block(root, 0); !w.refused && root.Kind == Mapping && !strings.Contains(root.HeadComment, "\n") {
		return w.b, nil
	}
	return byLibrary(root)
}

func byLibrary(root *Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// writer writes mappings and lists of scalars and of items on one line, as the library does but ten times as fast: the baselines of thousands of
// programs are compared with what is written of them. It refuses everything else.
type writer struct {
	b       []byte
	refused bool
}

// block writes a mapping or a list, each item on lines of its own.
func (w *writer) block(n *Node, indent int) {
	for i := 0; i < len(n.Content); i++ {
		w.b = append(w.b, "          "[:min(indent, 10)]...)
		item := n.Content[i]
		if n.Kind == Sequence {
			w.b = append(w.b, '-')
			w.refused = w.refused || item.Kind != Scalar && item.Style&FlowStyle == 0
		} else {
			w.key(item, false)
			i++
			item = n.Content[i]
		}
		if item.Kind != Scalar && item.Style&FlowStyle == 0 && len(item.Content) > 0 {
			w.b = append(w.b, '\n')
			w.refused = w.refused || indent >= 10
			w.block(item, indent+2)
			continue
		}
		w.b = append(w.b, ' ')
		w.line(item, false)
		w.b = append(w.b, '\n')
	}
}

// longestKey is the length in bytes of the longest key that the library writes before a colon.
const longestKey = 128

func (w *writer) key(n *Node, flow bool) {
	w.refused = w.refused || n.Kind != Scalar || len(n.Value) > longestKey
	w.scalar(n, flow)
	w.b = append(w.b, ':')
}

// line writes a value on one line.
func (w *writer) line(n *Node, flow bool) {
	switch n.Kind {
	case Scalar:
		w.scalar(n, flow)
	case Sequence:
		w.b = append(w.b, '[')
		for i, item := range n.Content {
			w.b = append(w.b, ", "[:2*min(i, 1)]...)
			w.line(item, true)
		}
		w.b = append(w.b, ']')
	case Mapping:
		w.b = append(w.b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			w.b = append(w.b, ", "[:2*min(i, 1)]...)
			w.key(n.Content[i], true)
			w.b = append(w.b, ' ')
			w.line(n.Content[i+1], true)
		}
		w.b = append(w.b, '}')
	default:
		w.refused = true
	}
}

func (w *writer) scalar(n *Node, flow bool) {
	quote := ""
	switch {
	case n.Style == DoubleQuoted || n.Tag == "!!str" && n.Style == 0 && otherType(n.Value):
		quote = `"`
	case n.Style != 0 || n.Value == "":
		w.refused = true
	case !isPlain(n.Value, flow):
		quote = "'"
	}
	w.refused = w.refused || strings.Contains(n.Value, `\`) || quote != "" && strings.Contains(n.Value, quote) || strings.ContainsFunc(n.Value, isSpecial)
	w.b = append(append(append(w.b, quote...), n.Value...), quote...)
}

// isSpecial reports whether the library may escape a character.
func isSpecial(r rune) bool {
	return r != ' ' && (r < '!' || r > '~') && (r < 0xa1 || r > 0xd7ff || r == utf8.RuneError || !unicode.IsPrint(r))
}

// otherType reports whether a text would be read as a number or the like, if it was not quoted.
func otherType(s string) bool {
	if s != "" && 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z' && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return false // as almost all are
	}
	return (&Node{Kind: Scalar, Value: s}).ShortTag() != "!!str"
}

// isPlain reports whether a text need not be quoted.
func isPlain(s string, flow bool) bool {
	begins := s[0]
	switch {
	case strings.IndexByte("#,[]{}&*!|>'\"%@` ", begins) >= 0, strings.HasSuffix(s, " "), strings.Contains(s, " #"), strings.HasPrefix(s, "---"), strings.HasPrefix(s, "..."):
		return false
	case begins == '-' && (len(s) == 1 || s[1] == ' '), begins == '?' && (len(s) == 1 || s[1] == ' '):
		return false
	case flow:
		return !strings.ContainsAny(s, ",?[]{}:")
	}
	return !strings.Contains(s, ": ") && !strings.HasSuffix(s, ":")
}
