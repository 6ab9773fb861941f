package facts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// group puts the compiles of one program together, and equal compiles into one variant, in order of first compilation.
func group(results []*measuring) (programs, helpers []*Program) {
	byName, names := map[string]*Program{}, graphNames{}
	for _, m := range results {
		if m.Variant == nil {
			continue
		}
		name := names.of(m)
		p := byName[name]
		if p == nil {
			p = &Program{Name: name}
			byName[name] = p
			if m.Helper {
				helpers = append(helpers, p)
			} else {
				programs = append(programs, p)
			}
		}
		p.add(m.Variant)
	}
	for _, p := range slices.Concat(programs, helpers) {
		p.settle()
	}
	return programs, helpers
}

// compile is one time that a variant was compiled.
type compile struct {
	Run    string // the process that did it
	Module string // the dump's ID of the module
	Name   string // the module's own name
	Facts  Values
}

// settle tells compiles for nothing from legitimate repetitions. Every process of a run compiles the program for itself, and
// TensorFlow compiles one trace, told by its number, once a device; only what one process compiled again counts.
func (p *Program) settle() {
	for _, v := range p.Variants {
		run := v.busiestRun()
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

// busiestRun is the process that compiled the variant most often, the first of them on a tie.
func (v *Variant) busiestRun() string {
	count := map[string]int{}
	busiest := ""
	for i, c := range v.Compiles {
		if count[c.Run]++; i == 0 || count[c.Run] > count[busiest] {
			busiest = c.Run
		}
	}
	return busiest
}

// add joins a compile with the variant that it repeats, or appends it as a new one.
func (p *Program) add(v *Variant) {
	for _, old := range p.Variants {
		if old.repeatedBy(v) {
			old.Compiles = append(old.Compiles, v.Compiles...)
			return
		}
	}
	p.Variants = append(p.Variants, v)
}

// repeatedBy reports whether v is the same compile again: the same arguments, and the same program before optimization or, where
// that was not dumped, after.
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
	alike := map[string][]*Variant{}
	for _, v := range p.Variants {
		alike[v.Signature] = append(alike[v.Signature], v)
	}
	for _, variants := range alike {
		if len(variants) > 1 {
			markDiffering(d, variants[:min(len(variants), maxSameSignature)])
		}
	}
}

// operations counts an unoptimized module's operations by what they do.
type operations struct {
	count map[string]int
	all   []Op
	keys  []string // of all
}

func markDiffering(d *dump.Dump, variants []*Variant) {
	each := make([]*operations, len(variants))
	for i, v := range variants {
		if each[i] = givenOperations(d, v.Compiles[0].Module); each[i] == nil {
			return
		}
	}
	for i, v := range variants {
		v.Differing = each[i].notIn(each)
	}
}

// notIn lists the operations that some of the others have fewer of.
func (o *operations) notIn(others []*operations) []Op {
	var differing []Op
	seen := map[string]int{}
	for i, key := range o.keys {
		seen[key]++
		lacking := slices.ContainsFunc(others, func(other *operations) bool { return other.count[key] < seen[key] })
		if lacking && len(differing) < maxDiffering {
			differing = append(differing, o.all[i])
		}
	}
	return differing
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
	users := r.firstUsers(slices.Collect(r.notable(r.isConstant)))
	for _, c := range r.order() {
		for id, end := r.m.Body(c); id < end; id++ {
			r.countOperation(ops, id, users[id])
		}
	}
}

func (r *reader) countOperation(ops *operations, id, user hlo.InstrID) {
	in := &r.m.Instrs[id]
	op := Op{Opcode: r.opcode(id), Shape: r.shape(in.Shape)}
	switch in.Opcode {
	case hlo.OpParameter, hlo.OpTuple, hlo.OpGetTupleElement:
		return
	case hlo.OpConstant:
		c := r.constant(id, user)
		op.Attrs, op.OpName, op.Source = c.Value, c.OpName, c.Source
	default:
		md := r.metadata(id)
		op.Attrs, op.OpName, op.Source = r.printedAttrs(id), md.OpName, r.sources.locate(md)
	}
	key := op.Opcode + " " + op.Shape + " " + op.Attrs
	ops.count[key]++
	ops.all, ops.keys = append(ops.all, op), append(ops.keys, key)
}

// nameless are names that a framework gives to whatever it compiles: they say nothing of the function. Keras has the last one for the step of
// fit, of evaluate and of predict.
var nameless = map[string]bool{"SyncTensorsGraph": true, "IrToHlo": true, "restored_function_body": true, "one_step_on_data": true}

// graphNames tells the graphs apart that share a nameless name, by what they compute, without shapes: the first graph
// of a run keeps the name, the second becomes "SyncTensorsGraph-2".
type graphNames map[string][]string

func (g graphNames) of(m *measuring) string {
	if !nameless[m.Program] {
		return m.Program
	}
	at := slices.Index(g[m.Program], m.Family)
	if at < 0 {
		at = len(g[m.Program])
		g[m.Program] = append(g[m.Program], m.Family)
	}
	if at == 0 {
		return m.Program
	}
	return fmt.Sprintf("%s-%d", m.Program, at+1)
}

// NumberedGraph is what comes before the number in the name of a graph that its framework gives none: "SyncTensorsGraph" of "SyncTensorsGraph-2".
func NumberedGraph(program string) (stem string, ok bool) {
	stem, number, _ := strings.Cut(program, "-")
	return stem, nameless[stem] && strings.Trim(number, "0123456789") == ""
}

// Compilations counts every compilation of the program, also of equal modules.
func (p *Program) Compilations() int {
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

// arranging operations decide the place, order and type of values, not what is computed: a batch of another size may need one more.
var arranging = map[string]bool{
	"parameter": true, "constant": true, "tuple": true, "get-tuple-element": true, "broadcast": true, "reshape": true, "transpose": true,
	"slice": true, "pad": true, "convert": true, "copy": true, "bitcast": true,
}

// familyOf spells how often each operation is in a module that graphNames has to tell from others. A graph that computes nothing is
// told by all that is in it.
func (out *measuring) familyOf(r *reader) string {
	if !nameless[out.Program] {
		return ""
	}
	all, computing := map[string]int{}, map[string]int{}
	for id := range r.m.Instrs {
		op := r.opcode(hlo.InstrID(id))
		all[op]++
		if !arranging[op] {
			computing[op]++
		}
	}
	if len(computing) == 0 {
		computing = all
	}
	return fmt.Sprint(computing) // in the order of the keys
}

// bounds on helper modules where no stack frames say who wrote them, in instructions of the entry computation
const (
	maxPrimitive = 24 // all of them named after the program: JAX's primitive of that name
	maxAnonymous = 6
)

// isHelper reports whether a module is one of JAX's own one-operation programs. The name alone does not tell: a model's function
// may be called "add". A function of the model has itself in the stack of its operations; a helper that the model called has
// only the caller there.
func (out *measuring) isHelper(r *reader) bool {
	if out.Toolchain.Framework != "jax" || !dump.IsHelperName(out.Program) {
		return false
	}
	if frames, own := r.frames(out.Program); frames {
		return !own
	}
	if dump.IsCommonName(out.Program) {
		return false
	}
	first, end := r.m.Body(r.m.Entry)
	size := end - first
	return strings.HasPrefix(out.Program, "_") || size <= maxAnonymous || size <= maxPrimitive && r.isPrimitive(out.Program)
}

// frames reports whether the module has stack frames with functions, and whether one of them is the program's own.
func (r *reader) frames(program string) (any, own bool) {
	seen := map[int32]bool{0: true}
	for md := range r.eachMetadata() {
		if seen[md.Frame] {
			continue
		}
		seen[md.Frame] = true
		for _, frame := range r.sources.stack(md) {
			any = any || frame.Function != ""
			own = own || originOf(frame.File) >= originPackage && isNamed(frame.Function, program)
		}
	}
	return any, own
}

// isPrimitive reports whether every named operation is called like the program: "jit(concatenate)/jit(main)/concatenate[dimension=0]".
func (r *reader) isPrimitive(program string) bool {
	first, end := r.m.Body(r.m.Entry)
	for id := first; id < end; id++ {
		name, _, _ := strings.Cut(r.metadata(id).OpName, "[")
		if r.m.Instrs[id].Opcode == hlo.OpParameter || name == "" {
			continue
		}
		if name[strings.LastIndexByte(name, '/')+1:] != program {
			return false
		}
	}
	return true
}
