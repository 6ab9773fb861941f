package facts

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

const scaledBack = `HloModule scaled

where {
  p = pred[8,8]{1,0} parameter(0)
  x = bf16[8,8]{1,0} parameter(1)
  z = bf16[] parameter(2)
  zs = bf16[8,8]{1,0} broadcast(z), dimensions={}
  ROOT s = bf16[8,8]{1,0} select(p, x, zs)
}

ENTRY main {
  n = f8e4m3fn[8,8]{1,0} parameter(0)
  scale = bf16[] parameter(1)
  m = pred[8,8]{1,0} parameter(2)
  y = bf16[8,8]{1,0} parameter(3)
  zero = bf16[] constant(0)
  one = bf16[] constant(1)
  zeros = bf16[8,8]{1,0} broadcast(zero), dimensions={}
  ones = bf16[8,8]{1,0} broadcast(one), dimensions={}
  mask = bf16[8,8]{1,0} convert(m)
  c = bf16[8,8]{1,0} convert(n)
  scales = bf16[8,8]{1,0} broadcast(scale), dimensions={}
  q = bf16[8,8]{1,0} multiply(c, scales)
  left = VALUE
  ROOT d = bf16[8,8]{1,0} dot(left, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
`

// Values that were scaled down stay so where some of them are masked out; not where others take their place.
func TestScaledBehindAMask(t *testing.T) {
	for value, want := range map[string]float64{
		"bf16[8,8]{1,0} copy(q)":                          1,
		"bf16[8,8]{1,0} multiply(q, mask)":                1,
		"bf16[8,8]{1,0} multiply(mask, q)":                1,
		"bf16[8,8]{1,0} multiply(q, y)":                   0,
		"bf16[8,8]{1,0} select(m, q, zeros)":              1,
		"bf16[8,8]{1,0} select(m, zeros, q)":              1,
		"bf16[8,8]{1,0} select(m, q, ones)":               0,
		"bf16[8,8]{1,0} select(m, q, y)":                  0,
		"bf16[8,8]{1,0} select(m, zeros, zeros)":          0,
		"bf16[8,8]{1,0} call(m, q, zero), to_apply=where": 1,
		"bf16[8,8]{1,0} call(m, q, one), to_apply=where":  0,
		"bf16[8,8]{1,0} call(m, y, zero), to_apply=where": 0,
	} {
		m, err := hlo.ParseText([]byte(strings.Replace(scaledBack, "VALUE", value, 1)), "scaled.txt")
		if err != nil {
			t.Fatal(err)
		}
		out := &measuring{measurement: measurement{Variant: &Variant{Facts: Values{}}}}
		out.countScaled(newReader(m))
		if got := out.Variant.Facts["scaled.f8e4m3fn"]; got != want {
			t.Errorf("%s: %v products, wanted %v", value, got, want)
		}
	}
}
