package mlir

import "strings"

// magic starts every bytecode file.
const magic = "ML\xefR"

// The sections of a file, by id.
const (
	sectionStrings = iota
	sectionDialects
	sectionEntries
	sectionOffsets
	sectionIR
	sectionProperties = 8
	sectionCount      = 9
)

// Versions of the format from which something is written in another way.
const (
	versionDialects   = 1 // dialects may have a version
	versionSections   = 2 // isolated regions are sections of their own
	versionUseLists   = 3 // blocks say whether they order the uses of their arguments
	versionLocations  = 4 // arguments of blocks may go without a location
	versionProperties = 5 // operations have properties beside their attributes
	versionKnown      = 6
)

// file is a bytecode file taken apart.
type file struct {
	version  uint64
	strings  []string
	dialects []string
	ops      []string // "math.exp"
	attrs    []entry
	types    []entry
	sections [sectionCount][]byte

	properties [][]byte
	lost       bool // something refers to what is not there
	kernel     *Kernel
}

func readBytecode(data []byte) (*Kernel, error) {
	c := &cursor{data: data[len(magic):]}
	f := &file{version: c.number(), kernel: newKernel()}
	c.text() // who wrote it
	if f.version > versionKnown {
		return nil, broken("its version is newer than any known")
	}
	if err := f.split(c, data); err != nil {
		return nil, err
	}
	f.readStrings()
	f.readProperties()
	if !f.readDialects() {
		return nil, broken("its dialects are cut off")
	}
	if err := f.readEntries(); err != nil {
		return nil, err
	}
	f.kernel.Grid = f.grid()
	return f.kernel, f.walk()
}

// split finds the sections. Those that need it start at a multiple of their alignment, counted from the start of the file.
func (f *file) split(c *cursor, data []byte) error {
	for len(c.data) > 0 && !c.cut {
		id := c.byte()
		length := c.number()
		if id&0x80 != 0 {
			c.align(len(data), c.number())
		}
		section := c.take(length)
		if id &= 0x7f; c.cut || id >= sectionCount {
			return broken("its sections are cut off")
		}
		f.sections[id] = section
	}
	return nil
}

func (c *cursor) align(size int, to uint64) {
	for to > 1 && uint64(size-len(c.data))%to != 0 && !c.cut {
		c.byte()
	}
}

// readStrings reads the table of strings: their lengths from the last to the first, then their bytes.
func (f *file) readStrings() {
	c := &cursor{data: f.sections[sectionStrings]}
	lengths := make([]uint64, c.count())
	for i := range lengths {
		lengths[len(lengths)-1-i] = c.number()
	}
	for _, n := range lengths {
		s := c.take(n)
		if len(s) > 0 {
			s = s[:len(s)-1] // the zero byte
		}
		f.strings = append(f.strings, string(s))
	}
}

func (f *file) text(i uint64) string {
	if i < uint64(len(f.strings)) {
		return f.strings[i]
	}
	f.lost = true
	return ""
}

// readDialects reads the names of dialects, and of the operations of each.
func (f *file) readDialects() bool {
	c := &cursor{data: f.sections[sectionDialects]}
	for range c.count() {
		f.dialects = append(f.dialects, f.text(c.dialect(f.version)))
	}
	if f.version >= versionLocations {
		c.number() // how many operations there are
	}
	for len(c.data) > 0 {
		dialect := c.number()
		for range c.count() {
			name := c.number()
			if f.version >= versionProperties {
				name >>= 1 // whether it was registered
			}
			f.ops = append(f.ops, opName(f.dialect(dialect), f.text(name)))
		}
	}
	return !c.cut
}

// opName is an operation's name with its dialect. One dialect only wraps the names of others, so that they can be read by later versions.
func opName(dialect, name string) string {
	if strings.HasPrefix(dialect, "stable_") {
		return name
	}
	return dialect + "." + name
}

// dialect reads a dialect's name, and skips its version.
func (c *cursor) dialect(version uint64) (name uint64) {
	if version < versionDialects {
		return c.number()
	}
	name, versioned := c.flagged()
	if versioned {
		c.byte()
		c.take(c.number())
	}
	return name
}

func (f *file) dialect(i uint64) string {
	if i < uint64(len(f.dialects)) {
		return f.dialects[i]
	}
	f.lost = true
	return ""
}
