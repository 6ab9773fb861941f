package artifacts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// KernelResources are the resources of a GPU that a kernel uses.
type KernelResources struct {
	Name        string
	Registers   int64 // per thread
	Stack       int64 // bytes per thread, in local memory
	SpillStores int64 // bytes per thread that the code stores to local memory for lack of registers
	SpillLoads  int64 // bytes per thread that it loads back
	Shared      int64 // bytes of static shared memory per block
	Barriers    int64
}

// ReadAssembler reads the output of ptxas --verbose for the kernels of a file:
//
//	ptxas info    : Compiling entry function 'fusion' for 'sm_90a'
//	ptxas info    : Function properties for fusion
//	    32 bytes stack frame, 28 bytes spill stores, 28 bytes spill loads
//	ptxas info    : Used 255 registers, used 1 barriers, 32 bytes cumulative stack size, 4224 bytes smem
//
// The resources of a function that a kernel calls follow that kernel in the output and are counted with it.
func ReadAssembler(said string) ([]KernelResources, error) {
	var kernels []KernelResources
	used := true
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		_, text, _ := strings.Cut(line, ": ")
		if name, ok := strings.CutPrefix(text, "Compiling entry function '"); ok {
			if !used {
				break
			}
			name, _, _ = strings.Cut(name, "'")
			kernels, used = append(kernels, KernelResources{Name: name}), false
			continue
		}
		if len(kernels) == 0 {
			continue
		}
		k := &kernels[len(kernels)-1]
		switch {
		case strings.Contains(line, " bytes stack frame, "):
			if err := k.amounts(line); err != nil {
				return nil, err
			}
		case strings.HasPrefix(text, "Used "):
			used = true
			if err := k.amounts(strings.TrimPrefix(text, "Used ")); err != nil {
				return nil, err
			}
		}
	}
	if !used {
		return nil, fmt.Errorf("ptxas does not say what %s uses", wire.Plain(kernels[len(kernels)-1].Name))
	}
	return kernels, nil
}

// amounts reads "32 bytes stack frame, 28 bytes spill stores" and "255 registers, used 1 barriers, 4224 bytes smem".
func (k *KernelResources) amounts(list string) error {
	fields := map[string]*int64{
		"registers": &k.Registers, "barriers": &k.Barriers, "bytes smem": &k.Shared,
		"bytes stack frame": &k.Stack, "bytes spill stores": &k.SpillStores, "bytes spill loads": &k.SpillLoads,
	}
	for part := range strings.SplitSeq(list, ", ") {
		amount, what, _ := strings.Cut(strings.TrimPrefix(part, "used "), " ")
		field := fields[what]
		if field == nil {
			continue // cmem and the like
		}
		n, err := strconv.ParseInt(amount, 10, 64)
		if err != nil || n < 0 {
			return errors.New("ptxas says what is not understood: " + wire.Plain(strconv.Quote(part)))
		}
		*field += n
	}
	return nil
}
