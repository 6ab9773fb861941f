package config

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "12": 12, "1e3": 1000, "1.5": 1.5, "7B": 7,
		"1KiB": 1 << 10, "1MiB": 1 << 20, "1GiB": 1 << 30, "1TiB": 1 << 40,
		"1KB": 1e3, "1kB": 1e3, "1MB": 1e6, "1GB": 1e9, "1TB": 1e12,
		"2.5GiB": 2.5 * (1 << 30), "0.5KiB": 512, "+3": 3,
	} {
		if got, ok := ParseSize(text); !ok || got != want {
			t.Errorf("%q is %v, %v, wanted %v", text, got, ok, want)
		}
	}
}

// What is no number of bytes, or more than a number holds, bounds nothing.
func TestNoSizes(t *testing.T) {
	for _, text := range []string{"", "B", "KiB", "-1", "-1KiB", "1 KiB", "1kib", "1KiBB", "1PiB", "inf", "Inf", "nan", "NaN", "infKiB", "1e309", "1e308TiB", "twelve", "1,000", "5%"} {
		if got, ok := ParseSize(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestShares(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1": 1, "0.5": 0.5, "50%": 0.5, "50 %": 0.5, "100%": 1, "0%": 0} {
		if got, ok := parseShare(text); !ok || got != want {
			t.Errorf("%q is %v, %v, wanted %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "%", "1.01", "101%", "-0.1", "-1%", "nan", "half", "50%%"} {
		if got, ok := parseShare(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestGrowths(t *testing.T) {
	for text, want := range map[string]rule.Change{
		"0": {}, "2": {Amount: 2}, "1MiB": {Amount: 1 << 20}, "5%": {Amount: 5, Percent: true}, "5 %": {Amount: 5, Percent: true}, "0.5%": {Amount: 0.5, Percent: true}, "0%": {Percent: true}, "250%": {Amount: 250, Percent: true},
	} {
		if got, ok := growthOf(ParseSize)(text); !ok || got != want {
			t.Errorf("%q is %+v, %v, wanted %+v", text, got, ok, want)
		}
	}
}

// The growth of a predicted time is a time, a percentage, or a number of nanoseconds.
func TestTimeGrowths(t *testing.T) {
	for text, want := range map[string]rule.Change{"50us": {Amount: 50e3}, "1.5ms": {Amount: 1.5e6}, "0": {}, "300": {Amount: 300}, "0.1%": {Amount: 0.1, Percent: true}} {
		if got, ok := growthOf(parseNanoseconds)(text); !ok || got != want {
			t.Errorf("%q is %+v, %v, wanted %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"5KiB", "-1us", "us", "-1%", ""} {
		if got, ok := growthOf(parseNanoseconds)(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// A growth without an end would let everything pass.
func TestNoGrowths(t *testing.T) {
	for _, text := range []string{"", "%", "-1", "-1%", "nan%", "inf", "inf%", "+Inf%", "Infinity%", "1e309%", "some", "5%%", "1KiB%"} {
		if got, ok := growthOf(ParseSize)(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// The usual slips are fixed in the message, others are not guessed at.
func TestNearSizes(t *testing.T) {
	for text, want := range map[string]string{
		"12 GIB": "12GiB", "12gb": "12GB", "12 GB": "12GB", "3 kib": "3KiB", "5 b": "5B", "1.5 mIb": "1.5MiB",
		"": "", "GiB": "", "b": "", "twelve GiB": "", "-2gb": "", "12": "", "12 parsecs": "",
	} {
		if got, ok := nearSize(text); got != want || ok != (want != "") {
			t.Errorf("%q is near %q, %v, wanted %q", text, got, ok, want)
		}
	}
}
