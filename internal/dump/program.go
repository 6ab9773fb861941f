package dump

import (
	_ "embed"
	"strings"
	"sync"
)

// helperNames are the functions and primitives of jax.lax, jax.numpy, jax.random, jax.nn and jax.scipy that JAX compiles as
// programs of their own when they are called outside of any jit; without leading underscores.
var helperNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(helperList) {
		set[w] = true
	}
	return set
})

//go:embed helpers.txt
var helperList string

// ProgramName is what the user calls a module: its name without everything that changes from run to run or from one version of
// a framework to the next.
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

// IsHelperName tells the names that frameworks give to their own one-operation programs. A program may be called so by its
// author as well: judge by its size and source, too.
func IsHelperName(program string) bool {
	return helperNames()[strings.ReplaceAll(strings.TrimLeft(program, "_"), "-", "_")] // primitives may have dashes: "scatter-add"
}

// IsCommonName reports whether a name of a helper says nothing by itself, however small the program is: models' own functions have it as well, and
// JAX made no programs of these before it told of every operation which functions it comes from.
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

// jaxName undoes a difference between versions: "<lambda>" became "_lambda_" once and is "_lambda" now.
func jaxName(f string) string {
	if trimmed := strings.TrimRight(f, "_"); trimmed != "" {
		return trimmed
	}
	return f
}

// tensorFlowName undoes what TensorFlow does to the name of a function or cluster that it hands to XLA: the attributes behind
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

// traceName cuts the number of the trace off a function's name. That of a backward function holds the forward function's, too.
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
