package main

import (
	"bytes"
	"encoding/base64"
)

// bytecode is an MLIR file in the making, of version 3 of the format: the dialects are builtin and tpu, the operations tpu.matmul (0) and builtin.f (1).
type bytecode struct {
	attributes, types [][]byte
	block             []byte // the IR section: one block
}

// number encodes a number as MLIR does: the trailing zero bits of the first byte are the number of bytes behind it.
func number(n int) []byte {
	size := 1
	for n>>(7*size) != 0 {
		size++
	}
	v := (uint64(n)<<1 | 1) << (size - 1)
	var out []byte
	for range size {
		out = append(out, byte(v))
		v >>= 8
	}
	return out
}

func numbers(list ...int) (out []byte) {
	for _, n := range list {
		out = append(out, number(n)...)
	}
	return out
}

func section(id byte, content []byte) []byte {
	return append(append([]byte{id}, number(len(content))...), content...)
}

// bytes is the whole file.
func (b *bytecode) bytes() []byte {
	file := []byte("ML\xefR\x07x\x00")
	file = append(file, section(0, append(numbers(4, 2, 7, 4, 8), "builtin\x00tpu\x00matmul\x00f\x00"...))...)
	file = append(file, section(1, numbers(2, 0, 2, 1, 1, 2, 0, 1, 3))...)
	sizes := numbers(len(b.attributes), len(b.types))
	var entries []byte
	for _, list := range [][][]byte{b.attributes, b.types} {
		if len(list) > 0 {
			sizes = append(sizes, numbers(0, len(list))...)
		}
		for _, e := range list {
			sizes = append(sizes, number(len(e)<<1|1)...)
			entries = append(entries, e...)
		}
	}
	file = append(file, section(2, entries)...)
	file = append(file, section(3, sizes)...)
	return append(file, section(4, b.block)...)
}

// module is a module with the kernel in a custom call.
func (b *bytecode) module() []byte {
	body := base64.StdEncoding.EncodeToString(b.bytes())
	return entry([]byte(`  %t = f32[8]{0} custom-call(%p), custom_call_target="tpu_custom_call", backend_config={"custom_call_config": {"body": "` + body + "\"}}\n"))
}

// Bits of an operation's mask.
const (
	withAttributes = 1
	withResults    = 2
	withOperands   = 4
	withRegions    = 16
)

var (
	wordAttribute = numbers(2, 3) // the string "f"
	floatType     = numbers(5)    // f32
)

// wideDictionary has a dictionary of n names that n operations share.
func wideDictionary(n int) []byte {
	b := &bytecode{attributes: [][]byte{nil, wordAttribute}, types: [][]byte{floatType}}
	b.attributes[0] = append(numbers(1, n), bytes.Repeat(numbers(1, 1), n)...)
	b.block = numbers(n << 1)
	for range n {
		b.block = append(append(append(b.block, number(1)...), withAttributes), numbers(0, 0)...)
	}
	return b.module()
}

// nestedRegions has 190 regions in each other, n times; each of them has as many values as bytes are left.
func nestedRegions(n int) []byte {
	b := &bytecode{attributes: [][]byte{wordAttribute}, types: [][]byte{floatType}}
	b.block = numbers(1 << 1)
	for depth := 0; depth < 190; depth++ { // builtin.f with one region of one block of one operation
		b.block = append(append(append(b.block, number(1)...), withRegions), numbers(0, 1<<1, 1, 50*n, 1<<1)...)
	}
	b.block = append(append(append(b.block, number(1)...), 0), number(0)...)
	b.block = append(b.block, make([]byte, 50*n)...)
	return b.module()
}

// attributeChain has arrays that each hold the next.
func attributeChain(n int) []byte {
	b := &bytecode{types: [][]byte{floatType}, block: numbers(1 << 1)}
	for i := range n {
		b.attributes = append(b.attributes, numbers(0, 1, i+1))
	}
	b.attributes = append(b.attributes, wordAttribute)
	b.block = append(append(append(b.block, number(1)...), withAttributes), numbers(0, 0)...)
	return b.module()
}

// callSites has locations that are each the callee and the caller of the next, and n products there.
func callSites(n int) []byte {
	b := &bytecode{}
	for i := range n {
		b.attributes = append(b.attributes, numbers(10, i+1, i+1))
	}
	b.attributes = append(b.attributes, numbers(15))
	return products(b, numbers(19, 1, 16, 1), n)
}

// wideTypes has a vector of n dimensions that n products multiply.
func wideTypes(n int) []byte {
	vector := append(numbers(19, n), bytes.Repeat(numbers(16), n)...)
	return products(&bytecode{attributes: [][]byte{numbers(15)}}, append(vector, number(1)...), n)
}

// products completes a file with n products of values of a type, each at the first location.
func products(b *bytecode, vector []byte, n int) []byte {
	b.types = [][]byte{vector, floatType}
	b.block = append(numbers(1<<1, 1), withRegions)                               // builtin.f
	b.block = append(b.block, numbers(0, 1<<1, 1, n+2, n<<1|1, 2, 0, 0, 0, 0)...) // with a block of two arguments
	b.block = append(b.block, 0)
	for range n {
		b.block = append(append(append(b.block, number(0)...), withResults|withOperands), numbers(0, 1, 0, 2, 0, 1)...)
	}
	return b.module()
}
