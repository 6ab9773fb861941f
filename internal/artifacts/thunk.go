package artifacts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// Thunks is the thunk sequence of the GPU runtime, in order, outer thunks before nested ones.
type Thunks struct {
	Thunks []Thunk
	// Incomplete reports that the file has conditionals or command buffers without their nested thunks, as versions before 2025
	// wrote them. The counts are then too low.
	Incomplete bool

	lines int // of the file
}

// Thunk is one step of the runtime.
type Thunk struct {
	ID     int64  // -1 in versions that print none; 0 for a thunk that a thunk pass added
	Kind   string // as printed: "kCustomKernel"
	Class  ThunkClass
	Parent int    // index of the enclosing thunk, -1 for none
	Kernel string // a kernel's symbol
	Grid   [3]int64
	Block  [3]int64 // threads
	Shared int64    // bytes of shared memory; -1 if the version does not print it
}

// ThunkClass is the class in which a thunk is counted.
type ThunkClass uint8

// The classes of thunks.
const (
	ThunkOther ThunkClass = iota // memset, partition id, host calls, …
	ThunkKernel
	ThunkLibrary
	ThunkCopy
	ThunkCollective
	ThunkControl // while, conditional, command buffer, sequential, the ends of asynchronous operations, …
)

// thunkClasses maps the kinds that are no collectives to their classes.
var thunkClasses = map[string]ThunkClass{
	"kKernel":             ThunkKernel,
	"kCustomKernel":       ThunkKernel,
	"kGemm":               ThunkLibrary,
	"kCublasLtMatmul":     ThunkLibrary,
	"kCuDnn":              ThunkLibrary,
	"kConvolution":        ThunkLibrary,
	"kConvolutionReorder": ThunkLibrary,
	"kNorm":               ThunkLibrary,
	"kFusedMHA":           ThunkLibrary,
	"kCustomCall":         ThunkLibrary,
	"kLegacyCustomCall":   ThunkLibrary,
	"kCubSort":            ThunkLibrary,
	"kCholesky":           ThunkLibrary,
	"kTriangularSolve":    ThunkLibrary,
	"kSelectK":            ThunkLibrary,
	"kFft":                ThunkLibrary,
	"kCopy":               ThunkCopy,
	"kCopyStart":          ThunkCopy,
	"kWhile":              ThunkControl,
	"kConditional":        ThunkControl,
	"kSequential":         ThunkControl,
	"kCommandBuffer":      ThunkControl,
	"kDynamicSliceFusion": ThunkControl,
	"kDynamicSlice":       ThunkControl,
	"kAddressComputation": ThunkControl,
	"kAsyncStart":         ThunkControl,
	"kGroup":              ThunkControl,
	"kHostExecuteStart":   ThunkOther,
}

// collectives are the prefixes of the kinds of collectives, after "k" and an optional "Nccl".
var collectives = []string{
	"AllReduce", "AllGather", "AllToAll", "ReduceScatter", "CollectivePermute", "CollectiveBroadcast", "CollectiveReduce",
	"CollectiveKernel", "RaggedAllToAll", "Send", "Recv", "NvshmemAllReduce", "NvshmemCollectivePermute", "NvshmemSend", "NvshmemRecv",
}

func classOf(kind string) ThunkClass {
	if class, ok := thunkClasses[kind]; ok {
		return class
	}
	if strings.HasSuffix(kind, "Done") { // its start is counted
		return ThunkControl
	}
	name := strings.TrimPrefix(strings.TrimPrefix(kind, "k"), "Nccl")
	for _, c := range collectives {
		if strings.HasPrefix(name, c) {
			return ThunkCollective
		}
	}
	return ThunkOther
}

// Complete returns an error if the metadata names a thunk that is not in the sequence, or lacks one of its kernels, or if there are fewer
// thunks than the module has launches. Thunks that a pass added have no id.
func (t *Thunks) Complete(names ThunkNames, launches int) error {
	ids := map[int64]bool{0: true, -1: true}
	for i := range t.Thunks {
		x := &t.Thunks[i]
		ids[x.ID] = true
		if _, named := names[x.ID]; !named && len(names) > 0 && x.Class == ThunkKernel && x.ID > 0 {
			return fmt.Errorf("thunk %03d (%s) is not in the thunk metadata: that file was cut off", x.ID, x.Kernel)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if !ids[id] {
			return syntaxError(t.lines, "the file ends before the thunk %03d (%s) of the thunk metadata: it was cut off", id, names[id])
		}
	}
	if n := t.most(); n < launches && !t.Incomplete {
		return syntaxError(t.lines, "the file ends after %d launches, and the module has %d: it was cut off", n, launches)
	}
	return nil
}

// most returns the largest number of the module's launches that the thunks can represent. In a loop with a known trip count, launches of the condition have
// no thunks.
func (t *Thunks) most() (n int) {
	loops := false
	for i := range t.Thunks {
		loops = loops || t.Thunks[i].Kind == "kWhile"
		if t.Thunks[i].Class != ThunkControl || t.Thunks[i].Kind == "kDynamicSliceFusion" {
			n++
		}
	}
	if loops {
		return len(t.Thunks)
	}
	return n
}

// Unassembled returns the first kernel in the thunks that is missing from the PTX, "" if there is none or there is no PTX. Kernels that are
// part of the runtime itself have no PTX.
func (t *Thunks) Unassembled(entries map[string]bool) string {
	if len(entries) == 0 {
		return ""
	}
	for i := range t.Thunks {
		if x := &t.Thunks[i]; x.Class == ThunkKernel && !entries[x.Kernel] {
			return x.Kernel
		}
	}
	return ""
}

// ThunkNames maps a thunk's id to the HLO instruction that it runs.
type ThunkNames map[int64]string

// ReadThunkMetadata reads a .thunk_metadata.txt.
func ReadThunkMetadata(data []byte) (ThunkNames, error) {
	names := ThunkNames{}
	err := textFields(data, func(r *wire.Reader, name string) error {
		if name != "thunk_metadata" {
			return nil
		}
		missing := r.Errorf("a thunk without thunk_info")
		err := r.Message(nil, func(name string) error {
			if name != "thunk_info" {
				return nil
			}
			missing = nil
			return names.read(r)
		})
		return cmp.Or(err, missing)
	})
	return names, err
}

// read reads a ThunkInfoProto.
func (n ThunkNames) read(r *wire.Reader) error {
	id, instruction := int64(0), "" // text format leaves out a zero
	err := r.Message(nil, func(name string) (err error) {
		switch name {
		case "thunk_id":
			id, err = r.Int()
		case "profile_annotation":
			instruction, err = r.String()
		}
		return err
	})
	if instruction != "" {
		n[id] = instruction
	}
	return err
}
