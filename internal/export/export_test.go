package export

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/testfile"
)

func measured(t *testing.T, path string) *facts.Report {
	t.Helper()
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := facts.Measure(context.Background(), d, facts.Options{KeepModules: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// compared is one of the real pairs, before beside after.
func compared(t *testing.T, name string) *changes.Report {
	t.Helper()
	dir := filepath.Join("../../testdata/cases", name)
	return changes.Compare(measured(t, filepath.Join(dir, "before.tar.xz")), measured(t, filepath.Join(dir, "after.tar.xz")))
}

func alone(t *testing.T, name string) *changes.Report {
	t.Helper()
	return changes.Compare(&facts.Report{}, measured(t, filepath.Join("../../testdata/cases", name, "after.tar.xz")))
}

func exported(t *testing.T, d *changes.Report, format string) []File {
	t.Helper()
	files, err := Of(d, format, "")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func allCases(t *testing.T) (names []string) {
	t.Helper()
	dirs, err := filepath.Glob("../../testdata/cases/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(err, len(dirs))
	}
	for _, d := range dirs {
		names = append(names, filepath.Base(d))
	}
	return names
}

// A module that is written and read again does the same.
func TestModulesReadBack(t *testing.T) {
	for _, name := range allCases(t) {
		d := alone(t, name)
		views, err := viewsOf(d, "")
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range exported(t, d, "hlo") {
			m, err := hlo.ParseText(f.Data, f.Name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, want := m.Fingerprint(), views[i].New.Fingerprint; got != want {
				t.Errorf("%s: %s has the fingerprint %s, and the module that it was written from %s", name, f.Name, got, want)
			}
		}
	}
}

func TestNoSuchProgram(t *testing.T) {
	if _, err := Of(alone(t, "cpu-forward_again"), "hlo", "train_stp"); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("got %v", err)
	}
}

// Programs whose names differ in a slash or in case only have a file each.
func TestNamesOfFiles(t *testing.T) {
	d := alone(t, "cpu-forward_again")
	p := d.Programs[0]
	d.Programs = nil
	for _, name := range []string{"a/b", "a_b", "A_B", "a_b-2"} {
		q := *p
		q.Name = name
		d.Programs = append(d.Programs, &q)
	}
	var names []string
	for _, f := range exported(t, d, "hlo") {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); len(names) != 4 || got != "a_b.hlo a_b-2.hlo A_B-3.hlo a_b-2-2.hlo" {
		t.Error(got)
	}
}

// The samples of a profile add up to what a run is predicted to take.
func TestProfileAddsUp(t *testing.T) {
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-gathered"} {
		d, want := alone(t, name), 0.0
		for _, p := range d.Programs {
			for _, v := range p.New.Variants {
				want += v.Facts[facts.PriceStep]
			}
		}
		if got := total(t, d, sampleTime); math.Abs(float64(got)-want) > 1e-3*want+10 {
			t.Errorf("%s: the profile adds up to %d ns, the prices to %.0f ns", name, got, want)
		}
	}
}

func total(t *testing.T, d *changes.Report, of int) (sum int64) {
	t.Helper()
	p, err := profile.ParseData(exported(t, d, "pprof")[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		sum += s.Value[of]
	}
	return sum
}

func TestProfileOfAComparisonIsTheDifference(t *testing.T) {
	d := compared(t, "cpu-forward_again")
	var old, fresh float64
	for _, p := range d.Programs {
		for _, v := range p.Variants {
			old, fresh = old+v.Old.Facts[facts.PriceStep], fresh+v.New.Facts[facts.PriceStep]
		}
	}
	if got := float64(total(t, d, sampleTime)); fresh <= old || math.Abs(got-(fresh-old)) > 20+0.3*(fresh-old) {
		t.Errorf("the profile says %.0f ns more, the prices %.0f ns", got, fresh-old)
	}
}

// Nodes are told apart, edges end at nodes, and the mapping joins nodes of both sides.
func TestGraphsAreWhole(t *testing.T) {
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-branch_lost", "tf-norm_gone", "cpu-rename_all"} {
		files := exported(t, compared(t, name), "model-explorer")
		before, after, entries := map[string]bool{}, map[string]bool{}, 0
		for _, f := range files {
			switch f.Name {
			case "before.json":
				nodesOf(t, name, f, before)
			case "after.json":
				nodesOf(t, name, f, after)
			}
		}
		for _, f := range files {
			if !strings.HasPrefix(f.Name, "mapping-") {
				continue
			}
			var m explorerMapping
			if err := json.Unmarshal(f.Data, &m); err != nil {
				t.Fatal(err)
			}
			for _, e := range m.Entries {
				entries++
				if len(e.Left) == 0 || len(e.Right) == 0 || !all(e.Left, before) || !all(e.Right, after) {
					t.Errorf("%s: the mapping names a node that is none: %v", name, e)
				}
			}
		}
		if entries == 0 {
			t.Errorf("%s: nothing corresponds", name)
		}
	}
}

func all(names []string, in map[string]bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !in[n] })
}

func nodesOf(t *testing.T, name string, f File, seen map[string]bool) {
	t.Helper()
	var g explorerGraphs
	if err := json.Unmarshal(f.Data, &g); err != nil {
		t.Fatal(err)
	}
	for _, graph := range g.Graphs {
		own := map[string]bool{}
		for _, n := range graph.Nodes {
			if own[n.ID] {
				t.Errorf("%s, %s: the node %s stands twice in %s", name, f.Name, n.ID, graph.ID)
			}
			own[n.ID], seen[n.ID] = true, true
		}
		for _, n := range graph.Nodes {
			for _, e := range n.Incoming {
				if !own[e.Source] {
					t.Errorf("%s, %s: an edge of %s comes from %s, which is no node", name, f.Name, n.ID, e.Source)
				}
			}
		}
	}
}

// What a module's header says is written as well: aliases, donors, how many devices run it, and its frontend attributes.
func TestHeadersReadBack(t *testing.T) {
	pairs, err := filepath.Glob("../hlo/testdata/pairs/*.txt.gz")
	if err != nil || len(pairs) == 0 {
		t.Fatalf("%d modules, %v", len(pairs), err)
	}
	texts := map[string][]byte{"by hand": []byte(`HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {2,0}, may-alias) }, ` +
		`buffer_donor={ (1, {1}) }, entry_computation_layout={(f32[2]{0}, (f32[], f32[2]{0}, (f32[2]{0})))->(f32[2]{0}, f32[2]{0})}, ` +
		`replica_count=2, num_partitions=4, frontend_attributes={a="1",b="x \"y\""}

%own (p: f32[2]) -> f32[2] {
  ROOT %p = f32[2]{0} parameter(0)
}, execution_thread="other"

ENTRY %e (a: f32[2], b: (f32[], f32[2], (f32[2]))) -> (f32[2], f32[2]) {
  %a = f32[2]{0} parameter(0)
  %b = (f32[], f32[2]{0}, (f32[2]{0})) parameter(1)
  %c = f32[2]{0} custom-call(%a), custom_call_target="own", called_computations={%own}
  ROOT %r = (f32[2]{0}, f32[2]{0}) tuple(%c, %a)
}
`)}
	for _, path := range pairs {
		texts[path] = testfile.Unpack(t, path)
	}
	for name, text := range texts {
		m, err := hlo.ParseText(text, name)
		if err != nil {
			t.Fatal(err)
		}
		w := &hloWriter{m: m}
		w.module()
		again, err := hlo.ParseText(w.out.Bytes(), "written")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(m.Header, again.Header); diff != "" || again.Fingerprint() != m.Fingerprint() {
			t.Errorf("%s: (-read +written)\n%s", name, diff)
		}
		for c := range m.Comps {
			if got, want := again.Text(again.Comps[c].Thread), m.Text(m.Comps[c].Thread); strings.Trim(got, `"`) != strings.Trim(want, `"`) {
				t.Errorf("%s: %s runs on %q, wanted %q", name, m.CompName(hlo.CompID(c)), got, want)
			}
		}
	}
}
