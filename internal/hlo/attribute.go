package hlo

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// attribute is what is known of an attribute by its name.
type attribute struct {
	calls  uint8   // 1 or 2: it names computations, which come first or second in Callees; 0: it names none
	owner  owner   // of the attribute behind an `<op>-start`
	normal string  // the value that means the same as leaving the attribute out
	print  printed // nil: its value counts for the fingerprint as it is spelled
	like   string  // the attribute as which it counts for the fingerprint, if not as itself
}

// owner tells which instruction has an attribute that XLA prints behind `<op>-start`.
type owner uint8

const (
	ofOperation owner = iota // the operation that the async-start wraps
	ofStart                  // the async-start
	ofBoth
)

// attributes holds the attributes that differ from the usual: those of the operation, without a default, hashed as they are spelled.
// XLA's printer leaves out most of the defaults; a person may write them.
var attributes = map[string]attribute{
	"called_computations": {calls: 1},
	"calls":               {calls: 1},
	"to_apply":            {calls: 1},
	"branch_computations": {calls: 1},
	"true_computation":    {calls: 1},
	"false_computation":   {calls: 2},
	"body":                {calls: 1},
	"condition":           {calls: 2},
	"select":              {calls: 1},
	"scatter":             {calls: 2},

	"async_execution_thread": {owner: ofStart, normal: "main"},
	"backend_config":         {owner: ofBoth, print: (*printer).config},
	"control-predecessors":   {owner: ofStart, normal: "{}", print: (*printer).keepPredecessors},
	"frontend_attributes":    {owner: ofBoth, normal: "{}", print: frontendDigest},
	"metadata":               {owner: ofBoth},
	"origin":                 {owner: ofStart, print: ignored},
	"parameter_replication":  {owner: ofStart},
	"sharding":               {owner: ofStart},
	"statistics":             {owner: ofBoth, print: ignored},

	"channel_id":                    {normal: "0", print: presence},
	"custom_call_target":            {print: (*printer).keepTarget},
	"dynamic_slice_sizes":           {print: sizes(nil)},
	"index":                         {print: ignored}, // hashed as a number
	"operand_layout_constraints":    {print: sizes(nil)},
	"order":                         {print: totalOrder, like: "type"}, // newer than type=TOTALORDER
	"outer_dimension_partitions":    {print: ignored},
	"outfeed_shape":                 {print: sizes(nil)},
	"padding":                       {print: sizes(canonicalPadding)},
	"replica_groups":                {normal: "{}", print: groupsDigest},
	"slice":                         {print: sizes(canonicalSlice)},
	"slice_sizes":                   {print: sizes(nil)},
	"type":                          {print: (*printer).comparisonType},
	"window":                        {normal: "{}", print: (*printer).window},
	"api_version":                   {normal: "API_VERSION_ORIGINAL"},
	"batch_group_count":             {normal: "1"},
	"constrain_layout":              {normal: "false"},
	"custom_call_has_side_effect":   {normal: "false"},
	"feature_group_count":           {normal: "1"},
	"indices_are_sorted":            {normal: "false"},
	"input_batching_dims":           {normal: "{}"},
	"is_associative":                {normal: "false"},
	"is_composite":                  {normal: "false"},
	"is_cross_program_prefetch":     {normal: "false"},
	"is_host_transfer":              {normal: "false"},
	"is_reverse":                    {normal: "false"},
	"is_stable":                     {normal: "false"},
	"left_side":                     {normal: "false"},
	"lhs_batch_dims":                {normal: "{}"},
	"lhs_contracting_dims":          {normal: "{}"},
	"lhs_ragged_dims":               {normal: "{}"},
	"lower":                         {normal: "false"},
	"operand_batching_dims":         {normal: "{}"},
	"output_to_operand_aliasing":    {normal: "{}"},
	"result_accuracy":               {normal: "{mode=default}"},
	"rhs_batch_dims":                {normal: "{}"},
	"rhs_contracting_dims":          {normal: "{}"},
	"rhs_group_dims":                {normal: "{}"},
	"scatter_indices_batching_dims": {normal: "{}"},
	"schedule":                      {normal: "SCHEDULE_NONE"},
	"start_indices_batching_dims":   {normal: "{}"},
	"unique_indices":                {normal: "false"},
	"unit_diagonal":                 {normal: "false"},
	"use_global_device_ids":         {normal: "false"},
}

