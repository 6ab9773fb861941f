package hlo

import (
	"bytes"
	"strconv"
	"strings"
)

// isText reports whether bytes are printed MLIR.
func isText(data []byte) bool {
	head := bytes.TrimSpace(data[:min(len(data), 200)])
	return bytes.HasPrefix(head, []byte("module")) || bytes.HasPrefix(head, []byte("#")) || bytes.HasPrefix(head, []byte("func.func")) || bytes.HasPrefix(head, []byte(`"builtin.module"`))
}

// readText reads a printed module, which has one operation a line.
func readText(data []byte) *Kernel {
	k := newKernel()
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(withoutPlaces(line))
		if line == "" || strings.HasPrefix(line, "#loc") {
			continue
		}
		op := operationOf(line)
		if strings.HasSuffix(op, ".func") {
			if k.Name == "" && strings.HasSuffix(line, "{") {
				k.Name, k.Grid = symbolOf(line), gridOf(line)
			}
			line = strings.Replace(line, "@"+symbolOf(line), "@", 1)
		}
		if op == "" || silent(op) {
			k.Print += uint64(hashStart.text(line))
			continue
		}
		k.add(op, hashStart.text(line))
		k.measure(op, line)
	}
	return k
}

// measure adds the product of the operation in a line, or the number of elements that it processes. It does not read trip counts.
func (k *Kernel) measure(op, line string) {
	k.Open = k.Open || openLoop(op)
	_, types, _ := strings.Cut(line, " : ")
	shapes := shapesOf(types)
	if n := len(shapes); productOps[op] && n > 2 {
		k.Products = append(k.Products, newProduct(op, shapes[0], shapes[1], shapes[n-1], precisionIn(line)))
		return
	}
	k.Elements[op] += largest(shapes)
}

// gridOf reads the grid in the line of a function. It returns nil where there is none.
func gridOf(line string) (grid []int64) {
	_, list, _ := strings.Cut(line, gridName+" = array<i64: ")
	list, _, closed := strings.Cut(list, ">")
	if !closed {
		return nil
	}
	for printed := range strings.SplitSeq(list, ", ") {
		n, err := strconv.ParseInt(printed, 10, 64)
		if err != nil {
			return nil
		}
		grid = append(grid, n)
	}
	return grid
}

// locationStart is the beginning of a location in the source.
const locationStart = " loc("

// withoutPlaces removes all locations from a line.
func withoutPlaces(line string) string {
	for {
		at := strings.Index(line, locationStart)
		if at < 0 {
			return line
		}
		end, depth := at+len(locationStart), 1
		for ; end < len(line) && depth > 0; end++ {
			switch line[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		line = line[:at] + line[end:]
	}
}

// operationOf returns the name of the operation in a line. It returns "" for brackets, labels and returns.
func operationOf(line string) string {
	if strings.HasPrefix(line, "%") {
		_, line, _ = strings.Cut(line, "= ")
	}
	line = strings.TrimPrefix(line, `"`)
	end := strings.IndexFunc(line, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.')
	})
	if end >= 0 {
		line = line[:end]
	}
	if !strings.Contains(line, ".") {
		return ""
	}
	return line
}

// symbolOf returns the name behind the first @.
func symbolOf(line string) string {
	_, name, _ := strings.Cut(line, "@")
	if end := strings.IndexAny(name, "( {"); end >= 0 {
		name = name[:end]
	}
	return name
}
