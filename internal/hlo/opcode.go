package hlo

import (
	"math"
	"slices"
	"strings"
)

// Opcode is an HLO operation. Spellings that are not in the table get numbers behind the last one, module by module;
// see [Module.OpcodeName].
type Opcode uint16

// The opcodes that XLA prints, from TensorFlow 2.3 (2020: OpTrace, OpTupleSelect) to libtpu 0.0.51 (2026).
const (
	OpAbs Opcode = iota
	OpAcos
	OpAcosh
	OpAdd
	OpAddDependency
	OpAfterAll
	OpAllGather
	OpAllGatherDone
	OpAllGatherStart
	OpAllReduce
	OpAllReduceDone
	OpAllReduceStart
	OpAllToAll
	OpAnd
	OpAsin
	OpAsinh
	OpAsyncDone
	OpAsyncStart
	OpAsyncUpdate
	OpAtan
	OpAtan2
	OpAtanh
	OpBatchNormGrad
	OpBatchNormInference
	OpBatchNormTraining
	OpBitcast
	OpBitcastConvert
	OpBroadcast
	OpCall
	OpCbrt
	OpCeil
	OpCholesky
	OpClamp
	OpCountLeadingZeros
	OpCollectiveBroadcast
	OpCollectivePermute
	OpCollectivePermuteDone
	OpCollectivePermuteStart
	OpCollectiveReduce
	OpCompare
	OpComplex
	OpConcatenate
	OpConditional
	OpConstant
	OpConvert
	OpConvolution
	OpCopy
	OpCopyDone
	OpCopyStart
	OpCosine
	OpCosh
	OpCustomCall
	OpDivide
	OpDomain
	OpDot
	OpDynamicReshape
	OpDynamicSlice
	OpDynamicUpdateSlice
	OpErf
	OpExponential
	OpExponentialMinusOne
	OpFft
	OpFloor
	OpFusion
	OpGather
	OpGetDimensionSize
	OpGetTupleElement
	OpImag
	OpInfeed
	OpIota
	OpIsFinite
	OpLog
	OpLogPlusOne
	OpLogistic
	OpMap
	OpMaximum
	OpMinimum
	OpMulhi
	OpMultiply
	OpNegate
	OpNot
	OpOptBarrier
	OpOr
	OpOutfeed
	OpPad
	OpParameter
	OpPartitionId
	OpPopcnt
	OpPower
	OpRaggedAllToAll
	OpRaggedDot
	OpReal
	OpRecv
	OpRecvDone
	OpReduce
	OpReducePrecision
	OpReduceScatter
	OpReduceWindow
	OpRemainder
	OpReplicaId
	OpReshape
	OpReverse
	OpRng
	OpRngBitGenerator
	OpRngGetAndUpdateState
	OpRoundNearestAfz
	OpRoundNearestEven
	OpRsqrt
	OpScaledDot
	OpScan
	OpScatter
	OpSelect
	OpSelectAndScatter
	OpSend
	OpSendDone
	OpSetDimensionSize
	OpShiftLeft
	OpShiftRightArithmetic
	OpShiftRightLogical
	OpShuffle
	OpSign
	OpSine
	OpSinh
	OpSlice
	OpSort
	OpSqrt
	OpStochasticConvert
	OpSubtract
	OpTan
	OpTanh
	OpTopk
	OpTrace
	OpTranspose
	OpTriangularSolve
	OpTuple
	OpTupleSelect
	OpWhile
	OpXor
)

// NumOpcodes is the number of the opcodes above. What a module spells otherwise is numbered from here on.
const NumOpcodes = len(opcodeNames)

