package artifacts

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Drawing is a drawn computation with the computations that it calls.
type Drawing struct {
	Computation string // "main.19"
	Groups      []Group
	Nodes       []Node
	Calls       []Call
}

// Group is a frame around nodes. The first is the drawn computation; others are computations that an instruction calls, and fusions.
type Group struct {
	Fusion bool
	Kind   string // of a fusion: "kLoop"
	Parent int    // the frame around this one; -1 for the first
	id     string
}

// Node is one drawn instruction.
type Node struct {
	Name   string
	Opcode string // "" if the drawing does not contain it
	Kind   string // of a fusion that is drawn without its computation
	Target string // of a custom call
	Inline bool   // it calls a computation of one operation, which is drawn in its node
	Group  int
	id     string
}

// Call is the call of a group's computation by a node. A computation that several nodes call is drawn once.
type Call struct{ Node, Group int }

// ReadDrawing reads a .dot file, or the graph inside of an .html file.
func ReadDrawing(data []byte) (*Drawing, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("digraph")) {
		var err error
		if data, err = inside(data); err != nil {
			return nil, err
		}
	}
	s := scanner{lines: lines{rest: string(data)}, d: &Drawing{Groups: []Group{{Parent: -1}}}}
	for {
		line, ok := s.next()
		if !ok {
			return nil, errCut
		}
		if line == "}" && s.group == 0 {
			break
		}
		if err := s.statement(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.n, err)
		}
	}
	err := s.connect()
	if err == nil && len(s.d.Nodes)+len(s.d.Groups) < 2 {
		err = errors.New("the graph holds no instruction")
	}
	return s.d, err
}

// scanner reads the statements of a graph. XLA writes one a line; only tooltips span several.
type scanner struct {
	lines
	d     *Drawing
	group int // the current frame
	calls []edge
}

// edge is a dashed line from a frame to the instruction that calls it.
type edge struct{ frame, node string }

var errCut = errors.New("the graph does not end: it was cut off")

func (s *scanner) statement(line string) error {
	switch {
	case strings.HasPrefix(line, "subgraph "):
		id, _, _ := strings.Cut(line[len("subgraph "):], " ")
		s.d.Groups = append(s.d.Groups, Group{Parent: s.group, id: id})
		s.group = len(s.d.Groups) - 1
	case strings.HasPrefix(line, "}") && s.group > 0:
		s.group = s.d.Groups[s.group].Parent
	case strings.HasPrefix(line, "label = <"):
		return s.label(line)
	case strings.HasPrefix(line, "stylesheet=<"):
		for line, ok := s.next(); line != ">"; line, ok = s.next() {
			if !ok {
				return errCut
			}
		}
	case line != "" && line[0] >= '0' && line[0] <= '9':
		return s.numbered(line)
	}
	return nil
}

// label reads the title of the graph or of a frame.
func (s *scanner) label(line string) error {
	text, ok := strings.CutSuffix(line[len("label = <"):], ">;")
	if !ok {
		return errors.New("the label does not end on its line")
	}
	if s.group == 0 { // <b>module_0000.jit_f.cpu_after_optimizations<br/>Computation main.19<br/>ENTRY computation</b>
		text, _ = bold(text)
		for part := range strings.SplitSeq(text, "<br/>") {
			if name, ok := strings.CutPrefix(part, "Computation "); ok {
				s.d.Computation = unescape(name)
			}
		}
		return nil
	}
	g := &s.d.Groups[s.group]
	g.Fusion = strings.HasPrefix(text, "Fused expression for ")
	_, rest := bold(text)
	for part := range strings.SplitSeq(rest, "<br/>") {
		if kind, ok := strings.CutPrefix(part, "kind="); ok {
			g.Kind = kind
		}
	}
	return nil
}

// bold splits a label after its first bold text.
func bold(label string) (text, rest string) {
	_, label, _ = strings.Cut(label, "<b>")
	text, rest, _ = strings.Cut(label, "</b>")
	return unescape(text), rest
}

// numbered reads a statement that begins with a node: a node or an edge.
func (s *scanner) numbered(line string) error {
	whole := []string{line}
	for !strings.HasSuffix(whole[len(whole)-1], "];") {
		more, ok := s.next()
		if !ok {
			return errCut
		}
		whole = append(whole, more)
	}
	line = strings.Join(whole, "\n")
	id, rest, _ := strings.Cut(line, " ")
	if label, ok := strings.CutPrefix(rest, "[label=<"); ok {
		label, _, _ = strings.Cut(label, ">, shape=")
		s.d.Nodes = append(s.d.Nodes, newNode(id, label, s.group))
		return nil
	}
	if to, ok := strings.CutPrefix(rest, "-> "); ok {
		to, attrs, _ := strings.Cut(to, " ")
		if _, frame, ok := strings.Cut(attrs, `ltail="`); ok {
			frame, _, _ = strings.Cut(frame, `"`)
			s.calls = append(s.calls, edge{frame, to})
		}
		return nil
	}
	return fmt.Errorf("%.40q is neither an instruction nor an edge", line)
}

