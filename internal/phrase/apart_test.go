package phrase

import (
	"testing"

	"pgregory.net/rapid"
)

func TestApart(t *testing.T) {
	for _, c := range []struct {
		a, b       float64
		unit, x, y string
	}{
		{0.5, 0.5, "share", "50 %", "50 %"},
		{0.4, 0.5, "share", "40 %", "50 %"},
		{0.4999, 0.5, "share", "49.99 %", "50.00 %"},
		{0.4999999, 0.5, "share", "49.99999 %", "50.00000 %"},
		{1288490189, 2 << 30, "bytes", "1.2 GiB", "2.0 GiB"},
		{2<<30 - 1, 2 << 30, "bytes", "2,147,483,647 B", "2,147,483,648 B"},
		{5.171 * (1 << 20), 5.23 * (1 << 20), "bytes", "5.17 MiB", "5.23 MiB"},
		{21_100_000, 21_104_000, "nanoseconds", "21.100 ms", "21.104 ms"},
		{1024, 1024.4, "bytes", "1,024 B", "1024.4 B"},
		{1200.3, 1200, "seconds", "1200.3 s", "1,200 s"},
		{97.61, 97.62, "seconds", "97.61 s", "97.62 s"},
		{3, 4, "", "3", "4"},
		{0.33333, 0.33334, "", "0.33333", "0.33334"},
	} {
		if x, y := Apart(c.a, c.b, c.unit); x != c.x || y != c.y {
			t.Errorf("%v and %v are written %q and %q, wanted %q and %q", c.a, c.b, x, y, c.x, c.y)
		}
	}
}

// Two values look alike only when they are, and each is written as if the other had come first.
func TestApartAlways(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"", "bytes", "seconds", "share"}).Draw(t, "unit")
		a := rapid.Float64Range(0, 1e12).Draw(t, "a")
		b := a * (1 + rapid.Float64Range(-1e-6, 1e-6).Draw(t, "off"))
		x, y := Apart(a, b, unit)
		if back, again := Apart(b, a, unit); back != y || again != x {
			t.Fatalf("%v and %v: %s and %s, the other way round %s and %s", a, b, x, y, back, again)
		}
		if (a == b) != (x == y) {
			t.Fatalf("%v and %v are written %s and %s", a, b, x, y)
		}
	})
}

func TestTimes(t *testing.T) {
	for n, want := range map[float64]string{0: "0 times", 1: "once", 2: "2 times", 1200: "1,200 times"} {
		if got := Times(n); got != want {
			t.Errorf("%v: %s, wanted %s", n, got, want)
		}
	}
}
