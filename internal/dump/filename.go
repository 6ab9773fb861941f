package dump

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/xlagate/xlagate/internal/phrase"
)

// fileName is the name of a file that belongs to a module:
//
//	[stamp.][scope.]module_NNNN[.rest]
//
// The rest begins with the module's name, which may contain dots. Its end is inferred from the names of all files that share a number.
type fileName struct {
	stamp  string // microseconds since the epoch, "" for none
	scope  string // the computation that the file is about, "" for the whole module
	number string // "0010", as written
	rest   string
}

// parseFileName splits the name of a file or directory; ok reports whether it belongs to a module.
func parseFileName(base string) (n fileName, ok bool) {
	parts := strings.Split(base, ".")
	at := slices.IndexFunc(parts, func(part string) bool {
		number, named := strings.CutPrefix(part, "module_")
		return named && len(number) >= 4 && phrase.AllDigits(number)
	})
	if at < 0 {
		return fileName{}, false
	}
	before := parts[:at]
	if at > 0 && len(parts[0]) >= 10 && len(parts[0]) <= 20 && phrase.AllDigits(parts[0]) {
		n.stamp, before = parts[0], before[1:]
	}
	n.scope, n.number = strings.Join(before, "."), strings.TrimPrefix(parts[at], "module_")
	n.rest = strings.TrimPrefix(base[len(strings.Join(parts[:at+1], ".")):], ".")
	return n, true
}

