package hlo

import "strconv"

// opcodeAttrs spells the attributes that belong to an opcode, in the order in which XLA prints them.
var opcodeAttrs = [...]func(*attrPrinter){
	OpAllGather:              (*attrPrinter).gathering,
	OpAllGatherStart:         (*attrPrinter).gathering,
	OpAllReduce:              (*attrPrinter).collective,
	OpAllReduceStart:         (*attrPrinter).collective,
	OpAllToAll:               (*attrPrinter).splitting,
	OpAsyncDone:              (*attrPrinter).async,
	OpAsyncStart:             (*attrPrinter).async,
	OpAsyncUpdate:            (*attrPrinter).async,
	OpBatchNormGrad:          (*attrPrinter).batchNorm,
	OpBatchNormInference:     (*attrPrinter).batchNorm,
	OpBatchNormTraining:      (*attrPrinter).batchNorm,
	OpBroadcast:              (*attrPrinter).dimensions,
	OpCall:                   (*attrPrinter).call,
	OpCholesky:               (*attrPrinter).cholesky,
	OpCollectiveBroadcast:    (*attrPrinter).collective,
	OpCollectivePermute:      (*attrPrinter).permute,
	OpCollectivePermuteStart: (*attrPrinter).permute,
	OpCollectiveReduce:       (*attrPrinter).collective,
	OpCompare:                (*attrPrinter).compare,
	OpConcatenate:            (*attrPrinter).dimensions,
	OpConvolution:            (*attrPrinter).convolution,
	OpCopyStart:              (*attrPrinter).copyStart,
	OpCustomCall:             (*attrPrinter).customCall,
	OpDomain:                 (*attrPrinter).domain,
	OpDot:                    (*attrPrinter).dot,
	OpDynamicReshape:         (*attrPrinter).reshape,
	OpDynamicSlice:           (*attrPrinter).dynamicSlice,
	OpExponential:            (*attrPrinter).accuracy,
	OpExponentialMinusOne:    (*attrPrinter).accuracy,
	OpCbrt:                   (*attrPrinter).accuracy,
	OpCosine:                 (*attrPrinter).accuracy,
	OpErf:                    (*attrPrinter).accuracy,
	OpFft:                    (*attrPrinter).fft,
	OpFusion:                 (*attrPrinter).fusion,
	OpGather:                 (*attrPrinter).gather,
	OpGetDimensionSize:       (*attrPrinter).dimensions,
	OpGetTupleElement:        (*attrPrinter).tupleElement,
	OpInfeed:                 (*attrPrinter).infeed,
	OpIota:                   (*attrPrinter).iota,
	OpLog:                    (*attrPrinter).accuracy,
	OpLogPlusOne:             (*attrPrinter).accuracy,
	OpLogistic:               (*attrPrinter).accuracy,
	OpMap:                    (*attrPrinter).dimensions,
	OpOutfeed:                (*attrPrinter).outfeed,
	OpPad:                    (*attrPrinter).pad,
	OpParameter:              (*attrPrinter).parameter,
	OpRaggedAllToAll:         (*attrPrinter).collective,
	OpRaggedDot:              (*attrPrinter).raggedDot,
	OpRecv:                   (*attrPrinter).transfer,
	OpRecvDone:               (*attrPrinter).transfer,
	OpReduce:                 (*attrPrinter).dimensions,
	OpReducePrecision:        (*attrPrinter).reducePrecision,
	OpReduceScatter:          (*attrPrinter).scattering,
	OpReduceWindow:           (*attrPrinter).window,
	OpReshape:                (*attrPrinter).reshape,
	OpReverse:                (*attrPrinter).dimensions,
	OpRng:                    (*attrPrinter).rng,
	OpRngBitGenerator:        (*attrPrinter).rngBits,
	OpRngGetAndUpdateState:   (*attrPrinter).rngState,
	OpRsqrt:                  (*attrPrinter).accuracy,
	OpScaledDot:              (*attrPrinter).dot,
	OpScan:                   (*attrPrinter).scan,
	OpScatter:                (*attrPrinter).scatter,
	OpSelectAndScatter:       (*attrPrinter).window,
	OpSend:                   (*attrPrinter).transfer,
	OpSendDone:               (*attrPrinter).transfer,
	OpSetDimensionSize:       (*attrPrinter).dimensions,
	OpSine:                   (*attrPrinter).accuracy,
	OpSlice:                  (*attrPrinter).slice,
	OpSort:                   (*attrPrinter).sort,
	OpSqrt:                   (*attrPrinter).accuracy,
	OpTan:                    (*attrPrinter).accuracy,
	OpTanh:                   (*attrPrinter).accuracy,
	OpTopk:                   (*attrPrinter).topk,
	OpTranspose:              (*attrPrinter).dimensions,
	OpTriangularSolve:        (*attrPrinter).triangularSolve,
}

