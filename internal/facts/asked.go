package facts

// asked counts the products that the model asks for by the widest type that they multiply. The compiler for CPU computes those of sixteen
// bits in f32, so that its own module does not tell them from others.
func (out *measuring) asked(r *reader) {
	if out.Toolchain.Backend != "cpu" {
		return
	}
	for _, id := range r.all(r.isProduct) {
		out.Variant.Facts[AskedType.Of(r.widest(id))]++
	}
}
