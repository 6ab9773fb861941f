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

// hloText writes each module to a file of HLO text, whole or only the part in a scope. XLA's own parser reads it. Of a comparison it writes the
// new side.
func hloText(views []view, o Options) (files []File, err error) {
	for i := range views {
		for name, v := range views[i].modules {
			if v.Module == nil {
				return nil, fmt.Errorf("%s: a baseline holds no module to write; name a dump", views[i].program)
			}
			if w := (&hloWriter{m: v.Module, o: o}); w.module() {
				files = append(files, File{fileName(name) + ".hlo", w.out.Bytes()})
			}
		}
	}
	if len(files) == 0 && o.Scope != "" {
		return nil, fmt.Errorf("no operation is in the scope %q; `xlagate inspect --all DUMP` lists the op_names", o.Scope)
	}
	return files, nil
}

// hloWriter prints a module as XLA does.
type hloWriter struct {
	m   *hlo.Module
	o   Options
	out bytes.Buffer
}

func (w *hloWriter) module() bool {
	if w.o.Scope != "" {
		return w.part()
	}
	w.header(w.m.Entry)
	for c := range w.m.Comps {
		w.computation(hlo.CompID(c))
	}
	return true
}

func (w *hloWriter) header(entry hlo.CompID) {
	h := &w.m.Header
	fmt.Fprintf(&w.out, "HloModule %s", w.m.Name)
	if h.IsScheduled {
		w.out.WriteString(", is_scheduled=true")
	}
	if len(h.Aliases) > 0 && w.o.Scope == "" {
		var list []string
		for _, a := range h.Aliases {
			kind := "may-alias"
			if a.Must {
				kind = "must-alias"
			}
			list = append(list, fmt.Sprintf("%s: (%d, %s, %s)", indices(a.Output), a.Param, indices(a.ParamIndex), kind))
		}
		fmt.Fprintf(&w.out, ", input_output_alias={ %s }", strings.Join(list, ", "))
	}
	if len(h.Donors) > 0 && w.o.Scope == "" {
		list := phrase.Map(h.Donors, func(d hlo.Donor) string { return fmt.Sprintf("(%d, %s)", d.Param, indices(d.ParamIndex)) })
		fmt.Fprintf(&w.out, ", buffer_donor={ %s }", strings.Join(list, ", "))
	}
	if w.o.Scope == "" {
		fmt.Fprintf(&w.out, ", entry_computation_layout={(%s)->%s}", strings.Join(w.parameters(entry), ", "), w.shape(w.m.Comps[entry].Root))
	}
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

// parameters are the shapes of a computation's parameters, in their order.
func (w *hloWriter) parameters(c hlo.CompID) []string {
	var shapes []string
	for _, id := range w.m.Params(c) {
		if id != hlo.NoInstr {
			shapes = append(shapes, w.shape(id))
		}
	}
	return shapes
}

func (w *hloWriter) shape(id hlo.InstrID) string { return w.m.ShapeLayoutText(w.m.Instrs[id].Shape) }

func (w *hloWriter) computation(c hlo.CompID) {
	w.out.WriteString("\n")
	if c == w.m.Entry && w.o.Scope == "" {
		w.out.WriteString("ENTRY ")
	}
	fmt.Fprintf(&w.out, "%%%s {\n", w.m.CompName(c))
	first, end := w.m.Body(c)
	for id := first; id < end; id++ {
		w.instruction(id, id == w.m.Comps[c].Root, int(w.m.Instrs[id].Param))
	}
	w.out.WriteString("}")
	if thread := w.m.Text(w.m.Comps[c].Thread); thread != "" {
		fmt.Fprintf(&w.out, ", execution_thread=%s", hlo.Quoted(strings.Trim(thread, `"`)))
	}
	w.out.WriteString("\n")
}

// instruction prints an instruction. A parameter has its number in what is printed.
func (w *hloWriter) instruction(id hlo.InstrID, root bool, number int) {
	i := &w.m.Instrs[id]
	w.out.WriteString("  ")
	if root {
		w.out.WriteString("ROOT ")
	}
	fmt.Fprintf(&w.out, "%%%s = %s %s(", w.m.InstrName(id), w.shape(id), w.m.OpcodeName(i.Opcode))
	switch i.Opcode {
	case hlo.OpParameter:
		w.out.WriteString(strconv.Itoa(number))
	case hlo.OpConstant:
		w.out.WriteString(w.m.Literal(id))
	default:
		w.out.WriteString(w.names(w.m.Operands(id)))
	}
	w.out.WriteString(")")
	w.callees(id)
	for key, value := range w.m.Attrs(id) {
		if key == "control-predecessors" && w.o.Scope != "" {
			continue
		}
		fmt.Fprintf(&w.out, ", %s=%s", key, spelled(key, value))
	}
	w.metadata(id)
	w.out.WriteString("\n")
}

func (w *hloWriter) names(ids []hlo.InstrID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = "%" + w.m.InstrName(id)
	}
	return strings.Join(names, ", ")
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

// callees prints the computations that an instruction calls.
func (w *hloWriter) callees(id hlo.InstrID) {
	comps := w.m.Callees(id)
	if len(comps) == 0 {
		return
	}
	names := make([]string, len(comps))
	for i, c := range comps {
		names[i] = "%" + w.m.CompName(c)
	}
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

// part prints the part of the program in the scope as a separate module, from the computation with most of it. Values from outside become
// parameters, values that are read outside become results. It returns false if nothing is in the scope.
func (w *hloWriter) part() bool {
	from, inside := w.most(func(c hlo.CompID) bool { return !w.applied(c) })
	if from == hlo.NoComp {
		from, inside = w.most(func(hlo.CompID) bool { return true })
	}
	if from == hlo.NoComp {
		return false
	}
	w.header(from)
	called := map[hlo.CompID]bool{}
	for id := range inside {
		w.reach(id, called)
	}
	for _, c := range slices.Sorted(maps.Keys(called)) {
		w.computation(c)
	}
	w.entry(from, inside)
	return true
}

// most finds the computation with the most instructions in the scope, and these instructions. The entry computation has priority.
func (w *hloWriter) most(fits func(hlo.CompID) bool) (from hlo.CompID, inside map[hlo.InstrID]bool) {
	from = hlo.NoComp
	for c := range w.m.Comps {
		id := hlo.CompID(c)
		if found := w.found(id); len(found) > 0 && (len(found) >= len(inside) || id == w.m.Entry) && fits(id) {
			from, inside = id, found
		}
	}
	return from, inside
}

// found lists the instructions of a computation that are in the scope, and the starts of the asynchronous ones that end there.
func (w *hloWriter) found(c hlo.CompID) map[hlo.InstrID]bool {
	found := map[hlo.InstrID]bool{}
	first, end := w.m.Body(c)
	for id := end - 1; id >= first; id-- {
		if !found[id] && !w.o.inScope(w.m.Metadata(id).OpName) {
			continue
		}
		found[id] = true
		name := w.m.OpcodeName(w.m.Instrs[id].Opcode)
		for _, operand := range w.m.Operands(id) {
			if strings.HasSuffix(name, "-done") || strings.HasSuffix(name, "-update") || w.m.Instrs[operand].Opcode == hlo.OpConstant {
				found[operand] = true
			}
		}
	}
	return found
}

// applied reports whether a computation is the inside of a fusion, or is applied to elements by a reduction. Such a computation is not part of the schedule.
func (w *hloWriter) applied(c hlo.CompID) bool {
	for id := range w.m.Instrs {
		switch w.m.Instrs[id].Opcode {
		case hlo.OpWhile, hlo.OpConditional, hlo.OpCall:
			continue
		}
		if slices.Contains(w.m.Callees(hlo.InstrID(id)), c) {
			return true
		}
	}
	return false
}

// reach marks all computations that an instruction needs.
func (w *hloWriter) reach(id hlo.InstrID, called map[hlo.CompID]bool) {
	for _, c := range w.m.Callees(id) {
		if called[c] {
			continue
		}
		called[c] = true
		first, end := w.m.Body(c)
		for inner := first; inner < end; inner++ {
			w.reach(inner, called)
		}
	}
}

func (w *hloWriter) entry(c hlo.CompID, inside map[hlo.InstrID]bool) {
	fmt.Fprintf(&w.out, "\nENTRY %%%s {\n", w.m.CompName(c))
	first, end := w.m.Body(c)
	handed, used := map[hlo.InstrID]bool{}, map[hlo.InstrID]bool{w.m.Comps[c].Root: true}
	for id := first; id < end; id++ {
		for _, operand := range w.m.Operands(id) {
			handed[operand] = handed[operand] || inside[id] && !inside[operand]
			used[operand] = used[operand] || !inside[id]
		}
	}
	var results []hlo.InstrID
	parameters := 0
	for id := first; id < end; id++ {
		switch parameter := w.m.Instrs[id].Opcode == hlo.OpParameter; {
		case handed[id] || inside[id] && parameter:
			fmt.Fprintf(&w.out, "  %%%s = %s parameter(%d)\n", w.m.InstrName(id), w.shape(id), parameters)
			parameters++
		case inside[id]:
			w.instruction(id, false, 0)
			if used[id] && w.m.Instrs[id].Opcode != hlo.OpConstant {
				results = append(results, id)
			}
		}
	}
	w.results(results)
	w.out.WriteString("}\n")
}

func (w *hloWriter) results(ids []hlo.InstrID) {
	shapes := make([]string, len(ids))
	for i, id := range ids {
		shapes[i] = w.shape(id)
	}
	fmt.Fprintf(&w.out, "  ROOT %%results.of.scope = (%s) tuple(%s)\n", strings.Join(shapes, ", "), w.names(ids))
}
