package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// bounds on helper modules where no stack frames say who wrote them, in instructions of the entry computation
const (
	maxPrimitive = 24 // all of them named after the program: JAX's primitive of that name
	maxAnonymous = 6
)

// isHelper says whether a module is one of JAX's own one-operation programs. The name alone does not tell: a model's function
// may be called "add". A function of the model has itself in the stack of its operations; a helper that the model called has
// only the caller there.
func (out *measuring) isHelper(r *reader) bool {
	if out.Toolchain.Framework != "jax" || !dump.IsHelperName(out.Program) {
		return false
	}
	if frames, own := r.frames(out.Program); frames {
		return !own
	}
	if dump.IsCommonName(out.Program) {
		return false
	}
	first, end := r.m.Body(r.m.Entry)
	size := end - first
	return strings.HasPrefix(out.Program, "_") || size <= maxAnonymous || size <= maxPrimitive && r.isPrimitive(out.Program)
}

// frames says whether the module has stack frames with functions, and whether one of them is the program's own.
func (r *reader) frames(program string) (any, own bool) {
	seen := map[int32]bool{0: true}
	for md := range r.eachMetadata() {
		if seen[md.Frame] {
			continue
		}
		seen[md.Frame] = true
		for _, frame := range r.sources.stack(md) {
			any = any || frame.Function != ""
			own = own || originOf(frame.File) >= originPackage && functionIs(frame.Function, program)
		}
	}
	return any, own
}

// functionIs compares a frame's function, which Python qualifies ("Model.step", "make.<locals>.step"), with a program's name.
func functionIs(function, program string) bool {
	at := strings.LastIndexByte(function, '.')
	return function[at+1:] == program
}

// isPrimitive says whether every named operation is called like the program: "jit(concatenate)/jit(main)/concatenate[dimension=0]".
func (r *reader) isPrimitive(program string) bool {
	first, end := r.m.Body(r.m.Entry)
	for id := first; id < end; id++ {
		name, _, _ := strings.Cut(r.metadata(id).OpName, "[")
		if r.m.Instrs[id].Opcode == hlo.OpParameter || name == "" {
			continue
		}
		if name[strings.LastIndexByte(name, '/')+1:] != program {
			return false
		}
	}
	return true
}
