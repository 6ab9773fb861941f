package mlir

// Codes of locations.
const (
	codeCall  = 10
	codeFused = 12
)

// places are the lines that a location names, the innermost first.
func (f *file) places(at uint64, depth int) []Place {
	if at >= uint64(len(f.attrs)) || depth > maxNesting {
		return nil
	}
	c := &cursor{data: f.attrs[at].data}
	switch code := f.attrs[at].code(); code {
	case codeCall:
		c.number()
		callee, caller := c.number(), c.number()
		return append(f.places(callee, depth+1), f.places(caller, depth+1)...)
	case codeFused:
		c.number()
		if c.count() > 0 {
			return f.places(c.number(), depth+1)
		}
	case codeNamed:
		c.number()
		c.number() // the name
		return f.places(c.number(), depth+1)
	case codeLine, codeLines:
		c.number()
		file := f.word(c.number())
		if code == codeLines {
			c.number() // how many numbers follow
		}
		return []Place{{file, int(c.number())}}
	}
	return nil
}
