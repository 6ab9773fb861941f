package price

import (
	"slices"
	"strings"
)

const (
	kilo = 1e3
	giga = 1e9
	tera = 1e12
	mib  = 1 << 20
	gib  = 1 << 30
)

// What data sheets do not say of GPUs was measured on an H200 under JAX 0.11.2 with bench/accelerator/kernels.py: the delays, Special, Scalar and Atomic.
// Other GPUs have the same delays, and those rates in proportion to their vectors. The caches' bandwidth and Slow are estimates. Of TPUs Launch and OnChip are
// calibrated on the cycles that the compiler expects; Special, Slow, Scalar, Atomic, Step, Links and Net are estimates.

// Devices are the devices that prices are known for. docs/price.md shows the table; a test holds both together.
var Devices = []*Device{
	{
		// Two cores of a cloud's Xeon of 2023 with AVX-512, as small CI machines have: no data sheet says what XLA's CPU kernels reach. Small
		// programs in JAX 0.10.2 gave how the rates compare with each other; arithmetic, functions and caches were then doubled, once, to come
		// near the timed pairs of docs/price.md, which ran on a quieter machine. Memory was set to 12 GB/s: with the pages that are touched for the first time it was less.
		Name: "cpu", Family: CPU, Source: "calibrated: 2 virtual cores, Xeon Scalable of the 4th generation, JAX 0.10.2",
		Rates: Rates{
			Products: [Looped]float64{ProductF64: 125 * giga, ProductHighest: 250 * giga, ProductHigh: 250 * giga, ProductF32: 250 * giga, ProductF16: 250 * giga, ProductF8: 50 * giga, ProductS8: 200 * giga},
			Vector:   120 * giga, Vector64: 60 * giga, Special: 7 * giga, Slow: 0.3 * giga, Scalar: 0.5 * giga, Serial: 1 * giga, Units: 2, Clock: 2.3 * giga,
		},
		Memories: Memories{Core: Level{2 * mib, 100 * giga}, Shared: Level{32 * mib, 50 * giga}, Memory: Level{8 * gib, 12 * giga}, Host: 10 * giga, Line: 64},
		Network:  Network{Links: Link{5 * giga, 5 * kilo}, Net: Link{1 * giga, 50 * kilo}, Domain: 1024},
		Delays:   Delays{Dispatch: 5 * kilo, HandOver: 7 * kilo, Argument: 200, Result: 1.4 * kilo, Launch: 15, Queue: 25, Decision: 50, Turn: 10, Call: 29 * kilo, Effect: 50 * kilo},
	},
	a100,
	variant(a100, "a100-sxm-40gb", "NVIDIA A100 data sheet (40 GB SXM)", func(d *Device) { d.Memory = Level{40 * gib, 1.555 * tera} }, "a100-sxm4-40gb"),
	variant(a100, "a100-pcie", "NVIDIA A100 data sheet (80 GB PCIe)", func(d *Device) { d.Memory, d.Links, d.Net = Level{80 * gib, 1.935 * tera}, pcie4, shared(a100.Net) }, "a100 80gb pcie"),
	variant(a100, "a100-pcie-40gb", "NVIDIA A100 data sheet (40 GB PCIe)", func(d *Device) { d.Memory, d.Links, d.Net = Level{40 * gib, 1.555 * tera}, pcie4, shared(a100.Net) }, "a100-pcie-40gb"),
	h100,
	variant(h100, "h100-pcie", "NVIDIA H100 data sheet (PCIe)", func(d *Device) {
		d.Products, d.Vector, d.Vector64, d.Special, d.Slow, d.Scalar = nvidia(51, 51, 378, 756, 1513, 1513), 51*tera, 26*tera, 2.7*tera, 0.6*tera, 0.75*tera
		d.Units, d.Clock, d.Memory, d.Links, d.Net = 114, 1.755*giga, Level{80 * gib, 2 * tera}, pcie5, shared(h100.Net)
	}, "h100 pcie"),
	variant(h100, "h100-nvl", "NVIDIA H100 data sheet (NVL)", func(d *Device) {
		d.Products, d.Vector, d.Vector64, d.Special, d.Slow, d.Scalar = nvidia(60, 60, 417, 835, 1670, 1670), 60*tera, 30*tera, 3.1*tera, 0.7*tera, 0.9*tera
		d.Clock, d.Memory, d.Links, d.Net = 1.785*giga, Level{94 * gib, 3.9 * tera}, pcie5, shared(h100.Net)
	}, "h100 nvl"),
	variant(h100, "gh200", "NVIDIA GH200 data sheet (96 GB); all else as H100", func(d *Device) { d.Memory, d.Host, d.Domain = Level{96 * gib, 4 * tera}, 450*giga, 4 }, "gh200"),
	variant(h100, "h200-sxm", "NVIDIA H200 data sheet (SXM); all but the memory as H100", func(d *Device) { d.Memory = Level{141 * gib, 4.8 * tera} }, "h200"),
	b200,
	variant(b200, "gb200", "NVIDIA GB200 NVL72 data sheet, a 72nd of it; all else as B200", func(d *Device) {
		d.Products, d.Vector, d.Vector64 = nvidia(40, 80, 1250, 2500, 5000, 5000), 80*tera, 40*tera
		d.Memory, d.Host, d.Domain = Level{186 * gib, 8 * tera}, 225*giga, 72
	}, "gb200"),
	{
		Name: "l4", Family: GPU, Also: []string{"nvidia l4"}, Source: "NVIDIA L4 data sheet (dense rates) and Ada architecture white paper",
		Rates: Rates{
			Products: nvidia(0.47, 30.3, 60, 121, 242, 242),
			Vector:   30.3 * tera, Vector64: 0.47 * tera, Special: 1.6 * tera, Slow: 0.4 * tera, Scalar: 0.5 * tera, Units: 58, Atomic: 250 * giga, Clock: 2.04 * giga,
		},
		Memories: Memories{Core: Level{48 * mib, 2.5 * tera}, Shared: Level{48 * mib, 2.5 * tera}, Memory: Level{24 * gib, 300 * giga}, Host: 32 * giga, Line: 32},
		Network:  Network{Links: pcie4, Net: shared(Link{12.5 * giga, 10 * kilo}), Domain: 8},
		Delays:   ofNVIDIA,
	},
	{
		Name: "mi300x", Family: GPU, Also: []string{"mi300", "gfx942", "gfx94"}, Source: "AMD Instinct MI300X data sheet and CDNA 3 white paper",
		Rates: Rates{
			Products: [Looped]float64{ProductF64: 163.4 * tera, ProductHighest: 163.4 * tera, ProductHigh: 163.4 * tera, ProductF32: 653.7 * tera, ProductF16: 1307.4 * tera, ProductF8: 2614.9 * tera, ProductS8: 2614.9 * tera},
			Vector:   163.4 * tera, Vector64: 81.7 * tera, Special: 8.5 * tera, Slow: 2 * tera, Scalar: 2.5 * tera, Units: 304, Atomic: 500 * giga, Clock: 2.1 * giga,
		},
		Memories: Memories{Core: Level{32 * mib, 17.2 * tera}, Shared: Level{256 * mib, 17.2 * tera}, Memory: Level{192 * gib, 5.3 * tera}, Host: 64 * giga, Line: 64},
		Network:  Network{Links: Link{448 * giga, 3 * kilo}, Net: Link{50 * giga, 5 * kilo}, Domain: 8},
		Delays:   Delays{Dispatch: 50 * kilo, Argument: 400, Result: 2 * kilo, Launch: 2.5 * kilo, Queue: 6 * kilo, Fill: 600, Decision: 15 * kilo, Step: 20, Call: 180 * kilo},
	},
	{
		Name: "tpu-v2", Family: TPU, Also: []string{"tpu v2", "jellyfish"}, Source: "Google Cloud TPU v2, half a chip; Jouppi et al., CACM 63(7), 2020",
		Rates:    Rates{Products: mxu(22.5, 1, 1), Vector: 1.4 * tera, Special: 0.36 * tera, Slow: 0.1 * tera, Scalar: 0.7 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 0.7 * giga},
		Memories: Memories{Memory: Level{8 * gib, 350 * giga}, OnChip: 0.72 * tera, Host: 8 * giga, Line: 512},
		Network:  Network{Links: Link{62 * giga, 1 * kilo}, Net: Link{12.5 * giga, 20 * kilo}, Domain: 512},
		Delays:   ofTPU(2140),
	},
	{
		Name: "tpu-v3", Family: TPU, Also: []string{"tpu v3", "dragonfish"}, Source: "Google Cloud TPU v3, half a chip; Jouppi et al., CACM 63(7), 2020",
		Rates:    Rates{Products: mxu(61.5, 1, 1), Vector: 1.9 * tera, Special: 0.48 * tera, Slow: 0.12 * tera, Scalar: 0.94 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 0.94 * giga},
		Memories: Memories{Memory: Level{16 * gib, 450 * giga}, OnChip: 0.96 * tera, Host: 8 * giga, Line: 512},
		Network:  Network{Links: Link{82 * giga, 1 * kilo}, Net: Link{12.5 * giga, 20 * kilo}, Domain: 2048},
		Delays:   ofTPU(1600),
	},
	{
		Name: "tpu-v4", Family: TPU, Also: []string{"tpu v4", "pufferfish"}, Source: "Google Cloud TPU v4; Jouppi et al., ISCA 2023",
		Rates:    Rates{Products: mxu(275, 1, 1), Vector: 8.6 * tera, Special: 2.1 * tera, Slow: 0.5 * tera, Scalar: 1.05 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 1.05 * giga},
		Memories: Memories{Memory: Level{32 * gib, 1228 * giga}, OnChip: 2.2 * tera, Host: 16 * giga, Line: 512},
		Network:  Network{Links: Link{45 * giga, 1 * kilo}, Net: Link{12.5 * giga, 20 * kilo}, Domain: 4096},
		Delays:   ofTPU(1430),
	},
	{
		Name: "tpu-v5e", Family: TPU, Also: []string{"tpu v5 lite", "v5e", "viperfish lite", "viperfish_lite"}, Source: "Google Cloud TPU v5e; \"How to Scale Your Model\" (Austin et al., 2025)",
		Rates:    Rates{Products: mxu(197, 1, 2), Vector: 6.1 * tera, Special: 1.5 * tera, Slow: 0.4 * tera, Scalar: 1.5 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 1.5 * giga},
		Memories: Memories{Memory: Level{16 * gib, 819 * giga}, OnChip: 1.5 * tera, Host: 16 * giga, Line: 512},
		Network:  Network{Links: Link{45 * giga, 1 * kilo}, Net: Link{12.5 * giga, 20 * kilo}, Domain: 256},
		Delays:   ofTPU(1000),
	},
	{
		Name: "tpu-v5p", Family: TPU, Also: []string{"tpu v5", "v5p", "viperfish"}, Source: "Google Cloud TPU v5p; \"How to Scale Your Model\" (Austin et al., 2025)",
		Rates:    Rates{Products: mxu(459, 1, 2), Vector: 14 * tera, Special: 3.5 * tera, Slow: 0.9 * tera, Scalar: 1.75 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 1.75 * giga},
		Memories: Memories{Memory: Level{95 * gib, 2765 * giga}, OnChip: 3.6 * tera, Host: 16 * giga, Line: 512},
		Network:  Network{Links: Link{90 * giga, 1 * kilo}, Net: Link{6.25 * giga, 20 * kilo}, Domain: 8960},
		Delays:   ofTPU(860),
	},
	{
		Name: "tpu-v6e", Family: TPU, Also: []string{"tpu v6 lite", "v6e", "trillium", "ghostlite"}, Source: "Google Cloud documentation of TPU v6e; vector rates as v5e at its clock",
		Rates:    Rates{Products: mxu(918, 1, 2), Vector: 7.2 * tera, Special: 1.8 * tera, Slow: 0.45 * tera, Scalar: 1.75 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 1.75 * giga},
		Memories: Memories{Memory: Level{32 * gib, 1638 * giga}, OnChip: 1.8 * tera, Host: 32 * giga, Line: 512},
		Network:  Network{Links: Link{90 * giga, 1 * kilo}, Net: Link{12.5 * giga, 20 * kilo}, Domain: 256},
		Delays:   ofTPU(860),
	},
	{
		Name: "tpu7x", Family: TPU, Also: []string{"tpu7x", "tpu v7", "ironwood", "ghostfish"}, Source: "Google Cloud documentation of TPU7x, half a chip; vector rates as v6e",
		Rates:    Rates{Products: mxu(1153.5, 2, 2), Vector: 7.2 * tera, Special: 1.8 * tera, Slow: 0.45 * tera, Scalar: 1.75 * giga, Units: 1, Atomic: 0.1 * giga, Clock: 1.75 * giga},
		Memories: Memories{Memory: Level{96 * gib, 3690 * giga}, OnChip: 1.8 * tera, Host: 32 * giga, Line: 512},
		Network:  Network{Links: Link{100 * giga, 1 * kilo}, Net: Link{6.25 * giga, 20 * kilo}, Domain: 9216},
		Delays:   ofTPU(860),
	},
}

