package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// parameters lists the arguments of a module's entry computation, in order, without tokens. A tuple, which PyTorch/XLA makes of many, counts as one.
func (r *reader) parameters() []Parameter {
	root := r.m.Comps[r.m.Entry].Root
	var params []Parameter
	first, end := r.m.Body(r.m.Entry)
	for id := first; id < end; id++ {
		in := &r.m.Instrs[id]
		if in.Opcode != hlo.OpParameter || in.Param < 0 {
			continue
		}
		if n := int(in.Param) + 1; n > len(params) && n <= int(end-first) {
			params = append(params, make([]Parameter, n-len(params))...)
		}
		if int(in.Param) < len(params) {
			params[in.Param] = r.parameter(id)
			params[in.Param].Unused = id != root && len(r.users().Of(id)) == 0
		}
	}
	for _, a := range r.m.Header.Aliases {
		if a.Param >= 0 && a.Param < int64(len(params)) {
			params[a.Param].Aliased, params[a.Param].Written = true, r.renewed(&a)
		}
	}
	for _, d := range r.m.Header.Donors {
		if d.Param >= 0 && d.Param < int64(len(params)) {
			params[d.Param].Donated = true
		}
	}
	return slices.DeleteFunc(params, func(p Parameter) bool { return p.Shape == "token[]" }) // it orders effects; the model has none
}

func (r *reader) parameter(id hlo.InstrID) Parameter {
	in := &r.m.Instrs[id]
	sharding, spec := InTiles(r.m.AttrText(id, "sharding"))
	frontend := r.m.AttrText(id, "frontend_attributes")
	md := r.metadata(id)
	_, shardy, _ := strings.Cut(frontend, `xla.sdy.sharding="#sdy.sharding<@`)
	p := Parameter{
		Name: parameterName(md.OpName, r.m.InstrName(id)), Shape: r.shape(in.Shape),
		Layout: r.m.Shape(in.Shape).Layout, Sharding: sharding, Spec: cmp.Or(spec, spelledSpec(shardy)), Given: sharding, Bytes: r.m.ShapeBytes(in.Shape),
	}
	if md.OpName == torchData {
		p.Source = r.sources.locate(md)
	}
	return p
}

// torchData is what PyTorch/XLA calls every argument.
const torchData = "xla__device_data"

// parameterName is the name that the model gave: the metadata of JAX. TensorFlow calls every argument XLA_Args, and PyTorch/XLA has one name, too; there
// the instruction's name is left, without the number that makes it unique.
func parameterName(opName, instruction string) string {
	if opName == "" || opName == "XLA_Args" || opName == torchData || strings.HasPrefix(opName, "jit(") {
		return withoutNumber(instruction)
	}
	return opName
}

// withoutNumber cuts the suffixes `.12` and `.clone` that XLA appends to make names unique.
func withoutNumber(name string) string {
	for {
		at := strings.LastIndexByte(name, '.')
		if at <= 0 || !(strings.Trim(name[at+1:], "0123456789") == "" || name[at+1:] == "clone") {
			return name
		}
		name = name[:at]
	}
}

// signature identifies a variant: "(p['w1']: f32[64,128], x: f32[8,64])".
func signature(params []Parameter) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, p := range params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name + ": " + p.Shape)
		if p.Constant != "" {
			b.WriteString(" = " + p.Constant)
		}
	}
	b.WriteByte(')')
	return b.String()
}

// entryResult is the shape of what the entry computation returns.
func (r *reader) entryResult() string {
	return r.shape(r.m.Instrs[r.m.Comps[r.m.Entry].Root].Shape)
}

// join completes the arguments as the framework handed them over with what the compiler did to them.
func join(given, compiled []Parameter) []Parameter {
	if len(given) != len(compiled) {
		return compiled
	}
	joined := slices.Clone(given)
	for i := range joined {
		joined[i].Layout = compiled[i].Layout
		joined[i].Sharding = cmp.Or(given[i].Sharding, compiled[i].Sharding) // the partitioner may choose one where the model does not
		joined[i].Aliased, joined[i].Written = compiled[i].Aliased, compiled[i].Written
		joined[i].Donated = (given[i].Donated || given[i].Aliased || compiled[i].Donated) && !compiled[i].Aliased
	}
	return joined
}

// leaves are the values that a module's entry computation returns: their shapes, and their instructions where the root is a tuple that is put together there.
func (r *reader) leaves() (shapes []hlo.ShapeID, made []hlo.InstrID) {
	root := r.m.Comps[r.m.Entry].Root
	if shape := r.m.Shape(r.m.Instrs[root].Shape); shape.Type == hlo.Tuple {
		shapes = shape.Elements
	} else {
		shapes = []hlo.ShapeID{r.m.Instrs[root].Shape}
	}
	switch {
	case r.m.Instrs[root].Opcode == hlo.OpTuple:
		return shapes, r.m.Operands(root)
	case len(shapes) == 1:
		return shapes, []hlo.InstrID{root}
	}
	return shapes, nil
}

