package dump

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// Kind says what a file is.
type Kind string

// Module files.
const (
	KindHLOText  Kind = "hlo-text"
	KindHLOProto Kind = "hlo-proto" // HloProto, or a bare HloModuleProto
	KindDot      Kind = "dot"
	KindHTML     Kind = "html"
	KindURL      Kind = "url"
	KindRiegeli  Kind = "riegeli"
)

// Companions of a module.
const (
	KindBufferAssignment  Kind = "buffer-assignment"
	KindBufferValues      Kind = "buffer-assignment-values"
	KindLiveRange         Kind = "live-range"
	KindMemoryReport      Kind = "memory-usage-report"
	KindMemoryReportProto Kind = "memory-usage-report-proto"
	KindDebugOptions      Kind = "debug-options"
	KindConfig            Kind = "module-config"
	KindTargetConfig      Kind = "gpu-target-config"
	KindAutotuneResults   Kind = "autotune-results"
	KindFlagFile          Kind = "flagfile"
	KindThunks            Kind = "thunk-sequence"
	KindThunksAfterPasses Kind = "thunk-sequence-after-passes"
	KindThunkMetadata     Kind = "thunk-metadata"
	KindThunkSchedule     Kind = "thunk-schedule" // the predecessor of the thunk sequence
	KindPriorityFusion    Kind = "priority-fusion"
	KindPTX               Kind = "ptx"
	KindLLVMUnoptimized   Kind = "llvm-ir-no-opt"
	KindLLVMOptimized     Kind = "llvm-ir-with-opt"
	KindObject            Kind = "object"
	KindDeviceObject      Kind = "device-object"
	KindMLIR              Kind = "mlir" // StableHLO, Shardy, Triton and the emitters' own
	KindPassLog           Kind = "mlir-pass-log"
	KindFusionHLO         Kind = "fusion-hlo" // one fusion as a separate module
	KindFusionDrawing     Kind = "fusion-visualization"
	KindTPU               Kind = "tpu-companion" // flags, arguments and statistics, told apart by their names
	KindModuleMetadata    Kind = "module-metadata"
	KindSnapshot          Kind = "hlo-snapshot"
	KindCompileOptions    Kind = "compile-options"
	KindTopology          Kind = "topology"
	KindFDOProfile        Kind = "fdo-profile"
	// KindBufferProto is TensorFlow's optimized_hlo_proto_serialized before 2.21: the unoptimized module with the buffer assignment of the optimized one.
	KindBufferProto Kind = "hlo-proto-with-buffers"
)

// Files that belong to no module.
const (
	KindGraph        Kind = "tensorflow-graph"
	KindOpStacks     Kind = "tensorflow-op-stack-traces"
	KindSavedModel   Kind = "tensorflow-saved-model"
	KindLog          Kind = "log"
	KindTrace        Kind = "trace"
	KindToolchain    Kind = "toolchain"
	KindTensorsGraph Kind = "torch-xla-graphs"
	KindTorchMetrics Kind = "torch-xla-metrics"
	KindTorchReasons Kind = "torch-xla-reasons" // PT_XLA_DEBUG_FILE: why each graph was compiled, and from which line
	KindCacheEntry   Kind = "compilation-cache"
	KindArchive      Kind = "archive"
	KindJSON         Kind = "json"
)

// mark is a part of a file's name or content that tells its kind.
type mark struct {
	text string
	kind Kind
}

// marks are the parts of names or contents of one kind.
type marks struct {
	kind  Kind
	texts []string
}

// kindOf returns the kind of the first mark that fits, "" if none does.
func kindOf(list []marks, fits func(text string) bool) Kind {
	for _, m := range list {
		if slices.ContainsFunc(m.texts, fits) {
			return m.kind
		}
	}
	return ""
}

