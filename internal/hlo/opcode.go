package hlo

import (
	"math"
	"slices"
	"strings"
)

// Opcode is an HLO operation. An opcode that is not one of the constants has a number behind them, which holds for one module; see [Module.OpcodeName].
type Opcode uint16

// The opcodes that XLA prints, from TensorFlow 2.3 (2020) to libtpu 0.0.51 (2026).
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

// NumOpcodes is the number of the constants. The other opcodes of a module are numbered from here on.
const NumOpcodes = len(opcodeNames)

// opcodeNames holds the spellings of the opcodes, in the order of the constants.
var opcodeNames = [...]string{
	"abs", "acos", "acosh", "add", "add-dependency", "after-all", "all-gather", "all-gather-done", "all-gather-start", "all-reduce",
	"all-reduce-done", "all-reduce-start", "all-to-all", "and", "asin", "asinh", "async-done", "async-start", "async-update", "atan",
	"atan2", "atanh", "batch-norm-grad", "batch-norm-inference", "batch-norm-training", "bitcast", "bitcast-convert", "broadcast",
	"call", "cbrt", "ceil", "cholesky", "clamp", "count-leading-zeros", "collective-broadcast", "collective-permute",
	"collective-permute-done", "collective-permute-start", "collective-reduce", "compare", "complex", "concatenate", "conditional",
	"constant", "convert", "convolution", "copy", "copy-done", "copy-start", "cosine", "cosh", "custom-call", "divide", "domain", "dot",
	"dynamic-reshape", "dynamic-slice", "dynamic-update-slice", "erf", "exponential", "exponential-minus-one", "fft", "floor", "fusion",
	"gather", "get-dimension-size", "get-tuple-element", "imag", "infeed", "iota", "is-finite", "log", "log-plus-one", "logistic", "map",
	"maximum", "minimum", "mulhi", "multiply", "negate", "not", "opt-barrier", "or", "outfeed", "pad", "parameter", "partition-id",
	"popcnt", "power", "ragged-all-to-all", "ragged-dot", "real", "recv", "recv-done", "reduce", "reduce-precision", "reduce-scatter",
	"reduce-window", "remainder", "replica-id", "reshape", "reverse", "rng", "rng-bit-generator", "rng-get-and-update-state",
	"round-nearest-afz", "round-nearest-even", "rsqrt", "scaled-dot", "scan", "scatter", "select", "select-and-scatter", "send",
	"send-done", "set-dimension-size", "shift-left", "shift-right-arithmetic", "shift-right-logical", "shuffle", "sign", "sine", "sinh",
	"slice", "sort", "sqrt", "stochastic-convert", "subtract", "tan", "tanh", "topk", "trace", "transpose", "triangular-solve", "tuple",
	"tuple-select", "while", "xor",
}

// opcodeByName finds opcodes by their spelling.
var opcodeByName = func() map[string]Opcode {
	byName := make(map[string]Opcode, NumOpcodes)
	for op, name := range opcodeNames {
		byName[name] = Opcode(op)
	}
	return byName
}()

// LookupOpcode returns the opcode of a spelling. It returns false for an opcode that is not in the table.
func LookupOpcode(name string) (Opcode, bool) {
	op, ok := opcodeByName[name]
	return op, ok
}

// OpcodeNames returns the spellings of all opcodes, sorted.
func OpcodeNames() []string { return slices.Sorted(slices.Values(opcodeNames[:])) }

// spelledOpcode is the meaning of an opcode's spelling: an opcode or, for an `<op>-start`, `<op>-update` or `<op>-done` that is no
// opcode itself, the asynchronous opcode and the one that it wraps.
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
		spelled, known := lookupSpelling(p.m.Text(name.bounds()))
		if !known {
			op, ok := p.unknownOpcode(p.m.Text(name.bounds()))
			if !ok {
				p.fail(i, i, tooManyOpcodes)
			}
			spelled = spelledOpcode{op, noOpcode}
		}
		n = int32(len(p.spelled))
		p.spelled = append(p.spelled, spelled)
		p.opcodes.add(p.t, name, n)
	}
	return n, name.end()
}

// lookupSpelling returns the meaning of an opcode's spelling. It returns false for an opcode that is not in the table.
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
