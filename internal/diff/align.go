package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// maxAligned bounds the pairs of arguments that are weighed.
const maxAligned = 4 << 20

// countedNames reports whether arguments are only counted (p0, p1, … of PyTorch/XLA), not named: one that comes in renames those behind it.
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
// same shape as possible, and of the same sizes in the same place; then of the same shape anywhere, for the order is that in which the model first uses
// them; then of the same type and rank. Nil where names tell more.
func alignArguments(params, others []facts.Parameter) []int {
	if inPlace(params, others) || !countedNames(params) || !countedNames(others) || len(params)*len(others) > maxAligned {
		return nil
	}
	at := slices.Repeat([]int{-1}, len(params))
	pairInOrder(params, others, at, sameShape)
	inOtherTypes(params, others, at)
	pairAnywhere(params, others, at)
	pairInOrder(params, others, at, sameRank)
	return at
}

// pairInOrder pairs arguments that are not paired yet, in their order, as many and as good as possible.
func pairInOrder(params, others []facts.Parameter, at []int, sameness sameness) {
	left, right := unpairedOf(params, others, at)
	best := alignment(params, others, left, right, sameness)
	width := len(right) + 1
	for i, j := 0, 0; i < len(left) && j < len(right); {
		switch best[i*width+j] {
		case best[(i+1)*width+j]:
			i++
		case best[i*width+j+1]:
			j++
		default:
			at[left[i]] = right[j]
			i, j = i+1, j+1
		}
	}
}

// unpairedOf lists the arguments on either side that are not paired.
func unpairedOf(params, others []facts.Parameter, at []int) (left, right []int) {
	taken := make([]bool, len(others))
	for i := range params {
		if at[i] < 0 {
			left = append(left, i)
			continue
		}
		taken[at[i]] = true
	}
	for j := range others {
		if !taken[j] {
			right = append(right, j)
		}
	}
	return left, right
}

// pairAnywhere pairs what is left and has the same shape, whatever the order.
func pairAnywhere(params, others []facts.Parameter, at []int) {
	left, right := unpairedOf(params, others, at)
	places := map[string][]int{}
	for _, j := range right {
		places[others[j].Shape] = append(places[others[j].Shape], j)
	}
	for _, i := range left {
		if list := places[params[i].Shape]; len(list) > 0 {
			at[i], places[params[i].Shape] = list[0], list[1:]
		}
	}
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
			if j := from + i - first; hlo.ShapeText(params[i].Shape).SameDims(hlo.ShapeText(others[j].Shape)) {
				at[i] = j
			}
		}
		first = end
	}
}

// inPlace reports whether as many arguments of the same types and ranks stand in the same places.
func inPlace(params, others []facts.Parameter) bool {
	return slices.EqualFunc(params, others, func(a, b facts.Parameter) bool { return hlo.ShapeText(a.Shape).SameRank(hlo.ShapeText(b.Shape)) })
}

// alignment is, for every place in both lists of arguments, how well what follows can be paired.
func alignment(params, others []facts.Parameter, left, right []int, sameness sameness) []int32 {
	width := len(right) + 1
	best := make([]int32, (len(left)+1)*width)
	for i := len(left) - 1; i >= 0; i-- {
		for j := len(right) - 1; j >= 0; j-- {
			skip := max(best[(i+1)*width+j], best[i*width+j+1])
			if s := sameness(&params[left[i]], &others[right[j]]); s > 0 {
				skip = max(skip, s+best[(i+1)*width+j+1])
			}
			best[i*width+j] = skip
		}
	}
	return best
}

// sameness weighs how much two arguments may be each other, 0 for not at all.
type sameness func(a, b *facts.Parameter) int32

func sameShape(a, b *facts.Parameter) int32 {
	switch {
	case a.Shape != b.Shape:
		return 0
	case a.Aliased != b.Aliased:
		return 4
	}
	return 5
}

func sameRank(a, b *facts.Parameter) int32 {
	if hlo.ShapeText(a.Shape).SameRank(hlo.ShapeText(b.Shape)) {
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
			shapes = append(shapes, made(&params[i]))
			continue
		}
		found[j] = true
	}
	for j := range others {
		if !found[j] {
			shapes = append(shapes, made(&others[j]))
		}
	}
	return shapes
}
