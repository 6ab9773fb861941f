package bench

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/report"
)

// BenchmarkParse reads a module that lies in memory.
func BenchmarkParse(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		before := liveHeap()
		var m *hlo.Module
		for b.Loop() {
			if m, err = hlo.Parse(src, path); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(liveHeap()-before)/float64(len(src)), "live/file")
		runtime.KeepAlive(m)
	})
}

// eachModule runs a benchmark on a module that was read, whole.
func eachModule(b *testing.B, measure func(m *hlo.Module)) {
	eachSize(b, func(b *testing.B, path string) {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		m, err := hlo.Parse(src, path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			measure(m)
		}
	})
}

// BenchmarkFingerprints hashes a module, its instructions and computations.
func BenchmarkFingerprints(b *testing.B) { eachModule(b, func(m *hlo.Module) { m.Fingerprint() }) }

// BenchmarkCost prices every computation.
func BenchmarkCost(b *testing.B) {
	eachModule(b, func(m *hlo.Module) { price.Analyze(m.Alike(), m.Users(), nil) })
}

// BenchmarkFacts measures a module in a file, from opening it to its facts, one core at work.
func BenchmarkFacts(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		before := liveHeap()
		var rep *facts.Report
		for b.Loop() {
			rep = measured(b, path, facts.Options{Jobs: 1})
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(liveHeap()-before)/float64(info.Size()), "live/file")
		runtime.KeepAlive(rep)
	})
}

// eachReport runs a benchmark on what was measured of a module.
func eachReport(b *testing.B, measure func(b *testing.B, path string, rep *facts.Report)) {
	eachSize(b, func(b *testing.B, path string) {
		rep := measured(b, path, facts.Options{})
		b.ReportAllocs()
		measure(b, path, rep)
	})
}

// BenchmarkJSON writes what `xlagate facts` writes.
func BenchmarkJSON(b *testing.B) {
	eachReport(b, func(b *testing.B, _ string, rep *facts.Report) {
		for b.Loop() {
			if err := report.Inspect.Render(io.Discard, rep, "json", report.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDiff compares a module with one in which a single operation is another.
func BenchmarkDiff(b *testing.B) {
	eachReport(b, func(b *testing.B, path string, rep *facts.Report) {
		changed := measured(b, withOneChange(b, path), facts.Options{})
		for b.Loop() {
			if changes.Compare(rep, changed).Identical {
				b.Fatal("no difference")
			}
		}
	})
}

// withOneChange writes the module again, one product in it a difference, and says where.
func withOneChange(b *testing.B, path string) string {
	src, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	middle := len(src) / 2
	for _, c := range []struct{ old, changed string }{{" multiply(", " subtract("}, {"\x12\x08multiply", "\x12\x08subtract"}} {
		if at := bytes.Index(src[middle:], []byte(c.old)); at >= 0 {
			copy(src[middle+at:], c.changed)
			path = filepath.Join(b.TempDir(), filepath.Base(path))
			if err := os.WriteFile(path, src, 0o600); err != nil {
				b.Fatal(err)
			}
			return path
		}
	}
	b.Fatal("nothing to change")
	return ""
}

// BenchmarkBaselineWrite writes the stored form of a program.
func BenchmarkBaselineWrite(b *testing.B) {
	eachReport(b, func(b *testing.B, _ string, rep *facts.Report) {
		p := stored(rep)
		for b.Loop() {
			b.SetBytes(int64(len(baseline.Format(p, nil, ""))))
		}
	})
}

// BenchmarkBaselineParse reads it again.
func BenchmarkBaselineParse(b *testing.B) {
	eachReport(b, func(b *testing.B, _ string, rep *facts.Report) {
		data := baseline.Format(stored(rep), nil, "")
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := baseline.Parse("program.yaml", data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func stored(rep *facts.Report) *baseline.Program {
	return &baseline.Program{Program: *rep.Programs[0], Toolchain: rep.Toolchain}
}
