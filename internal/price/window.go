package price

import (
	"strconv"
	"strings"
)

// windowDim is one dimension of a window.
type windowDim struct{ size, stride, low, high, lhsDilate, rhsDilate int64 }

// parseWindow reads a window attribute: {size=3x3 stride=2x2 pad=1_1x0_1 lhs_dilate=2x2 rhs_dilate=2x2}.
func parseWindow(s string) (window []windowDim, ok bool) {
	for field := range strings.FieldsSeq(strings.Trim(s, "{}")) {
		key, list, _ := strings.Cut(field, "=")
		values := strings.Split(list, "x")
		if window == nil {
			window = make([]windowDim, len(values))
			for d := range window {
				window[d] = windowDim{size: 1, stride: 1, lhsDilate: 1, rhsDilate: 1}
			}
		}
		if len(values) != len(window) {
			return nil, false
		}
		for d, value := range values {
			if !window[d].set(key, value) {
				return nil, false
			}
		}
	}
	return window, true
}

// maxDilation keeps a damaged window from taking for ever.
const maxDilation = 1 << 20

func (w *windowDim) set(key, value string) bool {
	if key == "pad" {
		low, high, _ := strings.Cut(value, "_")
		return setInt(&w.low, low) && setInt(&w.high, high)
	}
	switch key {
	case "size":
		return setInt(&w.size, value)
	case "stride":
		return setInt(&w.stride, value) && w.stride > 0
	case "lhs_dilate":
		return setInt(&w.lhsDilate, value) && w.lhsDilate > 0 && w.lhsDilate <= maxDilation
	case "rhs_dilate":
		return setInt(&w.rhsDilate, value)
	}
	return true // rhs_reversal
}

func setInt(to *int64, digits string) bool {
	n, err := strconv.ParseInt(digits, 10, 64)
	*to = n
	return err == nil
}

// windowElements is the number of positions in a window.
func windowElements(window []windowDim) float64 {
	n := float64(1)
	for _, w := range window {
		n *= float64(w.size)
	}
	return n
}
