package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// kernelWhat says what a kernel does: "loop add, 2 multiply, tanh".
func kernelWhat(k *facts.Kernel) string {
	const maxOperations = 7 // that are named in a row
	ops := k.OperationsWithin(maxOperations)
	if ops == k.Kind {
		return k.Kind
	}
	return k.Kind + " " + ops
}

// shortShape counts the arrays of a long tuple.
func shortShape(shape string) string {
	const maxShape = 48 // letters of a shape that is shown in full
	if len(shape) <= maxShape || !strings.HasPrefix(shape, "(") {
		return shape
	}
	return "(" + phrase.Some(len(hlo.ShapeText(shape).Elements()), "array") + ")"
}

// does is what a kernel does and makes: "loop add, tanh → f32[8,128]".
func does(k *facts.Kernel) string {
	return kernelWhat(k) + " → " + shortShape(k.Out) + prefixed(" on ", k.Thread)
}

// kernelRow describes a kernel in the cells what, size, where and name.
func kernelRow(k *facts.Kernel) []line {
	what := in(name, does(k))
	if k.Groups != "" {
		what = what.and(" in groups of ").in(name, k.Groups)
	}
	if k.Times > 1 {
		what = what.and(" ×" + phrase.Number(float64(k.Times)))
	}
	return []line{what, say(phrase.Bytes(float64(k.Bytes))), in(name, location(k.Source)), in(name, modelName(k))}
}

// kernelCells are the cells that end a row about a kernel: what it does, where, and its name.
func kernelCells(k *facts.Kernel) []line {
	return []line{in(name, does(k)), in(name, location(k.Source)), in(name, modelName(k))}
}

// modelName is what the model calls a kernel, else what the compiler does.
func modelName(k *facts.Kernel) string {
	return cmp.Or(k.OpName, k.OpType, k.Name)
}

// location is the place in the model with the file's own name; "" when it is not known.
func location(l hlo.Location) string {
	return shortPlace(result.Source{File: l.File, Line: int(l.Line)})
}

// opText is what an operation does and its name in the model.
func opText(o facts.Op) string {
	return o.Opcode + " " + shortShape(o.Shape) + prefixed("  ", clean(o.OpName))
}

// maxSignature bounds the arguments that are shown beside a program's name.
const maxSignature = 48

// shortSignature keeps the arguments of a signature that fit into n runes, and counts the others.
func shortSignature(signature string, n int) string {
	if utf8.RuneCountInString(signature) <= n {
		return signature
	}
	arguments := hlo.ShapeText(signature).Elements()
	kept, used := 0, 2
	for kept < len(arguments) {
		used += utf8.RuneCountInString(arguments[kept]) + 2
		if used > n-10 {
			break
		}
		kept++
	}
	left := phrase.Number(float64(len(arguments)-kept)) + " more"
	if kept == 0 {
		return "(" + phrase.Some(len(arguments), "argument") + ")"
	}
	return "(" + strings.Join(arguments[:kept], ", ") + ", … " + left + ")"
}

// distinct shortens the signatures of a program's variants to what differs. A single one is only shortened. An array that is added to a list moves those
// behind it: state[0]: f32[8], state[1]: f32[4] and state[0]: f32[8], state[1]: f32[2], state[2]: f32[4] differ in state[1].
func distinct(signatures []string, n int) []string {
	split, counts := make([][]string, len(signatures)), make([]map[string]int, len(signatures))
	for i, s := range signatures {
		split[i], counts[i] = hlo.ShapeText(s).Elements(), map[string]int{}
		for _, a := range split[i] {
			counts[i][withoutIndex(a)]++
		}
	}
	out := make([]string, len(signatures))
	for i, arguments := range split {
		shared := map[string]int{} // how many of each all have
		for a, most := range counts[i] {
			for _, other := range counts {
				most = min(most, other[a])
			}
			shared[a] = most
		}
		telling := phrase.Filter(arguments, func(a string) bool {
			shared[withoutIndex(a)]--
			return shared[withoutIndex(a)] < 0
		})
		same := len(arguments) - len(telling)
		if len(signatures) < 2 || len(telling) == 0 || same < 2 {
			out[i] = shortSignature(signatures[i], n)
			continue
		}
		short := strings.TrimSuffix(shortSignature("("+strings.Join(telling, ", ")+")", n), ")")
		out[i] = short + ", " + phrase.Number(float64(same)) + " the same)"
	}
	return out
}

// withoutIndex is an argument without its place in a list: state[]: f32[8] of state[3]: f32[8].
func withoutIndex(argument string) string {
	name, shape, _ := strings.Cut(argument, ": ")
	if list, at, ok := phrase.CutLast(strings.TrimSuffix(name, "]"), "["); ok && phrase.AllDigits(at) {
		name = list + "[]"
	}
	return name + ": " + shape
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
