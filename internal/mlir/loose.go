package mlir

import "slices"

// Properties of operations refer to attributes, each operation in a form of its own that the file does not tell. What they say is
// hashed for the file as a whole: every attribute counts that is no location and no name.

// loose hashes all attributes that say something of what is computed, wherever they are used.
func (f *file) loose() digest {
	f.nameOfPlaces()
	var all []digest
	for i := range f.attrs {
		if e := &f.attrs[i]; !e.isPlace() && !e.name && e.code() != codeDictionary {
			all = append(all, f.attribute(uint64(i)))
		}
	}
	slices.Sort(all)
	d := start
	for _, a := range slices.Compact(all) {
		d = d.and(uint64(a))
	}
	return d
}

// nameOfPlaces marks the texts that locations refer to: paths and the names of what was traced.
func (f *file) nameOfPlaces() {
	for i := range f.attrs {
		switch e := &f.attrs[i]; e.code() {
		case codeLine, codeNamed, codeLines:
			c := &cursor{data: e.data}
			c.number()
			f.isName(c.number())
		}
	}
}

// isName marks a text as a name.
func (f *file) isName(i uint64) {
	if i < uint64(len(f.attrs)) && f.attrs[i].code() == codeString {
		f.attrs[i].name = true
	}
}

// isPlace says whether an attribute is a location in the source.
func (e *entry) isPlace() bool {
	code := e.code()
	return code >= codeFirstPlace && code <= codeLastPlace || code == codeLines
}

// nameIn finds the name in the properties of a function: a text, and behind it who may see the function, which may be left out. Neither
// says what is computed.
func (f *file) nameIn(properties uint64) string {
	var numbers []uint64
	for c := (&cursor{data: f.properties[properties]}); len(c.data) > 0; {
		numbers = append(numbers, c.number())
	}
	for i, n := range numbers {
		seen := uint64(0) // what may be left out is written with a flag
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

// readProperties finds the properties of all operations.
func (f *file) readProperties() {
	c := &cursor{data: f.sections[sectionProperties]}
	for range c.count() {
		f.properties = append(f.properties, c.take(c.number()))
	}
}
