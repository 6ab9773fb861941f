package hlo

import (
	"slices"
	"strconv"
)

// attrs print the attributes of an opcode from an HloInstructionProto, in the order in which XLA prints them.
type attrs []func(*attrPrinter)

// The attributes that several opcodes have.
var (
	channel       = integerUnless("channel_id", 26, 0)
	dimensions    = list("dimensions", 14)
	globalDevices = flag("use_global_device_ids", 71)
	stable        = flag("is_stable", 60)

	grouped    = attrs{channel, (*attrPrinter).replicaGroups, flag("constrain_layout", 56)}
	collective = append(slices.Clip(grouped), globalDevices)
	gathering  = append(slices.Clip(grouped), dimensions, globalDevices)
	permuting  = attrs{channel, (*attrPrinter).sourceTargetPairs, (*attrPrinter).sliceSizes}
	transfer   = attrs{channel, flag("is_host_transfer", 47)}
	async      = attrs{ifSet(78, integerUnless("async_group_id", 78, -1)), (*attrPrinter).asyncThread, (*attrPrinter).aliasing}

	epsilon   = appended("epsilon", func(p *attrPrinter, b []byte) []byte { return appendFloat32(b, p.float32(24)) })
	batchNorm = attrs{epsilon, integer("feature_index", 25)}
	dot       = attrs{parts([]int{30}, contraction...), (*attrPrinter).precision}
	reshape   = attrs{onlyDimension("inferred_dimension")}
	shaped    = attrs{dimensions}
	windowed  = attrs{(*attrPrinter).window}
	convolved = attrs{
		(*attrPrinter).window, (*attrPrinter).dimLabels, severalOf("feature_group_count", 50), severalOf("batch_group_count", 58), (*attrPrinter).precision,
	}
)

