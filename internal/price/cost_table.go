package price

import "github.com/xlagate/xlagate/internal/hlo"

// elementWork is what an operation does to each element of its result.
type elementWork uint8

const (
	noWork elementWork = iota
	oneFlop
	oneTranscendental
)

// workOf tells the work of the operations that have no rule of their own.
var workOf = [hlo.NumOpcodes]elementWork{
	hlo.OpAbs: oneFlop, hlo.OpAdd: oneFlop, hlo.OpAnd: oneFlop, hlo.OpBitcastConvert: oneFlop, hlo.OpCeil: oneFlop, hlo.OpClamp: oneFlop,
	hlo.OpCompare: oneFlop, hlo.OpComplex: oneFlop, hlo.OpConvert: oneFlop, hlo.OpCountLeadingZeros: oneFlop, hlo.OpDivide: oneFlop,
	hlo.OpFloor: oneFlop, hlo.OpImag: oneFlop, hlo.OpIsFinite: oneFlop, hlo.OpMaximum: oneFlop, hlo.OpMinimum: oneFlop, hlo.OpMulhi: oneFlop,
	hlo.OpMultiply: oneFlop, hlo.OpNegate: oneFlop, hlo.OpNot: oneFlop, hlo.OpOr: oneFlop, hlo.OpPopcnt: oneFlop, hlo.OpReal: oneFlop,
	hlo.OpReducePrecision: oneFlop, hlo.OpRemainder: oneFlop, hlo.OpRoundNearestAfz: oneFlop, hlo.OpRoundNearestEven: oneFlop,
	hlo.OpSelect: oneFlop, hlo.OpShiftLeft: oneFlop, hlo.OpShiftRightArithmetic: oneFlop, hlo.OpShiftRightLogical: oneFlop,
	hlo.OpSign: oneFlop, hlo.OpStochasticConvert: oneFlop, hlo.OpSubtract: oneFlop, hlo.OpXor: oneFlop,
	hlo.OpAllReduce: oneFlop, hlo.OpAllReduceStart: oneFlop, // two replicas are assumed

	hlo.OpAcos: oneTranscendental, hlo.OpAcosh: oneTranscendental, hlo.OpAsin: oneTranscendental, hlo.OpAsinh: oneTranscendental,
	hlo.OpAtan: oneTranscendental, hlo.OpAtan2: oneTranscendental, hlo.OpAtanh: oneTranscendental, hlo.OpCbrt: oneTranscendental,
	hlo.OpCosine: oneTranscendental, hlo.OpCosh: oneTranscendental, hlo.OpErf: oneTranscendental, hlo.OpExponential: oneTranscendental,
	hlo.OpExponentialMinusOne: oneTranscendental, hlo.OpLog: oneTranscendental, hlo.OpLogPlusOne: oneTranscendental,
	hlo.OpLogistic: oneTranscendental, hlo.OpPower: oneTranscendental, hlo.OpRsqrt: oneTranscendental, hlo.OpSine: oneTranscendental,
	hlo.OpSinh: oneTranscendental, hlo.OpSqrt: oneTranscendental, hlo.OpTan: oneTranscendental, hlo.OpTanh: oneTranscendental,
	hlo.OpRng: oneTranscendental, hlo.OpRngBitGenerator: oneTranscendental, // a number drawn counts as one
}

// parts is how many operands and callees the price of an operation depends on.
type parts struct{ operands, callees uint8 }

var partsOf = [hlo.NumOpcodes]parts{
	hlo.OpAsyncStart: {0, 1}, hlo.OpCall: {0, 1}, hlo.OpCholesky: {1, 0}, hlo.OpConditional: {0, 1}, hlo.OpConvolution: {2, 0}, hlo.OpDot: {2, 0},
	hlo.OpDynamicSlice: {2, 0}, hlo.OpDynamicUpdateSlice: {3, 0}, hlo.OpFft: {1, 0}, hlo.OpFusion: {0, 1}, hlo.OpGather: {2, 0}, hlo.OpMap: {0, 1},
	hlo.OpRaggedDot: {2, 0}, hlo.OpReduce: {1, 1}, hlo.OpReduceWindow: {1, 1}, hlo.OpScaledDot: {2, 0}, hlo.OpScan: {2, 1}, hlo.OpScatter: {3, 1},
	hlo.OpSelectAndScatter: {2, 2}, hlo.OpSort: {1, 0}, hlo.OpTranspose: {1, 0}, hlo.OpTriangularSolve: {2, 0}, hlo.OpWhile: {0, 2},
}

// hasParts reports whether an instruction has the operands and callees that its price depends on.
func hasParts(op hlo.Opcode, operands, callees int) bool {
	return int(op) >= len(partsOf) || operands >= int(partsOf[op].operands) && callees >= int(partsOf[op].callees)
}
