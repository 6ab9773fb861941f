package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// parameters lists the arguments of a module's entry computation, in order, without tokens. An argument that is a tuple (PyTorch/XLA passes
// them so when there are many) counts as one.
func (r *reader) parameters() []Parameter {
	used := r.usedParameters()
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
			params[in.Param] = r.parameter(id, used[id-first])
		}
	}
	r.markDonation(params)
	return slices.DeleteFunc(params, func(p Parameter) bool { return p.Shape == tokenShape })
}

// tokenShape is the shape of the arguments that order effects: the framework adds them, the model has none.
const tokenShape = "token[]"

func (r *reader) parameter(id hlo.InstrID, used bool) Parameter {
	in := &r.m.Instrs[id]
	printed, _ := r.m.Attr(id, "sharding")
	sharding, spec := InTiles(printed)
	frontend, _ := r.m.Attr(id, "frontend_attributes")
	md := r.metadata(id)
	p := Parameter{
		Name: parameterName(md.OpName, r.m.InstrName(id)), Shape: r.shape(in.Shape),
		Layout: layoutNote(r.m, in.Shape), Sharding: sharding, Spec: cmp.Or(spec, shardingSpec(frontend)), Bytes: r.m.ShapeBytes(in.Shape), Unused: !used,
	}
	if md.OpName == torchData {
		p.Source = r.sources.locate(md)
	}
	return p
}

// torchData is what PyTorch/XLA calls every argument.
const torchData = "xla__device_data"

// parameterName is the name that the model gave: the metadata of JAX. TensorFlow calls every argument XLA_Args, and PyTorch/XLA has one name, too; there the instruction's name is left, without the number that makes it unique.
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

// usedParameters says, by position in the entry computation, which instructions another one reads.
func (r *reader) usedParameters() []bool {
	first, end := r.m.Body(r.m.Entry)
	used := make([]bool, end-first)
	for id := first; id < end; id++ {
		for _, o := range r.m.Operands(id) {
			if o >= first && o < end {
				used[o-first] = true
			}
		}
	}
	used[r.m.Comps[r.m.Entry].Root-first] = true
	return used
}

func (r *reader) markDonation(params []Parameter) {
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
}

// layoutNote is a shape's layout where it is not the default one.
func layoutNote(m *hlo.Module, id hlo.ShapeID) string { return m.Shape(id).Layout }

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