// connect resolves the nodes and frames of the edges.
func (s *scanner) connect() error {
	nodes, groups := map[string]int{}, map[string]int{}
	for i, n := range s.d.Nodes {
		nodes[n.id] = i
	}
	for i, g := range s.d.Groups {
		groups[g.id] = i
	}
	for _, e := range s.calls {
		node, drawn := nodes[e.node]
		group, framed := groups[e.frame]
		if !framed {
			return fmt.Errorf("an edge leaves %.40q, which is not drawn", e.frame)
		}
		if drawn {
			s.d.Calls = append(s.d.Calls, Call{Node: node, Group: group})
		}
	}
	return nil
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace

// maxGraph is the largest unpacked size of a drawing in bytes.
const maxGraph = 1 << 30

// inside returns the graph in a page. Older versions write it as text, newer ones compress it.
func inside(page []byte) ([]byte, error) {
	_, packed, ok := bytes.Cut(page, []byte(`dots_compressed = "`))
	if packed, _, closed := bytes.Cut(packed, []byte{'"'}); ok && closed {
		return unpack(packed)
	}
	at := bytes.Index(page, []byte("\ndigraph "))
	if at < 0 {
		return nil, errors.New("the page holds no graph")
	}
	graph := page[at+1:]
	if end := bytes.Index(graph, []byte("\n`;")); end >= 0 {
		graph = graph[:end]
	}
	return graph, nil
}

// unpack reads base64 of gzip of a JSON list of graphs. A module's dump is a list of one.
func unpack(packed []byte) ([]byte, error) {
	packed = bytes.TrimRight(packed, "=") // some versions pad, some do not
	z, err := gzip.NewReader(base64.NewDecoder(base64.RawStdEncoding, bytes.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("unpack the page's graph: %w", err)
	}
	list, err := io.ReadAll(io.LimitReader(z, maxGraph+1))
	if err == nil && len(list) > maxGraph {
		err = fmt.Errorf("it has more than %d bytes", maxGraph)
	}
	var graphs []string
	if err == nil {
		err = json.Unmarshal(list, &graphs)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack the page's graph: %w", err)
	}
	if len(graphs) != 1 {
		return nil, fmt.Errorf("the page shows %d states of its graph, not one", len(graphs))
	}
	return []byte(graphs[0]), nil
}

// newNode reads the label of an instruction:
//
//	<b>dot.2</b><br/>lhs_contracting_dims={0}<br/>f32[128,10]{1,0}
//	<b>sin.2</b><br/>sine<br/>f32[64,32]{1,0}
//
// The opcode follows the name only if the name does not begin with it.
func newNode(id, label string, group int) Node {
	name, rest := bold(label)
	n := Node{Name: name, Group: group, id: id, Inline: strings.Contains(rest, "Subcomputation: <b>")}
	for i, part := range strings.Split(strings.TrimPrefix(rest, "<br/>"), "<br/>") {
		part = unescape(part)
		if target, ok := strings.CutPrefix(part, `custom_call_target="`); ok {
			n.Target, _, _ = strings.Cut(target, `"`)
		}
		if i == 0 {
			n.Opcode, n.Kind = spelledOpcode(part)
		}
		if kind, ok := strings.CutPrefix(part, "kind="); ok {
			n.Kind = kind
		}
	}
	if strings.HasPrefix(name, "Parameter ") {
		n.Opcode = "parameter"
	}
	if n.Opcode == "" && strings.Contains(name, ":") { // older versions write the opcode first
		n.Opcode, n.Kind = spelledOpcode(name)
	}
	for length := min(len(name), maxOpcode); n.Opcode == "" && length > 0; length-- { // the longest that the name begins with
		if _, known := hlo.LookupOpcode(name[:length]); known {
			n.Opcode = name[:length]
		}
	}
	return n
}

// spelledOpcode reads "sine", or "fusion:kLoop".
func spelledOpcode(text string) (opcode, kind string) {
	opcode, kind, _ = strings.Cut(text, ":")
	if _, known := hlo.LookupOpcode(opcode); !known {
		return "", ""
	}
	return opcode, kind
}

// maxOpcode is more bytes than any opcode has.
const maxOpcode = 64
