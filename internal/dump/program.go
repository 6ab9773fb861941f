package dump

import (
	_ "embed"
	"strings"
	"sync"
)

// helperNames are the functions and primitives of jax.lax, jax.numpy, jax.random, jax.nn and jax.scipy that JAX compiles as
// separate programs when they are called outside of jit; without leading underscores.
var helperNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(helperList) {
		set[w] = true
	}
	return set
})

//go:embed helpers.txt
var helperList string

// ProgramName returns a module's name as the user knows it: without the parts that differ between runs or between versions of
// a framework.
func ProgramName(module string) string {
	name := cutInstructionID(cutChangelist(module))
	if f, ok := tensorFlowName(name); ok && f != "" {
		return f
	}
	for _, transform := range []string{"jit_", "pjit_", "pmap_", "xla_computation_"} {
		if f, ok := strings.CutPrefix(name, transform); ok && f != "" {
			return jaxName(f)
		}
	}
	if name == "" {
		return module
	}
	return name
}

// IsHelperName reports whether frameworks give this name to their own one-operation programs. A user may give it
// to a program too: callers should also check its size and source.
func IsHelperName(program string) bool {
	return helperNames()[strings.ReplaceAll(strings.TrimLeft(program, "_"), "-", "_")] // primitives may have dashes: "scatter-add"
}

// IsCommonName reports whether a helper's name is too common to identify a helper, even for a small program: models have functions of this name, and
// JAX made no programs of these names before it recorded the source functions of every operation.
func IsCommonName(program string) bool {
	return program == "accumulate" || program == "at" || program == "ball"
}

// cutInstructionID cuts off the ".<n>" that building HLO adds to a module's name.
func cutInstructionID(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 && allDigits(name[i+1:]) {
		return name[:i]
	}
	return name
}

// jaxName undoes a difference between versions: older ones spell "<lambda>" "_lambda_", newer ones "_lambda".
func jaxName(f string) string {
	if trimmed := strings.TrimRight(f, "_"); trimmed != "" {
		return trimmed
	}
	return f
}

// tensorFlowName strips what TensorFlow adds to the name of a function or cluster: the attributes after
// it, the prefix before it, and the number of the trace.
//
//	a_inference_train_step_1234__XlaMustCompile_true_config_proto_…
//	a_inference___backward_f_12_34__XlaMustCompile_true_…
//	a_forward_f_34__XlaMustCompile_true_…
//	cluster_0__XlaCompiledKernel_true__XlaHasReferenceVars_false_…
func tensorFlowName(module string) (name string, ok bool) {
	if cluster, _, ok := strings.Cut(module, "__XlaCompiledKernel_"); ok {
		return cluster, true
	}
	name, _, _ = strings.Cut(module, "__XlaMustCompile_")
	f, traced := strings.CutPrefix(name, "a_inference_")
	if f == name {
		if f, traced = strings.CutPrefix(name, "a_forward_"); traced {
			f = "__forward_" + f
		}
	}
	if !traced {
		return name, name != module
	}
	return traceName(f), true
}

// traceName cuts the number of the trace off a function's name. A backward function's name also contains the forward function's number.
func traceName(f string) string {
	numbered := strings.TrimSuffix(f, "__")
	cut := cutTraceNumber(numbered)
	if cut == numbered {
		return f
	}
	if strings.HasPrefix(cut, "__backward_") {
		cut = cutTraceNumber(cut)
	}
	if strings.HasSuffix(cut, "_lambda_") {
		cut = strings.TrimSuffix(cut, "_")
	}
	return cut
}

func cutTraceNumber(f string) string {
	if i := strings.LastIndexByte(f, '_'); i > 0 && allDigits(f[i+1:]) {
		return f[:i]
	}
	return f
}
