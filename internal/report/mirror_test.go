package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/phrase"
)

// compiled is one side of a pair that is beside the package which compares them.
func compiled(t *testing.T, name string) *facts.Report {
	t.Helper()
	return factstest.Measure(t, "../changes/testdata/"+name+".tar.gz", facts.Options{})
}

// viewed is what the JSON of a difference says.
type viewed struct {
	Schema    string
	Identical bool
	Programs  []struct {
		Program string
		Change  string
		Kernels struct{ Removed, Added, Changed, Split, Merged []any }
	}
}

func viewedDiff(t *testing.T, old, fresh *facts.Report) viewed {
	t.Helper()
	var b bytes.Buffer
	if err := Diff.Render(&b, changes.Compare(old, fresh), "json", Options{}); err != nil {
		t.Fatal(err)
	}
	var v viewed
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var compared = []string{"gpu-fusion_barrier", "cpu-extra_kernel", "tpu-extra_transpose", "cpu-unrolled_loop", "cpu-benign_rename"}

// What is added one way is removed the other way, and what is split is merged.
func TestDiffIsMirrored(t *testing.T) {
	for _, name := range compared {
		old, fresh := compiled(t, name+"-before"), compiled(t, name+"-after")
		there, back := viewedDiff(t, old, fresh), viewedDiff(t, fresh, old)
		if there.Schema != "xlagate.diff/v1" || there.Identical != back.Identical || len(there.Programs) != len(back.Programs) {
			t.Fatalf("%s: %+v and %+v", name, there, back)
		}
		for i := range there.Programs {
			a, b := there.Programs[i].Kernels, back.Programs[i].Kernels
			if there.Programs[i].Change != back.Programs[i].Change || len(a.Split) != len(b.Merged) || len(a.Merged) != len(b.Split) {
				t.Errorf("%s: %d split and %d merged there, %d and %d back", name, len(a.Split), len(a.Merged), len(b.Split), len(b.Merged))
			}
		}
	}
}

// A dump does not differ from itself, in any format.
func TestDiffOfItself(t *testing.T) {
	for _, name := range compared {
		r := compiled(t, name+"-before")
		if v := viewedDiff(t, r, r); !v.Identical || len(v.Programs[0].Kernels.Added)+len(v.Programs[0].Kernels.Removed)+len(v.Programs[0].Kernels.Changed) != 0 {
			t.Errorf("%s: %+v", name, v)
		}
		for _, format := range Inspect.Names() {
			var b bytes.Buffer
			if err := Diff.Render(&b, changes.Compare(r, r), format, Options{}); err != nil || !strings.Contains(strings.ToLower(b.String()), "identical") {
				t.Errorf("%s in %s: %v\n%.300s", name, format, err, b.String())
			}
		}
	}
}

// Every format of a dump names its programs and says how many kernels they have.
func TestInspectNamesEveryProgram(t *testing.T) {
	for _, name := range compared {
		r := compiled(t, name+"-before")
		for _, format := range Inspect.Names() {
			var b bytes.Buffer
			if err := Inspect.Render(&b, r, format, Options{}); err != nil {
				t.Fatal(err)
			}
			text := said(t, format, b.String())
			for _, p := range r.Programs {
				kernels := p.Variants[0].Facts["kernels.total"]
				if !strings.Contains(text, p.Name) || !strings.Contains(text, phrase.Show(kernels, "")) {
					t.Errorf("%s in %s: %s with %v kernels is not there", name, format, p.Name, kernels)
				}
			}
		}
	}
}

// A writer that fails is told of, whatever is viewed.
func TestViewsOnAFullDisk(t *testing.T) {
	r := compiled(t, compared[0]+"-before")
	for _, format := range Inspect.Names() {
		if Inspect.Render(fullDisk{}, r, format, Options{}) == nil || Diff.Render(fullDisk{}, changes.Compare(r, r), format, Options{}) == nil {
			t.Errorf("%s was written to a full disk", format)
		}
	}
}
