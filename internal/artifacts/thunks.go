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

// thunkClasses holds the kinds of each class that are no collectives.
var thunkClasses = map[ThunkClass][]string{
	ThunkKernel: {"kKernel", "kCustomKernel"},
	ThunkLibrary: {
		"kGemm", "kCublasLtMatmul", "kCuDnn", "kConvolution", "kConvolutionReorder", "kNorm", "kFusedMHA", "kCustomCall", "kLegacyCustomCall", "kCubSort", "kCholesky",
		"kTriangularSolve", "kSelectK", "kFft",
	},
	ThunkCopy: {"kCopy", "kCopyStart"},
	ThunkControl: {
		"kWhile", "kConditional", "kSequential", "kCommandBuffer", "kDynamicSliceFusion", "kDynamicSlice", "kAddressComputation", "kAsyncStart", "kGroup",
	},
}

// collectives are the prefixes of the kinds of collectives, after "k" and an optional "Nccl".
var collectives = []string{
	"AllReduce", "AllGather", "AllToAll", "ReduceScatter", "CollectivePermute", "CollectiveBroadcast", "CollectiveReduce",
	"CollectiveKernel", "RaggedAllToAll", "Send", "Recv", "NvshmemAllReduce", "NvshmemCollectivePermute", "NvshmemSend", "NvshmemRecv",
}

func classOf(kind string) ThunkClass {
	for class, kinds := range thunkClasses {
		if slices.Contains(kinds, kind) {
			return class
		}
	}
	if strings.HasSuffix(kind, "Done") { // its start is counted
		return ThunkControl
	}
	name := strings.TrimPrefix(strings.TrimPrefix(kind, "k"), "Nccl")
	if slices.ContainsFunc(collectives, func(c string) bool { return strings.HasPrefix(name, c) }) {
		return ThunkCollective
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

// most returns the largest number of the module's launches that the thunks can represent. Loops and branches are launches of the module too. In a loop
// with a known trip count, launches of the condition have no thunks.
func (t *Thunks) most() (n int) {
	nested := false
	for i := range t.Thunks {
		nested = nested || t.Thunks[i].Kind == "kWhile" || t.Thunks[i].Kind == "kConditional"
		if t.Thunks[i].Class != ThunkControl || t.Thunks[i].Kind == "kDynamicSliceFusion" {
			n++
		}
	}
	if nested {
		return len(t.Thunks)
	}
	return n
}

// Unassembled returns the first kernel in the thunks that the PTX lacks, "" for none and where there is no PTX. Kernels of the runtime itself have none.
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
	return names, readText(data, wire.Fields{{0, "thunk_metadata", func(r *wire.Reader) error {
		id, instruction, missing := int64(0), "", r.Errorf("a thunk without thunk_info") // text format leaves out a zero
		err := r.Message(wire.Fields{{0, "thunk_info", func(r *wire.Reader) error {
			missing = nil
			return r.Message(wire.Fields{{0, "thunk_id", &id}, {0, "profile_annotation", &instruction}})
		}}})
		if instruction != "" {
			names[id] = instruction
		}
		return cmp.Or(err, missing)
	}}})
}

// ReadThunks reads a .thunk_sequence.txt of any version.
func ReadThunks(data []byte) (*Thunks, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	r := thunkReader{lines: lines{rest: string(data)}, thunks: &Thunks{}}
	if err := r.readSequence(); err != nil {
		return nil, err
	}
	last := int64(0)
	for i := range r.thunks.Thunks {
		last = max(last, r.thunks.Thunks[i].ID)
	}
	switch {
	case len(r.thunks.Thunks) == 0 && !r.empty:
		return nil, r.lines.errorf("the file holds no thunk: it was cut off")
	case r.named > last: // the newest versions print predecessors and successors
		return nil, r.lines.errorf("the file ends before the thunk %03d, which another names: it was cut off", r.named)
	}
	r.thunks.lines = r.lines.n
	return r.thunks, r.findIncomplete()
}

type thunkReader struct {
	lines  lines
	thunks *Thunks
	open   []openThunk    // the thunks around the next line
	named  int64          // the largest id that a line refers to
	parted map[int]string // the last label in each thunk with labelled parts, even empty ones
	edged  bool           // the version prints what each thunk waits for, and what is nested in a thunk
	empty  bool           // the file states that there is no thunk
}

// openThunk is a thunk with its indentation.
type openThunk struct{ indent, index int }

func (r *thunkReader) readSequence() error {
	r.parted = map[int]string{}
	for line := range r.lines.all() {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch text = strings.TrimRight(text, " "); text {
		case "No thunks.":
			r.empty = true
			continue
		case "":
			continue
		}
		if label, ok := strings.CutSuffix(text, ":"); ok && !strings.Contains(label, " ") {
			if err := r.label(label, indent); err != nil {
				return err
			}
			continue
		}
		for ; text != ""; indent += 2 {
			var err error
			if text, err = r.thunk(text, indent); err != nil {
				return err
			}
		}
	}
	return nil
}

// label reads "condition:", "body:" and "branch_0:", which begin a part of the enclosing thunk. The first of them is not indented below its thunk.
func (r *thunkReader) label(label string, indent int) error {
	if label != "condition" {
		r.close(indent)
	}
	if len(r.open) == 0 {
		return r.lines.unknown("%q stands before the thunk that it is a part of", label)
	}
	r.parted[r.open[len(r.open)-1].index] = label
	return nil
}

// close drops the open thunks that do not enclose a line with this indentation.
func (r *thunkReader) close(indent int) {
	for len(r.open) > 0 && r.open[len(r.open)-1].indent >= indent {
		r.open = r.open[:len(r.open)-1]
	}
}

// thunk reads
//
//	001: kCustomKernel [source | next=002 (1)] loop_add_fusion grid: [1, 1, 1] threads: [128, 1, 1]  shared_memory: 0 bytes
//
// It returns the first thunk that is nested in it, if that is on the same line.
func (r *thunkReader) thunk(text string, indent int) (nested string, err error) {
	r.close(indent)
	t := Thunk{ID: -1, Parent: -1, Shared: -1}
	if id, rest, ok := cutInt(text); ok {
		t.ID = id
		if text, ok = strings.CutPrefix(rest, ": "); !ok {
			return "", r.lines.unknown("cannot read the thunk %q", text)
		}
	}
	t.Kind = text
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		t.Kind, text = text[:i], text[i:]
	} else {
		text = ""
	}
	if len(t.Kind) < 2 || t.Kind[0] != 'k' || t.Kind[1] < 'A' || t.Kind[1] > 'Z' {
		return "", r.lines.unknown("%q is no kind of thunk", t.Kind)
	}
	t.Class = classOf(t.Kind)
	if n := len(r.open); n > 0 {
		t.Parent = r.open[n-1].index
	}
	return r.add(t, strings.TrimLeft(text, " \t"), indent)
}

