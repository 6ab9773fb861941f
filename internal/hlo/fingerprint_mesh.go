package hlo

import (
	"bytes"
	"slices"
)

// meshGroups expands mesh['a'=2,'b'=4], device_ids=([2,4]T(1,0)) {'a','b':(1)2}: the devices that differ only along the axes in
// the last braces are one group.
func meshGroups(value []byte) ([][]int64, bool) {
	open := bytes.LastIndexByte(value, '{')
	end := bytes.IndexByte(value, ']')
	if open < 0 || end < 0 || open < end {
		return nil, false
	}
	names, sizes := meshAxes(value[len("mesh["):end])
	total, ok := product(sizes)
	if !ok {
		return nil, false
	}
	devices, ok := meshDevices(value[end+1:open], total)
	if !ok {
		return nil, false
	}
	inside, outside, ok := splitAxes(names, sizes, value[open+1:])
	if !ok {
		return nil, false
	}
	var groups [][]int64
	for _, base := range outside {
		group := make([]int64, len(inside))
		for i, offset := range inside {
			group[i] = devices[base+offset]
		}
		groups = append(groups, group)
	}
	return groups, true
}

// meshAxes reads 'a'=2,'b'=4.
func meshAxes(s []byte) (names []string, sizes []int64) {
	for _, axis := range bytes.Split(s, []byte(",")) {
		name, size, _ := bytes.Cut(axis, []byte("="))
		numbers := integers(size)
		if len(numbers) != 1 {
			return nil, []int64{0}
		}
		names, sizes = append(names, string(bytes.Trim(name, "' "))), append(sizes, numbers[0])
	}
	return names, sizes
}

// meshDevices reads the device ids of a mesh: in order, transposed, or listed.
func meshDevices(s []byte, total int64) ([]int64, bool) {
	_, ids, given := bytes.Cut(s, []byte("device_ids=("))
	if !given {
		return spread([]int64{0}, total, 1), true
	}
	devices, ok := integers(ids), true
	if bytes.HasPrefix(ids, []byte("[")) {
		devices, ok = expandIota(bytes.TrimRight(ids, ") "))
	}
	return devices, ok && int64(len(devices)) == total
}

// splitAxes lists the offsets that the chosen axes run through, and those that the others do.
func splitAxes(names []string, sizes []int64, chosen []byte) (inside, outside []int64, ok bool) {
	inside, outside = []int64{0}, []int64{0}
	strides := stridesOf(sizes)
	rest := slices.Clone(sizes) // what is left of each axis: the parts before and behind a chosen part
	parts := make([][][2]int64, len(sizes))
	for _, axis := range bytes.Split(bytes.TrimRight(chosen, "} "), []byte(",")) {
		name, part, divided := bytes.Cut(axis, []byte(":"))
		at := slices.Index(names, string(bytes.Trim(name, "' ")))
		if at < 0 {
			return nil, nil, false
		}
		pre, size := int64(1), sizes[at]
		if n := integers(part); divided && len(n) == 2 {
			pre, size = n[0], n[1]
		}
		if pre < 1 || size < 1 || sizes[at]%(pre*size) != 0 {
			return nil, nil, false
		}
		inside = spread(inside, size, strides[at]*(sizes[at]/(pre*size)))
		parts[at] = append(parts[at], [2]int64{pre, size})
		rest[at] /= size
	}
	for at, size := range sizes {
		outside = spreadRest(outside, size, strides[at], parts[at])
	}
	return inside, outside, true
}

// spreadRest runs through the parts of an axis that no group does. The parts are given by what stands before them and their size.
func spreadRest(numbers []int64, size, stride int64, taken [][2]int64) []int64 {
	slices.SortFunc(taken, func(a, b [2]int64) int { return int(a[0] - b[0]) })
	done := int64(1)
	for _, part := range append(taken, [2]int64{size, 1}) {
		if gap := part[0] / done; gap > 1 {
			numbers = spread(numbers, gap, stride*(size/(done*gap)))
		}
		done = part[0] * part[1]
	}
	return numbers
}
