package facts

// emulated counts the operations in double precision that the compiler for TPU spells as pairs of floats. Its optimized module
// holds no f64, but what the model asked for and nothing folded away still runs under the model's names.
func (out *measuring) emulated() {
	if out.Toolchain.Backend != "tpu" {
		return
	}
	var running map[string]bool
	for i := range out.Variant.Model {
		s := &out.Variant.Model[i]
		if s.Type != "f64" && s.Type != "c128" {
			continue
		}
		if running == nil {
			running = opNames(out.Variant.Kernels)
		}
		if running[s.OpName] {
			out.Variant.Facts.add(Dtype.Of(s.Type), int64(len(s.Do)))
		}
	}
}

// opNames are the model's names that kernels and the operations in them carry.
func opNames(kernels []Kernel) map[string]bool {
	names := map[string]bool{}
	for i := range kernels {
		names[kernels[i].OpName] = true
		for op := range kernels[i].Ops.All() {
			names[op.OpName] = true
		}
	}
	delete(names, "")
	return names
}