func (p *attrPrinter) dimensions() { p.list("dimensions", p.repeated(14)) }

func (p *attrPrinter) batchNorm() {
	p.value = appendFloat32(p.value, p.float32(24))
	p.emit("epsilon")
	p.integer("feature_index", p.number(25))
}

func (p *attrPrinter) float32(field int) float32 {
	f := p.walk(p.body(field))
	return f.float32()
}

func (p *attrPrinter) call() { p.flag("is_composite", 89) }

func (p *attrPrinter) cholesky() { p.booleans(62, "lower") }

// compare leaves out the type and the order that the operands' own type implies.
func (p *attrPrinter) compare() {
	p.text("direction", p.body(63))
	implied := p.m.comparison(p.in)
	if t := p.m.Text(p.body(72)); t != "" && t != implied {
		p.word("type", t)
	}
	if order := p.m.Text(p.body(102)); order == "TOTAL" && implied == "FLOAT" {
		p.word("order", order)
	}
}

// comparison is the type of a comparison that the type of its first operand implies.
func (m *Module) comparison(in *Instruction) string {
	operands := list(m.operands, in.operands)
	if len(operands) == 0 {
		return ""
	}
	switch name := m.Shape(m.Instrs[operands[0]].Shape).Type.String(); name[0] {
	case 'p', 'u':
		return "UNSIGNED"
	case 's':
		return "SIGNED"
	}
	return "FLOAT"
}

func (p *attrPrinter) copyStart() {
	if p.has(80) {
		p.integer("cross_program_prefetch_index", p.number(80))
	}
	p.flag("is_cross_program_prefetch", 73)
}

func (p *attrPrinter) dynamicSlice() { p.list("dynamic_slice_sizes", p.repeated(20)) }

var fftTypes = []string{"FFT", "IFFT", "RFFT", "IRFFT"}

func (p *attrPrinter) fft() {
	p.name("fft_type", fftTypes, p.number(31))
	p.list("fft_length", p.repeated(32))
}

func (p *attrPrinter) fusion() {
	p.text("kind", p.body(11))
	p.aliasing()
}

// aliasing prints output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {})}.
func (p *attrPrinter) aliasing() {
	if !p.has(74) {
		return
	}
	p.value = append(p.value, '{')
	p.each(74, func(i int, body Range) {
		if i > 0 {
			p.value = append(p.value, ", "...)
		}
		p.value = p.appendAliasing(p.value, body)
	})
	p.value = append(p.value, '}')
	p.emit("output_to_operand_aliasing")
}

func (p *attrPrinter) appendAliasing(b []byte, body Range) []byte {
	var output, index []int64
	var operand uint64
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes, 1<<3 | wireVarint: // output_shape_index
			output = appendNumbers(output, &f)
		case 2<<3 | wireVarint: // operand_index
			operand = f.value
		case 3<<3 | wireBytes, 3<<3 | wireVarint: // operand_shape_index
			index = appendNumbers(index, &f)
		}
	}
	p.walked(&f)
	b = appendList(append(b, '{'), output)
	b = strconv.AppendUint(append(b, "}: ("...), operand, 10)
	b = appendList(append(b, ", {"...), index)
	return append(b, "})"...)
}

func (p *attrPrinter) tupleElement() { p.integer("index", int64(p.in.Param)) }

func (p *attrPrinter) infeed() {
	if p.has(27) {
		p.text("infeed_config", p.body(27))
	}
}

func (p *attrPrinter) outfeed() {
	if p.has(29) {
		p.value = append(p.value, p.shapeText(p.body(29))...)
		p.emit("outfeed_shape")
	}
	if p.has(22) {
		p.text("outfeed_config", p.body(22))
	}
}

func (p *attrPrinter) iota() {
	if d := p.repeated(14); len(d) > 0 {
		p.integer("iota_dimension", d[0])
	}
}

func (p *attrPrinter) parameter() {
	if p.has(61) {
		f := p.walk(p.body(61))
		p.value = append(p.value, '{')
		for f.next() {
			p.value = appendBooleans(p.value, appendNumbers(nil, &f))
		}
		p.walked(&f)
		p.value = append(p.value, '}')
		p.emit("parameter_replication")
	}
}

func appendBooleans(b []byte, values []int64) []byte {
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendBool(b, v != 0)
	}
	return b
}

func (p *attrPrinter) reducePrecision() {
	p.integer("exponent_bits", p.number(18))
	p.integer("mantissa_bits", p.number(19))
}

func (p *attrPrinter) reshape() {
	if d := p.repeated(14); len(d) > 0 {
		p.integerUnless("inferred_dimension", d[0], -1)
	}
}

