package hlo

// elementWork is what an operation does to each element of its result.
type elementWork uint8

const (
	noWork elementWork = iota
	oneFlop
	oneTranscendental
)

// workOf tells the work of the operations that have no rule of their own.
var workOf = [len(opcodeNames)]elementWork{
	OpAbs: oneFlop, OpAdd: oneFlop, OpAnd: oneFlop, OpBitcastConvert: oneFlop, OpCeil: oneFlop, OpClamp: oneFlop,
	OpCompare: oneFlop, OpComplex: oneFlop, OpConvert: oneFlop, OpCountLeadingZeros: oneFlop, OpDivide: oneFlop,
	OpFloor: oneFlop, OpImag: oneFlop, OpIsFinite: oneFlop, OpMaximum: oneFlop, OpMinimum: oneFlop, OpMulhi: oneFlop,
	OpMultiply: oneFlop, OpNegate: oneFlop, OpNot: oneFlop, OpOr: oneFlop, OpPopcnt: oneFlop, OpReal: oneFlop,
	OpReducePrecision: oneFlop, OpRemainder: oneFlop, OpRoundNearestAfz: oneFlop, OpRoundNearestEven: oneFlop,
	OpSelect: oneFlop, OpShiftLeft: oneFlop, OpShiftRightArithmetic: oneFlop, OpShiftRightLogical: oneFlop,
	OpSign: oneFlop, OpStochasticConvert: oneFlop, OpSubtract: oneFlop, OpXor: oneFlop,
	OpAllReduce: oneFlop, OpAllReduceStart: oneFlop, // two replicas are assumed

	OpAcos: oneTranscendental, OpAcosh: oneTranscendental, OpAsin: oneTranscendental, OpAsinh: oneTranscendental,
	OpAtan: oneTranscendental, OpAtan2: oneTranscendental, OpAtanh: oneTranscendental, OpCbrt: oneTranscendental,
	OpCosine: oneTranscendental, OpCosh: oneTranscendental, OpErf: oneTranscendental, OpExponential: oneTranscendental,
	OpExponentialMinusOne: oneTranscendental, OpLog: oneTranscendental, OpLogPlusOne: oneTranscendental,
	OpLogistic: oneTranscendental, OpPower: oneTranscendental, OpRsqrt: oneTranscendental, OpSine: oneTranscendental,
	OpSinh: oneTranscendental, OpSqrt: oneTranscendental, OpTan: oneTranscendental, OpTanh: oneTranscendental,
	OpRng: oneTranscendental, OpRngBitGenerator: oneTranscendental, // a number drawn counts as one
}

// parts is how many operands and callees the price of an operation depends on.
type parts struct{ operands, callees uint8 }

var partsOf = [len(opcodeNames)]parts{
	OpAsyncStart: {0, 1}, OpCall: {0, 1}, OpCholesky: {1, 0}, OpConditional: {0, 1}, OpConvolution: {2, 0}, OpDot: {2, 0},
	OpDynamicSlice: {2, 0}, OpDynamicUpdateSlice: {3, 0}, OpFft: {1, 0}, OpFusion: {0, 1}, OpGather: {2, 0}, OpMap: {0, 1},
	OpRaggedDot: {2, 0}, OpReduce: {1, 1}, OpReduceWindow: {1, 1}, OpScaledDot: {2, 0}, OpScan: {2, 1}, OpScatter: {3, 1},
	OpSelectAndScatter: {2, 2}, OpSort: {1, 0}, OpTranspose: {1, 0}, OpTriangularSolve: {2, 0}, OpWhile: {0, 2},
}

// hasParts tells whether an instruction has the operands and callees that its price depends on.
func (op Opcode) hasParts(operands, callees int) bool {
	return int(op) >= len(partsOf) || operands >= int(partsOf[op].operands) && callees >= int(partsOf[op].callees)
}
