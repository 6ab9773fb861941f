package webpage

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// A kernel that a profiler saw has the time of one run beside the predicted one.
func TestMeasuredKernels(t *testing.T) {
	d, err := dump.Open(t.Context(), filepath.Join("..", "..", "testdata", "dumps", "profiled.tar.xz"), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := facts.Measure(t.Context(), d, facts.Options{KeepModules: true, AllStages: true})
	if err != nil || r.Profile == nil {
		t.Fatal(err, r)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	})
	all := documents(t, written(t, OfDump(r, Options{})))
	total := 0.0
	for _, p := range read[core](t, all["core"]).Programs {
		for _, v := range p.Variants {
			for _, k := range read[kernelLists](t, all[v.Part]).New.Kernels {
				total += k.Measured * float64(r.Profile.Runs[p.Name])
			}
		}
	}
	if want := float64(r.Profile.Time); total < 0.9*want || total > 1.001*want {
		t.Errorf("the kernels take %.0f ns, the profile %.0f", total, want)
	}
}

// Of a result that was read from a file the page has the facts and the changes, and no kernels.
func TestPageOfAResultAlone(t *testing.T) {
	r := &result.Result{
		Verdict: "failed",
		Targets: []result.Target{{Name: "train", Programs: []result.Program{{
			Name: "step", Change: "changed", Variants: []result.Variant{
				{Signature: "f32[8]", Facts: facts.Values{facts.KernelsTotal: 3}, Base: facts.Values{facts.KernelsTotal: 2}}, {Signature: "f32[9]", Facts: facts.Values{facts.KernelsTotal: 4}},
			},
		}}}},
		Changes: []result.Change{{ID: "c1", Edit: result.Edit{Title: "a loop is unrolled"}}},
	}
	all := documents(t, written(t, OfResult(r, nil, Options{})))
	c := read[core](t, all["core"])
	if len(c.Changes) != 1 || len(c.Programs) != 1 || c.Programs[0].Target != "train" || len(c.Programs[0].Variants) != 2 || len(all) != 1 {
		t.Fatalf("%d documents, %+v", len(all), c)
	}
	v := c.Programs[0].Variants
	if v[0].Old == nil || v[0].Old.Facts[facts.KernelsTotal] != 2 || v[0].New.Facts[facts.KernelsTotal] != 3 || v[1].Old != nil || v[0].Part != "" {
		t.Errorf("%+v", v)
	}
}

// A dump of no known device is shown without times.
func TestUnknownDevice(t *testing.T) {
	r := measured(t, "regressed")
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			v.Device = nil
		}
	}
	all := documents(t, written(t, OfDump(r, Options{})))
	for _, p := range read[core](t, all["core"]).Programs {
		for _, v := range p.Variants {
			if v.New.Device != nil {
				t.Errorf("the device is %+v", v.New.Device)
			}
			for _, k := range read[kernelLists](t, all[v.Part]).New.Kernels {
				if k.Time != nil {
					t.Errorf("%s takes %v", k.Name, k.Time)
				}
			}
		}
	}
}