// sanitize replaces characters as XLA does in file names.
var sanitize = strings.NewReplacer("/", "_", `\`, "_", "[", "_", "]", "_", " ", "_").Replace

// cutChangelist cuts off the ".cl_N" that Google's internal builds add to a module's name.
func cutChangelist(name string) string { return cutNumber(name, ".cl_") }

// cutNumber cuts off a number at the end of a name, with the mark before it.
func cutNumber(name, mark string) string {
	if i := strings.LastIndex(name, mark); i > 0 && phrase.AllDigits(name[i+len(mark):]) {
		return name[:i]
	}
	return name
}

// cutCompression cuts off the extension of a compressed file.
func cutCompression(name string) string {
	for _, ext := range []string{".gz", ".zst", ".xz"} {
		if s, ok := strings.CutSuffix(name, ext); ok {
			return s
		}
	}
	return name
}

// role says what a file is in its module: a stage or a companion.
type role struct {
	stage *Stage // nil for a companion
	kind  Kind
}

// roleOf returns a file's role from the part of its name after the module's name.
func roleOf(suffix string) (role, bool) {
	if stem, format, ok := cutFormat(suffix); ok {
		if name, stage, ok := cutStage(stem); ok && name == "" {
			return role{&stage, format}, true
		}
		if name, stage, ok := cutPass(stem); ok && name == "" {
			return role{&stage, format}, true
		}
	}
	if _, kind, ok := cutCompanion(suffix); ok {
		return role{kind: kind}, true
	}
	kind, ok := unitKind(suffix)
	return role{kind: kind}, ok
}

// nameIn returns the module's name from the part of a file name after the number, if the suffix alone determines it.
func nameIn(rest string) (string, bool) {
	if stem, _, ok := cutFormat(rest); ok {
		if name, _, ok := cutStage(stem); ok {
			return name, true
		}
	}
	name, _, ok := cutCompanion(rest)
	return name, ok
}

// nameInPass does the same for pass dumps. It is less certain and serves modules that have no other files.
func nameInPass(rest string) (string, bool) {
	stem, _, ok := cutFormat(rest)
	if !ok {
		return "", false
	}
	name, _, ok := cutPass(stem)
	return name, ok
}

// stageFormats are the extensions of a stage's files, longest first.
var stageFormats = []mark{
	{".top_level.html", KindHTML},
	{".hlo.pb", KindHLOProto},
	{".riegeli", KindRiegeli},
	{".html", KindHTML},
	{".txt", KindHLOText},
	{".dot", KindDot},
	{".url", KindURL},
}

// fixedStages are the stages whose spelling never changes.
var fixedStages = []struct {
	label string
	kind  StageKind
}{
	{"before_optimizations", StageBefore},
	{"after_spmd_partitioner", StageAfterSPMD},
	{"before_config_assignment", StageBeforeConfig},
	{"after_codegen", StageAfterCodegen},
	{outOfMemory, StageOther},
}

// outOfMemory is the stage that a compiler dumps when a program does not fit into the device's memory, and gives up.
const outOfMemory = "oom_intermediate_module"

// taggedStages may have the device's tag before them: "sm_9.0a_gpu_after_optimizations".
var taggedStages = []struct {
	label string
	kind  StageKind
}{
	{"after_optimizations_before_buffer_assignment", StageBeforeAssignment},
	{"after_optimizations_after_buffer_assignment", StageAfterAssignment},
	{"after_optimizations", StageAfter},
}

// cutStage splits a file name without its extension into the module's name and the stage. It does not recognize pass dumps: see cutPass.
func cutStage(s string) (name string, stage Stage, ok bool) {
	for _, fixed := range fixedStages {
		if name, ok := strings.CutSuffix(s, fixed.label); ok && (name == "" || strings.HasSuffix(name, ".")) {
			return strings.TrimSuffix(name, "."), Stage{Kind: fixed.kind, Label: fixed.label}, true
		}
	}
	for _, tagged := range taggedStages {
		if before, found := strings.CutSuffix(s, tagged.label); found {
			name, tag := cutTag(before)
			return name, Stage{Kind: tagged.kind, Tag: tag, Label: strings.TrimPrefix(s[len(name):], ".")}, true
		}
	}
	return "", Stage{}, false
}

// cutTag splits "jit_f.sm_9.0a_gpu_" into the name and the tag, which may contain a dot.
func cutTag(s string) (name, tag string) {
	s, tagged := strings.CutSuffix(s, "_")
	if !tagged {
		return strings.TrimSuffix(s, "."), ""
	}
	at := strings.LastIndexByte(s, '.')
	if i := strings.LastIndex("."+s, ".sm_"); i >= 0 && isCUDATag(s[i:]) {
		at = i - 1
	}
	return s[:max(at, 0)], s[at+1:]
}

// isCUDATag reports whether a tag is like "sm_9.0a_gpu".
func isCUDATag(s string) bool {
	version, ok := strings.CutSuffix(strings.TrimPrefix(s, "sm_"), "_gpu")
	major, minor, dotted := strings.Cut(version, ".")
	minor = strings.TrimRight(minor, "abcdefghijklmnopqrstuvwxyz")
	return ok && phrase.AllDigits(major) && (!dotted || phrase.AllDigits(minor))
}

// cutPass splits a file name without its extension into the module's name and the pass. A pass that dumps while it runs
// omits one of the last two parts:
//
//	jit_f.0032.simplification.after_algsimp.before_dce
func cutPass(s string) (name string, stage Stage, ok bool) {
	i := strings.Index(s, ".after_")
	if i < 0 {
		i = strings.Index(s, ".before_")
	}
	if i < 0 {
		return "", Stage{}, false
	}
	label, last := s, strings.LastIndexByte(s[:i], '.')
	if dot := strings.LastIndexByte(s[:max(0, last)], '.'); dot >= 0 {
		name, label = s[:dot], s[dot+1:]
	}
	number, rest, _ := strings.Cut(label, ".")
	n, err := strconv.Atoi(number)
	if err != nil || !phrase.AllDigits(number) {
		return "", Stage{}, false
	}
	rest, before, _ := strings.Cut(rest, ".before_")
	pipeline, after, _ := strings.Cut(rest, ".after_")
	return name, Stage{Kind: StagePass, Label: label, Pass: Pass{Number: n, Pipeline: pipeline, After: after, Before: before}}, true
}

// cutFormat cuts off the extension of a stage's file.
func cutFormat(s string) (stem string, kind Kind, ok bool) {
	s = cutCompression(s)
	for _, f := range stageFormats {
		if stem, ok := strings.CutSuffix(s, f.text); ok {
			return stem, f.kind, true
		}
	}
	return s, "", false
}

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

// ProgramName returns a module's name as the user knows it: without the parts that differ between runs or between versions of a framework.
func ProgramName(module string) string {
	name := cutNumber(cutChangelist(module), ".") // building HLO adds the number of an instruction
	if f, ok := tensorFlowName(name); ok && f != "" {
		return f
	}
	for _, transform := range []string{"jit_", "pjit_", "pmap_", "xla_computation_"} {
		if f, ok := strings.CutPrefix(name, transform); ok && f != "" {
			if strings.HasPrefix(f, "__") && strings.Trim(f, "_") != "" {
				return "__" + strings.Trim(f, "_") + "__" // of "__call__" newer versions leave "__call"
			}
			return cmp.Or(strings.TrimRight(f, "_"), f) // older versions spell "<lambda>" "_lambda_", newer ones "_lambda"
		}
	}
	if name == "" {
		return module
	}
	return name
}

// IsHelperName reports whether JAX has a function of this name. A program of another name is the user's; one of this name may be.
func IsHelperName(program string) bool {
	return helperNames()[strings.ReplaceAll(strings.TrimLeft(program, "_"), "-", "_")] // primitives may have dashes: "scatter-add"
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
	cut := cutNumber(numbered, "_")
	if cut == numbered {
		return f
	}
	if strings.HasPrefix(cut, "__backward_") {
		cut = cutNumber(cut, "_")
	}
	if strings.HasSuffix(cut, "_lambda_") {
		cut = strings.TrimSuffix(cut, "_")
	}
	return cut
}
