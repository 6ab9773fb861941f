package dump

import (
	"strconv"
	"strings"
)

// stageFormats are the extensions of a stage's files, longest first.
var stageFormats = []struct {
	ext  string
	kind Kind
}{
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

// cutStage splits what stands before an extension into the module's name and the stage at its end. Pass dumps are not found
// this way: see cutPass.
func cutStage(s string) (name string, stage Stage, ok bool) {
	for _, fixed := range fixedStages {
		if name, ok := cutLabel(s, fixed.label); ok {
			return name, Stage{Kind: fixed.kind, Label: fixed.label}, true
		}
	}
	for _, tagged := range taggedStages {
		if before, found := strings.CutSuffix(s, tagged.label); found {
			name, tag := cutTag(before)
			return name, Stage{Kind: tagged.kind, Tag: tag, Label: s[len(s)-len(tagged.label)-lengthOfTag(tag):]}, true
		}
	}
	return "", Stage{}, false
}

func lengthOfTag(tag string) int {
	if tag == "" {
		return 0
	}
	return len(tag) + 1
}

// cutLabel cuts a label and the dot before it off the end.
func cutLabel(s, label string) (name string, ok bool) {
	if s == label {
		return "", true
	}
	return strings.CutSuffix(s, "."+label)
}

// cutTag splits "jit_f.sm_9.0a_gpu_" into the name and the tag, which may hold a dot itself.
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

// isCUDATag recognizes "sm_9.0a_gpu".
func isCUDATag(s string) bool {
	version, ok := strings.CutSuffix(strings.TrimPrefix(s, "sm_"), "_gpu")
	major, minor, dotted := strings.Cut(version, ".")
	minor = strings.TrimRight(minor, "abcdefghijklmnopqrstuvwxyz")
	return ok && allDigits(major) && (!dotted || allDigits(minor))
}

// cutPass splits what stands before an extension into the module's name and the pass at its end. A pass that dumps while it runs
// leaves one of the last two out:
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
	label := s
	if dot := lastDots(s[:i], 2); dot >= 0 {
		name, label = s[:dot], s[dot+1:]
	}
	number, rest, _ := strings.Cut(label, ".")
	n, err := strconv.Atoi(number)
	if err != nil || !allDigits(number) {
		return "", Stage{}, false
	}
	rest, before, _ := strings.Cut(rest, ".before_")
	pipeline, after, _ := strings.Cut(rest, ".after_")
	return name, Stage{Kind: StagePass, Label: label, Pass: Pass{Number: n, Pipeline: pipeline, After: after, Before: before}}, true
}

// lastDots is where the nth dot from the end stands, -1 when there are fewer.
func lastDots(s string, n int) int {
	for range n {
		i := strings.LastIndexByte(s, '.')
		if i < 0 {
			return -1
		}
		s = s[:i]
	}
	return len(s)
}

// cutFormat cuts off the extension of a stage's file.
func cutFormat(s string) (stem string, kind Kind, ok bool) {
	s = cutCompression(s)
	for _, f := range stageFormats {
		if stem, ok := strings.CutSuffix(s, f.ext); ok {
			return stem, f.kind, true
		}
	}
	return s, "", false
}
