package hlo

import (
	"encoding/binary"
	"math"
	"slices"
)

// mlirEntry is an attribute or a type, encoded or as the text that MLIR prints.
type mlirEntry struct {
	data    []byte
	builtin bool // of the builtin dialect, whose encodings are known
	encoded bool
	name    bool // a text that names a place or a function; see loose
	hash    kernelHash
	state   byte
}

// The states of an entry's hash.
const (
	unhashed = iota
	hashing
	hashed
)

// The forms of the builtin attributes and types, by their codes. A letter is a field: a(ttribute), t(ype), s(tring); a capital is a list of
// them, N of numbers, P of pairs of a name and an attribute; * is the rest. An attribute without a form has no part in the computation.
var (
	attributeForms = []string{"A", "P", "s", "st", "", "", "t", "", "t*", "t*", 16: "", 17: "t*", 18: "t*", 22: ""}
	typeForms      = []string{
		0: "*", 2: "TT", 9: "t", 10: "Nta", 11: "aNta", 13: "Nt", 14: "aNt", 15: "T", 16: "t", 17: "at", 18: "t", 19: "Nt", 20: "*",
	}
)

// Codes of builtin attributes.
const (
	codeDictionary = 1
	codeString     = 2
	codeNumber     = 8
	codeCall       = 10 // the first of locations: call sites, files and lines, fused and named ones, unknown ones
	codeLine       = 11
	codeFused      = 12
	codeNamed      = 14
	codeUnknown    = 15
	codeDense      = 17 // a plain list of numbers
	codeLines      = 22
)

// entries finds the attributes or the types: their sizes, grouped by dialect, are in one section, their bytes in another.
func (f *mlirFile) entries(sizes, bytes *mlirCursor, n int) []mlirEntry {
	var list []mlirEntry
	for len(list) < n && !sizes.cut {
		builtin := f.in(f.dialects, sizes.number()) == "builtin"
		for range sizes.count() {
			size, encoded := sizes.flagged()
			list = append(list, mlirEntry{data: bytes.take(size), builtin: builtin, encoded: encoded})
		}
	}
	return list
}

// attribute and kind hash an attribute and a type by their content, not by their index.
func (f *mlirFile) attribute(i uint64) kernelHash { return f.content(f.attrs, attributeForms, i) }
func (f *mlirFile) kind(i uint64) kernelHash      { return f.content(f.types, typeForms, i) }

func (f *mlirFile) content(list []mlirEntry, forms []string, i uint64) kernelHash {
	if i >= uint64(len(list)) {
		f.lost = true
		return hashStart
	}
	e := &list[i]
	if f.depth > maxNesting {
		f.lost = true
		return hashStart
	}
	if e.state == unhashed { // one that contains itself is broken, and counts as zero there
		f.depth++
		e.state = hashing
		e.hash = f.hash(e, forms)
		e.state = hashed
		f.depth--
	}
	return e.hash
}

func (f *mlirFile) hash(e *mlirEntry, forms []string) kernelHash {
	switch {
	case !e.encoded:
		return hashStart.text(string(e.data))
	case !e.builtin:
		return hashStart.and(uint64(len(e.data))) // an encoding of another dialect
	}
	c := &mlirCursor{data: e.data}
	code := c.number()
	if code >= uint64(len(forms)) {
		return hashStart.and(code)
	}
	d := hashStart.and(code)
	for _, field := range forms[code] {
		d = f.field(d, c, field)
	}
	return d
}

func (f *mlirFile) field(d kernelHash, c *mlirCursor, field rune) kernelHash {
	switch field {
	case 'a':
		return d.and(uint64(f.attribute(c.number())))
	case 't':
		return d.and(uint64(f.kind(c.number())))
	case 's':
		return d.text(f.in(f.strings, c.number()))
	case '*':
		return d.text(string(c.data))
	case 'N':
		return f.list(d, c, func() kernelHash { return kernelHash(c.number()) })
	case 'A':
		return f.list(d, c, func() kernelHash { return f.attribute(c.number()) })
	case 'T':
		return f.list(d, c, func() kernelHash { return f.kind(c.number()) })
	}
	return f.list(d, c, func() kernelHash {
		name, value := c.number(), c.number()
		if f.word(name) == symbolName { // of a function or module
			return 0
		}
		return f.attribute(name).and(uint64(f.attribute(value)))
	})
}

