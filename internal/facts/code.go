package facts

import (
	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

// code sums what the back end made of the module: PTX and LLVM IR. A file that cannot be read leaves its sum unknown.
func (out *measuring) code() {
	total(out, CodePTXEntries, dump.KindPTX, artifacts.ReadPTX, func(p *artifacts.PTX) int64 {
		out.Toolchain.version("ptx", p.Version)
		return int64(len(p.Entries))
	})
	total(out, CodePTXBytes, dump.KindPTX, length, func(n *int64) int64 { return *n })
	total(out, CodeLLVMBytes, dump.KindLLVMOptimized, artifacts.ReadLLVM, func(l *artifacts.LLVM) int64 { return l.Bytes })
}

// length reads a file only to know how long it is, unpacked.
func length(data []byte) (*int64, error) {
	n := int64(len(data))
	return &n, nil
}

func total[T any](out *measuring, fact ID, kind dump.Kind, read func([]byte) (*T, error), amount func(*T) int64) {
	files := out.module.CompanionsOf(kind)
	var sum int64
	for _, f := range files {
		value := readCompanion(out, f, read)
		if value == nil {
			return
		}
		sum += amount(value)
	}
	if len(files) > 0 {
		out.Variant.Facts[fact] = float64(sum)
	}
}