var (
	rngDistributions = []string{"rng_invalid", "rng_uniform", "rng_normal"}
	rngAlgorithms    = []string{"rng_default", "rng_three_fry", "rng_philox"}
)

func (p *attrPrinter) rng()      { p.name("distribution", rngDistributions, p.number(23)) }
func (p *attrPrinter) rngBits()  { p.name("algorithm", rngAlgorithms, p.number(70)) }
func (p *attrPrinter) rngState() { p.integer("delta", p.number(66)) }

func (p *attrPrinter) scan() {
	p.dimensions()
	p.integer("num_carries", p.number(95))
	p.flag("is_reverse", 94)
	p.name("is_associative", []string{"unspecified", "true", "false"}, p.number(96))
}

// slice prints the strides of all dimensions when one is not 1.
func (p *attrPrinter) slice() {
	var bounds [][8]int64
	strided := false
	p.each(17, func(_ int, body Range) {
		n := p.numbersOf(body)
		bounds = append(bounds, n)
		strided = strided || n[3] != 1
	})
	p.value = append(p.value, '{')
	for i, n := range bounds {
		if i > 0 {
			p.value = append(p.value, ", "...)
		}
		p.value = appendBounds(p.value, n, strided)
	}
	p.value = append(p.value, '}')
	p.emit("slice")
}

func appendBounds(b []byte, n [8]int64, strided bool) []byte {
	b = strconv.AppendInt(append(b, '['), n[1], 10)
	b = strconv.AppendInt(append(b, ':'), n[2], 10)
	if strided {
		b = strconv.AppendInt(append(b, ':'), n[3], 10)
	}
	return append(b, ']')
}

// numbersOf reads a message that holds nothing but numbers, by field number.
func (p *attrPrinter) numbersOf(body Range) (n [8]int64) {
	f := p.walk(body)
	for f.next() {
		if f.tag < len(n)<<3 && f.tag&7 == wireVarint {
			n[f.tag>>3] = int64(f.value)
		}
	}
	p.walked(&f)
	return n
}

func (p *attrPrinter) sort() {
	p.dimensions()
	p.flag("is_stable", 60)
}

func (p *attrPrinter) topk() {
	p.integer("k", p.number(81))
	p.word("largest", strconv.FormatBool(p.number(85) != 0))
	p.flag("is_stable", 60)
}

var transposes = []string{"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}

func (p *attrPrinter) triangularSolve() {
	p.booleans(59, "left_side", "lower", "unit_diagonal")
	if t := p.numbersOf(p.body(59))[4]; t != 0 {
		p.name("transpose_a", transposes, t)
	}
}

// booleans prints the fields 1, 2, … of a message of options that are set.
func (p *attrPrinter) booleans(field int, names ...string) {
	n := p.numbersOf(p.body(field))
	for i, name := range names {
		if n[i+1] != 0 {
			p.word(name, "true")
		}
	}
}

var (
	paddingTypes = []string{"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"}
	schedules    = []string{"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"}
	apiVersions  = []string{"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
		"API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}
)

func (p *attrPrinter) customCall() {
	p.window()
	p.dimLabels()
	p.counts()
	p.precision()
	if p.has(75) {
		p.name("padding_type", paddingTypes, p.number(75))
	}
	p.text("custom_call_target", p.body(28))
	if p.number(56) != 0 {
		p.layoutConstraints()
	}
	p.flag("custom_call_has_side_effect", 65)
	if p.has(8) {
		p.customLiteral()
	}
	p.aliasing()
	if p.has(76) {
		p.name("schedule", schedules, p.number(76))
	}
	if v := p.number(77); v > 1 {
		p.name("api_version", apiVersions, v)
	}
}

// layoutConstraints prints operand_layout_constraints={f32[2]{0}, f32[]}.
func (p *attrPrinter) layoutConstraints() {
	p.value = append(p.value, '{')
	p.each(57, func(i int, body Range) {
		if i > 0 {
			p.value = append(p.value, ", "...)
		}
		p.value = append(p.value, p.shapeText(body)...)
	})
	p.value = append(p.value, '}')
	p.emit("operand_layout_constraints")
}

// shapeText prints a ShapeProto that is not an instruction's own shape, with its layout.
func (p *attrPrinter) shapeText(body Range) string {
	scratch := Module{}
	d := shapeDecoder{src: p.m.src, table: &scratch.shapes}
	id, ok := d.decode(body, 0)
	if !ok {
		p.broken = garbage
		return ""
	}
	return scratch.ShapeLayoutText(id)
}

func (p *attrPrinter) customLiteral() {
	p.value = appendLiteral(p.value, p.m.src, p.body(8), 0)
	p.emit("literal")
}
