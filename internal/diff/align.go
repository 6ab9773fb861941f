package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// maxAligned bounds the pairs of arguments that are weighed.
const maxAligned = 4 << 20

// countedNames says whether arguments are only counted (p0, p1, … of PyTorch/XLA), not named: one that comes in renames those behind it.
func countedNames(params []facts.Parameter) bool {
	if len(params) == 0 {
		return false
	}
	prefix := strings.TrimRight(params[0].Name, "0123456789")
	for i := range params {
		if params[i].Name != prefix+strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// alignArguments finds for each of some counted arguments which it is among others, -1 for one that is none of them: in the same order, as many of the
// same shape as possible, then of the same type and rank, then of the same sizes in the same place. Nil where names tell more.
func alignArguments(params, others []facts.Parameter) []int {
	if inPlace(params, others) || !countedNames(params) || !countedNames(others) || len(params)*len(others) > maxAligned {
		return nil
	}
	best := alignment(params, others)
	width := len(others) + 1
	at := slices.Repeat([]int{-1}, len(params))
	for i, j := 0, 0; i < len(params) && j < len(others); {
		switch best[i*width+j] {
		case best[(i+1)*width+j]:
			i++
		case best[i*width+j+1]:
			j++
		default:
			at[i] = j
			i, j = i+1, j+1
		}
	}
	inOtherTypes(params, others, at)
	return at
}

// inOtherTypes pairs those that were left out between two pairs, as many on either side, where just their types differ.
func inOtherTypes(params, others []facts.Parameter, at []int) {
	for first := 0; first < len(at); first++ {
		end, from, to := first, 0, len(others)
		for end < len(at) && at[end] < 0 {
			end++
		}
		if first > 0 {
			from = at[first-1] + 1
		}
		if end < len(at) {
			to = at[end]
		}
		for i := first; i < end && to-from == end-first; i++ {
			if j := from + i - first; sizes(params[i].Shape) == sizes(others[j].Shape) {
				at[i] = j
			}
		}
		first = end
	}
}

// sizes is a shape without its type.
func sizes(shape string) string { return shape[strings.IndexByte(shape, '[')+1:] }

// inPlace says whether as many arguments of the same types and ranks stand in the same places.
func inPlace(params, others []facts.Parameter) bool {
	return slices.EqualFunc(params, others, func(a, b facts.Parameter) bool { return rank(a.Shape) == rank(b.Shape) })
}

// alignment is, for every place in both lists, how well what follows can be paired.
func alignment(params, others []facts.Parameter) []int32 {
	width := len(others) + 1
	best := make([]int32, (len(params)+1)*width)
	for i := len(params) - 1; i >= 0; i-- {
		for j := len(others) - 1; j >= 0; j-- {
			skip := max(best[(i+1)*width+j], best[i*width+j+1])
			if s := sameness(&params[i], &others[j]); s > 0 {
				skip = max(skip, s+best[(i+1)*width+j+1])
			}
			best[i*width+j] = skip
		}
	}
	return best
}

// sameness weighs how much two arguments may be each other. The same shape tells more than the same rank.
func sameness(a, b *facts.Parameter) int32 {
	switch {
	case a.Shape == b.Shape && a.Aliased == b.Aliased:
		return 5
	case a.Shape == b.Shape:
		return 4
	case rank(a.Shape) == rank(b.Shape):
		return 1
	}
	return 0
}

// unaligned lists the shapes of the arguments that one list has and the other has not.
func unaligned(params, others []facts.Parameter, at []int) []string {
	var shapes []string
	found := make([]bool, len(others))
	for i, j := range at {
		if j < 0 {
			shapes = append(shapes, params[i].Shape)
			continue
		}
		found[j] = true
	}
	for j := range others {
		if !found[j] {
			shapes = append(shapes, others[j].Shape)
		}
	}
	return shapes
}
