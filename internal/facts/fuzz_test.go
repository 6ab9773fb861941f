package facts

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Whatever module the readers let pass is measured without a panic, and no count is negative.
func FuzzLaunches(f *testing.F) {
	for _, name := range []string{"cpu-while", "cpu-scan", "gpu-0.5.3-cond", "gpu-0.8.3-collectives", "tpu-v5e-shardmap"} {
		d, err := dump.Open(context.Background(), filepath.Join("testdata", name+".tar.gz"), dump.Options{})
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range d.Modules[0].Stages {
			data, release, err := s.Text.Bytes()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(data))
			if err := release(); err != nil {
				f.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := hlo.ParseText([]byte(text), "fuzz.txt")
		if err != nil || m.Entry == hlo.NoComp {
			return
		}
		r, v := newReader(m), &Variant{Facts: Numbers{}}
		w, err := r.walk()
		if err != nil {
			return
		}
		v.Kernels = make([]Kernel, len(w.launches))
		for i, l := range w.launches {
			v.Kernels[i] = r.kernel(l)
		}
		r.connect(w.launches, v)
		r.parameters()
		r.constants()
		v.Facts.launches(r, w.launches, v.Kernels)
		v.Facts.loops(w.loops)
		v.Facts.module(r)
		for name, n := range v.Facts {
			if n < 0 {
				t.Errorf("%s = %v", name, n)
			}
		}
	})
}