// shared is an adapter that the eight cards of a machine share.
func shared(l Link) Link { return Link{l.Bandwidth / 8, l.Latency} }

var a100 = &Device{
	Name: "a100-sxm", Family: GPU, Also: []string{"a100", "sm_8.0", "8.0"}, Source: "NVIDIA A100 data sheet (80 GB SXM) and Ampere architecture white paper",
	Rates: Rates{
		Products: nvidia(19.5, 19.5, 156, 312, 312, 624),
		Vector:   19.5 * tera, Vector64: 9.7 * tera, Special: 1.1 * tera, Slow: 0.25 * tera, Scalar: 0.3 * tera, Units: 108, Atomic: 300 * giga, Clock: 1.41 * giga,
	},
	Memories: Memories{Core: Level{40 * mib, 4 * tera}, Shared: Level{40 * mib, 4 * tera}, Memory: Level{80 * gib, 2.039 * tera}, Host: 32 * giga, Line: 32},
	Network:  Network{Links: Link{300 * giga, 2 * kilo}, Net: Link{25 * giga, 5 * kilo}, Domain: 8},
	Delays:   ofNVIDIA,
}

var h100 = &Device{
	Name: "h100-sxm", Family: GPU, Also: []string{"h100", "sm_9.0", "9.0"}, Source: "NVIDIA H100 data sheet (SXM) and Hopper architecture white paper",
	Rates: Rates{
		Products: nvidia(67, 67, 495, 989, 1979, 1979),
		Vector:   67 * tera, Vector64: 34 * tera, Special: 3.5 * tera, Slow: 0.8 * tera, Scalar: 1 * tera, Units: 132, Atomic: 500 * giga, Clock: 1.98 * giga,
	},
	Memories: Memories{Core: Level{50 * mib, 5.5 * tera}, Shared: Level{50 * mib, 5.5 * tera}, Memory: Level{80 * gib, 3.35 * tera}, Host: 64 * giga, Line: 32},
	Network:  Network{Links: Link{450 * giga, 2 * kilo}, Net: Link{50 * giga, 5 * kilo}, Domain: 8},
	Delays:   ofNVIDIA,
}

