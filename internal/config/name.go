package config

import (
	"slices"
	"strings"
)

// scopeOf is the innermost part of the model that a fusion lies in, by its op_name: mlp of jit(step)/jvp(mlp)/mul. It is "" where the model
// has no parts.
func scopeOf(opName string) string {
	opName, _, _ = strings.Cut(opName, ";")
	steps := strings.Split(opName, "/")
	if !strings.HasPrefix(steps[0], "jit(") { // names of TensorFlow and PyTorch/XLA start with the part
		steps = append([]string{""}, steps...)
	} else {
		steps = steps[:len(steps)-1] // the last one is the operation
	}
	for i := len(steps) - 1; i > 0; i-- { // the first one is the program
		part := strings.TrimRight(unwrapped(steps[i]), "._0123456789")
		if part == "" || slices.Contains(noParts, part) {
			continue
		}
		if strings.Contains(opName, "transpose(jvp(") {
			part += " backward"
		}
		return part
	}
	return ""
}

// noParts are steps that a framework puts into names for what it does itself.
var noParts = []string{"while", "body", "cond", "scan", "closed_call", "eval_jaxpr", "checkpoint", "rematted_computation", "remat", "shard_map", "custom_jvp_call", "custom_vjp_call", "vmap", "main"}

// unwrapped is a step without the transformations that it went through: mlp of transpose(jvp(mlp)).
func unwrapped(step string) string {
	inner := step[strings.LastIndexByte(step, '(')+1:]
	inner = strings.TrimRight(inner, ")")
	if strings.Trim(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
		return ""
	}
	return inner
}

// everywhere are operations that stand in most fusions, so that they tell little.
var everywhere = []string{
	"add", "and", "bitcast", "broadcast", "clamp", "compare", "concatenate", "convert", "copy", "custom-call", "dynamic-slice", "dynamic-update-slice", "iota", "maximum",
	"minimum", "multiply", "negate", "or", "pad", "reshape", "select", "slice", "subtract", "transpose",
}

// telling are the operations that a fusion is best known by, at most so many.
func telling(do []string, most int) []string {
	sorted := slices.Clone(do)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return place(a) - place(b)
	})
	return sorted[:min(len(sorted), most)]
}

func place(op string) int {
	if slices.Contains(everywhere, op) {
		return 1
	}
	return 0
}

// name is what a fusion is called: its part of the model and the operations that it is best known by.
func (p *pin) name() string {
	return strings.TrimSpace(p.scope + " " + strings.Join(telling(p.do, 3), "-"))
}
