package mlir

import "strings"

// The parts that an operation has, by the bits of its mask.
const (
	hasAttributes = 1 << iota
	hasResults
	hasOperands
	hasSuccessors
	hasRegions
	hasUseLists
	hasProperties
)

// maxNesting bounds what only a broken file reaches.
const maxNesting = 100

// walker reads the operations of a file. A value is hashed by what it is computed from.
type walker struct {
	*file
	*cursor
	values []digest // of the scope at hand, by number
	next   int      // the number of the next value
	deep   bool     // nested beyond reason
}

// walk counts and hashes all operations.
func (f *file) walk() error {
	w := &walker{file: f, cursor: &cursor{data: f.sections[sectionIR]}}
	w.block(0)
	if w.cut || w.deep || w.lost {
		return broken("its operations are cut off, or refer to what is not there")
	}
	if f.version >= versionProperties {
		f.kernel.Print += uint64(f.loose())
	}
	return nil
}

// block reads the operations between two labels and hashes them, in any order.
func (w *walker) block(depth int) digest {
	var all digest
	ops, hasArguments := w.flagged()
	if hasArguments {
		w.arguments()
	}
	for range ops {
		if w.cut || w.deep {
			break
		}
		all += w.operation(depth)
	}
	return all
}

func (w *walker) arguments() {
	for i := range w.count() {
		kind, located := w.number(), true
		if w.version >= versionLocations {
			kind, located = kind>>1, kind&1 == 1
		}
		if located {
			w.number()
		}
		w.define(start.and(uint64(i)).and(uint64(w.kind(kind))))
	}
	if w.version >= versionUseLists && w.byte() != 0 {
		w.useLists(2) // of any number of values, each is named
	}
}

// operation reads one operation and what it holds.
func (w *walker) operation(depth int) digest {
	name := w.name(w.number())
	mask := w.byte()
	w.number() // where in the source it stands
	d, function := w.described(start.text(name), name, mask)
	results := w.numbers(mask&hasResults, w.kind)
	for _, kind := range results {
		d = d.and(uint64(kind))
	}
	for _, value := range w.numbers(mask&hasOperands, w.value) {
		d = d.and(uint64(value))
	}
	w.numbers(mask&hasSuccessors, w.kind)
	if mask&hasUseLists != 0 {
		w.useLists(len(results))
	}
	for i := range results {
		w.define(d.and(uint64(i)))
	}
	if mask&hasRegions != 0 {
		d = w.regions(d, depth)
	}
	if w.kernel.Name == "" && len(w.kernel.Ops) > 0 { // a function without a body is somebody else's
		w.kernel.Name = function
	}
	if !silent(name) {
		w.kernel.add(name, d)
	}
	return d
}

// described reads the attributes and properties of an operation, and the name that they give it if it is a function.
func (w *walker) described(d digest, op string, mask byte) (content digest, function string) {
	if mask&hasAttributes != 0 {
		at := w.number()
		d, function = d.and(uint64(w.attribute(at))), w.symbol(at)
	}
	if mask&hasProperties != 0 {
		switch at := w.number(); {
		case at >= uint64(len(w.properties)):
			w.lost = true
		case strings.HasSuffix(op, ".func"):
			function = w.nameIn(at)
		}
	}
	return d, function
}

// silent says whether an operation does nothing by itself: it holds others, or a constant.
func silent(op string) bool {
	return op == "builtin.module" || strings.HasSuffix(op, ".func") || strings.HasSuffix(op, ".constant")
}

func (w *walker) name(i uint64) string {
	if i < uint64(len(w.ops)) {
		return w.ops[i]
	}
	w.lost = true
	return ""
}

// symbol is the name that attributes give a function.
func (w *walker) symbol(attrs uint64) string {
	if attrs >= uint64(len(w.attrs)) || w.attrs[attrs].code() != codeDictionary {
		return ""
	}
	c := &cursor{data: w.attrs[attrs].data}
	c.number()
	for range c.count() {
		if name, value := c.number(), c.number(); w.word(name) == symbolName {
			return w.word(value)
		}
	}
	return ""
}

// numbers reads a list, if there is one, and gives what each number of it stands for.
func (w *walker) numbers(there byte, of func(uint64) digest) []digest {
	if there == 0 {
		return nil
	}
	list := make([]digest, w.count())
	for i := range list {
		list[i] = of(w.number())
	}
	return list
}

func (w *walker) value(i uint64) digest {
	if i < uint64(len(w.values)) {
		return w.values[i]
	}
	return 0
}

func (w *walker) define(d digest) {
	if w.next < len(w.values) {
		w.values[w.next] = d
		w.next++
	}
}

// useLists skips the order of uses: of one value, or of several, each by its number.
func (w *walker) useLists(values int) {
	entries := 1
	if values > 1 {
		entries = w.count()
	}
	for range entries {
		if values > 1 {
			w.number()
		}
		n, _ := w.flagged()
		for ; n > 0 && !w.cut; n-- {
			w.number()
		}
	}
}

// regions reads what an operation holds. An isolated one has values of its own, and from some version on is a section of its own.
func (w *walker) regions(d digest, depth int) digest {
	n, isolated := w.flagged()
	for ; n > 0 && !w.cut; n-- {
		if w.deep = depth > maxNesting; w.deep {
			break
		}
		inside := w
		if isolated {
			inside = &walker{file: w.file, cursor: w.cursor}
			if w.version >= versionSections {
				w.byte()
				inside.cursor = &cursor{data: w.take(w.number())}
			}
		}
		d = d.and(uint64(inside.region(depth + 1)))
		w.cut, w.deep = w.cut || inside.cut, w.deep || inside.deep
	}
	return d
}

func (w *walker) region(depth int) digest {
	blocks := w.count()
	if blocks == 0 {
		return 0
	}
	outer, next := len(w.values), w.next
	w.values = append(w.values, make([]digest, w.count())...)
	w.next = outer
	d := start
	for range blocks {
		d = d.and(uint64(w.block(depth)))
	}
	w.values, w.next = w.values[:outer], next
	return d
}