// companions are the files about a whole module, by the suffixes of their names.
var companions = map[string]Kind{
	"debug_options":                     KindDebugOptions,
	"config":                            KindConfig,
	"hlo_module_config":                 KindConfig,
	"gpu_target_config":                 KindTargetConfig,
	"autotune_results":                  KindAutotuneResults,
	"priority_fusion_dump":              KindPriorityFusion,
	"thunk_sequence":                    KindThunks,
	"thunk_metadata":                    KindThunkMetadata,
	"thunk_schedule":                    KindThunkSchedule,
	"flagfile":                          KindFlagFile,
	"basic_compiler_metadata":           KindTPU,
	"execution_options":                 KindTPU,
	"target_arguments":                  KindTPU,
	"tpu_comp_env":                      KindTPU,
	"transfer_stats":                    KindTPU,
	"sparse_core_specific_metadata":     KindTPU,
	"metadata":                          KindModuleMetadata,
	"fdo_profile":                       KindFDOProfile,
	"compile_options":                   KindCompileOptions,
	"topology":                          KindTopology,
	"thunk_sequence_after_thunk_passes": KindThunksAfterPasses,
}

// companionFormats are the extensions of those files in text form; the binary form ends in .pb.
var companionFormats = []string{".txt", ".pbtxt", ".textproto"}

// reports are written beside the final HLO; their suffixes follow the name of the stage.
var reports = []mark{
	{"-buffer-assignment.txt", KindBufferAssignment},
	{"-buffer-assignment-values.txt", KindBufferValues},
	{"-live-range.txt", KindLiveRange},
	{"-memory-usage-report.txt", KindMemoryReport},
	{"-memory-usage-report.pb", KindMemoryReportProto},
}

// unitFiles are the suffixes of files about one kernel or part of a module: the name of the kernel or part precedes them.
var unitFiles = []marks{
	{KindPTX, []string{".ptx"}},
	{KindObject, []string{".o"}},
	{KindDeviceObject, []string{".hsaco", ".cubin"}},
	{KindFusionHLO, []string{".hlo"}},
	{KindMLIR, []string{".mlir", ".ttir", ".ttir.txt", ".triton-to-llvm.txt", ".canonicalize-cse.txt", ".xtile-to-triton.txt"}},
	{KindPassLog, []string{".mlir-passes.log"}},
	{KindFusionDrawing, []string{"_fusion.html", "_fusion.pyz"}},
	{KindSnapshot, []string{"hlo_snapshot.pb", "hlo_unoptimized_snapshot.pb", "hlo_unoptimized_snapshot.txt"}},
}

// cutCompanion splits the name of a file about a whole module into the module's name and the file's kind.
func cutCompanion(s string) (name string, kind Kind, ok bool) {
	s = cutCompression(s)
	for _, r := range reports {
		if stem, ok := strings.CutSuffix(s, r.text); ok {
			if name, _, ok := cutStage(stem); ok {
				return name, r.kind, true
			}
		}
	}
	s, binary := strings.CutSuffix(s, ".pb")
	for _, ext := range companionFormats {
		s = strings.TrimSuffix(s, ext)
	}
	dot := strings.LastIndexByte(s, '.')
	kind, ok = companions[s[dot+1:]]
	if binary && kind != KindTopology { // a topology's reader takes both forms
		kind = kind.asProto()
	}
	return s[:max(dot, 0)], kind, ok
}

// asProto returns the kind of the binary form of a file.
func (k Kind) asProto() Kind { return k + "-proto" }

// unitKind returns the kind of a file about a part of a module from the suffix of its name.
func unitKind(s string) (Kind, bool) {
	s = "." + cutCompression(s)
	switch ll := strings.HasSuffix(s, ".ll"); {
	case ll && strings.Contains(s, "ir-with-opt"):
		return KindLLVMOptimized, true
	case ll:
		return KindLLVMUnoptimized, true
	}
	if rest, ok := strings.CutSuffix(s, ".pb"); ok {
		if i := strings.LastIndex(rest, ".snapshot."); i >= 0 && phrase.AllDigits(strings.TrimPrefix(rest[i+len(".snapshot."):], "-")) {
			return KindSnapshot, true
		}
	}
	kind := kindOf(unitFiles, func(suffix string) bool { return strings.HasSuffix(s, suffix) })
	return kind, kind != ""
}

