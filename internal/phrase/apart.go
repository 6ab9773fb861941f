package phrase

import (
	"math"
	"strconv"
	"strings"
)

// Apart writes two values of one unit as [Show] does. Values that differ but would look the same get as many digits as distinguish them.
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

// precise writes a value to so many significant digits; whole numbers, and so bytes, in full.
func precise(v float64, unit string, digits int) string {
	switch unit {
	case "share":
		return strconv.FormatFloat(100*v, 'g', digits, 64) + " %"
	case "bytes":
		if n := math.Abs(v) / (1 << 20); n >= 1 && n < 1024 && digits <= 5 { // a difference that takes more is one of a few bytes
			return strconv.FormatFloat(v/(1<<20), 'g', digits, 64) + " MiB"
		}
		return significant(v, digits) + " B"
	case "nanoseconds":
		n, unit := scaled(v)
		return strconv.FormatFloat(n, 'g', digits, 64) + unit
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
