package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// classify says how a launch counts, and whether it is one at all.
func (w *walk) classify(l *launch) bool {
	op := w.m.Instrs[l.id].Opcode
	switch role := roleOf(op); {
	case op == hlo.OpFusion:
		return w.classifyFusion(l)
	case op == hlo.OpCustomCall:
		return w.classifyCustomCall(l)
	case role == roleCollective:
		l.class, l.moves = ClassCollective, l.id
	case role == roleCopy, l.async != hlo.NoInstr && copied(op):
		l.class = ClassCopy
	case role == roleLibrary:
		l.class = ClassLibrary
	}
	return true
}

func (w *walk) classifyCustomCall(l *launch) bool {
	target, _ := w.m.Attr(l.id, "custom_call_target")
	if !kernelTargets[target] {
		l.class = ClassLibrary
	}
	return !freeTargets[target]
}

// classifyFusion knows fusions that call a library, that copy, and that start a collective. TPU splits an asynchronous
// collective over a chain of fusions: the first starts it, those in the middle compute beside it, the last waits.
func (w *walk) classifyFusion(l *launch) bool {
	if kind, _ := w.m.Attr(l.id, "kind"); kind == "kCustom" {
		l.class = customFusionClass(fusionConfigKind(w.m, l.id))
	}
	callees := w.m.Callees(l.id)
	if len(callees) == 0 {
		return true
	}
	root := w.m.Comps[callees[0]].Root
	if w.m.Instrs[root].Opcode == hlo.OpCustomCall {
		if target, _ := w.m.Attr(root, "custom_call_target"); target == "AsyncCollectiveDone" {
			return false
		}
	}
	if c := w.fusedCollective(callees[0]); c != hlo.NoInstr {
		l.class, l.moves = ClassCollective, c
	}
	return true
}

// fusedCollective finds a collective in a fusion's body that no fusion before it has started.
func (w *walk) fusedCollective(c hlo.CompID) hlo.InstrID {
	first, end := w.m.Body(c)
	for id := first; id < end; id++ {
		if roleOf(w.m.Instrs[id].Opcode) != roleCollective {
			continue
		}
		chain := w.chain(id)
		if w.chains[chain] {
			return hlo.NoInstr
		}
		w.chains[chain] = chain != ""
		return id
	}
	return hlo.NoInstr
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
