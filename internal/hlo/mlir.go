package hlo

import (
	"bytes"
	"errors"
	"fmt"
)

// Kernel is a hand-written kernel in the form in which the compilers for TPU and GPU get it: MLIR, as bytecode or as text. Print and Family
// do not depend on names, lines and paths of the source, nor on the numbering of the file's tables.
type Kernel struct {
	Name   string         // of its first function
	Ops    map[string]int // number of each operation: "math.exp": 2
	Grid   []int64        // how often its body runs in each dimension; nil where the kernel does not have it. Mosaic's for TPU have it
	Print  uint64         // equal for equal kernels
	Family uint64         // equal for kernels with the same operations, whatever their shapes and constants

	Products []KernelProduct
	Elements map[string]float64 // elements that each operation processes in one run of the body: "math.exp": 32768
	Open     bool               // it has loops with an unknown trip count; their bodies count once
}

// errNoKernel is the error for bytes that are neither form of MLIR.
var errNoKernel = errors.New("neither MLIR bytecode nor MLIR text")

// readKernel reads a kernel, bytecode or text.
func readKernel(data []byte) (*Kernel, error) {
	switch {
	case bytes.HasPrefix(data, []byte(mlirMagic)):
		return readBytecode(data)
	case isText(data):
		return readText(data), nil
	}
	return nil, errNoKernel
}

func newKernel() *Kernel { return &Kernel{Ops: map[string]int{}, Elements: map[string]float64{}} }

// Steps returns how often the body runs.
func (k *Kernel) Steps() float64 { return max(1, multiplied(k.Grid)) }

// add adds an operation. The order of operations does not count, their number does.
func (k *Kernel) add(op string, content kernelHash) {
	k.Ops[op]++
	k.Print += uint64(content)
	k.Family += uint64(hashStart.text(op))
}

// kernelHash is a content hash, FNV-1a: the same on every machine.
type kernelHash uint64

const hashStart = kernelHash(14695981039346656037)

func (d kernelHash) byte(b byte) kernelHash { return (d ^ kernelHash(b)) * 1099511628211 }

// and appends a number: the order counts.
func (d kernelHash) and(n uint64) kernelHash {
	for range 8 {
		d = d.byte(byte(n))
		n >>= 8
	}
	return d
}

func (d kernelHash) text(s string) kernelHash {
	for i := range len(s) {
		d = d.byte(s[i])
	}
	return d.and(uint64(len(s)))
}

func brokenKernel(what string) error { return fmt.Errorf("the kernel's bytecode is broken: %s", what) }
