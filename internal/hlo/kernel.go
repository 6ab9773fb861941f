package hlo

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// kernelKeys are the keys of a backend_config whose value is a hand-written kernel: of Pallas on TPU, of Triton, of Mosaic on GPU.
var kernelKeys = []string{`"body"`, "ir", "module"}

// Kernel returns the hand-written kernel in the backend_config of a custom call. It returns nil when there is none that can be read.
func (m *Module) Kernel(id InstrID) *Kernel {
	if m.Instrs[id].Opcode != OpCustomCall {
		return nil
	}
	config, _ := m.Attr(id, "backend_config")
	kernel, _ := kernelIn(config)
	return kernel
}

// kernelIn returns the kernel in a backend_config, nil if it cannot be read, and its code.
func kernelIn(config string) (kernel *Kernel, code []byte) {
	for _, key := range kernelKeys {
		value, ok := quotedValue(config, key)
		if !ok {
			continue
		}
		code = unescaped(value)
		if kernel, err := readBytecode(code); err == nil {
			if kernel.Grid == nil {
				kernel.Grid = gridIn(config)
			}
			return kernel, code
		}
	}
	return nil, code
}

// gridIn returns the grid of a Triton kernel: how often its body runs in each dimension. It is nil where the config has none.
func gridIn(config string) (grid []int64) {
	for _, key := range []string{"grid_x = ", "grid_y = ", "grid_z = "} {
		_, printed, _ := strings.Cut(config, key)
		digits := printed[:len(printed)-len(strings.TrimLeft(printed, "0123456789"))]
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			grid = append(grid, n)
		}
	}
	return grid
}

// quotedValue returns the text behind the opening quote of the value of a key.
func quotedValue(config, key string) (string, bool) {
	for rest := config; ; {
		at := strings.Index(rest, key)
		if at < 0 {
			return "", false
		}
		first := at == 0 || strings.IndexByte(" {,", rest[at-1]) >= 0
		rest = rest[at+len(key):]
		if value := strings.TrimLeft(rest, " :="); first && len(value) < len(rest) && strings.HasPrefix(value, `"`) {
			return value[1:], true
		}
	}
}

// unescaped decodes a quoted string up to its closing quote: with bytes as \XX, or in base64.
func unescaped(s string) []byte {
	var out []byte
	for i := 0; i < len(s) && s[i] != '"'; i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		if b, err := hex.DecodeString(s[i+1 : min(i+3, len(s))]); err == nil && len(b) == 1 {
			out = append(out, b[0])
			i += 2
			continue
		}
		out = append(out, s[i+1])
		i++
	}
	if decoded, err := base64.StdEncoding.DecodeString(string(out)); err == nil {
		return decoded
	}
	return out
}

// Kernel is a hand-written kernel in the form in which the compilers for TPU and GPU get it: the bytecode of MLIR. Print and
// Family do not depend on names, lines and paths of the source, nor on the numbering of the file's tables.
type Kernel struct {
	Name   string         // of its first function
	Ops    map[string]int // number of each operation: "math.exp": 2
	Grid   []int64        // how often its body runs in each dimension; nil where the kernel does not have it. Mosaic's for TPU have it
	Print  uint64         // equal for equal kernels
	Family uint64         // equal for kernels with the same operations, whatever their shapes and constants

	Products []KernelProduct
}

// Steps returns how often the body runs.
func (k *Kernel) Steps() float64 {
	const unreal = 1 << 53 // only a broken file reaches it
	n := 1.0
	for _, length := range k.Grid {
		n = min(n*float64(max(0, length)), unreal)
	}
	return max(1, n)
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
