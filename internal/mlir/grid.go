package mlir

import "encoding/binary"

// codeDense is the code of MLIR's attribute that holds a plain list of numbers.
const codeDense = 17

// gridName is the attribute in which Mosaic says how often a kernel's body runs in each dimension of its grid.
const gridName = "iteration_bounds"

// grid finds how often the body of a kernel runs in each dimension; nil where the kernel does not say.
func (f *file) grid() []int64 {
	for i := range f.attrs {
		if e := &f.attrs[i]; e.code() == codeDictionary {
			c := &cursor{data: e.data}
			c.number()
			for range c.count() {
				if name, value := c.number(), c.number(); f.word(name) == gridName {
					return f.dense(value)
				}
			}
		}
	}
	return nil
}

// dense reads a list of 64-bit numbers.
func (f *file) dense(i uint64) (list []int64) {
	if i >= uint64(len(f.attrs)) || f.attrs[i].code() != codeDense {
		return nil
	}
	c := &cursor{data: f.attrs[i].data}
	c.number()
	c.number() // the elements' type
	c.number() // how many there are
	for raw := c.take(c.number()); len(raw) >= 8; raw = raw[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(raw)))
	}
	return list
}
