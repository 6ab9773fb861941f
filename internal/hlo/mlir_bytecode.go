package hlo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
)

// mlirMagic is the beginning of every bytecode file.
const mlirMagic = "ML\xefR"

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

// Versions of the format that changed an encoding.
const (
	versionDialects   = 1 // dialects may have a version
	versionSections   = 2 // isolated regions are sections of their own
	versionUseLists   = 3 // blocks may order the uses of their arguments
	versionLocations  = 4 // the location of a block's argument is optional
	versionProperties = 5 // operations have properties besides attributes
	versionKnown      = 6
)

// mlirFile is a bytecode file taken apart.
type mlirFile struct {
	version  uint64
	strings  []string
	dialects []string
	ops      []string // "math.exp"
	attrs    []mlirEntry
	types    []mlirEntry
	sections [sectionCount][]byte

	properties []mlirProperties
	found      map[namedEntry]uint64
	undefined  int  // how many values the regions may still have
	depth      int  // of the attributes that are being hashed
	lost       bool // something refers to an index outside its table, or is nested deeper than maxNesting
	kernel     *Kernel
}

func readBytecode(data []byte) (*Kernel, error) {
	if !bytes.HasPrefix(data, []byte(mlirMagic)) {
		return nil, errors.New("the kernel is no MLIR bytecode")
	}
	c := &mlirCursor{data: data[len(mlirMagic):]}
	f := &mlirFile{version: c.number(), kernel: &Kernel{Ops: map[string]int{}}, found: map[namedEntry]uint64{}}
	c.text() // the producer
	if f.version > versionKnown {
		return nil, brokenKernel("its version is newer than any known")
	}
	if err := f.split(c, data); err != nil {
		return nil, err
	}
	f.readStrings()
	properties := &mlirCursor{data: f.sections[sectionProperties]}
	for range properties.count() {
		f.properties = append(f.properties, mlirProperties{data: properties.take(properties.number())})
	}
	if !f.readDialects() {
		return nil, brokenKernel("its dialects are cut off")
	}
	sizes, entries := &mlirCursor{data: f.sections[sectionOffsets]}, &mlirCursor{data: f.sections[sectionEntries]}
	attrs, types := sizes.count(), sizes.count()
	f.attrs, f.types = f.entries(sizes, entries, attrs), f.entries(sizes, entries, types)
	if sizes.cut || entries.cut {
		return nil, brokenKernel("its attributes are cut off")
	}
	for i := range f.attrs {
		if at := f.named(uint64(i), "iteration_bounds"); at != noAttribute {
			f.kernel.Grid = f.dense(at)
			break
		}
	}
	return f.kernel, f.walk()
}

// split finds the sections. A section with an alignment starts at a multiple of it, from the start of the file.
func (f *mlirFile) split(c *mlirCursor, data []byte) error {
	for len(c.data) > 0 && !c.cut {
		id := c.byte()
		length := c.number()
		if id&0x80 != 0 {
			for to := c.number(); to > 1 && uint64(len(data)-len(c.data))%to != 0 && !c.cut; {
				c.byte()
			}
		}
		section := c.take(length)
		if id &= 0x7f; c.cut || id >= sectionCount {
			return brokenKernel("its sections are cut off")
		}
		f.sections[id] = section
	}
	return nil
}

// readStrings reads the table of strings: the lengths from the last to the first, then the bytes.
func (f *mlirFile) readStrings() {
	c := &mlirCursor{data: f.sections[sectionStrings]}
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

// in returns an entry of one of the file's tables.
func (f *mlirFile) in(table []string, i uint64) string {
	if i < uint64(len(table)) {
		return table[i]
	}
	f.lost = true
	return ""
}

// readDialects reads the names of the dialects and of their operations.
func (f *mlirFile) readDialects() bool {
	c := &mlirCursor{data: f.sections[sectionDialects]}
	for range c.count() {
		name, versioned := c.number(), false
		if f.version >= versionDialects {
			name, versioned = name>>1, name&1 == 1
		}
		if versioned {
			c.byte()
			c.take(c.number())
		}
		f.dialects = append(f.dialects, f.in(f.strings, name))
	}
	if f.version >= versionLocations {
		c.number() // number of operations
	}
	for len(c.data) > 0 {
		dialect := f.in(f.dialects, c.number()) + "."
		if strings.HasPrefix(dialect, "stable_") { // it keeps the names of the dialects that it wraps
			dialect = ""
		}
		for range c.count() {
			name := c.number()
			if f.version >= versionProperties {
				name >>= 1 // the lowest bit: the operation is registered
			}
			f.ops = append(f.ops, dialect+f.in(f.strings, name))
		}
	}
	return !c.cut
}

// mlirCursor reads the primitives of the bytecode. Behind the end of the data it returns zeros and sets cut.
type mlirCursor struct {
	data []byte
	cut  bool
}

func (c *mlirCursor) take(n uint64) []byte {
	if n > uint64(len(c.data)) {
		c.data, c.cut = nil, true
		return nil
	}
	taken := c.data[:n]
	c.data = c.data[n:]
	return taken
}

func (c *mlirCursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

// number reads a number of one to nine bytes. The number of trailing zero bits of the first is the number of bytes behind it.
func (c *mlirCursor) number() uint64 {
	first := c.byte()
	more := bits.TrailingZeros8(first)
	var wide [8]byte
	if more == 8 {
		copy(wide[:], c.take(8))
		return binary.LittleEndian.Uint64(wide[:])
	}
	wide[0] = first
	copy(wide[1:], c.take(uint64(more)))
	return binary.LittleEndian.Uint64(wide[:]) >> (more + 1)
}

// signed reads a number whose lowest bit is the sign.
func (c *mlirCursor) signed() int64 {
	n := c.number()
	return int64(n>>1) ^ -int64(n&1)
}

// flagged reads a number whose lowest bit is a flag.
func (c *mlirCursor) flagged() (uint64, bool) {
	n := c.number()
	return n >> 1, n&1 == 1
}

// count reads the number of elements of a list, which is at most the number of bytes left.
func (c *mlirCursor) count() int {
	n := c.number()
	if n > uint64(len(c.data)) {
		c.data, c.cut = nil, true
		return 0
	}
	return int(n)
}

// text reads up to a zero byte.
func (c *mlirCursor) text() string {
	for i, b := range c.data {
		if b == 0 {
			return string(c.take(uint64(i) + 1)[:i])
		}
	}
	c.take(uint64(len(c.data)) + 1)
	return ""
}