// outputs says how the results of the program are spread over the devices. A result is whole in the unoptimized module, and a piece of it is in the optimized
// one. It returns nil if no value is split and no sharding was requested, or if the two modules cannot be compared.
func (r *reader) outputs(pieces []hlo.Shape, params []Parameter) []Output {
	shapes, made := r.leaves()
	if len(shapes) != len(pieces) {
		return nil
	}
	requested := r.requestedShardings(len(shapes))
	spread := slices.ContainsFunc(params, func(p Parameter) bool { return isSplit(p.Sharding) })
	list := make([]Output, len(shapes))
	for i, id := range shapes {
		whole := r.m.Shape(id)
		split, ok := splitOf(whole, &pieces[i])
		if !ok {
			return nil
		}
		list[i] = Output{Shape: r.shape(id), Split: splitText(split), Bytes: r.m.ShapeBytes(id)}
		sharding, spec := InTiles(requested[i])
		if keepsTo(sharding, split) {
			list[i].Sharding, list[i].Spec = sharding, spec
		}
		if made != nil {
			list[i].Spec, list[i].OpName = cmp.Or(list[i].Spec, r.resultSpec(made[i])), r.metadata(made[i]).OpName
		}
		spread = spread || list[i].Split != "" || isSplit(sharding)
	}
	if !spread {
		return nil
	}
	return list
}

// isSplit reports whether a sharding gives devices parts of a value.
func isSplit(sharding string) bool {
	return sharding != "" && sharding != replicatedSharding && !strings.HasPrefix(sharding, "{maximal")
}

// splitOf says in how many pieces each dimension is; not ok where the piece is of another kind than the whole.
func splitOf(whole, piece *hlo.Shape) (split []int64, ok bool) {
	if whole.Type != piece.Type || whole.Type == hlo.Tuple || len(whole.Dims) != len(piece.Dims) {
		return nil, false
	}
	for d, n := range whole.Dims {
		switch part := piece.Dims[d]; {
		case n == part:
			split = append(split, 1)
		case part <= 0 || n < part:
			return nil, false
		default:
			split = append(split, (n+part-1)/part)
		}
	}
	return split, true
}

func splitText(split []int64) string {
	if !slices.ContainsFunc(split, func(n int64) bool { return n != 1 }) {
		return ""
	}
	return bracketed(split)
}

// requestedShardings are the shardings that the root requests, one for each result, "" for none.
func (r *reader) requestedShardings(n int) []string {
	text := r.m.AttrText(r.m.Comps[r.m.Entry].Root, "sharding")
	if strings.HasPrefix(text, "{{") {
		text = text[1 : len(text)-1]
	}
	if parts := braced(text); len(parts) == n {
		return parts
	}
	return make([]string, n)
}

// braced lists the parts of a text in braces, braces included.
func braced(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			if depth == 0 {
				start = i
			}
			depth++
		case '}':
			if depth--; depth == 0 {
				parts = append(parts, text[start:i+1])
			}
		}
	}
	return parts
}

// keepsTo reports whether a result is split as its sharding says. It need not be: the root calls a result replicated for which no sharding was requested, and
// the compiler may split it all the same.
func keepsTo(sharding string, split []int64) bool {
	if sharding == replicatedSharding {
		return splitText(split) == ""
	}
	tiles, ok := strings.CutPrefix(sharding, "{devices=[")
	if !ok {
		return true
	}
	list, _, _ := strings.Cut(tiles, "]")
	for d, n := range hlo.Ints(list) {
		if d < len(split) && (n == 1) != (split[d] == 1) {
			return false
		}
	}
	return true
}

// resultSpec spells how the model spreads a result over its mesh: what out_shardings of jit or out_specs of shard_map say.
func (r *reader) resultSpec(id hlo.InstrID) string {
	at := 0
	if in := &r.m.Instrs[id]; in.Opcode == hlo.OpGetTupleElement && len(r.m.Operands(id)) == 1 {
		at, id = int(in.Param), r.m.Operands(id)[0]
	}
	target := r.m.AttrText(id, "custom_call_target")
	if target != "xla.sdy.FuncResultSharding" && target != "xla.sdy.LocalToGlobalShape" {
		return ""
	}
	frontend := r.m.AttrText(id, "frontend_attributes")
	_, values, _ := strings.Cut(frontend, `="#sdy.sharding_per_value<[`)
	if target == "xla.sdy.LocalToGlobalShape" {
		_, values, _ = strings.Cut(frontend, `xla.sdy.out_shardings="#sdy.sharding_per_value<[`)
	}
	values, _, _ = strings.Cut(values, `]>"`)
	if each := strings.Split(values, "<@"); at >= 0 && at+1 < len(each) {
		return spelledSpec(each[at+1])
	}
	return ""
}