func (f *mlirFile) list(d kernelHash, c *mlirCursor, element func() kernelHash) kernelHash {
	n := c.count()
	d = d.and(uint64(n))
	for range n {
		d = d.and(uint64(element()))
	}
	return d
}

// symbolName is the attribute with the name of a function.
const symbolName = "sym_name"

// word returns the text of a string attribute, "" of any other.
func (f *mlirFile) word(i uint64) string {
	if i < uint64(len(f.attrs)) && f.attrs[i].code() == codeString {
		c := &mlirCursor{data: f.attrs[i].data}
		c.number()
		return f.in(f.strings, c.number())
	}
	return ""
}

// code returns the code of a builtin attribute or type, -1 for others.
func (e *mlirEntry) code() int {
	if !e.encoded || !e.builtin {
		return -1
	}
	c := &mlirCursor{data: e.data}
	return int(min(c.number(), 1<<20))
}

// loose hashes all attributes of the file that are neither locations nor names. It stands in for the properties of operations: these refer to
// attributes, but every operation encodes them in a form of its own.
func (f *mlirFile) loose() kernelHash {
	for i := range f.attrs { // the texts in locations, paths and names of traced functions, are names
		switch e := &f.attrs[i]; e.code() {
		case codeLine, codeNamed, codeLines:
			c := &mlirCursor{data: e.data}
			c.number()
			f.isName(c.number())
		}
	}
	var all []kernelHash
	for i := range f.attrs {
		e := &f.attrs[i]
		code := e.code()
		isPlace := code >= codeCall && code <= codeUnknown || code == codeLines
		if !isPlace && !e.name && code != codeDictionary {
			all = append(all, f.attribute(uint64(i)))
		}
	}
	slices.Sort(all)
	d := hashStart
	for _, a := range slices.Compact(all) {
		d = d.and(uint64(a))
	}
	return d
}

// isName marks a text as a name.
func (f *mlirFile) isName(i uint64) {
	if i < uint64(len(f.attrs)) && f.attrs[i].code() == codeString {
		f.attrs[i].name = true
	}
}

// mlirProperties are the properties of operations, which many may share.
type mlirProperties struct {
	data     []byte
	searched bool
	name     string // of the function that they are of, once it was asked for
}

// nameIn finds a name in the properties of a function: a text, and behind it the optional visibility. It marks both as names.
func (f *mlirFile) nameIn(properties []byte) string {
	var numbers []uint64
	for c := (&mlirCursor{data: properties}); len(c.data) > 0; {
		numbers = append(numbers, c.number())
	}
	for i, n := range numbers {
		seen := uint64(0) // an optional property has a flag
		if i+1 < len(numbers) {
			seen = numbers[i+1]
		}
		if name := f.word(n); name != "" && (seen == 0 || visibility[f.word(seen>>1)]) {
			f.isName(n)
			f.isName(seen >> 1)
			return name
		}
	}
	return ""
}

var visibility = map[string]bool{"public": true, "private": true, "nested": true}

// maxPlaces bounds the locations that are followed from one. Without it, calls that are each the callee and the caller of the next would lead to 2^n of them.
const maxPlaces = 256

// places returns the lines of a location, innermost first.
func (f *mlirFile) places(at uint64) (lines []Location) {
	left := maxPlaces
	var follow func(at uint64)
	follow = func(at uint64) {
		if left--; left < 0 || at >= uint64(len(f.attrs)) {
			return
		}
		c := &mlirCursor{data: f.attrs[at].data}
		switch code := f.attrs[at].code(); code {
		case codeCall:
			c.number()
			callee, caller := c.number(), c.number()
			follow(callee)
			follow(caller)
		case codeFused:
			c.number()
			if c.count() > 0 {
				follow(c.number())
			}
		case codeNamed:
			c.number()
			c.number() // the name
			follow(c.number())
		case codeLine, codeLines:
			c.number()
			file := f.word(c.number())
			if code == codeLines {
				c.number() // number of numbers
			}
			lines = append(lines, Location{File: file, Line: int32(min(c.number(), math.MaxInt32))})
		}
	}
	follow(at)
	return lines
}

// dense reads a list of 64-bit numbers.
func (f *mlirFile) dense(i uint64) (list []int64) {
	if i >= uint64(len(f.attrs)) || f.attrs[i].code() != codeDense {
		return nil
	}
	c := &mlirCursor{data: f.attrs[i].data}
	c.number()
	c.number() // the elements' type
	c.number() // their number
	for raw := c.take(c.number()); len(raw) >= 8; raw = raw[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(raw)))
	}
	return list
}
