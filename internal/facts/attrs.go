package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// noisyAttrs do not tell what an operation computes: they number, annotate, schedule or repeat.
var noisyAttrs = map[string]bool{
	"backend_config": true, "frontend_attributes": true, "sharding": true, "channel_id": true, "control-predecessors": true,
	"statistics": true, "origin": true, "kind": true, "custom_call_target": true, "api_version": true,
	"operand_layout_constraints": true, "parameter_replication": true, "use_global_device_ids": true, "replica_groups": true,
	"source_target_pairs": true, "cross_program_prefetch_index": true, "output_to_operand_aliasing": true,
}

// attrs are the attributes that tell equal operations apart: those of the operation itself, or of the only one in a fusion.
func (r *reader) attrs(l launch) string {
	switch r.m.Instrs[l.id].Opcode {
	case hlo.OpCopy, hlo.OpCopyStart:
		return r.layoutChange(l.id)
	case hlo.OpFusion:
		if kind := fusionConfigKind(r.m, l.id); kind != "" {
			return kind
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
	first, end := r.m.Body(callees[0])
	for id := first; id < end; id++ {
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
	from := layoutOf(r.m, r.m.Instrs[operands[0]].Shape)
	to := layoutOf(r.m, r.resultShape(id))
	if from == to {
		return ""
	}
	return from + " → " + to
}

// layoutOf is a shape's layout as printed: what stands behind the dimensions.
func layoutOf(m *hlo.Module, id hlo.ShapeID) string {
	return strings.TrimPrefix(m.ShapeLayoutText(id), m.ShapeText(id))
}
