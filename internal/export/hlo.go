package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// hloText writes each module to a file of HLO text. XLA's own parser reads it. Of a comparison it writes the new side.
func hloText(views []view) (files []File, err error) {
	for i := range views {
		for name, v := range views[i].modules {
			if v.Module == nil {
				return nil, fmt.Errorf("%s: a baseline holds no module to write; name a dump", views[i].program)
			}
			w := &hloWriter{m: v.Module}
			w.module()
			files = append(files, File{fileName(name) + ".hlo", w.out.Bytes()})
		}
	}
	return files, nil
}

// hloWriter prints a module as XLA does.
type hloWriter struct {
	m   *hlo.Module
	out bytes.Buffer
}

func (w *hloWriter) module() {
	w.header()
	for c := range w.m.Comps {
		w.computation(hlo.CompID(c))
	}
}

func (w *hloWriter) header() {
	h := &w.m.Header
	fmt.Fprintf(&w.out, "HloModule %s", w.m.Name)
	if h.IsScheduled {
		w.out.WriteString(", is_scheduled=true")
	}
	if len(h.Aliases) > 0 {
		list := phrase.Map(h.Aliases, func(a hlo.Alias) string {
			kind := "may-alias"
			if a.Must {
				kind = "must-alias"
			}
			return fmt.Sprintf("%s: (%d, %s, %s)", indices(a.Output), a.Param, indices(a.ParamIndex), kind)
		})
		fmt.Fprintf(&w.out, ", input_output_alias={ %s }", strings.Join(list, ", "))
	}
	if len(h.Donors) > 0 {
		list := phrase.Map(h.Donors, func(d hlo.Donor) string { return fmt.Sprintf("(%d, %s)", d.Param, indices(d.ParamIndex)) })
		fmt.Fprintf(&w.out, ", buffer_donor={ %s }", strings.Join(list, ", "))
	}
	var parameters []string
	for _, id := range w.m.Params(w.m.Entry) {
		if id != hlo.NoInstr {
			parameters = append(parameters, w.shape(id))
		}
	}
	fmt.Fprintf(&w.out, ", entry_computation_layout={(%s)->%s}", strings.Join(parameters, ", "), w.shape(w.m.Comps[w.m.Entry].Root))
	if h.ReplicaCount > 1 {
		fmt.Fprintf(&w.out, ", replica_count=%d", h.ReplicaCount)
	}
	if h.NumPartitions > 1 {
		fmt.Fprintf(&w.out, ", num_partitions=%d", h.NumPartitions)
	}
	if len(h.Attributes) > 0 {
		list := phrase.Map(slices.Sorted(maps.Keys(h.Attributes)), func(key string) string { return key + "=" + hlo.Quoted(h.Attributes[key]) })
		fmt.Fprintf(&w.out, ", frontend_attributes={%s}", strings.Join(list, ","))
	}
	w.out.WriteString("\n")
}

func indices(index []int64) string {
	return "{" + strings.ReplaceAll(strings.Trim(fmt.Sprint(index), "[]"), " ", ",") + "}"
}

func (w *hloWriter) shape(id hlo.InstrID) string { return w.m.ShapeLayoutText(w.m.Instrs[id].Shape) }

func (w *hloWriter) computation(c hlo.CompID) {
	w.out.WriteString("\n")
	if c == w.m.Entry {
		w.out.WriteString("ENTRY ")
	}
	fmt.Fprintf(&w.out, "%%%s {\n", w.m.CompName(c))
	first, end := w.m.Body(c)
	for id := first; id < end; id++ {
		w.instruction(id, id == w.m.Comps[c].Root)
	}
	w.out.WriteString("}")
	if thread := w.m.Text(w.m.Comps[c].Thread); thread != "" {
		fmt.Fprintf(&w.out, ", execution_thread=%s", hlo.Quoted(strings.Trim(thread, `"`)))
	}
	w.out.WriteString("\n")
}

func (w *hloWriter) instruction(id hlo.InstrID, root bool) {
	i := &w.m.Instrs[id]
	w.out.WriteString("  ")
	if root {
		w.out.WriteString("ROOT ")
	}
	fmt.Fprintf(&w.out, "%%%s = %s %s(", w.m.InstrName(id), w.shape(id), w.m.OpcodeName(i.Opcode))
	switch i.Opcode {
	case hlo.OpParameter:
		w.out.WriteString(strconv.Itoa(int(i.Param)))
	case hlo.OpConstant:
		w.out.WriteString(w.m.Literal(id))
	default:
		operands := phrase.Map(w.m.Operands(id), func(id hlo.InstrID) string { return "%" + w.m.InstrName(id) })
		w.out.WriteString(strings.Join(operands, ", "))
	}
	w.out.WriteString(")")
	w.callees(id)
	for key, value := range w.m.Attrs(id) {
		fmt.Fprintf(&w.out, ", %s=%s", key, spelled(key, value))
	}
	w.metadata(id)
	w.out.WriteString("\n")
}

// spelled is an attribute's value with the quotes that XLA writes around it.
func spelled(key, value string) string {
	switch key {
	case "custom_call_target", "async_execution_thread", "infeed_config", "outfeed_config":
		return hlo.Quoted(value)
	case "backend_config":
		if !strings.HasPrefix(value, "{") || !json.Valid([]byte(value)) {
			return hlo.Quoted(value)
		}
	}
	return value
}

func (w *hloWriter) callees(id hlo.InstrID) {
	comps := w.m.Callees(id)
	if len(comps) == 0 {
		return
	}
	names := phrase.Map(comps, func(c hlo.CompID) string { return "%" + w.m.CompName(c) })
	keys := []string{"to_apply"}
	switch w.m.Instrs[id].Opcode {
	case hlo.OpFusion, hlo.OpAsyncStart, hlo.OpAsyncUpdate, hlo.OpAsyncDone:
		keys = []string{"calls"}
	case hlo.OpWhile:
		keys = []string{"body", "condition"}
	case hlo.OpSelectAndScatter:
		keys = []string{"select", "scatter"}
	case hlo.OpConditional:
		fmt.Fprintf(&w.out, ", branch_computations={%s}", strings.Join(names, ", "))
		return
	case hlo.OpCustomCall:
		fmt.Fprintf(&w.out, ", called_computations={%s}", strings.Join(names, ", "))
		return
	}
	for i, key := range keys[:min(len(keys), len(names))] {
		fmt.Fprintf(&w.out, ", %s=%s", key, names[i])
	}
}

func (w *hloWriter) metadata(id hlo.InstrID) {
	md := w.m.Metadata(id)
	var fields []string
	if md.OpType != "" {
		fields = append(fields, "op_type="+hlo.Quoted(md.OpType))
	}
	if md.OpName != "" {
		fields = append(fields, "op_name="+hlo.Quoted(md.OpName))
	}
	if md.Source.File != "" {
		fields = append(fields, "source_file="+hlo.Quoted(md.Source.File), fmt.Sprintf("source_line=%d", md.Source.Line))
	}
	if len(fields) > 0 {
		fmt.Fprintf(&w.out, ", metadata={%s}", strings.Join(fields, " "))
	}
}
