package mlir

// entry is an attribute or a type: as the text that MLIR prints for it, or encoded.
type entry struct {
	data    []byte
	builtin bool // of MLIR's own dialect, whose encodings are known
	encoded bool
	name    bool // a text that names something, see loose
	hash    digest
	state   byte
}

// The states of an entry's hash.
const (
	unhashed = iota
	hashing
	hashed
)

// The forms of MLIR's own attributes and types, by their codes. A letter is a field: a(ttribute), t(ype), s(tring); a capital is a list of
// them, P of pairs of a name and an attribute; * is all that is left. What has no form tells nothing about what is computed.
var (
	attributeForms = []string{"A", "P", "s", "st", "", "", "t", "", "t*", "t*", 16: "", 17: "t*", 18: "t*", 22: ""}
	typeForms      = []string{
		0: "*", 2: "TT", 9: "t", 10: "Nta", 11: "aNta", 13: "Nt", 14: "aNt", 15: "T", 16: "t", 17: "at", 18: "t", 19: "Nt", 20: "*",
	}
)

// Codes of attributes that are looked into.
const (
	codeDictionary = 1
	codeString     = 2
	codeFirstPlace = 10 // of locations: call sites, files and lines, fused and named ones, unknown ones
	codeLine       = 11
	codeNamed      = 14
	codeLastPlace  = 15
	codeLines      = 22
)

// readEntries finds the attributes and types: sizes, grouped by dialect, in one section, their bytes in another.
func (f *file) readEntries() error {
	sizes, bytes := &cursor{data: f.sections[sectionOffsets]}, &cursor{data: f.sections[sectionEntries]}
	attrs, types := sizes.count(), sizes.count()
	f.attrs = f.entries(sizes, bytes, attrs)
	f.types = f.entries(sizes, bytes, types)
	if sizes.cut || bytes.cut {
		return broken("its attributes are cut off")
	}
	return nil
}

func (f *file) entries(sizes, bytes *cursor, n int) []entry {
	var list []entry
	for len(list) < n && !sizes.cut {
		builtin := f.dialect(sizes.number()) == "builtin"
		for range sizes.count() {
			size, encoded := sizes.flagged()
			list = append(list, entry{data: bytes.take(size), builtin: builtin, encoded: encoded})
		}
	}
	return list
}

// attribute and kind hash an attribute and a type by their content, wherever the file has them.
func (f *file) attribute(i uint64) digest { return f.content(f.attrs, attributeForms, i) }
func (f *file) kind(i uint64) digest      { return f.content(f.types, typeForms, i) }

func (f *file) content(list []entry, forms []string, i uint64) digest {
	if i >= uint64(len(list)) {
		f.lost = true
		return start
	}
	e := &list[i]
	if e.state == unhashed { // one that holds itself is broken: what is inside counts as nothing
		e.state = hashing
		e.hash = f.hash(e, forms)
		e.state = hashed
	}
	return e.hash
}

func (f *file) hash(e *entry, forms []string) digest {
	switch {
	case !e.encoded:
		return start.text(string(e.data))
	case !e.builtin:
		return start.and(uint64(len(e.data))) // an encoding that only its dialect knows
	}
	c := &cursor{data: e.data}
	code := c.number()
	if code >= uint64(len(forms)) {
		return start.and(code)
	}
	d := start.and(code)
	for _, field := range forms[code] {
		d = f.field(d, c, field)
	}
	return d
}

func (f *file) field(d digest, c *cursor, field rune) digest {
	switch field {
	case 'a':
		return d.and(uint64(f.attribute(c.number())))
	case 't':
		return d.and(uint64(f.kind(c.number())))
	case 's':
		return d.text(f.text(c.number()))
	case '*':
		return d.text(string(c.data))
	case 'N':
		return f.list(d, c, func() digest { return digest(c.number()) })
	case 'A':
		return f.list(d, c, func() digest { return f.attribute(c.number()) })
	case 'T':
		return f.list(d, c, func() digest { return f.kind(c.number()) })
	}
	return f.list(d, c, func() digest { return f.pair(c.number(), c.number()) })
}

func (f *file) list(d digest, c *cursor, element func() digest) digest {
	n := c.count()
	d = d.and(uint64(n))
	for range n {
		d = d.and(uint64(element()))
	}
	return d
}

// pair hashes a named attribute, but for the name of the function or module that it stands at.
func (f *file) pair(name, value uint64) digest {
	if f.word(name) == symbolName {
		return 0
	}
	return f.attribute(name).and(uint64(f.attribute(value)))
}

// symbolName is the attribute that names a function.
const symbolName = "sym_name"

// word is the text of an attribute that is one.
func (f *file) word(i uint64) string {
	if i < uint64(len(f.attrs)) && f.attrs[i].code() == codeString {
		c := &cursor{data: f.attrs[i].data}
		c.number()
		return f.text(c.number())
	}
	return ""
}

// code is the code of one of MLIR's own attributes, -1 for others.
func (e *entry) code() int {
	if !e.encoded || !e.builtin {
		return -1
	}
	c := &cursor{data: e.data}
	return int(min(c.number(), 1<<20))
}
