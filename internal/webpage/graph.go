package webpage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// graph is the instructions of a module, column by column: the page opens modules of fifty thousand.
type graph struct {
	Entry     int      `json:"entry"` // in Comps
	Comps     []comp   `json:"comps"`
	Names     []string `json:"names"`
	Opcodes   []int    `json:"opcodes"` // in Words, as are the next five
	Shapes    []int    `json:"shapes"`
	Attrs     []int    `json:"attrs"`
	Ops       []int    `json:"ops"` // op_name
	Places    []int    `json:"places"`
	Operands  [][]int  `json:"operands"`
	Callees   [][]int  `json:"callees"`
	Arguments []string `json:"arguments"` // a parameter's number, a constant's value; "" for others
	Words     []string `json:"words"`
}

type comp struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Count int    `json:"count"`
	Root  int    `json:"root"`
}

// words keeps each text once.
type words struct {
	list []string
	at   map[string]int
}

func (w *words) of(text string) int {
	at, known := w.at[text]
	if !known {
		at = len(w.list)
		w.at[text] = at
		w.list = append(w.list, cut(text))
	}
	return at
}

func (s sources) graph(m *hlo.Module) any {
	g, w := &graph{Entry: int(m.Entry)}, &words{at: map[string]int{}}
	for c := range m.Comps {
		first, end := m.Body(hlo.CompID(c))
		g.Comps = append(g.Comps, comp{cut(m.CompName(hlo.CompID(c))), int(first), int(end - first), int(m.Comps[c].Root)})
	}
	for i := range m.Instrs {
		s.instruction(m, hlo.InstrID(i), g, w)
	}
	g.Words = w.list
	return g
}

func (s sources) instruction(m *hlo.Module, id hlo.InstrID, g *graph, w *words) {
	in, md := &m.Instrs[id], m.Metadata(id)
	g.Names = append(g.Names, cut(m.InstrName(id)))
	g.Opcodes = append(g.Opcodes, w.of(m.OpcodeName(in.Opcode)))
	g.Shapes = append(g.Shapes, w.of(m.ShapeLayoutText(in.Shape)))
	var attributes []string // what the text says behind the operands, without what the page shows elsewhere
	for key, value := range m.Attrs(id) {
		attributes = append(attributes, key+"="+value)
	}
	g.Attrs = append(g.Attrs, w.of(strings.Join(attributes, ", ")))
	g.Ops = append(g.Ops, w.of(md.OpName))
	at := s.place(md.Source)
	g.Places = append(g.Places, w.of(at.Short()))
	g.Operands = append(g.Operands, numbers(m.Operands(id)))
	g.Callees = append(g.Callees, numbers(m.Callees(id)))
	argument := ""
	switch in.Opcode {
	case hlo.OpConstant:
		argument = cut(m.Literal(id))
	case hlo.OpParameter:
		argument = strconv.Itoa(int(in.Param))
	}
	g.Arguments = append(g.Arguments, argument)
}

func numbers[T ~int32](list []T) []int {
	return listed(phrase.Map(list, func(n T) int { return int(n) }))
}

type memories struct {
	Old *memory `json:"old,omitempty"`
	New *memory `json:"new,omitempty"`
}

// memory is what is alive at each step of the schedule.
type memory struct {
	Live   []int64 `json:"live"`   // bytes
	Scopes []stack `json:"scopes"` // the same by scope, the largest at the peak first; the last is all others
	Peak   int     `json:"peak"`   // the step
	Alive  []array `json:"alive"`  // at the peak, the largest first
	Kernel []int   `json:"kernel"` // of each kernel its step, -1 in loops and branches
}

type stack struct {
	Name string  `json:"name"`
	Live []int64 `json:"live"`
}

type array struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	Shape string `json:"shape"`
	File  string `json:"file,omitempty"`
	Line  int32  `json:"line,omitempty"`
	Bytes int64  `json:"bytes"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// Bounds on what is shown of the memory.
const (
	maxAlive  = 200
	maxScopes = 7
)

// memory is nil where the module is not there.
func (s sources) memory(v *facts.Variant) *memory {
	if v == nil {
		return nil
	}
	schedule := v.Schedule()
	if schedule == nil || schedule.Steps == 0 {
		return nil
	}
	m := &memory{Live: schedule.Live()}
	m.Peak, _ = schedule.Peak()
	for i := range schedule.Lifetimes {
		if l := &schedule.Lifetimes[i]; l.From <= m.Peak && m.Peak <= l.To {
			at := s.place(l.Source)
			m.Alive = append(m.Alive, array{cut(l.Name), cut(l.OpName), cut(l.Shape), at.File, at.Line, l.Bytes, l.From, l.To})
		}
	}
	slices.SortStableFunc(m.Alive, func(a, b array) int { return cmp.Compare(b.Bytes, a.Bytes) })
	m.Alive = m.Alive[:min(len(m.Alive), maxAlive)]
	m.Scopes = scopesOf(schedule, m.Peak)
	for i := range v.Kernels {
		m.Kernel = append(m.Kernel, schedule.Step(v.Kernels[i].Name))
	}
	return m
}

// scopesOf parts what is alive by the scopes that take the most at the peak.
func scopesOf(s *facts.Schedule, peak int) []stack {
	type scope struct {
		name   string
		atPeak int64
		held   []facts.Lifetime
	}
	scopes := phrase.Map(phrase.Group(s.Lifetimes, func(l facts.Lifetime) string { return scopeOf(&l) }), func(held []facts.Lifetime) scope {
		part := scope{name: scopeOf(&held[0]), held: held}
		for i := range held {
			if held[i].From <= peak && peak <= held[i].To {
				part.atPeak += held[i].Bytes
			}
		}
		return part
	})
	slices.SortFunc(scopes, func(a, b scope) int { return cmp.Or(cmp.Compare(b.atPeak, a.atPeak), cmp.Compare(a.name, b.name)) })
	if len(scopes) > maxScopes {
		others := phrase.Map(scopes[maxScopes:], func(part scope) []facts.Lifetime { return part.held })
		scopes = append(scopes[:maxScopes], scope{name: "others", held: slices.Concat(others...)})
	}
	return phrase.Map(scopes, func(part scope) stack {
		return stack{cut(part.name), (&facts.Schedule{Steps: s.Steps, Lifetimes: part.held}).Live()}
	})
}
