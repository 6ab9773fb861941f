// Package mlir reads kernels that were written by hand, as the compilers for TPU and GPU are handed them: MLIR, as bytecode or as text.
// It reads just enough to tell two of them apart by what they do, and what they multiply.
package mlir

import (
	"bytes"
	"errors"
	"fmt"
)

// Kernel is what a kernel does. Names, lines and paths of the source, and how the file numbers its tables, leave no trace in it.
type Kernel struct {
	Name   string         // of its first function
	Ops    map[string]int // how often each operation stands in it: "math.exp": 2
	Grid   []int64        // how often its body runs in each dimension, where the kernel says it: Mosaic's for TPU do
	Print  uint64         // equal for equal kernels
	Family uint64         // equal for kernels with the same operations, whatever their shapes and constants

	Products []Product
	Elements map[string]float64 // how many elements each operation goes through in one run of the body: "math.exp": 32768
	Open     bool               // it has loops whose length is not known: what is in them counts once
}

// ErrUnknown says that the bytes are MLIR in no known form.
var ErrUnknown = errors.New("neither MLIR bytecode nor MLIR text")

// Read reads a kernel in either form.
func Read(data []byte) (*Kernel, error) {
	switch {
	case bytes.HasPrefix(data, []byte(magic)):
		return readBytecode(data)
	case isText(data):
		return readText(data), nil
	}
	return nil, ErrUnknown
}

func newKernel() *Kernel { return &Kernel{Ops: map[string]int{}, Elements: map[string]float64{}} }

// Steps is how often the body runs.
func (k *Kernel) Steps() float64 { return max(1, product(k.Grid)) }

// add counts an operation. Their order does not count, their number does.
func (k *Kernel) add(op string, content digest) {
	k.Ops[op]++
	k.Print += uint64(content)
	k.Family += uint64(start.text(op))
}

// digest is a content hash, FNV-1a: the same on every machine.
type digest uint64

const start = digest(14695981039346656037)

func (d digest) byte(b byte) digest { return (d ^ digest(b)) * 1099511628211 }

// and appends a number: the order counts.
func (d digest) and(n uint64) digest {
	for range 8 {
		d = d.byte(byte(n))
		n >>= 8
	}
	return d
}

func (d digest) text(s string) digest {
	for i := range len(s) {
		d = d.byte(s[i])
	}
	return d.and(uint64(len(s)))
}

func broken(what string) error { return fmt.Errorf("the kernel's bytecode is broken: %s", what) }
