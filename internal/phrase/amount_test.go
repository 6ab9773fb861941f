package phrase

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBytes(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 512: "512 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 1048524: "1023.9 KiB", 1<<30 - 1: "1.0 GiB", 13312: "13.0 KiB", 2 << 30: "2.0 GiB", -2048: "-2.0 KiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%v) = %q, wanted %q", n, got, want)
		}
	}
}

// What is rounded up to the next unit is written in it.
func TestRoundedUp(t *testing.T) {
	for got, want := range map[string]string{
		Seconds(0.9996): "1.0 s", Seconds(119.97): "2 min 0 s", Seconds(179.7): "3 min 0 s", Show(0.99996, "share"): "100 %", Show(12.3456, "share"): "1,235 %",
		Number(123456.7): "123,457", Number(9999.7): "10,000", Nanoseconds(999.7): "1 µs",
	} {
		if got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}

func TestBetween(t *testing.T) {
	for got, want := range map[string]string{
		Between(-0.03, 2.05): "between −3 and +205 %", Between(-1.7, -0.004): "between −100 and 0 %", Between(0.001, 0.5): "between 0 and +50 %",
	} {
		if got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 116838: "116,838", -1234567: "-1,234,567", 0.5: "0.5"} {
		if got := Number(n); got != want {
			t.Errorf("Number(%v) = %q, wanted %q", n, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		noun string
		want string
	}{{22, "", "kernels", "22 kernels"}, {1, "", "kernels", "1 kernel"}, {1, "", "copies", "1 copy"}, {1, "", "copies in loops", "1 copy in loops"}, {1, "", "runs of kernels", "1 run of kernels"}, {1, "", "arguments updated in place", "1 argument updated in place"},
		{1, "", "operations that fell back to the CPU", "1 operation that fell back to the CPU"}, {1, "", "flags not as agreed", "1 flag not as agreed"},
		{2, "", "arguments updated in place", "2 arguments updated in place"}, {256, "bytes", "temporary memory", "256 B of temporary memory"}} {
		if got := Counted(c.v, c.unit, c.noun); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// Grouping digits changes nothing but the commas.
func TestNumberKeepsItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1<<52, 1<<52).Draw(t, "n")
		plain := strings.ReplaceAll(Number(float64(n)), ",", "")
		if want := strings.TrimSuffix(Bytes(0), " B"); n == 0 && plain != want {
			t.Fatalf("%d is written %s", n, plain)
		}
		var back int64
		for _, r := range strings.TrimPrefix(plain, "-") {
			back = back*10 + int64(r-'0')
		}
		if strings.HasPrefix(plain, "-") {
			back = -back
		}
		if back != n {
			t.Fatalf("%d is written %s", n, Number(float64(n)))
		}
	})
}
