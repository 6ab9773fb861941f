package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// bounds on the second look at variants whose arguments are alike
const (
	maxAlike  = 16 // variants
	maxUnlike = 32 // operations of one variant
)

// tellApart looks a second time at the unoptimized modules of variants that share their signature, and keeps the operations that
// not all of them have: a static argument's doing, a closed-over value, a must-be-constant argument of TensorFlow.
func (p *Program) tellApart(d *dump.Dump) {
	alike := map[string][]*Variant{}
	for _, v := range p.Variants {
		alike[v.Signature] = append(alike[v.Signature], v)
	}
	for _, variants := range alike {
		if len(variants) > 1 {
			markUnlike(d, variants[:min(len(variants), maxAlike)])
		}
	}
}

// operations counts an unoptimized module's operations by what they do.
type operations struct {
	count map[string]int
	all   []Op
	keys  []string // of all
}

func markUnlike(d *dump.Dump, variants []*Variant) {
	each := make([]*operations, len(variants))
	for i, v := range variants {
		if each[i] = givenOperations(d, v.Compiles[0].Module); each[i] == nil {
			return
		}
	}
	for i, v := range variants {
		v.Unlike = each[i].notIn(each)
	}
}

// notIn lists the operations that some of the others have fewer of.
func (o *operations) notIn(others []*operations) []Op {
	var unlike []Op
	seen := map[string]int{}
	for i, key := range o.keys {
		seen[key]++
		lacking := slices.ContainsFunc(others, func(other *operations) bool { return other.count[key] < seen[key] })
		if lacking && len(unlike) < maxUnlike {
			unlike = append(unlike, o.all[i])
		}
	}
	return unlike
}

// givenOperations reads the operations of a module as the framework handed it over; nil when it was not dumped or cannot be
// read, which was said when it was first tried.
func givenOperations(d *dump.Dump, id string) *operations {
	at := slices.IndexFunc(d.Modules, func(m *dump.Module) bool { return m.ID == id })
	if at < 0 || d.Modules[at].Unoptimized() == nil {
		return nil
	}
	out := &measuring{module: d.Modules[at]}
	ops := &operations{count: map[string]int{}}
	out.stage(d.Modules[at].Unoptimized(), false, func(r *reader, _ *dump.Stage) error {
		r.countOperations(ops)
		return nil
	})
	if len(out.Problems) > 0 {
		return nil
	}
	return ops
}

func (r *reader) countOperations(ops *operations) {
	users := r.firstUsers(r.all(r.isConstant))
	for _, id := range r.all(func(hlo.InstrID) bool { return true }) {
		in := &r.m.Instrs[id]
		op := Op{Opcode: r.opcode(id), Shape: r.shape(in.Shape)}
		switch in.Opcode {
		case hlo.OpParameter, hlo.OpTuple, hlo.OpGetTupleElement:
			continue
		case hlo.OpConstant:
			c := r.constant(id, users[id])
			op.Attrs, op.OpName, op.Source = c.Value, c.OpName, c.Source
		default:
			md := r.metadata(id)
			op.Attrs, op.OpName, op.Source = r.printedAttrs(id), md.OpName, r.sources.locate(md)
		}
		key := op.Opcode + " " + op.Shape + " " + op.Attrs
		ops.count[key]++
		ops.all, ops.keys = append(ops.all, op), append(ops.keys, key)
	}
}