var b200 = &Device{
	Name: "b200-sxm", Family: GPU, Also: []string{"b200", "sm_10.0", "10.0"}, Source: "NVIDIA DGX B200 data sheet, an eighth of it",
	Rates: Rates{
		Products: nvidia(37, 75, 1100, 2250, 4500, 4500),
		Vector:   75 * tera, Vector64: 37 * tera, Special: 4 * tera, Slow: 0.9 * tera, Scalar: 1.2 * tera, Units: 148, Atomic: 600 * giga, Clock: 1.96 * giga,
	},
	Memories: Memories{Core: Level{126 * mib, 10 * tera}, Shared: Level{126 * mib, 10 * tera}, Memory: Level{180 * gib, 8 * tera}, Host: 64 * giga, Line: 32},
	Network:  Network{Links: Link{900 * giga, 2 * kilo}, Net: Link{50 * giga, 5 * kilo}, Domain: 8},
	Delays:   ofNVIDIA,
}

// What connects cards without NVLink. A bridge joins two at most.
var pcie4, pcie5 = Link{32 * giga, 8 * kilo}, Link{64 * giga, 5 * kilo}

// variant is a device that differs from another in some numbers.
func variant(of *Device, name, source string, change func(*Device), also ...string) *Device {
	d := *of
	d.Name, d.Source, d.Also = name, source, also
	change(&d)
	return &d
}