// fusionKinds are the kinds of fusions. Every reader of a fusion asks for its kind: an instruction holds the place of its own, 0 for another.
var fusionKinds = [...]string{"", "kLoop", "kInput", "kOutput", "kCustom"}

// fusionKind is the place of a spelling in fusionKinds, 0 for another.
func fusionKind(spelling []byte) int32 {
	return int32(max(0, slices.Index(fusionKinds[:], string(spelling))))
}

// Attrs yields an instruction's attributes in printed order: `dimensions`, `{0,1}`; `kind`, `kLoop`; `window`, `{size=3x3}`. A value is spelled as XLA's text
// printer spells it, whatever the module was read from; a quoted string comes unquoted and unescaped, and `backend_config={...}` as its content with the
// braces. Metadata is left out (see [Module.Metadata]), and so are computations (see [Module.Callees]) and the arguments of parameters and constants.
func (m *Module) Attrs(i InstrID) iter.Seq2[string, string] {
	switch in := &m.Instrs[i]; {
	case in.bare() && in.Opcode != OpGetTupleElement:
		return func(func(string, string) bool) {}
	case in.bare():
		return func(yield func(string, string) bool) { yield("index", strconv.Itoa(int(in.Param))) }
	case m.Format == FormatProto:
		return func(yield func(string, string) bool) {
			p := m.printer()
			defer m.printers.Put(p)
			p.print(m, i, func(key string, value []byte) bool { return yield(key, string(value)) })
		}
	}
	return func(yield func(string, string) bool) {
		for key, value := range m.ownAttributes(i) {
			k := m.Text(key)
			if !yield(k, attributeValueText(k, m.src[value.Start:value.End])) {
				return
			}
		}
	}
}

// Attr returns one attribute; see [Module.Attrs].
func (m *Module) Attr(i InstrID, key string) (string, bool) {
	switch in := &m.Instrs[i]; {
	case in.Opcode == OpGetTupleElement && key == "index":
		return strconv.Itoa(int(in.Param)), true
	case in.bare():
		return "", false
	case in.Opcode == OpFusion && in.Param > 0 && key == "kind":
		return fusionKinds[in.Param], true
	case m.Format == FormatProto:
		return m.protoAttr(i, key)
	}
	value, has := m.textValue(i, key)
	if !has {
		return "", false
	}
	return attributeValueText(key, value), true
}

// AttrText returns one attribute, "" for one that the instruction does not have.
func (m *Module) AttrText(i InstrID, key string) string {
	text, _ := m.Attr(i, key)
	return text
}

// Integers returns an attribute that is an integer or a list of integers, and nothing for another one or one that the instruction does not have.
func (m *Module) Integers(i InstrID, key string) []int64 {
	if key == "dimensions" && !m.Instrs[i].bare() {
		if m.Format == FormatText {
			value, _ := m.textValue(i, key)
			return ints(value)
		}
		if list := m.protoField(i, 14); list.Len() > 0 {
			return appendNumbers(nil, &fields{src: m.src, body: list})
		}
	}
	return Ints(m.AttrText(i, key))
}

// Ints reads a list of integers as attributes and layouts hold it, with or without braces: {0,1} or 1,0. It returns nil for anything else.
func Ints(s string) []int64 { return ints([]byte(s)) }

