package facts

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Disagreement is a program that two processes of one run compiled differently for the same arguments. The devices of both take part in one program,
// so they wait for each other's collectives.
type Disagreement struct {
	Signature string
	Processes [2]string // as the dump calls them, "host0"
	Variants  [2]*Variant
	Differ    [2]*Op // the first operation that only that process has; nil where it has none
}

// Disagreements compares what the processes of a run compiled of a program that is spread over several devices. For each signature it compares the first
// process with the first other one that differs. A process that did not compile the program for these arguments is not compared.
func (p *Program) Disagreements() []Disagreement {
	var found []Disagreement
	seen := map[string]bool{}
	for _, v := range p.Variants {
		if seen[v.Signature] || len(v.Compiles) == 0 || v.Compiles[0].Devices < 2 {
			continue
		}
		seen[v.Signature] = true
		all := p.processes(v.Signature)
		for _, other := range all[1:] {
			if d, differs := all[0].differs(other); differs {
				d.Signature = v.Signature
				found = append(found, d)
				break
			}
		}
	}
	return found
}

// process is what one process compiled for one signature.
type process struct {
	name     string
	compiled []compiledVariant // in order
}

type compiledVariant struct {
	variant     *Variant
	collectives []Op
}

// processes lists who compiled the program for a signature, in the order of the first compilation.
func (p *Program) processes(signature string) []*process {
	var all []*process
	for _, v := range p.Variants {
		if v.Signature != signature {
			continue
		}
		for _, c := range v.Compiles {
			at := slices.IndexFunc(all, func(p *process) bool { return p.name == c.Run })
			if at < 0 {
				at = len(all)
				all = append(all, &process{name: c.Run})
			}
			all[at].compiled = append(all[at].compiled, compiledVariant{v, c.Collectives})
		}
	}
	return all
}

// differs finds what only one of two processes compiled. Where both compiled the same program, their collectives are compared in the order in which they run:
// the compiler may have made two schedules of it.
func (p *process) differs(other *process) (Disagreement, bool) {
	d := Disagreement{Processes: [2]string{p.name, other.name}}
	lacks := func(in *process, v *Variant) bool {
		return !slices.ContainsFunc(in.compiled, func(c compiledVariant) bool { return c.variant == v })
	}
	for side, pair := range [2][2]*process{{p, other}, {other, p}} {
		for _, c := range pair[0].compiled {
			if lacks(pair[1], c.variant) && d.Variants[side] == nil {
				d.Variants[side] = c.variant
				if list := c.variant.Differing; len(list) > 0 { // one that computes, where there is one
					d.Differ[side] = &list[max(0, slices.IndexFunc(list, func(op Op) bool { return !arranging[op.Opcode] }))]
				}
			}
		}
	}
	if d.Variants != [2]*Variant{} {
		return d, true
	}
	for _, a := range p.compiled {
		at := slices.IndexFunc(other.compiled, func(b compiledVariant) bool { return b.variant == a.variant })
		b := other.compiled[at]
		for i := range max(len(a.collectives), len(b.collectives)) {
			x, y := nth(a.collectives, i), nth(b.collectives, i)
			if x == nil || y == nil || x.Opcode != y.Opcode || x.Shape != y.Shape || x.Attrs != y.Attrs {
				d.Variants, d.Differ = [2]*Variant{a.variant, b.variant}, [2]*Op{x, y}
				return d, true
			}
		}
	}
	return d, false
}

// nth is an element of a list, nil behind its end.
func nth(list []Op, i int) *Op {
	if i < len(list) {
		return &list[i]
	}
	return nil
}

// collectives lists what a module sends between devices, in the order in which it runs.
func (r *reader) collectives(launches []launch) []Op {
	var list []Op
	for _, l := range launches {
		if l.class != ClassCollective {
			continue
		}
		id := l.id
		if l.moves != hlo.NoInstr {
			id = l.moves
		}
		channel, _ := r.m.Attr(id, "channel_id")
		md := r.metadata(id)
		list = append(list, Op{Opcode: r.opcode(id), OpName: md.OpName, Shape: r.shape(r.resultShape(id)),
			Source: r.sources.locate(md), Attrs: fmt.Sprintf("channel %s, %s", channel, r.groups(id))})
	}
	return list
}
