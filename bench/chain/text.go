package chain

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// textModule is a module's text, cut into what is copied and what is not.
type textModule struct {
	header, computations, signature []byte
	lines                           []string // of the entry computation
	params                          map[int]textParam
	root                            string // the entry computation's root
	results                         []string
	tuple                           bool // the root is a tuple of the results
}

// textParam is a parameter of the entry computation.
type textParam struct{ name, shape, metadata string }

func writeText(w io.Writer, src []byte, copies int) error {
	m, err := splitText(src)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	out.Write(m.header)
	for k := range copies {
		renamed(out, m.computations, suffix(k))
	}
	out.Write(m.signatureOfFirst())
	for k := range copies {
		for _, line := range m.lines {
			m.writeLine(out, line, k, k == copies-1)
		}
	}
	out.WriteString("}\n\n")
	return out.Flush()
}

// splitText cuts a module as XLA prints it: the entry computation stands last.
func splitText(src []byte) (*textModule, error) {
	entry := bytes.Index(src, []byte("\nENTRY "))
	body := bytes.Index(src, []byte("\n\n%"))
	if body < 0 {
		body = entry - 1 // the entry computation is all
	}
	end := bytes.LastIndex(src, []byte("\n}"))
	if body < 0 || entry < body || end < entry {
		return nil, errForm
	}
	signature, rest, _ := bytes.Cut(src[entry+1:end], []byte("\n"))
	m := &textModule{
		header: src[:body+2], computations: src[body+2 : entry+1], signature: signature,
		lines: strings.Split(string(rest), "\n"), params: map[int]textParam{},
	}
	for _, line := range m.lines {
		if err := m.note(line); err != nil {
			return nil, err
		}
	}
	if m.root == "" {
		return nil, errForm
	}
	return m, nil
}

// note remembers the parameters and the root.
func (m *textModule) note(line string) error {
	name, shape, operation, err := cutLine(line)
	if err != nil {
		return err
	}
	if digits, ok := strings.CutPrefix(operation, "parameter("); ok {
		digits, attributes, _ := strings.Cut(digits, ")")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return fmt.Errorf("%w: parameter(%s)", errForm, digits)
		}
		m.params[n] = textParam{name, shape, metadataOf(attributes)}
	}
	if strings.HasPrefix(line, "  ROOT ") {
		m.root, m.results = name, []string{shape}
		if m.tuple = strings.HasPrefix(shape, "("); m.tuple {
			m.results = splitTuple(shape)
		}
	}
	return nil
}

// cutLine cuts `  ROOT %name = shape operation`.
func cutLine(line string) (name, shape, operation string, err error) {
	rest := strings.TrimPrefix(strings.TrimLeft(line, " "), "ROOT ")
	name, rest, ok := strings.Cut(rest, " = ")
	end := shapeEnd(rest)
	if !ok || !strings.HasPrefix(name, "%") || end == len(rest) {
		return "", "", "", fmt.Errorf("%w: %.80q", errForm, line)
	}
	return name[1:], rest[:end], rest[end+1:], nil
}

// shapeEnd is where the shape that a text begins with ends: at the first blank outside brackets.
func shapeEnd(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ' ':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// splitTuple lists the shapes in `(f32[2]{0}, /*index=1*/s32[])`.
func splitTuple(shape string) []string {
	var shapes []string
	for rest := shape[1 : len(shape)-1]; rest != ""; {
		if _, behind, comment := strings.Cut(rest, "*/"); comment && strings.HasPrefix(rest, "/*") {
			rest = behind
		}
		end := 0
		for depth := 0; end < len(rest) && (rest[end] != ',' || depth > 0); end++ {
			switch rest[end] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		shapes = append(shapes, rest[:end])
		rest = strings.TrimPrefix(rest[end:], ", ")
	}
	return shapes
}

// metadataOf is the one attribute of a parameter that any instruction may have: `, metadata={…}`.
func metadataOf(attributes string) string {
	at := strings.Index(attributes, ", metadata={")
	if at < 0 {
		return ""
	}
	for i := at; i < len(attributes); i++ {
		switch attributes[i] {
		case '"':
			i = stringEnd(attributes, i+1) - 1
		case '}':
			return attributes[at : i+1]
		}
	}
	return ""
}

// signatureOfFirst is the entry computation's first line with the names that its parameters have in the first copy.
func (m *textModule) signatureOfFirst() []byte {
	line := string(m.signature)
	for _, p := range m.params {
		for _, before := range []string{"(", " "} {
			line = strings.Replace(line, before+p.name+": ", before+p.name+suffix(0)+": ", 1)
		}
	}
	return []byte(line + "\n")
}

// writeLine writes an instruction of copy k. What is a parameter of the original is what the copy before it returned.
func (m *textModule) writeLine(out *bufio.Writer, line string, k int, last bool) {
	name, shape, operation, _ := cutLine(line)
	if digits, ok := strings.CutPrefix(operation, "parameter("); ok && k > 0 {
		digits, _, _ := strings.Cut(digits, ")")
		n, _ := strconv.Atoi(digits)
		fmt.Fprintf(out, "  %%%s = %s %s%s\n", name+suffix(k), shape, m.carried(n, k), m.params[n].metadata)
		return
	}
	if !last {
		line = strings.Replace(line, "  ROOT ", "  ", 1)
	}
	renamed(out, []byte(line), suffix(k))
	out.WriteByte('\n')
}

// carried is the operation that gives copy k the value of parameter n.
func (m *textModule) carried(n, k int) string {
	same := n < len(m.results) && m.results[n] == m.params[n].shape
	switch before := suffix(k - 1); {
	case same && m.tuple:
		return fmt.Sprintf("get-tuple-element(%%%s), index=%d", m.root+before, n)
	case same:
		return fmt.Sprintf("bitcast(%%%s)", m.root+before)
	default:
		return fmt.Sprintf("bitcast(%%%s)", m.params[n].name+before)
	}
}

// renamed writes a text with a suffix behind every %name outside of strings.
func renamed(out *bufio.Writer, text []byte, suffix string) {
	for i := 0; i < len(text); {
		n := bytes.IndexAny(text[i:], `%"`)
		if n < 0 {
			out.Write(text[i:])
			return
		}
		end := i + n + 1
		if text[i+n] == '"' {
			end = stringEnd(text, end)
			out.Write(text[i:end])
		} else {
			end = nameEnd(text, end)
			out.Write(text[i:end])
			out.WriteString(suffix)
		}
		i = end
	}
}

func nameEnd(text []byte, i int) int {
	for i < len(text) && (text[i] == '_' || text[i] == '.' || text[i] == '-' || '0' <= text[i] && text[i] <= '9' || 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z') {
		i++
	}
	return i
}

// stringEnd is behind the quote that ends the string that i stands in.
func stringEnd[T string | []byte](text T, i int) int {
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(text))
}
