package facts

import "github.com/xlagate/xlagate/internal/hlo"

// isWritten says whether an instruction calls a kernel that was written by hand.
func (r *reader) isWritten(id hlo.InstrID) bool {
	return r.m.Instrs[id].Opcode == hlo.OpCustomCall && r.m.Kernel(id) != nil
}

// written are the products in the body of a kernel that was written by hand. Where it is the model's own, it knows the line of each; else the place of all is
// where it is called.
func (r *reader) written(id hlo.InstrID) []Product {
	kernel, md := r.m.Kernel(id), r.metadata(id)
	list := make([]Product, len(kernel.Products))
	for i, p := range kernel.Products {
		var lines []hlo.Location
		for _, at := range p.Stack {
			lines = append(lines, hlo.Location{File: at.File, Line: int32(at.Line)})
		}
		place := r.sources.own(lines)
		if place == nil {
			place = r.sources.frames(md)
		}
		list[i] = Product{Opcode: p.Op, Type: p.Type, Shape: p.Out, Precision: p.Precision, Flops: int64(min(kernel.Steps()*p.Flops, 1<<62)), OpName: md.OpName, Source: place.at()}
	}
	return list
}