// opcodeAttrs holds the attributes of the opcodes that have any.
var opcodeAttrs = [NumOpcodes]attrs{
	OpAllGather:              gathering,
	OpAllGatherStart:         gathering,
	OpAllReduce:              collective,
	OpAllReduceStart:         collective,
	OpAllToAll:               append(slices.Clip(grouped), func(p *attrPrinter) { p.listIfAny("dimensions", p.list(14)) }),
	OpAsyncDone:              async,
	OpAsyncStart:             async,
	OpAsyncUpdate:            async,
	OpBatchNormGrad:          batchNorm,
	OpBatchNormInference:     batchNorm,
	OpBatchNormTraining:      batchNorm,
	OpBroadcast:              shaped,
	OpCall:                   {flag("is_composite", 89)},
	OpCholesky:               {booleans(62, "lower")},
	OpCollectiveBroadcast:    collective,
	OpCollectivePermute:      permuting,
	OpCollectivePermuteStart: permuting,
	OpCollectiveReduce:       collective,
	OpCompare:                {(*attrPrinter).compare},
	OpConcatenate:            shaped,
	OpConvolution:            append(slices.Clip(convolved), ifSet(97, enum("conv_kind", 97, "unset", "fprop", "dgrad", "wgrad"))),
	OpCopyStart: {
		ifSet(80, integer("cross_program_prefetch_index", 80)), flag("is_cross_program_prefetch", 73),
	},
	OpCustomCall: append(slices.Clip(convolved),
		ifSet(75, enum("padding_type", 75, "PADDING_INVALID", "PADDING_VALID", "PADDING_SAME")),
		word("custom_call_target", 28),
		(*attrPrinter).layoutConstraints,
		flag("custom_call_has_side_effect", 65),
		ifSet(8, appended("literal", func(p *attrPrinter, b []byte) []byte { return appendLiteral(b, p.m.src, p.body(8), 0) })),
		(*attrPrinter).aliasing,
		ifSet(76, enum("schedule", 76, "SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST")),
		enumFrom(2, "api_version", 77, "", "", "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI")),
	OpDomain:         {(*attrPrinter).domain},
	OpDot:            dot,
	OpDynamicReshape: reshape,
	OpDynamicSlice:   {list("dynamic_slice_sizes", 20)},
	OpFft:            {enum("fft_type", 31, "FFT", "IFFT", "RFFT", "IRFFT"), list("fft_length", 32)},
	OpFusion:         {word("kind", 11), (*attrPrinter).aliasing},
	OpGather: {
		parts([]int{33}, part{"offset_dims", 1, listed}, part{"collapsed_slice_dims", 2, listed}, part{"start_index_map", 3, listed},
			part{"operand_batching_dims", 5, listedIf}, part{"start_indices_batching_dims", 6, listedIf}, part{"index_vector_dim", 4, single}),
		list("slice_sizes", 34), flag("indices_are_sorted", 67),
	},
	OpGetDimensionSize: shaped,
	OpGetTupleElement:  {func(p *attrPrinter) { p.integer("index", int64(p.in.Param)) }},
	OpInfeed:           {ifSet(27, word("infeed_config", 27))},
	OpIota:             {onlyDimension("iota_dimension")},
	OpMap:              shaped,
	OpOutfeed:          {ifSet(29, appended("outfeed_shape", func(p *attrPrinter, b []byte) []byte { return p.appendShape(b, p.body(29)) })), ifSet(22, word("outfeed_config", 22))},
	OpPad:              {(*attrPrinter).padding},
	OpRaggedAllToAll:   collective,
	OpRaggedDot: {
		parts([]int{90, 1}, contraction...), parts([]int{90}, part{"lhs_ragged_dims", 2, listedIf}, part{"rhs_group_dims", 3, listedIf}), (*attrPrinter).precision,
	},
	OpRecv:                 transfer,
	OpRecvDone:             transfer,
	OpReduce:               shaped,
	OpReducePrecision:      {integer("exponent_bits", 18), integer("mantissa_bits", 19)},
	OpReduceScatter:        append(slices.Clip(collective), dimensions),
	OpReduceWindow:         windowed,
	OpReshape:              reshape,
	OpReverse:              shaped,
	OpRng:                  {enum("distribution", 23, "rng_invalid", "rng_uniform", "rng_normal")},
	OpRngBitGenerator:      {enum("algorithm", 70, "rng_default", "rng_three_fry", "rng_philox")},
	OpRngGetAndUpdateState: {integer("delta", 66)},
	OpScaledDot:            dot,
	OpScan: {
		dimensions, integer("num_carries", 95), flag("is_reverse", 94), enum("is_associative", 96, "unspecified", "true", "false"),
	},
	OpScatter: {
		parts([]int{48}, part{"update_window_dims", 1, listed}, part{"inserted_window_dims", 2, listed}, part{"scatter_dims_to_operand_dims", 3, listed},
			part{"input_batching_dims", 5, listedIf}, part{"scatter_indices_batching_dims", 6, listedIf}, part{"index_vector_dim", 4, single}),
		flag("indices_are_sorted", 67), flag("unique_indices", 69),
	},
	OpSelectAndScatter: windowed,
	OpSend:             transfer,
	OpSendDone:         transfer,
	OpSetDimensionSize: shaped,
	OpSlice:            {(*attrPrinter).slice},
	OpSort:             {dimensions, stable},
	OpTopk:             {integer("k", 81), func(p *attrPrinter) { p.word("largest", strconv.FormatBool(p.number(85) != 0)) }, stable},
	OpTranspose:        shaped,
	OpTriangularSolve:  {booleans(59, "left_side", "lower", "unit_diagonal"), (*attrPrinter).transposeA},
}

// The simple kinds of attributes: each prints the value of a field under a key.

func flag(key string, field int) func(*attrPrinter) {
	return func(p *attrPrinter) {
		if p.number(field) != 0 {
			p.word(key, "true")
		}
	}
}

func integer(key string, field int) func(*attrPrinter) {
	return func(p *attrPrinter) { p.integer(key, p.number(field)) }
}

// integerUnless prints a number that is not the default.
func integerUnless(key string, field int, normal int64) func(*attrPrinter) {
	return func(p *attrPrinter) { p.integerUnless(key, p.number(field), normal) }
}

// severalOf prints a count that is larger than one.
func severalOf(key string, field int) func(*attrPrinter) {
	return func(p *attrPrinter) { p.integerUnless(key, max(p.number(field), 1), 1) }
}

func list(key string, field int) func(*attrPrinter) {
	return func(p *attrPrinter) { p.braced(key, p.list(field)) }
}

// onlyDimension prints the first of the dimensions, unless it is -1.
func onlyDimension(key string) func(*attrPrinter) {
	return func(p *attrPrinter) {
		if d := p.list(14); len(d) > 0 {
			p.integerUnless(key, d[0], -1)
		}
	}
}

// appended prints what a function appends.
func appended(key string, value func(p *attrPrinter, b []byte) []byte) func(*attrPrinter) {
	return func(p *attrPrinter) {
		p.value = value(p, p.value)
		p.emit(key)
	}
}

func word(key string, field int) func(*attrPrinter) {
	return func(p *attrPrinter) { p.text(key, p.body(field)) }
}