// add appends a thunk and reads the rest of its line: its launch, or the first thunk nested in it, which it returns.
func (r *thunkReader) add(t Thunk, rest string, indent int) (nested string, err error) {
	if edges, ok := strings.CutPrefix(rest, "["); ok {
		r.edged = true
		if edges, rest, ok = strings.Cut(edges, "]"); !ok {
			return "", r.lines.unknown("the dependencies of %s are not closed", t.Kind)
		}
		for _, end := range []string{"prev=", "next="} {
			_, named, _ := strings.Cut(edges, end)
			if id, _, ok := cutInt(named); ok {
				r.named = max(r.named, id)
			}
		}
		rest = strings.TrimLeft(rest, " ")
	}
	if t.Kind == "kSequential" {
		nested, rest = rest, ""
	}
	if t.Class == ThunkKernel && !t.readLaunch(rest) {
		return "", r.lines.unknown("cannot read the launch %q", rest)
	}
	r.open = append(r.open, openThunk{indent: indent, index: len(r.thunks.Thunks)})
	r.thunks.Thunks = append(r.thunks.Thunks, t)
	return nested, nil
}

// readLaunch reads a kernel's launch in either form:
//
//	loop_add_fusion grid: [1, 1, 1] threads: [128, 1, 1]  shared_memory: 0 bytes
//	, kernel = loop_add_fusion, launch dimensions = blocks: {1, 1, 1}, threads/block: {128, 1, 1}, cluster_dim = nullopt
func (t *Thunk) readLaunch(s string) (ok bool) {
	f, grid, block := fields{s, true}, "grid: [", "threads: ["
	if f.has(", kernel = ") {
		t.Kernel, grid, block = f.until(", "), "blocks: {", "threads/block: {"
	} else if t.Kernel = f.until(" "); t.Kernel == "" {
		return false
	}
	f.until(grid)
	t.Grid = f.triple()
	f.until(block)
	t.Block = f.triple()
	if strings.Contains(f.rest, "shared_memory: ") {
		f.until("shared_memory: ")
		t.Shared = f.int()
	}
	return f.ok
}

// findIncomplete sets Incomplete if nested thunks were not printed. It returns an error if the version does print them.
func (r *thunkReader) findIncomplete() error {
	holds := map[int]bool{}
	for i := range r.thunks.Thunks {
		holds[r.thunks.Thunks[i].Parent] = true
	}
	for i := range r.thunks.Thunks {
		switch r.thunks.Thunks[i].Kind {
		case "kConditional", "kCommandBuffer", "kWhile", "kSequential":
			label, parted := r.parted[i]
			switch {
			case r.edged && (!holds[i] && !parted || label == "condition"):
				return r.lines.errorf("the file ends before what is nested in the thunk %03d: it was cut off", r.thunks.Thunks[i].ID)
			case !holds[i] && !parted:
				r.thunks.Incomplete = true
			}
		}
	}
	return nil
}