func ints(s []byte) []int64 {
	s = bytes.Trim(s, "{} ")
	if len(s) == 0 {
		return []int64{}
	}
	list := make([]int64, 0, bytes.Count(s, []byte{','})+1)
	for field := range bytes.SplitSeq(s, []byte{','}) {
		n, err := strconv.ParseInt(string(bytes.TrimSpace(field)), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// textValue returns one attribute as the text spells it.
func (m *Module) textValue(i InstrID, key string) ([]byte, bool) {
	known := attributes[key]
	if known.calls > 0 || key == "metadata" || !m.owns(i, known.owner) {
		return nil, false
	}
	for k, value := range text(m.src).attributes(m.Instrs[i].attrs) {
		if string(m.src[k.Start:k.End]) == key {
			return m.src[value.Start:value.End], true
		}
	}
	return nil, false
}

// ownAttributes yields the keys and values of an instruction's own attributes, as the text spells them.
func (m *Module) ownAttributes(i InstrID) iter.Seq2[Range, Range] {
	return func(yield func(key, value Range) bool) {
		if m.Instrs[i].bare() {
			return
		}
		for key, value := range text(m.src).attributes(m.Instrs[i].attrs) {
			k := m.src[key.Start:key.End]
			known := attributes[string(k)]
			if known.calls > 0 || string(k) == "metadata" || !m.owns(i, known.owner) {
				continue
			}
			if !yield(key, value) {
				return
			}
		}
	}
}

// owns reports whether an attribute that is printed behind an instruction is its own. Behind `<op>-start` stand those of the async-start and of what it wraps.
func (m *Module) owns(i InstrID, of owner) bool {
	switch in := &m.Instrs[i]; {
	case of == ofBoth:
		return true
	case m.Comps[in.Comp].shares:
		return of == ofOperation
	case in.Opcode == OpAsyncStart && m.callees[in.callees] == 1 && m.Comps[m.Callees(i)[0]].wrapped:
		return of == ofStart
	}
	return true
}

// attributeValueText spells the value of an attribute as XLA's long form does.
func attributeValueText(key string, value []byte) string {
	if key == "control-predecessors" {
		return withPercents(string(unquoted(value)))
	}
	return string(spelledValue(key, value))
}

// spelledValue returns the value of an attribute as XLA spells it, without quotes.
func spelledValue(key string, value []byte) []byte {
	switch key {
	case "literal":
		return spelledLiteral(value)
	case "domain", "sharding":
		return withoutMetadata(value)
	}
	return unquoted(value)
}

// withoutMetadata leaves out where a sharding comes from, which no print of a proto has.
func withoutMetadata(sharding []byte) []byte {
	key, kept := []byte(" metadata="), []byte(nil)
	for {
		at := bytes.Index(sharding, key)
		switch {
		case at < 0 && kept == nil:
			return sharding
		case at < 0:
			return append(kept, sharding...)
		}
		kept = append(kept, sharding[:at]...)
		sharding = sharding[text(sharding).value(at+len(key)):]
	}
}

// unquoted returns a value without its quotes. It copies only a value with escapes.
func unquoted(value []byte) []byte {
	switch {
	case len(value) < 2 || class[value[0]]&classQuote == 0:
		return value
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1]
	}
	return []byte(unquote(value))
}

// withPercents spells a list of names as the long form does: {%a, %b}.
func withPercents(list string) string {
	var b strings.Builder
	for i, t := 0, text(list); i < len(t); {
		end := t.ident(i)
		if end > i && (i == 0 || t[i-1] != '%' && t[i-1] != '#') {
			b.WriteByte('%')
		}
		end = max(end, i+1)
		b.Write(t[i:end])
		i = end
	}
	return b.String()
}

// dictionary yields the entries of {key="value",key2={...}}.
func (t text) dictionary(r Range) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		i := t.blanks(int(r.Start) + 1)
		for i+1 < int(r.End) {
			end := t.ident(i)
			value := t.blanks(end)
			if end == i || !t.at(value, '=') {
				return
			}
			value = t.blanks(value + 1)
			next := t.attributeValue(Range{}, value)
			if t.at(value, '{') {
				next = t.braces(value)
			}
			if !yield(string(t[i:end]), string(unquoted(t[value:min(next, len(t))]))) {
				return
			}
			if i = t.blanks(next); t.at(i, ',') {
				i = t.blanks(i + 1)
			}
		}
	}
}

// eachAttribute yields what [Module.Attrs] yields, without making strings of the values. A value is only valid until yield returns.
func (m *Module) eachAttribute(i InstrID, p *attrPrinter, yield func(key string, value []byte) bool) {
	if m.Format == FormatProto {
		p.print(m, i, yield)
		return
	}
	for key, value := range m.ownAttributes(i) {
		k, known := p.keys[string(m.src[key.Start:key.End])]
		if !known {
			k = m.Text(key)
			p.keys[k] = k
		}
		if !yield(k, spelledValue(k, m.src[value.Start:value.End])) {
			return
		}
	}
}
