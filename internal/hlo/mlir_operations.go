package hlo

import "strings"

// The bits of an operation's mask.
const (
	hasAttributes = 1 << iota
	hasResults
	hasOperands
	hasSuccessors
	hasRegions
	hasUseLists
	hasProperties
)

// mlirWalker reads the operations of a file.
type mlirWalker struct {
	*mlirFile
	*mlirCursor
	values []mlirValue // of the current scope, by number
	next   int         // the number of the next value
	deep   bool        // nested deeper than maxNesting
}

// mlirValue is an operand or a result.
type mlirValue struct {
	print kernelHash
	kind  uint64 // the number of its type
}

// mlirOperation is an operation without its regions.
type mlirOperation struct {
	name       string
	mask       byte
	place      uint64   // its location
	attributes uint64   // see mask
	properties uint64   // see mask
	results    []uint64 // their types
	operands   []uint64 // values by number
}

// walk counts and hashes all operations.
func (f *mlirFile) walk() error {
	w := &mlirWalker{mlirFile: f, mlirCursor: &mlirCursor{data: f.sections[sectionIR]}}
	f.undefined = len(w.data)
	w.block(0)
	if w.cut || w.deep || w.lost {
		return brokenKernel("its operations are cut off, or refer to what is not there")
	}
	if f.version >= versionProperties {
		f.kernel.Print += uint64(f.loose())
	}
	return nil
}

// block reads and hashes the operations of a block. Their order does not count.
func (w *mlirWalker) block(depth int) kernelHash {
	var all kernelHash
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

func (w *mlirWalker) arguments() {
	for i := range w.count() {
		kind, located := w.number(), true
		if w.version >= versionLocations {
			kind, located = kind>>1, kind&1 == 1
		}
		if located {
			w.number()
		}
		w.define(mlirValue{print: hashStart.and(uint64(i)).and(uint64(w.kind(kind))), kind: kind})
	}
	if w.version >= versionUseLists && w.byte() != 0 {
		w.useLists(2) // of several values, each with its number
	}
}

// operation reads one operation with its regions.
func (w *mlirWalker) operation(depth int) kernelHash {
	o := w.head()
	d, function := w.described(&o)
	for _, kind := range o.results {
		d = d.and(uint64(w.kind(kind)))
	}
	for _, operand := range o.operands {
		d = d.and(uint64(w.value(operand).print))
	}
	if o.mask&hasUseLists != 0 {
		w.useLists(len(o.results))
	}
	for i, kind := range o.results {
		w.define(mlirValue{d.and(uint64(i)), kind})
	}
	w.product(&o)
	if o.mask&hasRegions != 0 {
		d = w.regions(d, depth)
	}
	if w.kernel.Name == "" && len(w.kernel.Ops) > 0 { // a function without a body is only declared
		w.kernel.Name = function
	}
	if o.name != "builtin.module" && !strings.HasSuffix(o.name, ".func") && !strings.HasSuffix(o.name, ".constant") { // these do no work
		w.kernel.Ops[o.name]++
		w.kernel.Print += uint64(d) // their order does not count, their number does
		w.kernel.Family += uint64(hashStart.text(o.name))
	}
	return d
}

// head reads an operation up to its operands.
func (w *mlirWalker) head() (o mlirOperation) {
	o.name, o.mask, o.place = w.in(w.ops, w.number()), w.byte(), w.number()
	if o.mask&hasAttributes != 0 {
		o.attributes = w.number()
	}
	if o.mask&hasProperties != 0 {
		o.properties = w.number()
	}
	o.results = w.numbers(o.mask & hasResults)
	o.operands = w.numbers(o.mask & hasOperands)
	w.numbers(o.mask & hasSuccessors)
	return o
}

// described hashes the attributes of an operation. It returns the name of a function from its attributes or properties.
func (w *mlirWalker) described(o *mlirOperation) (content kernelHash, function string) {
	content = hashStart.text(o.name)
	if o.mask&hasAttributes != 0 {
		content = content.and(uint64(w.attribute(o.attributes)))
		function = w.word(w.named(o.attributes, symbolName))
	}
	if o.mask&hasProperties != 0 {
		switch {
		case o.properties >= uint64(len(w.properties)):
			w.lost = true
		case strings.HasSuffix(o.name, ".func"):
			p := &w.properties[o.properties]
			if !p.searched {
				p.searched, p.name = true, w.nameIn(p.data)
			}
			function = p.name
		}
	}
	return content, function
}

// noAttribute is the index of no attribute.
const noAttribute = ^uint64(0)

// namedEntry is a name in a dictionary.
type namedEntry struct {
	dictionary uint64
	name       string
}

// named returns the index of an attribute in a dictionary by its name. Many operations share a dictionary, so it is searched once for each name.
func (f *mlirFile) named(dictionary uint64, wanted string) uint64 {
	if dictionary >= uint64(len(f.attrs)) || f.attrs[dictionary].code() != codeDictionary {
		return noAttribute
	}
	at, known := f.found[namedEntry{dictionary, wanted}]
	if known {
		return at
	}
	at = noAttribute
	c := &mlirCursor{data: f.attrs[dictionary].data}
	c.number()
	for range c.count() {
		if name, value := c.number(), c.number(); f.word(name) == wanted {
			at = value
			break
		}
	}
	f.found[namedEntry{dictionary, wanted}] = at
	return at
}

// numbers reads a list of numbers, if there is one.
func (w *mlirWalker) numbers(there byte) []uint64 {
	if there == 0 {
		return nil
	}
	list := make([]uint64, w.count())
	for i := range list {
		list[i] = w.number()
	}
	return list
}

func (w *mlirWalker) value(i uint64) mlirValue {
	if i < uint64(len(w.values)) {
		return w.values[i]
	}
	return mlirValue{kind: noAttribute}
}

func (w *mlirWalker) define(v mlirValue) {
	if w.next < len(w.values) {
		w.values[w.next] = v
		w.next++
	}
}

// useLists skips the orders of uses of one value, or of several.
func (w *mlirWalker) useLists(values int) {
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
func (w *mlirWalker) regions(d kernelHash, depth int) kernelHash {
	n, isolated := w.flagged()
	for ; n > 0 && !w.cut; n-- {
		if w.deep = depth > maxNesting; w.deep {
			break
		}
		inside := w
		if isolated {
			inside = &mlirWalker{mlirFile: w.mlirFile, mlirCursor: w.mlirCursor}
			if w.version >= versionSections {
				w.byte()
				inside.mlirCursor = &mlirCursor{data: w.take(w.number())}
			}
		}
		d = d.and(uint64(inside.region(depth + 1)))
		w.cut, w.deep = w.cut || inside.cut, w.deep || inside.deep
	}
	return d
}

func (w *mlirWalker) region(depth int) kernelHash {
	blocks := w.count()
	if blocks == 0 {
		return 0
	}
	outer, next, defined := len(w.values), w.next, w.count()
	if w.undefined -= defined; w.undefined < 0 { // each takes at least one byte of the file, so all regions together have no more than that
		w.data, w.cut, defined = nil, true, 0
	}
	w.values = append(w.values, make([]mlirValue, defined)...)
	w.next = outer
	d := hashStart
	for range blocks {
		d = d.and(uint64(w.block(depth)))
	}
	w.values, w.next = w.values[:outer], next
	return d
}
