package facts

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// BenchmarkMeasure measures the optimized module of a sharded step for TPU, opened anew each time.
func BenchmarkMeasure(b *testing.B) {
	for b.Loop() {
		d, err := dump.Open(context.Background(), filepath.Join("testdata", "tpu-v5e-sharded.tar.gz"), dump.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(d.Modules[0].Stages[0].File(dump.KindHLOText).Size)
		if _, err := Measure(context.Background(), d, Options{Jobs: 1}); err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
