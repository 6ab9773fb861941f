package facts

import (
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// formKey identifies a form: the text of the instruction, the shapes of its operands, and the class of the launch.
type formKey struct {
	call  uint64
	class Class
	moves bool
	on    hlo.Range // see Form.Thread

	queued float64
}

// form is what a launch does. Launches that say the same share one.
func (r *reader) form(l launch) *Form {
	thread := r.m.Comps[r.m.Instrs[l.id].Comp].Thread
	key := formKey{r.alike().Call(l.id), l.class, l.moves != hlo.NoInstr, thread, l.queued}
	if known := r.forms[key]; known != nil {
		return known
	}
	cost := r.costs().Instr(l.id)
	f := Form{
		Class: l.class, Kind: r.kind(l), Fusion: r.m.Instrs[l.id].Opcode == hlo.OpFusion, Root: r.opcode(l.id),
		Thread: strings.Trim(r.m.Text(thread), `"`), Out: r.shape(r.result(l)), Layout: r.m.Shape(r.result(l)).Layout, Bytes: r.bytes(l, int64(cost.BytesAccessed)),
	}
	operands := r.m.Operands(l.id)
	f.In = slices.Grow(f.In, len(operands))
	for _, o := range operands {
		f.In = append(f.In, r.shape(r.m.Instrs[o].Shape))
	}
	r.describe(&f, l)
	if cost.Flops > 0 && l.class != ClassControl {
		f.Flops = int64(cost.Flops)
	}
	f.Work = r.work(l)
	if f.Thread != "" && f.Class.Computes() {
		f.Work[price.Unknown] = 1 // the device's speed is that of its main thread
	}
	r.print(&f, l)
	r.forms[key] = r.interner.form(f)
	return r.forms[key]
}

// equal reports whether two forms say the same.
func (f *Form) equal(g *Form) bool {
	return f.Kind == g.Kind && f.Root == g.Root && f.Out == g.Out && f.Layout == g.Layout && f.Target == g.Target && f.Thread == g.Thread && f.Attrs == g.Attrs &&
		f.Bytes == g.Bytes && f.Flops == g.Flops && f.Fusion == g.Fusion && f.Class == g.Class && f.Collective == g.Collective && f.Trips == g.Trips &&
		f.Print == g.Print && f.Family == g.Family && f.Function == g.Function && f.Work == g.Work &&
		slices.Equal(f.Config, g.Config) && slices.Equal(f.Do, g.Do) && slices.Equal(f.In, g.In) && maps.Equal(f.Written, g.Written)
}

// describe fills in what the launch does.
func (r *reader) describe(f *Form, l launch) {
	switch r.m.Instrs[l.id].Opcode {
	case hlo.OpFusion, hlo.OpCall:
		f.Do = opcodesIn(r.operations(l.id))
		if callees := r.m.Callees(l.id); len(callees) > 0 {
			f.Root = r.opcode(r.root(callees[0], 0))
		}
	case hlo.OpCustomCall:
		f.Target = r.m.AttrText(l.id, "custom_call_target")
		f.Do, f.Config = OpcodesOf("custom-call"), r.interner.list(r.m.Settings(l.id))
		if written := r.m.Kernel(l.id); written != nil {
			f.Function, f.Written = written.Name, written.Ops
		}
	case hlo.OpWhile, hlo.OpConditional:
	default:
		f.Do = OpcodesOf(plainOpcode(f.Root))
	}
	if l.moves != hlo.NoInstr {
		f.Target = plainOpcode(r.opcode(l.moves))
		f.Groups = r.groups(l.moves)
	}
	config := ""
	if f.Fusion {
		config = r.m.AttrText(l.id, "backend_config")
	}
	if f.Attrs = r.attrs(l, fusionConfigKind(config)); f.Fusion && strings.HasPrefix(f.Attrs, "__") {
		f.Config = r.interner.settings(config)
	}
}

// root is the operation that makes a computation's result: behind bitcasts, and inside a nested fusion. Several results have the tuple as their root.
func (r *reader) root(c hlo.CompID, depth int) hlo.InstrID {
	id := r.m.Comps[c].Root
	for ; depth < maxDepth; depth++ {
		operands, callees := r.m.Operands(id), r.m.Callees(id)
		switch op := r.m.Instrs[id].Opcode; {
		case (op == hlo.OpBitcast || op == hlo.OpTuple) && len(operands) == 1:
			id = operands[0]
		case op == hlo.OpFusion && len(callees) == 1:
			id = r.m.Comps[callees[0]].Root
		default:
			return id
		}
	}
	return id
}

// KindHost is the kind of a transfer with the host.
const KindHost = "host"

// kind is the fusion's kind, the family of the operation, or its opcode.
func (r *reader) kind(l launch) string {
	op := r.m.Instrs[l.id].Opcode
	switch {
	case l.class == ClassCollective:
		return "collective"
	case l.class == ClassCopy:
		return "copy"
	case op == hlo.OpSend, op == hlo.OpRecv:
		return KindHost
	case op == hlo.OpFusion && l.class == ClassLibrary:
		return "library"
	case op == hlo.OpFusion:
		return strings.ToLower(strings.TrimPrefix(r.m.AttrText(l.id, "kind"), "k")) // loop, input, output or custom
	case op == hlo.OpRng, op == hlo.OpRngBitGenerator:
		return "rng"
	}
	return r.opcode(l.id)
}

// bytes is what a launch reads and writes, each buffer once; a collective's is what it moves. accessed are those that XLA's cost analysis counts.
func (r *reader) bytes(l launch, accessed int64) int64 {
	if l.moves != hlo.NoInstr {
		return r.moved(l.moves)
	}
	all := r.operandBytes(l.id) + r.m.ShapeBytes(r.m.Instrs[l.id].Shape)
	switch r.m.Instrs[l.id].Opcode {
	case hlo.OpCopyStart:
		return 2 * r.operandBytes(l.id)
	case hlo.OpFusion, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice, hlo.OpGather, hlo.OpScatter:
		// XLA's own count knows which part of an operand is read, but counts an operand twice that is read twice.
		if accessed > 0 {
			return min(accessed, all)
		}
	}
	return all
}

// operandBytes is the size of what an instruction reads, each value once.
func (r *reader) operandBytes(id hlo.InstrID) (n int64) {
	operands := slices.Clone(r.m.Operands(id))
	slices.Sort(operands)
	for _, o := range slices.Compact(operands) {
		n += r.size(o)
	}
	return n
}

// noisyAttrs are the attributes that do not change what an operation computes: numbers, annotations, schedules and repetitions.
var noisyAttrs = map[string]bool{
	"backend_config": true, "frontend_attributes": true, "sharding": true, "channel_id": true, "control-predecessors": true,
	"statistics": true, "origin": true, "kind": true, "custom_call_target": true, "api_version": true,
	"operand_layout_constraints": true, "parameter_replication": true, "use_global_device_ids": true, "replica_groups": true,
	"source_target_pairs": true, "cross_program_prefetch_index": true, "output_to_operand_aliasing": true,
}

// attrs returns the attributes that distinguish operations of one opcode. A fusion of a single operation has those of the operation.
func (r *reader) attrs(l launch, configKind string) string {
	switch r.m.Instrs[l.id].Opcode {
	case hlo.OpCopy, hlo.OpCopyStart:
		return r.layoutChange(l.id)
	case hlo.OpFusion:
		if configKind != "" {
			return configKind
		}
		if only := r.onlyOperation(l.id); only != hlo.NoInstr {
			return r.printedAttrs(only)
		}
		return ""
	case hlo.OpWhile, hlo.OpConditional, hlo.OpCall:
		return ""
	}
	return r.printedAttrs(l.id)
}

func (r *reader) printedAttrs(id hlo.InstrID) string {
	var list []string
	for name, value := range r.m.Attrs(id) {
		if !noisyAttrs[name] {
			list = append(list, name+"="+value)
		}
	}
	return strings.Join(list, ", ")
}

// onlyOperation is the single operation in a fusion's body, NoInstr when there are several.
func (r *reader) onlyOperation(fusion hlo.InstrID) hlo.InstrID {
	callees := r.m.Callees(fusion)
	if len(callees) != 1 {
		return hlo.NoInstr
	}
	only := hlo.NoInstr
	for id, end := r.m.Body(callees[0]); id < end; id++ {
		if hidden(r.m.Instrs[id].Opcode) {
			continue
		}
		if only != hlo.NoInstr {
			return hlo.NoInstr
		}
		only = id
	}
	return only
}

// layoutChange says which layouts a copy joins; "" when it keeps the layout.
func (r *reader) layoutChange(id hlo.InstrID) string {
	operands := r.m.Operands(id)
	if len(operands) == 0 {
		return ""
	}
	layout := func(of hlo.ShapeID) string { return strings.TrimPrefix(r.m.ShapeLayoutText(of), r.m.ShapeText(of)) }
	from, to := layout(r.m.Instrs[operands[0]].Shape), layout(r.resultShape(id))
	if from == to {
		return ""
	}
	return from + " → " + to
}

// print fills in a form's content hashes: what its instruction is, without what it is computed from, and the shapes that it
// reads. A loop or branch is told by its own shapes only: its body has launches of its own.
func (r *reader) print(f *Form, l launch) {
	prints := r.prints()
	op, family := prints.Op(l.id)
	if l.class == ClassControl {
		op, family = 0, 0
	}
	hash := contentOf(op).text(f.Kind).text(f.Out)
	for _, in := range f.In {
		hash = hash.text(in)
	}
	if f.Thread != "" {
		hash = hash.text(f.Thread)
	}
	f.Print, f.Family = hash.String(), contentOf(family).text(f.Kind).String()
}

// contentHash is FNV-1a of a number and texts, each of which ends with a zero byte.
type contentHash uint64

func contentOf(content uint64) contentHash {
	return contentHash(14695981039346656037).number(content)
}

func (h contentHash) number(n uint64) contentHash {
	for range 8 {
		h = h.byte(byte(n))
		n >>= 8
	}
	return h
}

func (h contentHash) byte(b byte) contentHash { return (h ^ contentHash(b)) * 1099511628211 }

func (h contentHash) text(s string) contentHash {
	for i := range len(s) {
		h = h.byte(s[i])
	}
	return h.byte(0)
}

// String returns the hash in 16 hex digits.
func (h contentHash) String() string {
	return string(hex.AppendEncode(make([]byte, 0, 16), binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(h))))
}
