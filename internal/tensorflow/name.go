package tensorflow

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Pass says at which point a graph was dumped.
type Pass string

// The points at which autoclustering dumps graphs, in their order.
const (
	PassXlaComputationsBefore  Pass = "encapsulate_xla_computations_before"
	PassXlaComputationsHalfway Pass = "encapsulate_xla_computations_halfway"
	PassXlaComputationsAfter   Pass = "encapsulate_xla_computations_after"
	PassBeforeMark             Pass = "before_mark_for_compilation"
	PassMark                   Pass = "mark_for_compilation"
	PassMarkAnnotated          Pass = "mark_for_compilation_annotated"
	PassBeforeDynamism         Pass = "before_increase_dynamism_for_auto_jit_pass"
	PassEncapsulateBefore      Pass = "encapsulate_subgraphs_before"
	PassEncapsulateAfter       Pass = "encapsulate_subgraphs_after"
	PassBuildXlaOps            Pass = "build_xla_ops"

	// The next ones are parts of a graph: one cluster, or one function on its way to XLA.
	PassSubgraph        Pass = "encapsulate_subgraphs_subgraph_"
	PassClusterGraph    Pass = "encapsulate_fdef_graph_"
	PassClusterFunction Pass = "encapsulate_fdef_"
	PassCompileFunction Pass = "xla_compile_function_"
	PassCompileGraph    Pass = "xla_compile_graph_"

	// Grappler dumps its graphs before and after it ran (--vmodule=meta_optimizer=4): Group is the optimizer, "" for a whole iteration.
	PassGrapplerBefore Pass = "before_MetaOptimizer"
	PassGrapplerAfter  Pass = "after_MetaOptimizer"

	// PassNamed is a file of the dumper that names its files by function (TF_DUMP_GRAPH_NAME_FILTER): Group and Tag tell the point.
	PassNamed Pass = "named"
	// PassOther is a graph dumped by something that has nothing to do with clusters.
	PassOther Pass = "other"
)

// wholePasses are the base names that stand alone, apart from TensorFlow's counter.
var wholePasses = []Pass{PassXlaComputationsBefore, PassXlaComputationsHalfway, PassXlaComputationsAfter, PassBeforeMark, PassMark,
	PassMarkAnnotated, PassBeforeDynamism, PassEncapsulateBefore, PassEncapsulateAfter, PassBuildXlaOps}

// formerPasses are what TensorFlow called some of them in 2018.
var formerPasses = map[Pass]Pass{
	"before_encapsulate_subgraphs": PassEncapsulateBefore, "after_encapsulate_subgraphs": PassEncapsulateAfter, "build_xla_launch_ops": PassBuildXlaOps,
}

// partPasses are the base names that a function's or cluster's name follows; the longer of two that start alike stands first.
var partPasses = []Pass{PassSubgraph, PassClusterGraph, PassClusterFunction, PassCompileFunction, PassCompileGraph}

// Format is how a dump file is written.
type Format string

// The formats of dump files.
const (
	FormatText   Format = "pbtxt"
	FormatBinary Format = "pb"
	FormatMLIR   Format = "mlir"
	FormatStacks Format = "csv" // the stack traces of a function's operations
)

// Name is what the name of a dump file says.
type Name struct {
	Pass     Pass
	Number   int    // TensorFlow's counter for the base name in one process; 0 for the first file
	Function string // the function or cluster that the file is about, "" where only the counter tells graphs apart
	Order    int    // PassNamed: the running number within the function
	Group    string // PassNamed: main, graph_opt_pass, op_stacktrace, …
	Tag      string // PassNamed: "before_opt_group_post_rewrite_for_exec", …
	Format   Format
}

// ParseName reads a dump file's name. It reports false for a file that no graph dumper writes.
func ParseName(file string) (Name, bool) {
	base := path.Base(strings.ReplaceAll(file, "\\", "/"))
	if _, inArchive, ok := cutLast(base, "!"); ok {
		base = inArchive
	}
	stem, ext, ok := cutLast(base, ".")
	format := Format(ext)
	if !ok || format != FormatText && format != FormatBinary && format != FormatMLIR && format != FormatStacks {
		return Name{}, false
	}
	if n, ok := parseNamed(stem); ok {
		n.Format = format
		return n, true
	}
	if format == FormatStacks {
		return Name{}, false
	}
	n := parseCounted(stem)
	n.Format = format
	return n, n.Pass != PassOther || format == FormatText
}