// ofNVIDIA are the delays of NVIDIA's GPUs.
var ofNVIDIA = Delays{Dispatch: 50 * kilo, Argument: 400, Result: 2 * kilo, Launch: 1 * kilo, Queue: 4 * kilo, Fill: 600, Decision: 12 * kilo, Step: 20, Call: 180 * kilo}

// ofTPU are the delays of a TPU.
func ofTPU(launch float64) Delays {
	return Delays{Dispatch: 50 * kilo, Launch: launch, Turn: 200, Step: 350, Call: 200 * kilo}
}

// nvidia are the rates of products on a GPU with tensor cores, in teraflops: f32 runs as tf32 unless the highest precision is asked for.
func nvidia(f64, f32, tf32, f16, f8, s8 float64) [Looped]float64 {
	return [Looped]float64{
		ProductF64: f64 * tera, ProductHighest: f32 * tera, ProductHigh: tf32 * tera, ProductF32: tf32 * tera, ProductF16: f16 * tera, ProductF8: f8 * tera, ProductS8: s8 * tera,
	}
}

// mxu are the rates of products on a TPU, in teraflops: its matrix unit multiplies bf16. f32 is one such product at the default precision, three at
// high and six at the highest. Numbers of 8 bits may be faster, f8 and s8 times. There is no f64: the compiler splits it.
func mxu(bf16, f8, s8 float64) [Looped]float64 {
	return [Looped]float64{
		ProductF64: bf16 / 36 * tera, ProductHighest: bf16 / 6 * tera, ProductHigh: bf16 / 3 * tera, ProductF32: bf16 * tera, ProductF16: bf16 * tera, ProductF8: f8 * bf16 * tera, ProductS8: s8 * bf16 * tera,
	}
}

