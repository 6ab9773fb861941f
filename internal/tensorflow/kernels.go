package tensorflow

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// kernelList names, one a line and sorted, the operations for which TensorFlow 2.21 registers an XLA_CPU_JIT kernel; the GPU list
// differs in a handful. It is only used to say why an operation stayed outside, never to decide whether it did.
//
// Made with: [k.op for k in tensorflow.python.framework.kernels.get_all_registered_kernels().kernel if k.device_type == "XLA_CPU_JIT"]
// after one jit_compile=True function ran.
//
//go:embed kernels.txt
var kernelList string

var kernels = sync.OnceValue(func() []string { return strings.Fields(kernelList) })

// hasKernel reports whether XLA can compile the operation at all.
func hasKernel(op string) bool {
	_, found := slices.BinarySearch(kernels(), op)
	return found
}