// strayNames are the files of no module that are recognized by name, compressed or not, as path.Match matches it.
var strayNames = []marks{
	{KindToolchain, []string{"xlagate-toolchain.json"}},
	{KindLog, []string{"xlagate-stdout.log", "xlagate-stderr.log"}}, // whatever they begin with
	{KindTrace, []string{"*.trace.json", "*.xplane.pb", "*perfetto_trace.json"}},
	{KindOpStacks, []string{"*.op_stacktrace.*csv"}},
	{KindSavedModel, []string{"saved_model.pb", "saved_model.pbtxt", "fingerprint.pb", "keras_metadata.pb", "variables.index", "variables.data-*"}},
	{KindCacheEntry, []string{"*-cache", "*-atime"}},
	{KindJSON, []string{"*.json"}},
	{KindArchive, []string{"*.tar", "*.tgz", "*.zip"}},
}

// isLogName reports whether a name is one that people and runners give to a program's output.
func isLogName(base string) bool {
	base = cutCompression(base)
	stem, ext, _ := strings.Cut(base, ".")
	switch {
	case strings.HasSuffix(base, ".log"), strings.HasSuffix(base, ".out"), strings.HasSuffix(base, ".err"):
		return true
	case ext == "" || ext == "txt":
		return stem == "log" || stem == "stdout" || stem == "stderr"
	}
	return false
}

// saysError reports whether a text is a stored error of TensorFlow's bridge to XLA.
func saysError(head []byte) bool {
	return bytes.Contains(head, []byte("tf2xla conversion failed")) || bytes.Contains(head, []byte("Detected unsupported operations"))
}

// strayKind returns the kind of a file of no module: from its name if that is certain, else from its content, else from its extension.
func strayKind(f *File) (Kind, error) {
	if f.Kind != "" {
		return f.Kind, nil
	}
	base := path.Base(f.Rel)
	if kind := kindOf(strayNames, func(pattern string) bool { fits, _ := path.Match(pattern, cutCompression(base)); return fits }); kind != "" {
		return kind, nil
	}
	head, err := f.head(headSize)
	if err != nil {
		return "", err
	}
	if kind := sniff(head); kind != "" {
		return kind, nil
	}
	if kind, ok := unitKind(base); ok {
		return kind, nil
	}
	if isLogName(base) || saysError(head) {
		return KindLog, nil
	}
	_, kind, _ := cutCompanion(base)
	return kind, nil
}

// sniffedRole returns the role of a module's file whose name is not recognized, from its content.
func sniffedRole(f *File, suffix string) (role, bool) {
	head, err := f.head(headSize)
	if err != nil {
		return role{}, false
	}
	kind := sniff(head)
	switch kind {
	case KindHLOText, KindHLOProto, KindDot, KindHTML, KindRiegeli:
		stem, _, _ := cutFormat(suffix)
		return role{&Stage{Kind: StageOther, Label: stem}, kind}, true
	}
	return role{kind: kind}, kind != ""
}

// headSize is the number of bytes that are read to identify a file.
const headSize = 4096

// sniff returns a file's kind from the beginning of its content, "" if it is not recognized.
func sniff(head []byte) Kind {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if isText(head) {
		text := skipBlank(head)
		return kindOf(textKinds, func(begin string) bool { return bytes.HasPrefix(text, []byte(begin)) })
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x83\xafp\xd1\r\x88J?")):
		return KindRiegeli
	case isHLOProto(head):
		return KindHLOProto
	case isGraphDef(head):
		return KindGraph
	}
	return ""
}

// textKinds maps the beginning of a text to its kind.
var textKinds = []marks{
	{KindHLOText, []string{"HloModule"}},
	{KindGraph, []string{"node {", "signature {", "library {", "versions {"}},
	{KindDot, []string{"digraph "}},
	{KindHTML, []string{"<!DOCTYPE html", "<html"}},
	{KindBufferAssignment, []string{"BufferAssignment:"}},
	{KindLiveRange, []string{"HloLiveRange "}},
	{KindMemoryReport, []string{"Memory Space:", "Total bytes used:"}},
	{KindMLIR, []string{"// -----// IR Dump", "module @", "module {", "#loc"}},
	{KindTensorsGraph, []string{"[ScheduleSyncTensorsGraph]", "TensorsGraphInfo:"}},
	{KindTorchMetrics, []string{"[MetricsData;"}},
	// A graph without a reason begins with its hash.
	{KindTorchReasons, []string{"Compilation Analysis: ", "Computation hash: ", "Execution Analysis: ", "Unexpected Execution Analysis: "}},
}