// Named finds a device by its name; nil when the table has none of that name.
func Named(name string) *Device {
	at := slices.IndexFunc(Devices, func(d *Device) bool { return d.Name == strings.ToLower(name) })
	if at < 0 {
		return nil
	}
	return Devices[at]
}

// Names are the names of all devices.
func Names() (names []string) {
	for _, d := range Devices {
		names = append(names, d.Name)
	}
	return names
}

// Reference is the device that stands for a family where a dump does not say which it was made for.
func Reference(f Family) *Device { return Named(references[f]) }

var references = map[Family]string{CPU: "cpu", GPU: "h100-sxm", TPU: "tpu-v5e"}

// Of finds the device that a dump was made for, by its backend and what it calls its device; nil when the table has none such. The longest of
// the names that fit decides: "TPU v5 lite" is no "TPU v5".
func Of(backend, called string) (found *Device) {
	if backend == string(CPU) {
		return Named("cpu")
	}
	longest := 0
	for _, d := range Devices {
		for _, name := range d.Also {
			if string(d.Family) == backend && len(name) > longest && isCalled(strings.ToLower(called), name) {
				found, longest = d, len(name)
			}
		}
	}
	return found
}

// isCalled reports whether one of the parts of a device's name is another name, and not the beginning or the end of a longer number: "RTX A1000" is no "a100".
func isCalled(device, part string) bool {
	digit := func(s string, at int) bool { return at >= 0 && at < len(s) && s[at] >= '0' && s[at] <= '9' }
	for at := 0; ; at++ {
		next := strings.Index(device[at:], part)
		if next < 0 {
			return false
		}
		at += next
		if end := at + len(part); !digit(device, at-1) && !digit(device, end) {
			return true
		}
	}
}
