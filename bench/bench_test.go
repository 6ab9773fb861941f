// Package bench measures how fast modules are read and measured, and how much memory that takes, as they grow.
package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/xlagate/xlagate/bench/chain"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// fixture is a training step of a small GPT with Adam, as XLA dumped it for a CPU: about 1 MB in each form.
const fixture = "testdata/module_0000.jit_adam_step.cpu_after_optimizations"

// original reads the fixture with an ending, .txt or .hlo.pb.
func original(tb testing.TB, ending string) []byte {
	tb.Helper()
	src, err := chain.Read(fixture + ending + ".zst")
	if err != nil {
		tb.Fatal(err)
	}
	return src
}

// chained writes a module of so many megabytes and says where.
func chained(tb testing.TB, ending string, mb int64) (path string, copies int) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), filepath.Base(fixture)+ending)
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	copies, err = chain.Write(bufio.NewWriterSize(f, 1<<20), original(tb, ending), mb*1e6)
	if err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path, copies
}

// eachSize runs a benchmark for both forms of a module in three sizes.
func eachSize(b *testing.B, measure func(b *testing.B, path string)) {
	for _, ending := range []string{".txt", ".hlo.pb"} {
		for _, mb := range []int64{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/%dMB", ending[1:], mb), func(b *testing.B) {
				path, _ := chained(b, ending, mb)
				info, err := os.Stat(path)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(info.Size())
				measure(b, path)
			})
		}
	}
}

func measured(tb testing.TB, path string, opts facts.Options) *facts.Report {
	tb.Helper()
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	report, err := facts.Measure(context.Background(), d, opts)
	if err != nil {
		tb.Fatal(err)
	}
	if err := d.Close(); err != nil {
		tb.Fatal(err)
	}
	if len(report.Problems) > 0 {
		tb.Fatal(report.Problems[0])
	}
	return report
}

// liveHeap is how many bytes of the heap are in use after a collection.
func liveHeap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// What is chained has every launch of the original as often as there are copies, in both forms.
func TestChained(t *testing.T) {
	var prints []string
	for _, ending := range []string{".txt", ".hlo.pb"} {
		one := measured(t, fixture+ending+".zst", facts.Options{}).Programs[0].Variants[0]
		path, copies := chained(t, ending, 3)
		many := measured(t, path, facts.Options{}).Programs[0].Variants[0]
		if many.Signature != one.Signature || many.Result != one.Result {
			t.Errorf("%s: %s gives %s, want %s and %s", ending, many.Signature, many.Result, one.Signature, one.Result)
		}
		for _, fact := range []facts.ID{"kernels.total", "fusions.total", "cost.flops", "instructions.after"} {
			if got, want := many.Facts[fact], one.Facts[fact]*float64(copies); got != want || want == 0 {
				t.Errorf("%s: %s is %v in %d copies, want %v", ending, fact, got, copies, want)
			}
		}
		prints = append(prints, one.Fingerprint, many.Fingerprint)
	}
	if prints[0] != prints[2] || prints[1] != prints[3] {
		t.Errorf("text and proto have the fingerprints %s", prints)
	}
}

// A module that is read by many hands gives the same facts as one that is read by one.
func TestHands(t *testing.T) {
	for _, ending := range []string{".txt", ".hlo.pb"} {
		path, _ := chained(t, ending, 5)
		one := measured(t, path, facts.Options{Jobs: 1})
		many := measured(t, path, facts.Options{Jobs: 8})
		if !reflect.DeepEqual(one.Programs, many.Programs) {
			t.Errorf("%s: read by many hands, it gives other facts", ending)
		}
	}
}
