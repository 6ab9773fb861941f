package artifacts

import (
	"errors"
	"fmt"
	"strings"
)

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

func (s *scanner) graph() (*Drawing, error) {
	s.d = &Drawing{Groups: []Group{{Parent: -1}}}
	for {
		line, ok := s.next()
		if !ok {
			return nil, errCut
		}
		if line == "}" && s.group == 0 {
			return s.d, s.connect()
		}
		if err := s.statement(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.n, err)
		}
	}
}

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
		return s.skipTo(">")
	case line != "" && line[0] >= '0' && line[0] <= '9':
		return s.numbered(line)
	}
	return nil
}

// skipTo skips lines up to one that equals end.
func (s *scanner) skipTo(end string) error {
	for {
		line, ok := s.next()
		if !ok {
			return errCut
		}
		if line == end {
			return nil
		}
	}
}

// label reads the title of the graph or of a frame.
func (s *scanner) label(line string) error {
	text, ok := strings.CutSuffix(line[len("label = <"):], ">;")
	if !ok {
		return errors.New("the label does not end on its line")
	}
	if s.group == 0 {
		s.title(text)
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

// title reads "<b>module_0000.jit_f.cpu_after_optimizations<br/>Computation main.19<br/>ENTRY computation</b>".
func (s *scanner) title(text string) {
	text, _ = bold(text)
	for part := range strings.SplitSeq(text, "<br/>") {
		if name, ok := strings.CutPrefix(part, "Computation "); ok {
			s.d.Computation = unescape(name)
		}
	}
}

// bold splits a label after its first bold text.
func bold(label string) (text, rest string) {
	_, label, _ = strings.Cut(label, "<b>")
	text, rest, _ = strings.Cut(label, "</b>")
	return unescape(text), rest
}

// numbered reads a statement that begins with a node: a node or an edge.
func (s *scanner) numbered(line string) error {
	for !strings.HasSuffix(line, "];") {
		more, ok := s.next()
		if !ok {
			return errCut
		}
		line += "\n" + more
	}
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
			return fmt.Errorf("an edge leaves %s, which is not drawn", e.frame)
		}
		if drawn {
			s.d.Calls = append(s.d.Calls, Call{Node: node, Group: group})
		}
	}
	return nil
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&")

func unescape(s string) string { return entities.Replace(s) }
