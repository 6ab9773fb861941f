package facts

import (
	"math"
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
		v.Kernels = append(v.Kernels, Kernel{Form: &Form{Work: price.Work{price.Vector: 1}}, Site: &Site{Times: 1, Branch: b.at}})
	}
	for i, p := range v.Prices(price.Named("cpu")) {
		if p.Runs != branches[i].runs {
			t.Errorf("branch %q runs %v times, want %v", branches[i].at, p.Runs, branches[i].runs)
		}
	}
}

// A loop of unknown length that is taken to run otherwise does so with all that is in it, but for its condition, which its own work counts.
func TestRunLoop(t *testing.T) {
	v := &Variant{}
	for _, k := range []struct {
		root         string
		times, guess int64
		until        int32
	}{{"while", 1, 0, 5}, {"compare", 1, 0, 0}, {"while", 1, 10, 5}, {"compare", 1, 10, 0}, {"tanh", 1, 100, 0}, {"add", 1, 0, 0}} {
		form := &Form{Root: k.root, Work: price.Work{price.Calls: 1}}
		if k.root == "while" {
			form.Class, form.Work[price.Iterations], form.Work[price.Decisions] = ClassControl, 10, 10
		}
		v.Kernels = append(v.Kernels, Kernel{Form: form, Site: &Site{Times: k.times, Guess: k.guess}, Until: k.until})
	}
	loops := v.Loops()
	v.Run(loops[0], 30)
	v.Run(loops[1], 5)
	var runs []float64
	for _, p := range v.Prices(price.Named("cpu")) {
		runs = append(runs, p.Runs)
	}
	if want := []float64{1, 1, 30, 30, 150, 1}; !slices.Equal(runs, want) || loops[0].Iterations() != 30 || loops[1].Iterations() != 5 || loops[1].Work[price.Decisions] != 5 {
		t.Errorf("%v, want %v; %v", runs, want, loops)
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

// A device that the table does not have, and a back end without any, are named; the chosen device then counts. A chosen device of another kind
// does not price a program of a known kind.
func TestUnpriced(t *testing.T) {
	for _, c := range []struct {
		backend, device, chosen, says, on string
	}{
		{"gpu", "NVIDIA A10G", "", "NVIDIA A10G is not in the table of devices", ""},
		{"gpu", "NVIDIA A10G", "l4", "", "l4"},
		{"gpu", "NVIDIA A10G", "tpu-v4", "NVIDIA A10G is not in the table of devices", ""},
		{"ipu", "", "", "no device of the back end ipu is in the table of devices", ""},
		{"ipu", "", "a100-sxm", "", "a100-sxm"},
		{"", "", "", "the dump does not say which device it was compiled for", ""},
		{"", "", "cpu", "", "cpu"},
	} {
		r := &Report{Toolchain: Toolchain{Backend: c.backend, Device: c.device}, Device: c.chosen}
		v := &Variant{WorkVersion: price.Version, Facts: Values{}}
		r.Programs = []*Program{{Variants: []*Variant{v}}}
		r.PriceAll()
		on, _ := r.PricedOn()
		why, devices := r.Unpriced(v)
		if on != c.on || v.Facts.Known(PriceStep) != (c.on != "") || c.says != "" && why != c.says || slices.Contains(devices, "cpu") != (c.backend != "gpu") {
			t.Errorf("%+v: priced on %q, %s: %q", c, on, why, devices)
		}
	}
}

// A transfer takes what the kernels leave of it that run until it is waited for. The time of a kernel hides once.
func TestHiddenTransfers(t *testing.T) {
	d := price.Named("tpu-v5e")
	transfer := price.Work{price.Far: 1e6}
	whole := d.Transfer(&transfer, price.Cached{Near: 1})
	for _, c := range []struct {
		name   string
		until  [2]int32 // of two transfers, before two kernels that each take three fifths of one
		hidden [2]float64
	}{
		{"synchronous", [2]int32{0, 0}, [2]float64{0, 0}},
		{"waited for at once", [2]int32{1, 2}, [2]float64{0, 0}},
		{"one beside a kernel", [2]int32{0, 3}, [2]float64{0, 0.6}},
		{"one beside both", [2]int32{0, 4}, [2]float64{0, 1}},
		{"both", [2]int32{4, 4}, [2]float64{1, 0.2}},
		{"each beside what it reaches", [2]int32{3, 4}, [2]float64{0.6, 0.6}},
	} {
		v := &Variant{Facts: Values{}}
		for _, until := range c.until {
			v.Kernels = append(v.Kernels, Kernel{Form: &Form{Class: ClassCopy, Work: transfer}, Site: &Site{Times: 1}, Until: until})
		}
		kernel := price.Work{price.Cycles: 0.6 * whole * d.Clock / 1e9}
		for range 2 {
			v.Kernels = append(v.Kernels, Kernel{Form: &Form{Work: kernel}, Site: &Site{Times: 1}})
		}
		for range 2 { // priced again it is the same
			v.hide(d)
		}
		for i, want := range c.hidden {
			if got := v.Kernels[i].Work[price.Hidden]; math.Abs(got-want) > 0.002 {
				t.Errorf("%s: %v of transfer %d is hidden, wanted %v", c.name, got, i, want)
			}
		}
	}
}
