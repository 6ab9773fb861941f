package facts

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/price"
)

// The branches of a conditional are equally likely, those inside a branch as likely as that allows.
func TestBranchesAreEquallyLikely(t *testing.T) {
	branches := []struct {
		at   string
		runs float64
	}{{"", 1}, {"0.0", 0.5}, {"0.1", 0.5}, {"0.1 1.0", 0.25}, {"0.1 1.1", 0.25}, {"2.2", 1.0 / 3}, {"3.0", 0.5}}
	v := &Variant{Facts: Values{}}
	for _, b := range branches {
		v.Kernels = append(v.Kernels, Kernel{Form: &Form{Work: price.Work{price.Calls: 1}}, Site: &Site{Times: 1, Branch: b.at}})
	}
	for i, p := range v.Prices(price.Named("cpu")) {
		if p.Runs != branches[i].runs {
			t.Errorf("branch %q runs %v times, want %v", branches[i].at, p.Runs, branches[i].runs)
		}
	}
}

// A run takes the same in whatever order its kernels are listed: a baseline does not keep their order.
func TestPriceIgnoresOrder(t *testing.T) {
	for _, p := range measure(t, "gpu-h100-rnn_grad_scan", Options{}).Programs {
		for _, v := range p.Variants {
			want := v.Facts["price.step_ns"]
			slices.Reverse(v.Kernels)
			if v.PriceOn(v.Device); want == 0 || v.Facts["price.step_ns"] != want {
				t.Errorf("%s: %v ns, backwards %v ns", p.Name, want, v.Facts["price.step_ns"])
			}
		}
	}
}

// What was accepted earlier is priced on the device of what is fresh.
func TestPriceAlike(t *testing.T) {
	old, fresh := measure(t, "gpu-h100-rnn_grad_scan", Options{}), measure(t, "gpu-h100-rnn_grad_scan", Options{})
	before := old.Programs[0].Variants[0].Facts["price.step_ns"]
	was := old.Programs[0].Variants[0]
	was.WorkVersion = price.Version + 1
	form := *was.Kernels[0].Form
	form.Work = price.Work{price.Calls: 1000}
	was.Kernels[0].Form = &form
	fresh.Device = "l4"
	PriceAlike(old, fresh)
	is := fresh.Programs[0].Variants[0]
	if was.Device != price.Named("l4") || was.Facts["price.step_ns"] != is.Facts["price.step_ns"] || is.Facts["price.step_ns"] == before {
		t.Errorf("on %v: %v ns and %v ns, before %v ns", was.Device, was.Facts["price.step_ns"], is.Facts["price.step_ns"], before)
	}
}
