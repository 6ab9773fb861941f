package facts

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// What is alive at once by the schedule comes close to what XLA's own buffer assignment sets aside.
func TestSchedulePeaksWhereBuffersDo(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cases/[cg]pu-*/before.tar.xz")
	if err != nil {
		t.Fatal(err)
	}
	compared, near := 0, 0
	for _, file := range files {
		d, err := dump.Open(context.Background(), file, dump.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Measure(context.Background(), d, Options{KeepModules: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Programs {
			for _, v := range p.Variants {
				step, peak := v.Schedule().Peak()
				assigned := v.Facts[MemoryPeak]
				if assigned < 1<<16 {
					continue // constants and tables of pointers are most of it
				}
				compared++
				off := float64(peak) / assigned
				if off > 0.9 && off < 1.1 {
					near++
				}
				if off < 0.5 || off > 1.5 {
					t.Errorf("%s, %s: %d bytes are alive at step %d, and %.0f are set aside: %.2f of it", file, p.Name, peak, step, assigned, off)
				}
			}
		}
		if err := errors.Join(r.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	}
	if compared < 20 || 5*near < 4*compared {
		t.Errorf("of %d variants with a buffer assignment %d come within a tenth of it", compared, near)
	}
}

func TestNoScheduleWithoutModule(t *testing.T) {
	if s := only(t, "cpu-scan").Schedule(); s != nil {
		t.Error("a closed module has a schedule")
	}
}
