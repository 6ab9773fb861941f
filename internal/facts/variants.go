package facts

import (
	"cmp"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// compile is one time that a variant was compiled.
type compile struct {
	Run    string // the process that did it
	Module string // the dump's ID of the module
	Name   string // the module's own name
	Facts  Values

	Devices     int64     // that run it together
	Collectives []Op      // in the order in which they run, where the dump holds several processes
	keyInput    *keyInput // nil but for samples
}

// settle tells compiles for nothing from legitimate repetitions. Every process of a run compiles the program for itself, and
// TensorFlow compiles one trace, told by its number, once a device; only what one process compiled again counts.
func (p *Program) settle() {
	for _, v := range p.Variants {
		count, run := map[string]int{}, "" // the process that compiled it most often, the first of them on a tie
		for i, c := range v.Compiles {
			if count[c.Run]++; i == 0 || count[c.Run] > count[run] {
				run = c.Run
			}
		}
		v.Modules, v.Elsewhere = nil, nil
		seen := map[string]bool{}
		for _, c := range v.Compiles {
			replica := frameworkOf(c.Name) == "tensorflow" && seen[c.Name]
			seen[c.Name] = true
			if c.Run == run && !replica {
				v.Modules = append(v.Modules, c.Module)
			} else {
				v.Elsewhere = append(v.Elsewhere, c.Module)
			}
		}
	}
}

// add joins a compile with the variant that it repeats, or appends it as a new one.
func (p *Program) add(v *Variant) {
	for _, old := range p.Variants {
		if old.repeatedBy(v) {
			old.Compiles, old.CallSite = append(old.Compiles, v.Compiles...), cmp.Or(v.CallSite, old.CallSite)
			return
		}
	}
	p.Variants = append(p.Variants, v)
}

// repeatedBy reports whether v is the same compile again: the same arguments, and the same program before optimization or, where that was not dumped, after.
func (v *Variant) repeatedBy(w *Variant) bool {
	if v.Signature != w.Signature || !slices.EqualFunc(v.Params, w.Params, func(a, b Parameter) bool {
		return a.Layout == b.Layout && a.Sharding == b.Sharding && a.Aliased == b.Aliased && a.Donated == b.Donated
	}) {
		return false
	}
	if v.InputPrint != "" && w.InputPrint != "" {
		return v.InputPrint == w.InputPrint
	}
	return v.Fingerprint == w.Fingerprint
}

// bounds on the second look at variants whose arguments are alike
const (
	maxSameSignature = 16 // variants
	maxDiffering     = 32 // operations of one variant
)

// findDiffering looks a second time at the unoptimized modules of variants that share their signature, and keeps the operations that
// not all of them have: a static argument's doing, a closed-over value, a must-be-constant argument of TensorFlow.
func (p *Program) findDiffering(d *dump.Dump) {
	for _, alike := range phrase.Group(p.Variants, func(v *Variant) string { return v.Signature }) {
		if len(alike) < 2 {
			continue
		}
		alike = alike[:min(len(alike), maxSameSignature)]
		each := phrase.Map(alike, func(v *Variant) *operations { return givenOperations(d, v.Compiles[0].Module) })
		for i, v := range alike {
			if !slices.Contains(each, nil) {
				v.Differing = each[i].notIn(each)
			}
		}
	}
}

// operations counts an unoptimized module's operations by what they do.
type operations struct {
	count map[string]int // by key
	all   []Op
}

// notIn lists the operations that some of the others have fewer of.
func (o *operations) notIn(others []*operations) []Op {
	var differing []Op
	seen := map[string]int{}
	for _, op := range o.all {
		key := op.key()
		seen[key]++
		lacking := slices.ContainsFunc(others, func(other *operations) bool { return other.count[key] < seen[key] })
		if lacking && len(differing) < maxDiffering {
			differing = append(differing, op)
		}
	}
	return differing
}

// givenOperations reads the operations of a module as the framework handed it over; nil when it was not dumped or cannot be read, which was said before.
func givenOperations(d *dump.Dump, id string) *operations {
	at := slices.IndexFunc(d.Modules, func(m *dump.Module) bool { return m.ID == id })
	if at < 0 || d.Modules[at].Unoptimized() == nil {
		return nil
	}
	out := &measuring{module: d.Modules[at], interner: newInterner()}
	ops := &operations{count: map[string]int{}}
	out.stage(d.Modules[at].Unoptimized(), false, func(r *reader, _ *dump.Stage) error {
		for _, c := range r.order() {
			for id, end := r.m.Body(c); id < end; id++ {
				r.countOperation(ops, id)
			}
		}
		return nil
	})
	if len(out.Problems) > 0 {
		return nil
	}
	return ops
}

func (r *reader) countOperation(ops *operations, id hlo.InstrID) {
	in := &r.m.Instrs[id]
	op := Op{Opcode: r.opcode(id), Shape: r.shape(in.Shape)}
	switch in.Opcode {
	case hlo.OpParameter, hlo.OpTuple, hlo.OpGetTupleElement:
		return
	case hlo.OpConstant:
		c := r.constant(id)
		op.Attrs, op.OpName, op.Source = c.Value, c.OpName, c.Source
	default:
		md := r.metadata(id)
		op.Attrs, op.OpName, op.Source = r.printedAttrs(id), md.OpName, r.sources.locate(md)
	}
	ops.count[op.key()]++
	ops.all = append(ops.all, op)
}

// key is what tells an operation from others, wherever it is.
func (op *Op) key() string { return op.Opcode + " " + op.Shape + " " + op.Attrs }

// Compilations counts every compilation of the program, also of equal modules. Where processes of a run disagree, it counts those of the one with most.
func (p *Program) Compilations() int {
	if len(p.Disagreements()) > 0 {
		count, most := map[string]int{}, 0
		for _, v := range p.Variants {
			for _, c := range v.Compiles {
				count[c.Run]++
				most = max(most, count[c.Run])
			}
		}
		return most
	}
	n := 0
	for _, v := range p.Variants {
		n += max(1, len(v.Modules))
	}
	return n
}

// IsLazyGraph reports whether the program is a graph that PyTorch/XLA collected until something asked for its results.
func (p *Program) IsLazyGraph() bool {
	stem, ok := NumberedGraph(p.Name)
	return ok && (stem == "SyncTensorsGraph" || stem == "IrToHlo")
}
