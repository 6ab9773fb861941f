// Package phrase writes amounts and lists as people read them (13.0 KiB, 1 kernel, 4.7 %, "a, b and c"), and reads the patterns that people
// write for names, misspelt names among them. Map, Filter and Group make a list of another.
package phrase

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// iecUnits are the units of sizes above a byte.
var iecUnits = []string{"KiB", "MiB", "GiB", "TiB", "PiB"}

// Bytes writes a size: "512 B", "13.0 KiB", "2.0 GiB".
func Bytes(n float64) string {
	if math.Abs(n) < 1024 {
		return strconv.FormatFloat(n, 'f', -1, 64) + " B"
	}
	unit := -1
	for math.Abs(n) >= 1023.95 && unit < len(iecUnits)-1 { // what is written as 1024.0 is 1.0 of the next
		n /= 1024
		unit++
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + " " + iecUnits[unit]
}

// Show writes a value in its unit: bytes as a size, a share in percent, anything else as a number.
func Show(v float64, unit string) string {
	switch unit {
	case "bytes":
		return Bytes(v)
	case "seconds":
		return Seconds(v)
	case "nanoseconds":
		return Nanoseconds(v)
	case "share":
		if v = 100 * v; math.Abs(v) >= 999.5 {
			return Number(math.Round(v)) + " %"
		}
		return strconv.FormatFloat(v, 'g', 3, 64) + " %"
	}
	return Number(v)
}

// Seconds writes a time: "850 ms", "97.6 s", "12 min 30 s".
func Seconds(v float64) string {
	switch {
	case math.Abs(v) < 0.9995:
		return strconv.FormatFloat(v*1000, 'g', 3, 64) + " ms"
	case math.Abs(v) < 119.95:
		return strconv.FormatFloat(v, 'f', 1, 64) + " s"
	}
	whole := int(math.Round(v))
	return fmt.Sprintf("%d min %d s", whole/60, whole%60)
}

// Nanoseconds writes a short time with three digits: "850 ns", "12.1 µs", "3.42 ms".
func Nanoseconds(v float64) string {
	n, unit := scaled(v)
	if math.Abs(n) >= 999.5 {
		return Number(math.Round(n)) + unit
	}
	return strconv.FormatFloat(n, 'g', 3, 64) + unit
}

// scaled gives nanoseconds in the unit in which they are written.
func scaled(v float64) (n float64, unit string) {
	n, unit = v, " ns"
	for _, next := range []string{" µs", " ms", " s"} {
		if math.Abs(n) < 999.5 {
			break
		}
		n, unit = n/1000, next
	}
	return n, unit
}

// Number writes a count in full with thin grouping: 116,838.
func Number(v float64) string {
	if v != math.Trunc(v) && math.Abs(v) < 9999.5 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	v = math.Round(v)
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	var b strings.Builder
	if v < 0 {
		b.WriteByte('-')
	}
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Counted writes a value with its noun: "22 kernels", "1 kernel", "256 B of temporary memory".
func Counted(v float64, unit, noun string) string {
	if unit != "" {
		return Show(v, unit) + " of " + noun
	}
	if v == 1 {
		noun = singular(noun)
	}
	return Number(v) + " " + noun
}

// Times writes how often something happens: "once", "3 times".
func Times[N int | float64](n N) string {
	if n == 1 {
		return "once"
	}
	return Number(float64(n)) + " times"
}

// Between writes the ends of a change as shares of what there was, of which no more than all can go: "between −3 and +205 %".
func Between(low, high float64) string {
	percent := func(share float64) float64 { return math.Round(100*max(share, -1)) + 0 } // without the sign of −0
	return strings.NewReplacer("-", "−", "+0 ", "0 ").Replace(fmt.Sprintf("between %+.0f and %+.0f %%", percent(low), percent(high)))
}

// singular is the noun for one thing. What follows the noun stays as it is.
func singular(noun string) string {
	for _, word := range []string{" updated ", " that ", " not ", " in ", " of ", " before "} {
		if head, rest, ok := strings.Cut(noun, word); ok {
			return singular(head) + word + rest
		}
	}
	if stem, ok := strings.CutSuffix(noun, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(noun, "s")
}

// Apart writes two values of one unit as [Show] does. Values that differ but would look the same get as many digits as distinguish them, both equally
// many behind the point.
func Apart(a, b float64, unit string) (string, string) {
	x, y := Show(a, unit), Show(b, unit)
	if a == b || x != y {
		return x, y
	}
	for digits := 4; ungrouped(x) == ungrouped(y) && digits <= 17; digits++ {
		x, y = precise(a, unit, digits), precise(b, unit, digits)
	}
	return x, y
}

// precise writes a value with so many digits, of which two are taken to be before the point; whole numbers, and so bytes, in full.
func precise(v float64, unit string, digits int) string {
	fixed := func(n float64) string {
		if digits == 17 { // far below what anybody reads
			return strconv.FormatFloat(n, 'g', digits, 64)
		}
		return strconv.FormatFloat(n, 'f', digits-2, 64)
	}
	switch unit {
	case "share":
		return fixed(100*v) + " %"
	case "bytes":
		if n := math.Abs(v) / (1 << 20); n >= 1 && n < 1024 && digits <= 5 { // a difference that takes more is one of a few bytes
			return fixed(v/(1<<20)) + " MiB"
		}
		return significant(v, digits) + " B"
	case "nanoseconds":
		n, unit := scaled(v)
		return fixed(n) + unit
	case "seconds":
		return significant(v, digits) + " s"
	}
	return significant(v, digits)
}

func ungrouped(number string) string { return strings.ReplaceAll(number, ",", "") }

func significant(v float64, digits int) string {
	if v == math.Trunc(v) {
		return Number(v)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
