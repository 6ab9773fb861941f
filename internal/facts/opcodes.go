package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

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

// hidden says whether an opcode is left out of what a kernel does: it moves nothing and computes nothing.
func hidden(op hlo.Opcode) bool {
	switch op {
	case hlo.OpParameter, hlo.OpConstant, hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBitcast:
		return true
	}
	return false
}

// copied says whether an operation only moves data: wrapped in an async-start it is a copy by DMA.
func copied(op hlo.Opcode) bool {
	switch op {
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice, hlo.OpCopy, hlo.OpConcatenate:
		return true
	}
	return false
}

// plainOpcode is a collective's or copy's opcode without what says how it is started.
func plainOpcode(name string) string { return strings.TrimSuffix(name, "-start") }
