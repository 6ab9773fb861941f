package hlo

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxDevices bounds the devices that replica groups are expanded to.
const maxDevices = 1 << 20

// hashGroups hashes replica groups, alike in all spellings. The order of the groups does not count, the order of the devices in a group does.
func hashGroups(value []byte) uint64 {
	groups, ok := ReplicaGroups(value)
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

// ReplicaGroups lists the devices of each group in an attribute replica_groups: {{0,1},{2,3}}, [2,2]<=[4], [2,2]<=[2,2]T(1,0),
// mesh['a'=2,'b'=2] {'a'}. It lists none for {}, which is one group of all devices. It returns false for other spellings.
func ReplicaGroups(value []byte) (groups [][]int64, ok bool) {
	switch {
	case bytes.HasPrefix(value, []byte("mesh[")):
		return meshGroups(value)
	case bytes.HasPrefix(value, []byte("[")):
		return iotaGroups(value)
	case bytes.HasPrefix(value, []byte("{")) && len(value) > 1:
		for inner := value[1 : len(value)-1]; ; {
			start, end := bytes.IndexByte(inner, '{'), bytes.IndexByte(inner, '}')
			if start < 0 || end < start {
				return groups, true
			}
			groups = append(groups, integers(inner[start:end]))
			inner = inner[end+1:]
		}
	}
	return nil, false
}

// integers returns the numbers in a text.
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
	if len(counts) == 1 {
		counts = []int64{1, counts[0]}
	}
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
	if _, ok := product(dims); !ok || len(perm) != len(dims) || !isIota(slices.Sorted(slices.Values(perm))) {
		return nil, false
	}
	strides := stridesOf(dims)
	devices := []int64{0}
	for _, axis := range perm {
		devices = spread(devices, dims[axis], strides[axis])
	}
	return devices, true
}

// product multiplies dimensions. It returns false when there are more than maxDevices.
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

// stridesOf returns the distance between neighbours along each dimension of an array in row-major order.
func stridesOf(dims []int64) []int64 {
	strides := make([]int64, len(dims))
	stride := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= dims[i]
	}
	return strides
}

// spread adds a dimension: it replaces each number by size numbers at a distance of stride.
func spread(numbers []int64, size, stride int64) []int64 {
	out := make([]int64, 0, int64(len(numbers))*size)
	for _, n := range numbers {
		for k := range size {
			out = append(out, n+k*stride)
		}
	}
	return out
}

// meshGroups expands mesh['a'=2,'b'=4], device_ids=([2,4]T(1,0)) {'a','b':(1)2}. The devices that differ only along the axes in the last braces are one group.
func meshGroups(value []byte) ([][]int64, bool) {
	open := bytes.LastIndexByte(value, '{')
	end := bytes.IndexByte(value, ']')
	if open < 0 || end < 0 || open < end {
		return nil, false
	}
	axes := MeshAxes(string(value[len("mesh["):end]))
	total, ok := product(sizesOf(axes))
	if !ok || len(axes) == 0 {
		return nil, false
	}
	devices, ok := meshDevices(value[end+1:open], total)
	if !ok {
		return nil, false
	}
	inside, outside, ok := splitAxes(axes, value[open+1:])
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

// MeshAxis is one axis of a device mesh: "data" of size 2.
type MeshAxis struct {
	Name string
	Size int64
}

// MeshAxes reads the axes of a mesh: 'a'=2,'b'=4 or "a"=2, "b"=4. It returns nil if one has no size.
func MeshAxes(list string) (axes []MeshAxis) {
	for entry := range strings.SplitSeq(list, ",") {
		name, digits, _ := strings.Cut(entry, "=")
		size, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || size < 1 {
			return nil
		}
		axes = append(axes, MeshAxis{strings.Trim(name, ` '"\`), size})
	}
	return axes
}

func sizesOf(axes []MeshAxis) (sizes []int64) {
	for _, a := range axes {
		sizes = append(sizes, a.Size)
	}
	return sizes
}

// DevicesAlong lists the devices that some axes of a mesh reach from the first device, none if the mesh is larger than any that there is.
func DevicesAlong(axes []MeshAxis, chosen func(axis int) bool) []int64 {
	sizes, devices := sizesOf(axes), []int64{0}
	if _, ok := product(sizes); !ok {
		return nil
	}
	for i, stride := range stridesOf(sizes) {
		if chosen(i) {
			devices = spread(devices, sizes[i], stride)
		}
	}
	return devices
}

// meshDevices reads the device ids of a mesh: none (in order), an iota, or a list.
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

// splitAxes returns the offsets of the devices along the chosen axes, and those along the others; false when the chosen ones are not in the mesh or overlap.
func splitAxes(axes []MeshAxis, chosen []byte) (inside, outside []int64, ok bool) {
	inside, outside = []int64{0}, []int64{0}
	sizes := sizesOf(axes)
	strides := stridesOf(sizes)
	parts := make([][]axisPart, len(sizes))
	for _, axis := range bytes.Split(bytes.TrimRight(chosen, "} "), []byte(",")) {
		name, spelled, divided := bytes.Cut(axis, []byte(":"))
		at := slices.IndexFunc(axes, func(a MeshAxis) bool { return a.Name == string(bytes.Trim(name, "' ")) })
		if at < 0 {
			return nil, nil, false
		}
		part := axisPart{1, sizes[at]}
		if n := integers(spelled); divided && len(n) == 2 {
			part = axisPart{n[0], n[1]}
		}
		if !part.fits(sizes[at], parts[at]) {
			return nil, nil, false
		}
		parts[at] = append(parts[at], part)
		inside = spread(inside, part.size, strides[at]*(sizes[at]/part.end()))
	}
	for at, size := range sizes {
		outside = spreadRest(outside, size, strides[at], parts[at])
	}
	return inside, outside, true
}

// axisPart is a factor of the size of an axis. before is the product of the factors before it.
type axisPart struct{ before, size int64 }

func (p axisPart) end() int64 { return p.before * p.size }

// fits reports whether a part divides an axis and does not overlap with other parts of it.
func (p axisPart) fits(axis int64, others []axisPart) bool {
	if p.before < 1 || p.size < 1 || p.before > axis || p.size > axis || axis%p.end() != 0 {
		return false
	}
	return !slices.ContainsFunc(others, func(o axisPart) bool { return p.before%o.end() != 0 && o.before%p.end() != 0 })
}

// spreadRest adds the parts of an axis that were not chosen.
func spreadRest(numbers []int64, size, stride int64, taken []axisPart) []int64 {
	slices.SortFunc(taken, func(a, b axisPart) int { return cmp.Compare(a.before, b.before) })
	done := int64(1)
	for _, part := range append(taken, axisPart{size, 1}) {
		if gap := part.before / done; gap > 1 {
			numbers = spread(numbers, gap, stride*(size/(done*gap)))
		}
		done = part.end()
	}
	return numbers
}
