package facts

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/hlo"
)

// missingResult is a loop that ends by a result that its fusion does not have.
const missingResult = `HloModule m

%f (p: s32[]) -> (s32[]) {
  %p = s32[] parameter(0)
  ROOT %t = (s32[]) tuple(%p)
}

%body (s: (s32[], s32[])) -> (s32[], s32[]) {
  %s = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %j = s32[] get-tuple-element(%s), index=1
  ROOT %r = (s32[], s32[]) tuple(%i, %j)
}

%cond (s: (s32[], s32[])) -> pred[] {
  %s = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %fu = (s32[]) fusion(%i), kind=kLoop, calls=%f
  %g = s32[] get-tuple-element(%fu), index=7
  %c = s32[] constant(5)
  ROOT %lt = pred[] compare(%g, %c), direction=LT
}

ENTRY %e (x: s32[]) -> (s32[], s32[]) {
  %x = s32[] parameter(0)
  %t = (s32[], s32[]) tuple(%x, %x)
  ROOT %w = (s32[], s32[]) while(%t), condition=%cond, body=%body
}
`

// manyConditions is a loop whose conditions double with every line: read one by one they would never end.
func manyConditions() string {
	var chain strings.Builder
	for i := range 60 {
		fmt.Fprintf(&chain, "  a%d = pred[] and(a%d, a%d)\n", i+1, i, i)
	}
	return `HloModule m

body {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  y = f32[] multiply(x, x)
  ROOT t = (s32[], f32[]) tuple(i, y)
}

cond {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  a0 = pred[] compare(x, x), direction=GT
` + chain.String() + `  ROOT r = pred[] and(a60, a0)
}

ENTRY main {
  i = s32[] parameter(0)
  x = f32[] parameter(1)
  t = (s32[], f32[]) tuple(i, x)
  ROOT w = (s32[], f32[]) while(t), condition=cond, body=body
}
`
}

// Whatever module the readers let pass is measured without a panic, and no count is negative.
func FuzzLaunches(f *testing.F) {
	var seeds [][]byte
	for _, name := range []string{"cpu-while", "cpu-scan", "gpu-0.5.3-cond", "gpu-0.8.3-collectives", "tpu-v5e-shardmap"} {
		d, err := dump.Open(context.Background(), filepath.Join("testdata", name+".tar.gz"), dump.Options{})
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range d.Modules[0].Stages {
			data, release, err := s.File(dump.KindHLOText).Bytes()
			if err != nil {
				f.Fatal(err)
			}
			seeds = append(seeds, bytes.Clone(data))
			if err := release(); err != nil {
				f.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			f.Fatal(err)
		}
	}
	seeds = append(seeds, []byte(missingResult), []byte(strings.Replace(missingResult, "get-tuple-element(%fu), index=7", "get-tuple-element(), index=0", 1)), []byte(manyConditions()))
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, text []byte) error {
		m, err := hlo.ParseText(text, "fuzz.txt")
		if err != nil || m.Entry == hlo.NoComp {
			return err
		}
		r, v := newReader(m), &Variant{Facts: Values{}}
		w, err := r.walk()
		if err != nil {
			return err
		}
		v.Kernels = make([]Kernel, len(w.launches))
		for i, l := range w.launches {
			v.Kernels[i] = r.kernel(l)
		}
		r.connect(w.launches, v)
		r.parameters()
		r.constants()
		maps.Copy(v.Facts, OfKernels(v.Kernels))
		v.countBytes(r, w.launches)
		v.Facts.loops(w.loops)
		v.countModule(r)
		for name, n := range v.Facts {
			if n < 0 {
				t.Errorf("%s = %v", name, n)
			}
		}
		return nil
	}, seeds...)
}
