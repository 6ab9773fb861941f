package artifacts

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classes counts the thunks of each class, nested ones included.
func classes(t *Thunks) map[ThunkClass]int {
	n := map[ThunkClass]int{}
	for _, k := range t.Thunks {
		n[k.Class]++
	}
	return n
}

func TestThunkCounts(t *testing.T) {
	for file, want := range map[string]struct {
		classes    map[ThunkClass]int
		incomplete bool
	}{
		"jax-0.5.3.thunk_sequence.txt":       {map[ThunkClass]int{ThunkKernel: 9, ThunkCopy: 2, ThunkControl: 9}, true},
		"jax-0.8.3.thunk_sequence.txt":       {map[ThunkClass]int{ThunkKernel: 6, ThunkCopy: 1, ThunkControl: 1}, false},
		"jax-0.10.2.thunk_sequence.txt":      {map[ThunkClass]int{ThunkKernel: 5, ThunkCopy: 1, ThunkControl: 1}, false},
		"sequential.thunk_sequence.txt":      {map[ThunkClass]int{ThunkKernel: 24, ThunkLibrary: 3, ThunkCopy: 7, ThunkControl: 1}, false},
		"command-buffers.thunk_sequence.txt": {map[ThunkClass]int{ThunkKernel: 54, ThunkCopy: 13, ThunkControl: 16}, false},
	} {
		got := read(t, file, ReadThunks)
		if diff := cmp.Diff(want.classes, classes(got)); diff != "" || got.Incomplete != want.incomplete {
			t.Errorf("%s: incomplete %v (-want +got)\n%s", file, got.Incomplete, diff)
		}
	}
}

// tree prints a sequence as it is nested.
func tree(t *Thunks) string {
	var b strings.Builder
	for _, k := range t.Thunks {
		parent := "-"
		if k.Parent >= 0 {
			parent = fmt.Sprintf("%s %d", t.Thunks[k.Parent].Kind, t.Thunks[k.Parent].ID)
		}
		fmt.Fprintf(&b, "%d %s %s in %s\n", k.ID, k.Kind, k.Kernel, parent)
	}
	return b.String()
}

func TestThunkNesting(t *testing.T) {
	got := tree(read(t, "jax-0.10.2.thunk_sequence.txt", ReadThunks))
	want := `1 kCustomKernel loop_clamp_fusion in -
7 kConditional  in -
2 kCopy  in kConditional 7
3 kCustomKernel sort_6_1 in kConditional 7
4 kCustomKernel gemm_fusion_dot_general_2 in kConditional 7
5 kCustomKernel gemm_fusion_dot_general_3 in kConditional 7
6 kCustomKernel loop_add_fusion in kConditional 7
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sequential := tree(read(t, "sequential.thunk_sequence.txt", ReadThunks))
	for _, line := range []string{"31 kSequential  in -\n", "29 kCopy  in kSequential 31\n", "30 kTriangularSolve  in kSequential 31\n", "32 kCustomKernel input_transpose_fusion in -\n"} {
		if !strings.Contains(sequential, line) {
			t.Errorf("%q is missing in\n%s", line, sequential)
		}
	}
}

// TestWhileInWhile reads loops that stand in each other: the label of the condition is never indented.
func TestWhileInWhile(t *testing.T) {
	const text = `001: kWhile [source | sink]   
condition:
    002: kCopy [source | sink] kCopy
  body:
    003: kWhile [source | sink]       
condition:
        004: kCopy [source | sink] kCopy
      body:
        005: kCustomKernel [source | sink] f grid: [1, 2, 3] threads: [4, 5, 6]  shared_memory: 7 bytes
    006: kCopy [source | sink] kCopy
007: kCopy [source | sink] kCopy
`
	thunks, err := ReadThunks([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `1 kWhile  in -
2 kCopy  in kWhile 1
3 kWhile  in kWhile 1
4 kCopy  in kWhile 3
5 kCustomKernel f in kWhile 3
6 kCopy  in kWhile 1
7 kCopy  in -
`
	if got := tree(thunks); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if k := thunks.Thunks[4]; k.Grid != [3]int64{1, 2, 3} || k.Block != [3]int64{4, 5, 6} || k.Shared != 7 {
		t.Errorf("%+v", k)
	}
}

func TestThunkLaunch(t *testing.T) {
	thunks := read(t, "jax-0.8.3.thunk_sequence.txt", ReadThunks)
	if k := thunks.Thunks[0]; k.Kernel != "loop_clamp_fusion" || k.Grid != [3]int64{1, 1, 1} || k.Shared != -1 || k.ID != 1 {
		t.Errorf("%+v", k)
	}
}

// A module without launches has a sequence that says so.
func TestNoThunks(t *testing.T) {
	if thunks, err := ReadThunks([]byte("No thunks.\n")); err != nil || len(thunks.Thunks) != 0 {
		t.Errorf("%+v %v", thunks, err)
	}
}

func TestThunkErrors(t *testing.T) {
	for text, want := range map[string]string{
		"  body:\n":                    `line 1: "body" stands before`,
		"001: kCopy [source\n":         "line 1: the dependencies of kCopy are not closed",
		"001: kCustomKernel [] x\n":    "line 1: cannot read the launch",
		"001 kCopy\n":                  "line 1: cannot read the thunk",
		"kCopy\nCopy\n":                `line 2: "Copy" is no kind of thunk`,
		"001: kCopy [source | sink] k": "line 1: the file ends inside a line",
	} {
		if _, err := ReadThunks([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestThunkClasses(t *testing.T) {
	for kind, want := range map[string]ThunkClass{
		"kKernel": ThunkKernel, "kCustomKernel": ThunkKernel, "kGemm": ThunkLibrary, "kCopy": ThunkCopy, "kAllReduceStart": ThunkCollective,
		"kAllReduceDone": ThunkControl, "kNcclAllGatherStart": ThunkCollective, "kRaggedAllToAll": ThunkCollective, "kSend": ThunkCollective,
		"kSendDone": ThunkControl, "kAsyncDone": ThunkControl, "kWhile": ThunkControl, "kPartitionId": ThunkOther, "kMemzero": ThunkOther,
	} {
		if got := classOf(kind); got != want {
			t.Errorf("%s: %d, not %d", kind, got, want)
		}
	}
}

func TestThunkMetadata(t *testing.T) {
	got := read(t, "attn.thunk_metadata.txt", ReadThunkMetadata)
	if want := (ThunkNames{1: "gemm_fusion_dot", 2: "triton_softmax.2", 3: "gemm_fusion_dot.1"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