// opcodeNames holds the spelling of every opcode.
var opcodeNames = [...]string{
	OpAbs:                    "abs",
	OpAcos:                   "acos",
	OpAcosh:                  "acosh",
	OpAdd:                    "add",
	OpAddDependency:          "add-dependency",
	OpAfterAll:               "after-all",
	OpAllGather:              "all-gather",
	OpAllGatherDone:          "all-gather-done",
	OpAllGatherStart:         "all-gather-start",
	OpAllReduce:              "all-reduce",
	OpAllReduceDone:          "all-reduce-done",
	OpAllReduceStart:         "all-reduce-start",
	OpAllToAll:               "all-to-all",
	OpAnd:                    "and",
	OpAsin:                   "asin",
	OpAsinh:                  "asinh",
	OpAsyncDone:              "async-done",
	OpAsyncStart:             "async-start",
	OpAsyncUpdate:            "async-update",
	OpAtan:                   "atan",
	OpAtan2:                  "atan2",
	OpAtanh:                  "atanh",
	OpBatchNormGrad:          "batch-norm-grad",
	OpBatchNormInference:     "batch-norm-inference",
	OpBatchNormTraining:      "batch-norm-training",
	OpBitcast:                "bitcast",
	OpBitcastConvert:         "bitcast-convert",
	OpBroadcast:              "broadcast",
	OpCall:                   "call",
	OpCbrt:                   "cbrt",
	OpCeil:                   "ceil",
	OpCholesky:               "cholesky",
	OpClamp:                  "clamp",
	OpCountLeadingZeros:      "count-leading-zeros",
	OpCollectiveBroadcast:    "collective-broadcast",
	OpCollectivePermute:      "collective-permute",
	OpCollectivePermuteDone:  "collective-permute-done",
	OpCollectivePermuteStart: "collective-permute-start",
	OpCollectiveReduce:       "collective-reduce",
	OpCompare:                "compare",
	OpComplex:                "complex",
	OpConcatenate:            "concatenate",
	OpConditional:            "conditional",
	OpConstant:               "constant",
	OpConvert:                "convert",
	OpConvolution:            "convolution",
	OpCopy:                   "copy",
	OpCopyDone:               "copy-done",
	OpCopyStart:              "copy-start",
	OpCosine:                 "cosine",
	OpCosh:                   "cosh",
	OpCustomCall:             "custom-call",
	OpDivide:                 "divide",
	OpDomain:                 "domain",
	OpDot:                    "dot",
	OpDynamicReshape:         "dynamic-reshape",
	OpDynamicSlice:           "dynamic-slice",
	OpDynamicUpdateSlice:     "dynamic-update-slice",
	OpErf:                    "erf",
	OpExponential:            "exponential",
	OpExponentialMinusOne:    "exponential-minus-one",
	OpFft:                    "fft",
	OpFloor:                  "floor",
	OpFusion:                 "fusion",
	OpGather:                 "gather",
	OpGetDimensionSize:       "get-dimension-size",
	OpGetTupleElement:        "get-tuple-element",
	OpImag:                   "imag",
	OpInfeed:                 "infeed",
	OpIota:                   "iota",
	OpIsFinite:               "is-finite",
	OpLog:                    "log",
	OpLogPlusOne:             "log-plus-one",
	OpLogistic:               "logistic",
	OpMap:                    "map",
	OpMaximum:                "maximum",
	OpMinimum:                "minimum",
	OpMulhi:                  "mulhi",
	OpMultiply:               "multiply",
	OpNegate:                 "negate",
	OpNot:                    "not",
	OpOptBarrier:             "opt-barrier",
	OpOr:                     "or",
	OpOutfeed:                "outfeed",
	OpPad:                    "pad",
	OpParameter:              "parameter",
	OpPartitionId:            "partition-id",
	OpPopcnt:                 "popcnt",
	OpPower:                  "power",
	OpRaggedAllToAll:         "ragged-all-to-all",
	OpRaggedDot:              "ragged-dot",
	OpReal:                   "real",
	OpRecv:                   "recv",
	OpRecvDone:               "recv-done",
	OpReduce:                 "reduce",
	OpReducePrecision:        "reduce-precision",
	OpReduceScatter:          "reduce-scatter",
	OpReduceWindow:           "reduce-window",
	OpRemainder:              "remainder",
	OpReplicaId:              "replica-id",
	OpReshape:                "reshape",
	OpReverse:                "reverse",
	OpRng:                    "rng",
	OpRngBitGenerator:        "rng-bit-generator",
	OpRngGetAndUpdateState:   "rng-get-and-update-state",
	OpRoundNearestAfz:        "round-nearest-afz",
	OpRoundNearestEven:       "round-nearest-even",
	OpRsqrt:                  "rsqrt",
	OpScaledDot:              "scaled-dot",
	OpScan:                   "scan",
	OpScatter:                "scatter",
	OpSelect:                 "select",
	OpSelectAndScatter:       "select-and-scatter",
	OpSend:                   "send",
	OpSendDone:               "send-done",
	OpSetDimensionSize:       "set-dimension-size",
	OpShiftLeft:              "shift-left",
	OpShiftRightArithmetic:   "shift-right-arithmetic",
	OpShiftRightLogical:      "shift-right-logical",
	OpShuffle:                "shuffle",
	OpSign:                   "sign",
	OpSine:                   "sine",
	OpSinh:                   "sinh",
	OpSlice:                  "slice",
	OpSort:                   "sort",
	OpSqrt:                   "sqrt",
	OpStochasticConvert:      "stochastic-convert",
	OpSubtract:               "subtract",
	OpTan:                    "tan",
	OpTanh:                   "tanh",
	OpTopk:                   "topk",
	OpTrace:                  "trace",
	OpTranspose:              "transpose",
	OpTriangularSolve:        "triangular-solve",
	OpTuple:                  "tuple",
	OpTupleSelect:            "tuple-select",
	OpWhile:                  "while",
	OpXor:                    "xor",
}

