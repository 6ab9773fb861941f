package main

import (
	"maps"
	"testing"
)

func TestFastest(t *testing.T) {
	const before = "goos: linux\ncpu: one\nBenchmarkFacts/txt/100MB \t 10\t 144723006 ns/op\t 689.67 MB/s\t 0.08 live/file\n"
	best, err := fastest([]byte(before + "BenchmarkFacts/hlo.pb/100MB-2 \t 9\t 222743863 ns/op\t 451.72 MB/s\nBenchmarkFacts/hlo.pb/10MB-2 \t 9\t 2 ns/op\t 900 MB/s\nBenchmarkFacts/hlo.pb/100MB-2 \t 9\t 1 ns/op\t 450 MB/s\nPASS\n"))
	if want := map[form]float64{text: 689.67, proto: 451.72}; err != nil || !maps.Equal(best, want) {
		t.Errorf("%v, %v, want %v", best, err, want)
	}
	if best, err := fastest([]byte(before)); err == nil {
		t.Errorf("without the proto: %v", best)
	}
}