// isText reports whether a file's first bytes are text. The last character may be incomplete.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for i := 0; i < utf8.UTFMax && i < len(head); i++ {
		if utf8.Valid(head[:len(head)-i]) {
			return !bytes.ContainsAny(head, "\x01\x02\x03\x04\x05\x06\x0e\x0f\x12\x1a")
		}
	}
	return len(head) == 0
}

// skipBlank skips blanks and comments before a text's first word.
func skipBlank(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		end := -1
		switch {
		case bytes.HasPrefix(text, []byte("/*")):
			if end = bytes.Index(text, []byte("*/")); end >= 0 {
				end += 2
			}
		case bytes.HasPrefix(text, []byte("//")) && !bytes.HasPrefix(text, []byte("// -----//")):
			end = bytes.IndexByte(text, '\n')
		}
		if end < 0 {
			return text
		}
		text = text[end:]
	}
}

// protoFields returns the first length-delimited field of each number from a possibly truncated serialized message.
func protoFields(head []byte) map[int][]byte {
	fields := map[int][]byte{}
	for number, content := range wire.Bodies(head) {
		if fields[number] == nil {
			fields[number] = content
		}
	}
	return fields
}

// isHLOProto reports whether a message is an HloProto{1: HloModuleProto} or a bare HloModuleProto{1: name, 2: entry's name, 3: computation}.
func isHLOProto(head []byte) bool {
	_, ok := protoModuleName(head)
	return ok
}

// protoModuleName returns the module's name from the beginning of a serialized HloProto or HloModuleProto.
func protoModuleName(head []byte) (name string, ok bool) {
	fields := protoFields(head)
	if isModuleProto(fields) {
		return string(fields[1]), true
	}
	if fields = protoFields(fields[1]); isModuleProto(fields) {
		return string(fields[1]), true
	}
	return "", false
}

// isModuleProto reports whether a message is an HloModuleProto: its first computation has a name and instructions with a name and an opcode.
func isModuleProto(fields map[int][]byte) bool {
	if !isName(fields[1]) || !isName(fields[2]) {
		return false
	}
	computation := protoFields(fields[3])
	instruction := protoFields(computation[2])
	return isName(computation[1]) && isName(instruction[1]) && isName(instruction[2])
}

// isGraphDef reports whether a message is a GraphDef{1: NodeDef{1: name, 2: op}}.
func isGraphDef(head []byte) bool {
	node := protoFields(protoFields(head)[1])
	return isName(node[1]) && isName(node[2])
}

func isName(b []byte) bool {
	return len(b) > 0 && utf8.Valid(b) && !strings.ContainsFunc(string(b), func(r rune) bool { return r < ' ' })
}

// textModuleName returns the module's name from the first line of HLO text.
func textModuleName(head []byte) (name string, ok bool) {
	line, ok := bytes.CutPrefix(skipBlank(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), []byte("HloModule"))
	if !ok {
		return "", false
	}
	line = bytes.TrimLeft(line, " \t")
	if i := bytes.IndexAny(line, ", \t\r\n"); i >= 0 {
		line = line[:i]
	}
	return string(bytes.TrimPrefix(line, []byte("%"))), true
}

// heading is what the beginning of a module file says.
type heading struct {
	name string // of the module
	ok   bool   // it is a module
	err  error
}

// headerName reads the module's name from the header of a module file, once.
func headerName(f *File) (name string, ok bool, err error) {
	if f.header == nil {
		head, err := f.head(headSize)
		f.header = &heading{err: err}
		switch {
		case err != nil:
		case f.Kind == KindHLOProto:
			f.header.name, f.header.ok = protoModuleName(head)
		default:
			f.header.name, f.header.ok = textModuleName(head)
		}
	}
	return f.header.name, f.header.ok, f.header.err
}