// opcodeByName finds the opcode of a spelling.
var opcodeByName = func() map[string]Opcode {
	byName := make(map[string]Opcode, NumOpcodes)
	for op, name := range opcodeNames {
		byName[name] = Opcode(op)
	}
	return byName
}()

// LookupOpcode finds the opcode of a spelling that the table knows.
func LookupOpcode(name string) (Opcode, bool) {
	op, ok := opcodeByName[name]
	return op, ok
}

// OpcodeNames lists the spellings of all opcodes, in order.
func OpcodeNames() []string {
	var names []string
	for _, name := range opcodeNames {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// spelledOpcode is what an opcode's spelling stands for: an opcode or, for `<op>-start`, `<op>-update` and `<op>-done` that are
// no opcodes themselves, the asynchronous opcode and the one that it wraps.
type spelledOpcode struct{ op, wrapped Opcode }

const noOpcode = Opcode(math.MaxUint16)

// opcode reads an instruction's opcode.
func (p *textParser) opcode(i int) (spelledOpcode, int) {
	head, rest, length := p.t.token(i)
	n, end := p.opcodes.findShort(head, rest, length), i+int(length)
	if n < 0 {
		n, end = p.newOpcode(i)
	}
	return p.spelled[n], end
}

func (p *textParser) newOpcode(i int) (n int32, end int) {
	name := p.t.name(i)
	if name.n == 0 {
		p.fail(i, i, "expected an opcode")
	}
	n = p.opcodes.find(p.t, name)
	if n < 0 {
		n = int32(len(p.spelled))
		p.spelled = append(p.spelled, p.resolve(i, p.m.Text(name.bounds())))
		p.opcodes.add(p.t, name, n)
	}
	return n, name.end()
}

func (p *textParser) resolve(at int, name string) spelledOpcode {
	if spelled, known := lookupSpelling(name); known {
		return spelled
	}
	op, ok := p.unknownOpcode(name)
	if !ok {
		p.fail(at, at, tooManyOpcodes)
	}
	return spelledOpcode{op, noOpcode}
}

// lookupSpelling finds what the name of an opcode that XLA knows stands for.
func lookupSpelling(name string) (spelled spelledOpcode, known bool) {
	if op, ok := LookupOpcode(name); ok {
		return spelledOpcode{op, noOpcode}, true
	}
	for suffix, async := range asyncSuffixes {
		wrapped, cut := strings.CutSuffix(name, suffix)
		if op, ok := LookupOpcode(wrapped); ok && cut {
			return spelledOpcode{async, op}, true
		}
	}
	return spelledOpcode{}, false
}

var asyncSuffixes = map[string]Opcode{"-start": OpAsyncStart, "-update": OpAsyncUpdate, "-done": OpAsyncDone}
