package price

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// row is a device as docs/price.md shows it.
func row(d *Device) string {
	rate := func(n float64) string {
		if n == 0 {
			return "–"
		}
		return fmt.Sprintf("%.4g", n/tera)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %.4g | %.3g | %.3g |", d.Name, rate(d.Products[ProductF16]), rate(d.Products[ProductF32]), rate(d.Products[ProductHighest]), rate(d.Vector),
		d.Memory.Bandwidth/giga, d.Links.Bandwidth/giga, d.Launch/1000)
}

func TestDocsShowTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/price.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range Devices {
		if !strings.Contains(string(page), row(d)+"\n") {
			t.Errorf("docs/price.md lacks\n%s", row(d))
		}
	}
}

// Every device that a dump names is found, and no other.
func TestOf(t *testing.T) {
	for _, c := range []struct{ backend, called, want string }{
		{"cpu", "", "cpu"}, {"gpu", "NVIDIA H100 80GB HBM3", "h100-sxm"}, {"gpu", "sm_9.0a", "h100-sxm"}, {"gpu", "NVIDIA A100-SXM4-80GB", "a100-sxm"}, {"gpu", "NVIDIA H200", "h200-sxm"},
		{"gpu", "MI300X", "mi300x"}, {"gpu", "gfx942", "mi300x"}, {"gpu", "NVIDIA L4", "l4"}, {"gpu", "NVIDIA B200", "b200-sxm"}, {"gpu", "NVIDIA GB200", "gb200"}, {"gpu", "NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"}, {"gpu", "NVIDIA A100 80GB PCIe", "a100-pcie"}, {"gpu", "NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
		{"gpu", "NVIDIA H100 PCIe", "h100-pcie"}, {"gpu", "NVIDIA H100 NVL", "h100-nvl"}, {"gpu", "NVIDIA GH200 480GB", "gh200"}, {"tpu", "TPU v5 lite", "tpu-v5e"}, {"tpu", "TPU v5", "tpu-v5p"},
		{"tpu", "TPU v6 lite", "tpu-v6e"}, {"tpu", "TPU v4", "tpu-v4"}, {"tpu", "TPU7x", "tpu7x"}, {"tpu", "TPU v2", "tpu-v2"}, {"gpu", "NVIDIA GeForce RTX 4090", ""}, {"gpu", "NVIDIA L40S", ""},
		{"gpu", "sm_8.9", ""}, {"gpu", "sm_18.0", ""}, {"gpu", "NVIDIA RTX A1000", ""}, {"gpu", "sm_8.0", "a100-sxm"},
	} {
		got := ""
		if d := Of(c.backend, c.called); d != nil {
			got = d.Name
		}
		if got != c.want {
			t.Errorf("%s %q is %q, want %q", c.backend, c.called, got, c.want)
		}
	}
}

func TestEveryDeviceIsWhole(t *testing.T) {
	for _, d := range Devices {
		if Named(d.Name) != d || d.Source == "" || d.Launch == 0 || d.Dispatch == 0 || d.Memory.Bandwidth == 0 || d.Links.Bandwidth == 0 || d.Clock == 0 {
			t.Errorf("%s lacks something", d.Name)
		}
		for kind, rate := range d.Products {
			if rate == 0 {
				t.Errorf("%s has no rate of %s", d.Name, Amount(kind))
			}
		}
	}
	if !slices.IsSortedFunc(ByName, func(a, b Amount) int { return strings.Compare(a.String(), b.String()) }) || len(ByName) != int(NumAmounts) {
		t.Error("not all amounts stand in the order of their names")
	}
}

// More of anything takes no less time, on every device.
func TestMoreWorkTakesNoLess(t *testing.T) {
	for _, d := range Devices {
		for a := range NumAmounts {
			if a == Hidden || a == Cycles || a == Unknown {
				continue
			}
			w := Work{Far: 1e6, Vector: 1e6, Peers: 4, Hops: 3, Sent: 1e6}
			before := d.Time(&w).Total()
			w[a] += 1e9
			if after := d.Time(&w).Total(); after < before {
				t.Errorf("%s: more of %s takes %v ns, less %v ns", d.Name, a, after, before)
			}
		}
	}
}

// What is hidden of a transfer takes no time; its launch does.
func TestHidden(t *testing.T) {
	d := Named("tpu-v5e")
	w := Work{Far: 1e6, Sent: 1e6, Peers: 4, Hops: 3}
	whole := d.Transfer(&w, Cached{})
	for _, c := range []struct{ share, left float64 }{{0, 1}, {0.25, 0.75}, {1, 0}, {7, 0}} {
		w[Hidden] = c.share
		if got, want := d.Time(&w).Total(), d.Launch+c.left*whole; math.Abs(got-want) > 1 || d.Transfer(&w, Cached{}) != whole {
			t.Errorf("%v hidden: %v ns, wanted %v", c.share, got, want)
		}
	}
}

func TestHighestPrecisionIsDearer(t *testing.T) {
	for _, d := range Devices {
		fast, slow := Work{ProductF32: 1e12}, Work{ProductHighest: 1e12}
		if d.Family != CPU && d.Time(&fast).Total() >= d.Time(&slow).Total() {
			t.Errorf("%s: the highest precision costs nothing", d.Name)
		}
	}
}

func TestRoundedWorkStaysAsItIs(t *testing.T) {
	w := Work{Far: 123456, Vector: 7, Scalar: 0.4, Sent: 1e300}.Rounded()
	if w != w.Rounded() || w[Far] != 123000 || w[Vector] != 7 {
		t.Errorf("rounded to %v", w)
	}
}
