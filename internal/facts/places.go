package facts

import (
	"encoding/binary"
	"iter"
)

// Places are kernels of a variant, by their places in [Variant.Kernels], ascending: kept is how far each is from the one before, mostly a byte.
type Places string

// PlacesOf makes a list of places that ascend.
func PlacesOf(list ...int32) Places { return Places(appendPlaces(nil, list)) }

func appendPlaces(code []byte, list []int32) []byte {
	before := int32(0)
	for _, at := range list {
		code = binary.AppendUvarint(code, uint64(at-before))
		before = at
	}
	return code
}

// All yields the places in order.
func (p Places) All() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		at := int32(0)
		for left := string(p); left != ""; {
			step, rest := cutNumber(left)
			if at += int32(step); !yield(at) {
				return
			}
			left = rest
		}
	}
}

// shifted are the places when so many kernels come before them.
func (p Places) shifted(by int32) Places {
	var list []int32
	for at := range p.All() {
		list = append(list, at+by)
	}
	return PlacesOf(list...)
}