// parseNamed reads "<function>.<order>.<group>.<tag>".
func parseNamed(stem string) (Name, bool) {
	rest, tag, ok := cutLast(stem, ".")
	rest, group, ok2 := cutLast(rest, ".")
	function, order, ok3 := cutLast(rest, ".")
	number, err := strconv.Atoi(order)
	if !ok || !ok2 || !ok3 || err != nil || function == "" || tag == "" {
		return Name{}, false
	}
	function, _, _ = strings.Cut(function, "_partition_")
	return Name{Pass: PassNamed, Function: function, Order: number, Group: group, Tag: tag}, true
}

// parseCounted reads "<base name>[_<number>]" and "<base name><function>[_<number>]".
func parseCounted(stem string) Name {
	for _, p := range wholePasses {
		if number, ok := counter(stem, string(p)); ok {
			return Name{Pass: p, Number: number}
		}
	}
	for _, p := range []Pass{PassGrapplerBefore, PassGrapplerAfter} {
		if rest, ok := strings.CutPrefix(stem, string(p)+"_"); ok {
			return parseGrappler(p, rest)
		}
	}
	for former, p := range formerPasses {
		if number, ok := counter(stem, string(former)); ok {
			return Name{Pass: p, Number: number}
		}
	}
	for _, p := range partPasses {
		if function, ok := strings.CutPrefix(stem, string(p)); ok && function != "" {
			return parsePart(p, function)
		}
	}
	return Name{Pass: PassOther}
}

// parsePart reads "__inference_step_81__XlaMustCompile=true_" and, of the second dump of it, "__inference_step_81__XlaMustCompile=true__1".
func parsePart(p Pass, function string) Name {
	n := Name{Pass: p, Function: function}
	if before, last, ok := cutLast(function, "_"); ok && strings.HasSuffix(before, "_") && isNumber(last) {
		n.Function = before
		n.Number, _ = strconv.Atoi(last)
	}
	return n
}

// parseGrappler reads what follows in "after_MetaOptimizer_iteration_0_model_pruner_140721494314976_1": the iteration, the optimizer, an
// address and TensorFlow's counter.
func parseGrappler(p Pass, rest string) Name {
	n := Name{Pass: p}
	if after, ok := strings.CutPrefix(rest, "iteration_"); ok {
		number, optimizer, _ := strings.Cut(after, "_")
		n.Order, _ = strconv.Atoi(number)
		rest = optimizer
	}
	if before, last, ok := cutLast(rest, "_"); ok && isNumber(last) && len(last) < len("140721494") {
		n.Number, _ = strconv.Atoi(last)
		rest = before
	}
	if optimizer, address, ok := cutLast(rest, "_"); ok && isNumber(address) {
		n.Group = optimizer
	}
	return n
}

// counter reads what follows a base name: nothing, or an underscore and a number from 1.
func counter(stem, base string) (int, bool) {
	rest, ok := strings.CutPrefix(stem, base)
	if !ok || rest == "" {
		return 0, ok
	}
	digits, ok := strings.CutPrefix(rest, "_")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// functionPrefixes are what tf.function puts before the name that the model's author chose.
var functionPrefixes = []string{"__inference_", "__forward_", "__backward_"}

// IsFunctionName reports whether tf.function made the name; bodies of loops and conditions have other ones.
func IsFunctionName(name string) bool {
	return slices.ContainsFunc(functionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

var notWord = regexp.MustCompile(`\W`)

// ModuleName spells a function as XLA does in the name of its module: "__inference_<lambda>_15" is "a_inference__lambda__15" there.
func ModuleName(function string) string {
	name := notWord.ReplaceAllString(function, "_")
	if rest, ok := strings.CutPrefix(name, "__"); ok {
		return "a_" + rest
	}
	return name
}

// ClusterOf returns the cluster that an HLO module was compiled from: cluster_0 for
// cluster_0__XlaCompiledKernel_true__XlaHasReferenceVars_false_….2.
func ClusterOf(module string) (string, bool) {
	name, _, found := strings.Cut(module, "__Xla")
	if !found || !isClusterName(name) {
		return "", false
	}
	return name, true
}

// isClusterName recognises cluster_0 and, with deterministic names, cluster_1154007346014236116_0.
func isClusterName(name string) bool {
	rest, ok := strings.CutPrefix(name, "cluster_")
	if !ok {
		return false
	}
	return !slices.ContainsFunc(strings.Split(rest, "_"), func(part string) bool { return !isNumber(part) })
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}
