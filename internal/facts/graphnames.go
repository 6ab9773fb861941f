package facts

import (
	"fmt"
	"slices"
	"strings"
)

// nameless are names that a framework gives to whatever it compiles: they say nothing of the function. Keras has the last one for the step of
// fit, of evaluate and of predict.
var nameless = map[string]bool{"SyncTensorsGraph": true, "IrToHlo": true, "restored_function_body": true, "one_step_on_data": true}

// graphNames tells the graphs apart that share a nameless name, by what they compute, without shapes: the first graph
// of a run keeps the name, the second becomes "SyncTensorsGraph-2".
type graphNames map[string][]string

func (g graphNames) of(m *measurement) string {
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

// arranging operations decide where values lie, in which order and type, not what is computed: a batch of another size may need one more.
var arranging = map[string]bool{
	"parameter": true, "constant": true, "tuple": true, "get-tuple-element": true, "broadcast": true, "reshape": true, "transpose": true,
	"convert": true, "copy": true, "bitcast": true,
}

// familyOf spells how often each operation stands in a module that graphNames has to tell from others. A graph that computes nothing is
// told by all that is in it.
func (out *measurement) familyOf(r *reader) string {
	if !nameless[out.Program] {
		return ""
	}
	all, computing := map[string]int{}, map[string]int{}
	for id, n := range r.distinct() {
		op := r.opcode(id)
		all[op] += n
		if !arranging[op] {
			computing[op] += n
		}
	}
	if len(computing) == 0 {
		computing = all
	}
	return fmt.Sprint(computing) // in the order of the keys
}
