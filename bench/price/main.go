// Command price scores predicted prices over pairs of dumps: folders with before/, after/ and a case.json that may say how long a step took.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

type pair struct {
	Name      string
	Kind      string
	Stopwatch *struct {
		Before float64 `json:"before_us"`
		After  float64 `json:"after_us"`
		Noise  float64 `json:"noise"`
	}
	before, after *facts.Report
}

func main() {
	verbose := flag.Bool("v", false, "list kernels")
	ignore := flag.Bool("cold", false, "leave out the compiler's own estimates")
	flag.Parse()
	ignoreCycles = *ignore
	var pairs []*pair
	for _, arg := range flag.Args() {
		files, _ := filepath.Glob(filepath.Join(arg, "case.json"))
		for _, f := range files {
			p := &pair{}
			data, _ := os.ReadFile(f)
			if err := json.Unmarshal(data, p); err != nil {
				fmt.Println(f, err)
				continue
			}
			p.Name = filepath.Base(filepath.Dir(f))
			p.before, p.after = read(filepath.Join(arg, "before")), read(filepath.Join(arg, "after"))
			pairs = append(pairs, p)
		}
	}
	var predicted, measured []float64
	differ, right, wrongKind, kinds := 0, 0, 0, 0
	for _, p := range pairs {
		b, a := step(p.before), step(p.after)
		mark, clock := "", ""
		if s := p.Stopwatch; s != nil {
			predicted, measured = append(predicted, b, a), append(measured, s.Before*1e3, s.After*1e3)
			m := s.After/s.Before - 1
			clock = fmt.Sprintf("measured %9.1f → %9.1f us %+7.1f%% (x%.2f, x%.2f)", s.Before, s.After, 100*m, b/s.Before/1e3, a/s.After/1e3)
			if math.Abs(m) >= 0.2 && s.Noise < 0.2 {
				differ++
				if (a/b-1)*m > 0 {
					right++
				} else {
					mark = "WRONG SIGN"
				}
			}
		}
		kinds++
		if r := a/b - 1; p.Kind == "regression" && r <= 0 || p.Kind == "improvement" && r > 0 || p.Kind == "benign" && math.Abs(r) > 0.001 {
			wrongKind++
			mark += " kind"
		}
		fmt.Printf("%-32s %-12s %10.1f → %10.1f us %+7.1f%%  peak %s  %s %s\n", p.Name, p.Kind, b/1e3, a/1e3, 100*(a/b-1), peaks(p), clock, mark)
		if *verbose {
			kernels(p.before)
			fmt.Println("  ---- after")
			kernels(p.after)
		}
	}
	fmt.Printf("sign right in %d of %d pairs that differ by 20 %%; kind other in %d of %d; rank correlation %.3f over %d\n", right, differ, wrongKind, kinds, rank(predicted, measured), len(predicted))
	cycles(pairs)
}

func peaks(p *pair) string { return fmt.Sprintf("%+.0f%%", 100*(peak(p.after)/peak(p.before)-1)) }

func peak(r *facts.Report) (n float64) {
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			n = max(n, v.Facts["memory.peak_bytes"])
		}
	}
	return n
}

var ignoreCycles bool

func read(dir string) *facts.Report {
	d, err := dump.Open(context.Background(), dir, dump.Options{})
	if err != nil {
		panic(err)
	}
	r, err := facts.Measure(context.Background(), d, facts.Options{})
	if err != nil {
		panic(err)
	}
	return r
}

// each yields the variants of a report with their devices.
func each(r *facts.Report, do func(*facts.Program, *facts.Variant, *price.Device)) {
	for _, p := range slices.Concat(r.Programs, r.Helpers) {
		for _, v := range p.Variants {
			d := price.Of(v.Backend, r.Toolchain.Device)
			if d == nil {
				d = price.Reference(price.Family(v.Backend))
			}
			if ignoreCycles {
				for i := range v.Kernels {
					v.Kernels[i].Form.Work[price.Cycles] = 0
				}
			}
			v.PriceOn(d)
			do(p, v, d)
		}
	}
}

func step(r *facts.Report) (ns float64) {
	each(r, func(_ *facts.Program, v *facts.Variant, d *price.Device) {
		ns += v.Facts["price.step_ns"] * float64(max(1, 1))
	})
	return ns
}

func kernels(r *facts.Report) {
	each(r, func(p *facts.Program, v *facts.Variant, d *price.Device) {
		f := v.Facts
		fmt.Printf("  %s %s step %.1f launch %.1f compute %.1f memory %.1f network %.1f host %.1f unpriced %v  temp %.0fK\n", p.Name, d.Name, f["price.step_ns"]/1e3, f["price.launch_ns"]/1e3, f["price.compute_ns"]/1e3, f["price.memory_ns"]/1e3, f["price.network_ns"]/1e3, f["price.host_ns"]/1e3, f["price.unpriced"], f["memory.temp_bytes"]/1024)
		all := v.Prices(d)
		slices.SortFunc(all, func(a, b facts.Priced) int {
			if a.NS() > b.NS() {
				return -1
			}
			return 1
		})
		for i, k := range all {
			if i > 14 {
				break
			}
			fmt.Printf("    %9.2f us  %6.0f x  %-10s %-40s %-30s ", k.NS()/1e3, k.Runs, k.Kind, k.Name, k.Out)
			for a := range k.Work {
				if k.Work[a] != 0 {
					fmt.Printf(" %s=%.3g", price.Amount(a), k.Work[a])
				}
			}
			fmt.Println()
		}
	})
}

// cycles compares the price without the compiler's estimates with them, over all TPU programs.
func cycles(pairs []*pair) {
	ignoreCycles = true
	var ours, theirs []float64
	type row struct {
		name string
		r    float64
	}
	var rows []row
	for _, p := range pairs {
		for i, r := range []*facts.Report{p.before, p.after} {
			each(r, func(prog *facts.Program, v *facts.Variant, d *price.Device) {
				if c := v.Facts["cost.estimated_cycles"]; c > 0 && d.Family == price.TPU {
					ns := v.Facts["price.step_ns"] - d.Dispatch
					ours, theirs = append(ours, ns), append(theirs, c/d.Clock*1e9)
					rows = append(rows, row{fmt.Sprintf("%s %d %s", p.Name, i, prog.Name), ns / (c / d.Clock * 1e9)})
				}
			})
		}
	}
	if len(ours) > 0 {
		slices.SortFunc(rows, func(a, b row) int {
			if a.r < b.r {
				return -1
			}
			return 1
		})
		for _, r := range rows {
			fmt.Printf("  x%.2f %s\n", r.r, r.name)
		}
		fmt.Printf("rank correlation with the compiler's cycles %.3f over %d\n", rank(ours, theirs), len(ours))
	}
}

// rank is Spearman's rank correlation.
func rank(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	n := float64(len(a))
	mean := (n + 1) / 2
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mean) * (y[i] - mean)
		xx += (x[i] - mean) * (x[i] - mean)
		yy += (y[i] - mean) * (y[i] - mean)
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(a []float64) []float64 {
	at := make([]int, len(a))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int {
		if a[i] < a[j] {
			return -1
		}
		return 1
	})
	r := make([]float64, len(a))
	for n, i := range at {
		r[i] = float64(n + 1)
	}
	return r
}
