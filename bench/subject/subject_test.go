package subject

import (
	"os/exec"
	"path/filepath"
	"testing"
)

func built(t *testing.T) Xlagate {
	t.Helper()
	path := filepath.Join(t.TempDir(), "xlagate")
	t.Chdir("../..")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/xlagate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return Xlagate(path)
}

// A dump passes against itself, and one that is dearer does not, with the rule that says so.
func TestCheck(t *testing.T) {
	x := built(t)
	const before, after = "testdata/cpu-topk_sorted/before.tar.xz", "testdata/cpu-topk_sorted/after.tar.xz"
	if v, err := x.Check(Side{Dump: before}, Side{Dump: before}); err != nil || v.Failed {
		t.Errorf("%+v, %v", v, err)
	}
	v, err := x.Check(Side{Dump: before}, Side{Dump: after})
	if err != nil || !v.Failed || len(v.Rules) == 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := x.Check(Side{Dump: before}, Side{Dump: "nothing"}); err == nil {
		t.Error("no dump, and a verdict")
	}
}

func TestPrice(t *testing.T) {
	x := built(t)
	cheap, err := x.Price("testdata/cpu-topk_sorted/before.tar.xz")
	if err != nil {
		t.Fatal(err)
	}
	dear, err := x.Price("testdata/cpu-topk_sorted/after.tar.xz")
	if err != nil || cheap.Step() <= 0 || dear.Step() <= cheap.Step() {
		t.Errorf("%v, then %v, %v", cheap, dear, err)
	}
}
