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
		j := w.classification(l.id)
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

// withHost reports whether an operation hands something to the host or takes it from there: so a TPU calls Python.
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

// classification is how instructions count that say the same.
type classification struct {
	class      Class
	free       bool        // no launch
	small      bool        // a call that XLA for CPU compiles into one kernel
	collective hlo.InstrID // the first one in a fusion, counted from its body's first instruction; -1 for none
}

// classification looks at fusions and calls of any kind, once at those that say the same.
func (w *walk) classification(id hlo.InstrID) classification {
	own := w.alike.Own(id)
	j, known := w.classified[own]
	if known {
		return j
	}
	j.collective = -1
	switch w.m.Instrs[id].Opcode {
	case hlo.OpFusion:
		w.classifyFusion(&j, id)
	case hlo.OpCustomCall:
		target, _ := w.m.Attr(id, "custom_call_target")
		if j.free = freeTargets[target]; !kernelTargets[target] {
			j.class = ClassLibrary
		}
	case hlo.OpCall:
		attrs, _ := w.m.Attr(id, "frontend_attributes")
		j.small = frontendAttribute(attrs, "xla_cpu_small_call") == "true"
	}
	w.classified[own] = j
	return j
}

// classifyFusion knows fusions that call a library, that copy, and that have to do with a collective.
func (w *walk) classifyFusion(j *classification, id hlo.InstrID) {
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

// role says what an opcode is to the counting of launches.
type role uint8

const (
	roleKernel role = iota // one launch of its own
	roleFree               // no launch: a name, a view or an order
	roleEnter              // nothing itself; its computations are walked
	roleCopy
	roleCollective
	roleLibrary
	roleControl // the runtime does it: loops, branches, the host's queues
)

// roles holds every opcode that is not a kernel.
var roles = [...]role{
	hlo.OpParameter: roleFree, hlo.OpConstant: roleFree, hlo.OpTuple: roleFree, hlo.OpGetTupleElement: roleFree,
	hlo.OpBitcast: roleFree, hlo.OpAfterAll: roleFree, hlo.OpAddDependency: roleFree, hlo.OpOptBarrier: roleFree,
	hlo.OpDomain: roleFree, hlo.OpGetDimensionSize: roleFree, hlo.OpTrace: roleFree, hlo.OpAsyncUpdate: roleFree,
	hlo.OpAsyncDone: roleFree, hlo.OpCopyDone: roleFree, hlo.OpAllReduceDone: roleFree, hlo.OpAllGatherDone: roleFree,
	hlo.OpCollectivePermuteDone: roleFree, hlo.OpSendDone: roleFree, hlo.OpRecvDone: roleFree,
	hlo.OpPartitionId: roleFree, hlo.OpReplicaId: roleFree, hlo.OpRngGetAndUpdateState: roleFree,

	hlo.OpCall: roleEnter, hlo.OpAsyncStart: roleEnter,
	hlo.OpWhile: roleControl, hlo.OpConditional: roleControl, hlo.OpInfeed: roleControl, hlo.OpOutfeed: roleControl,
	hlo.OpCopy: roleCopy, hlo.OpCopyStart: roleCopy,
	hlo.OpFft: roleLibrary, hlo.OpCustomCall: roleLibrary,

	hlo.OpAllGather: roleCollective, hlo.OpAllGatherStart: roleCollective, hlo.OpAllReduce: roleCollective,
	hlo.OpAllReduceStart: roleCollective, hlo.OpAllToAll: roleCollective, hlo.OpCollectiveBroadcast: roleCollective,
	hlo.OpCollectivePermute: roleCollective, hlo.OpCollectivePermuteStart: roleCollective,
	hlo.OpCollectiveReduce: roleCollective, hlo.OpRaggedAllToAll: roleCollective, hlo.OpReduceScatter: roleCollective,
	hlo.OpSend: roleCollective, hlo.OpRecv: roleCollective,
}

// roleOf is the opcode's role. An opcode that is not known is a kernel.
func roleOf(op hlo.Opcode) role {
	if int(op) < len(roles) {
		return roles[op]
	}
	return roleKernel
}

// freeTargets are custom calls that name, allocate or annotate, and run nothing.
var freeTargets = map[string]bool{
	"AllocateBuffer": true, "ConcatBitcast": true, "AssumeGatherIndicesInBound": true, "GatherScatterIndicesBitpacked": true,
	"AsyncCollectiveDone": true, "Sharding": true, "SPMDFullToShardShape": true, "SPMDShardToFullShape": true,
	"LayoutConstraint": true, "annotate_device_placement": true,
}

// kernelTargets are custom calls that are a kernel of the model's own (Pallas, Triton, Mosaic) or of the compiler.
var kernelTargets = map[string]bool{
	"tpu_custom_call": true, "__gpu$xla.gpu.triton": true, "triton_kernel_call": true, "__gpu$TopK": true,
	"mosaic_gpu": true, "mosaic_gpu_v2": true, "__gpu$xla.gpu.ext.cub_sort_keys": true,
}

// hidden reports whether an opcode is left out of what a kernel does: it moves nothing and computes nothing.
func hidden(op hlo.Opcode) bool {
	switch op {
	case hlo.OpParameter, hlo.OpConstant, hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBitcast:
		return true
	}
	return false
}

// copied reports whether an operation only moves data: wrapped in an async-start it is a copy by DMA.
func copied(op hlo.Opcode) bool {
	switch op {
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice, hlo.OpCopy, hlo.OpConcatenate:
		return true
	}
	return false
}

// plainOpcode is a collective's or copy's opcode without what says how it is started.
func plainOpcode(name string) string { return strings.TrimSuffix(name, "-start") }
