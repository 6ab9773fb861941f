package hlo

import (
	"bytes"
	"slices"
	"strconv"
)

// maxDevices bounds what a spelling of replica groups may expand to.
const maxDevices = 1 << 20

// hashGroups hashes replica groups alike in all spellings: the groups in any order, the devices of each in theirs.
func hashGroups(value []byte) uint64 {
	groups, ok := expandGroups(value)
	if !ok {
		return hashText(value)
	}
	if len(groups) == 1 && isIota(groups[0]) {
		groups = nil // {} is one group of all
	}
	var sum uint64
	for _, g := range groups {
		sum += hashNumbers(g)
	}
	return sum
}

func isIota(numbers []int64) bool {
	for i, n := range numbers {
		if n != int64(i) {
			return false
		}
	}
	return true
}

// expandGroups lists the devices of every group: {{0,1},{2,3}}, [2,2]<=[4], [2,2]<=[2,2]T(1,0), mesh['a'=2,'b'=2] {'a'}.
func expandGroups(value []byte) (groups [][]int64, ok bool) {
	switch {
	case bytes.HasPrefix(value, []byte("mesh[")):
		return meshGroups(value)
	case bytes.HasPrefix(value, []byte("[")):
		return iotaGroups(value)
	case bytes.HasPrefix(value, []byte("{")):
		return listedGroups(value), true
	}
	return nil, false
}

func listedGroups(value []byte) (groups [][]int64) {
	inner := value[1 : len(value)-1]
	for {
		start, end := bytes.IndexByte(inner, '{'), bytes.IndexByte(inner, '}')
		if start < 0 || end < start {
			return groups
		}
		groups = append(groups, integers(inner[start:end]))
		inner = inner[end+1:]
	}
}

// integers are the numbers in a text.
func integers(s []byte) (numbers []int64) {
	for _, field := range bytes.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.ParseInt(string(field), 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// iotaGroups expands [groups,size]<=[dims]T(permutation).
func iotaGroups(value []byte) ([][]int64, bool) {
	shape, rest, _ := bytes.Cut(value, []byte("<="))
	counts := integers(shape)
	devices, ok := expandIota(rest)
	if !ok || len(counts) != 2 || counts[0] < 1 || counts[1] < 1 || counts[0]*counts[1] != int64(len(devices)) {
		return nil, false
	}
	return slices.Collect(slices.Chunk(devices, int(counts[1]))), true
}

// expandIota lists the numbers of [4,2]T(1,0): 0 … 7 as an array of these dimensions, transposed.
func expandIota(spelling []byte) ([]int64, bool) {
	shape, transpose, _ := bytes.Cut(spelling, []byte("T"))
	dims, perm := integers(shape), integers(transpose)
	if len(perm) == 0 {
		for i := range dims {
			perm = append(perm, int64(i))
		}
	}
	if _, ok := product(dims); !ok || len(perm) != len(dims) || !isPermutation(perm) {
		return nil, false
	}
	strides := stridesOf(dims)
	devices := []int64{0}
	for _, axis := range perm {
		devices = spread(devices, dims[axis], strides[axis])
	}
	return devices, true
}

// product multiplies dimensions, as long as there are not too many devices.
func product(dims []int64) (n int64, ok bool) {
	n = 1
	for _, d := range dims {
		if d < 1 || d > maxDevices || n*d > maxDevices {
			return 0, false
		}
		n *= d
	}
	return n, true
}

func isPermutation(perm []int64) bool {
	sorted := slices.Sorted(slices.Values(perm))
	return isIota(sorted)
}

// stridesOf is how far apart neighbours along each dimension stand, the last dimension being the fastest.
func stridesOf(dims []int64) []int64 {
	strides := make([]int64, len(dims))
	stride := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= dims[i]
	}
	return strides
}

// spread adds a dimension behind those that numbers already runs through.
func spread(numbers []int64, size, stride int64) []int64 {
	out := make([]int64, 0, int64(len(numbers))*size)
	for _, n := range numbers {
		for k := range size {
			out = append(out, n+k*stride)
		}
	}
	return out
}
