package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// classify says how a launch counts, and whether it is one at all.
func (w *walk) classify(l *launch) bool {
	op := w.m.Instrs[l.id].Opcode
	switch role := roleOf(op); {
	case op == hlo.OpFusion, op == hlo.OpCustomCall:
		j := w.judge(l.id)
		l.class = j.class
		if j.collective >= 0 {
			w.start(l, w.m.Comps[w.m.Callees(l.id)[0]].First+j.collective)
		}
		return !j.free
	case w.withHost(l.id):
		l.class = ClassControl
	case role == roleCollective:
		l.class, l.moves = ClassCollective, l.id
	case role == roleCopy, l.async != hlo.NoInstr && copied(op):
		l.class = ClassCopy
	case role == roleLibrary:
		l.class = ClassLibrary
	}
	return true
}

// withHost says whether an operation hands something to the host or takes it from there: so a TPU calls Python.
func (w *walk) withHost(id hlo.InstrID) bool {
	switch w.m.Instrs[id].Opcode {
	case hlo.OpSend, hlo.OpRecv:
		host, _ := w.m.Attr(id, "is_host_transfer")
		return host == "true"
	}
	return false
}

// start makes a fusion the launch of the collective in it, unless a fusion before it has started that. TPU splits an asynchronous
// collective over a chain of fusions: the first starts it, those in the middle compute beside it, the last waits.
func (w *walk) start(l *launch, collective hlo.InstrID) {
	chain := w.chain(collective)
	if w.chains[chain] {
		return
	}
	w.chains[chain] = chain != ""
	l.class, l.moves = ClassCollective, collective
}

// judgement is how instructions count that say the same.
type judgement struct {
	class      Class
	free       bool        // no launch
	small      bool        // a call that XLA for CPU compiles into one kernel
	collective hlo.InstrID // the first one in a fusion, counted from its body's first instruction; -1 for none
}

// judge looks at fusions and calls of any kind, once at those that say the same.
func (w *walk) judge(id hlo.InstrID) judgement {
	own := w.alike.Own(id)
	j, known := w.judged[own]
	if known {
		return j
	}
	j.collective = -1
	switch w.m.Instrs[id].Opcode {
	case hlo.OpFusion:
		w.judgeFusion(&j, id)
	case hlo.OpCustomCall:
		target, _ := w.m.Attr(id, "custom_call_target")
		if j.free = freeTargets[target]; !kernelTargets[target] {
			j.class = ClassLibrary
		}
	case hlo.OpCall:
		attrs, _ := w.m.Attr(id, "frontend_attributes")
		j.small = frontendAttribute(attrs, "xla_cpu_small_call") == "true"
	}
	w.judged[own] = j
	return j
}

// judgeFusion knows fusions that call a library, that copy, and that have to do with a collective.
func (w *walk) judgeFusion(j *judgement, id hlo.InstrID) {
	if kind, _ := w.m.Attr(id, "kind"); kind == "kCustom" {
		j.class = customFusionClass(fusionConfigKind(w.m, id))
	}
	callees := w.m.Callees(id)
	if len(callees) == 0 {
		return
	}
	root := w.m.Comps[callees[0]].Root
	if w.m.Instrs[root].Opcode == hlo.OpCustomCall {
		target, _ := w.m.Attr(root, "custom_call_target")
		j.free = target == "AsyncCollectiveDone"
	}
	first, end := w.m.Body(callees[0])
	for i := first; i < end && j.collective < 0 && !j.free; i++ {
		if roleOf(w.m.Instrs[i].Opcode) == roleCollective {
			j.collective = i - first
		}
	}
}

// chain is what the pieces of one asynchronous collective have in common, "" for a collective in one piece.
func (w *walk) chain(id hlo.InstrID) string {
	attrs, _ := w.m.Attr(id, "frontend_attributes")
	chain := frontendAttribute(attrs, "chain_id")
	if chain == "" {
		return ""
	}
	channel, _ := w.m.Attr(id, "channel_id")
	return channel + " " + chain
}

// customFusionClass is the class of a fusion of kind kCustom by the kind in its fusion_config.
func customFusionClass(kind string) Class {
	switch {
	case kind == "__dynamic_memcpy":
		return ClassCopy
	case kind == "__ynn_fusion", kind == "__xnn_fusion", strings.HasPrefix(kind, "__onednn"),
		strings.HasPrefix(kind, "__cudnn"), strings.HasPrefix(kind, "__cublas"):
		return ClassLibrary
	}
	return ClassKernel
}

// fusionConfigKind is backend_config.fusion_backend_config.kind (GPU) or fusion_config.kind (CPU); "" when there is none.
func fusionConfigKind(m *hlo.Module, id hlo.InstrID) string {
	config, _ := m.Attr(id, "backend_config")
	for rest := config; ; {
		at := strings.Index(rest, `"kind":"`)
		if at < 0 {
			return ""
		}
		rest = rest[at+len(`"kind":"`):]
		if kind, _, ok := strings.Cut(rest, `"`); ok && strings.HasPrefix(kind, "__") {
			return kind
		}
	}
}

// frontendAttribute returns one value of a printed frontend_attributes: {name="value",other={...}}.
func frontendAttribute(printed, name string) string {
	at := strings.Index(printed, name+`="`)
	if at < 0 {
		return ""
	}
	value, _, _ := strings.Cut(printed[at+len(name)+2:], `"`)
	return value
}