// enum prints the name of a value of an enum type, or its number where it has no name.
func enum(key string, field int, names ...string) func(*attrPrinter) {
	return func(p *attrPrinter) { p.name(key, names, p.number(field)) }
}

// enumFrom prints a value that is not smaller than the first which has no default.
func enumFrom(least int64, key string, field int, names ...string) func(*attrPrinter) {
	return func(p *attrPrinter) {
		if n := p.number(field); n >= least {
			p.name(key, names, n)
		}
	}
}

// booleans prints the fields 1, 2, … of a message of options that are set.
func booleans(field int, names ...string) func(*attrPrinter) {
	return func(p *attrPrinter) {
		n := p.numbersOf(p.body(field))
		for i, name := range names {
			if n[i+1] != 0 {
				p.word(name, "true")
			}
		}
	}
}

// ifSet prints an attribute when the instruction has a field.
func ifSet(field int, print func(*attrPrinter)) func(*attrPrinter) {
	return func(p *attrPrinter) {
		if p.has(field) {
			print(p)
		}
	}
}

// The attributes of single opcodes.

func (p *attrPrinter) asyncThread() {
	if thread := p.m.Text(p.body(79)); thread != "" && thread != "main" {
		p.word("async_execution_thread", thread)
	}
}

// compare leaves out the type and the order that the type of the operands implies.
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

// comparison returns the type of a comparison that the type of its first operand implies.
func (m *Module) comparison(in *Instruction) string {
	operands := listAt(m.operands, in.operands)
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

// layoutConstraints prints operand_layout_constraints={f32[2]{0}, f32[]}.
func (p *attrPrinter) layoutConstraints() {
	if p.number(56) != 0 {
		p.each("operand_layout_constraints", 57, ", ", func(b []byte, body Range) []byte { return p.appendShape(b, body) })
	}
}

// appendShape prints a ShapeProto that is not an instruction's own shape, with its layout.
func (p *attrPrinter) appendShape(b []byte, body Range) []byte {
	scratch := Module{}
	d := shapeDecoder{src: p.m.src, table: &scratch.shapes}
	id, ok := d.decode(body, 0)
	if !ok {
		p.damage = garbage
		return b
	}
	return scratch.appendShape(b, id, true)
}

// aliasing prints output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {})}.
func (p *attrPrinter) aliasing() {
	if p.has(74) {
		p.each("output_to_operand_aliasing", 74, ", ", func(b []byte, body Range) []byte {
			m := p.inside(body) // output_shape_index, operand_index, operand_shape_index
			b = appendList(append(b, '{'), m.list(1))
			b = strconv.AppendInt(append(b, "}: ("...), m.number(2), 10)
			b = appendList(append(b, ", {"...), m.list(3))
			return append(b, "})"...)
		})
	}
}

func (p *attrPrinter) parameterReplication() {
	if !p.has(61) {
		return
	}
	replication := p.inside(p.body(61))
	b := appendEach(append(p.value, '{'), replication.list(1), ",", func(b []byte, v int64) []byte { return strconv.AppendBool(b, v != 0) })
	p.value = append(b, '}')
	p.emit("parameter_replication")
}

// slice prints the strides of all dimensions when one is not 1.
func (p *attrPrinter) slice() {
	strided := false
	for _, body := range p.bodies(17) {
		strided = strided || p.numbersOf(body)[3] != 1
	}
	p.each("slice", 17, ", ", func(b []byte, body Range) []byte {
		n := p.numbersOf(body)
		b = strconv.AppendInt(append(b, '['), n[1], 10)
		b = strconv.AppendInt(append(b, ':'), n[2], 10)
		if strided {
			b = strconv.AppendInt(append(b, ':'), n[3], 10)
		}
		return append(b, ']')
	})
}

func (p *attrPrinter) transposeA() {
	if t := p.numbersOf(p.body(59))[4]; t != 0 {
		p.name("transpose_a", []string{"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, t)
	}
}

// accuracy prints a ResultAccuracy that is not the default.
func (p *attrPrinter) accuracy() {
	a := p.inside(p.body(91)) // mode, tolerance
	if a.number(1) != 0 {
		p.word("result_accuracy", "{mode=highest}")
	}
	if !a.has(2) {
		return
	}
	t := p.inside(a.body(2)) // atol, rtol, ulps
	b := appendFloat64(append(p.value, "{tolerance={atol="...), t.float64(1))
	b = appendFloat64(append(b, ",rtol="...), t.float64(2))
	b = strconv.AppendInt(append(b, ",ulps="...), t.number(3), 10)
	p.value = append(b, "}}"...)
	p.emit("result_accuracy")
}
