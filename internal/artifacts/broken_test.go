package artifacts

import (
	"strings"
	"testing"
)

// brokenTexts are files that are not what they say, with what is said of them.
var brokenTexts = []struct {
	reader func([]byte) (any, error)
	text   string
	want   string
}{
	{anyOf(ReadBufferAssignment), "", `line 1: a buffer assignment begins with "BufferAssignment:"`},
	{anyOf(ReadBufferAssignment), "Allocations:\n", `line 1: a buffer assignment begins with "BufferAssignment:"`},
	{anyOf(ReadBufferAssignment), "BufferAssignment:\n value: <1 a @0> (size=1,offset=0): f32[]\n", "line 2: a value stands before the first allocation"},
	{anyOf(ReadBufferAssignment), "BufferAssignment:\nallocation 0: size 4:\n value: <1 a> (size=1,offset=0): f32[]\n", "line 3: cannot read the value"},
	{anyOf(ReadBufferAssignment), "BufferAssignment:\nallocation 0: size four:\n", "line 2: cannot read the allocation"},
	{anyOf(ReadBufferAssignment), "BufferAssignment:\nallocation 0: size 4:\n\nTotal bytes used: 5 (5B)\n", "line 4: the allocations come to 4 bytes, not to the 5 bytes that the file says"},
	{anyOf(ReadBufferAssignment), "BufferAssignment:\nallocation 0: size 4:\n\nTotal bytes used: many\n", "line 4: cannot read the total"},
	{anyOf(ReadMemoryReport), "nothing of the kind\n", "a memory usage report says"},
	{anyOf(ReadMemoryReport), "Total bytes used: many\n", "line 1: cannot read the number of bytes"},
	{anyOf(ReadMemoryReport), "Memory Space: default\n", "line 1: cannot read the memory space"},
	{anyOf(ReadMemoryReport), "Memory Space: default (color=x)\n", "line 1: cannot read the memory space"},
	{anyOf(ReadMemoryReport), "Memory Space: default (color=0\n", "line 1: cannot read the memory space"},
	{anyOf(ReadMemoryReport), "Memory Space: default (color=0)\nnothing\n", "line 2: the memory space default has no total"},
	{anyOf(ReadMemoryReport), "Memory Space: default (color=0)\nTotal bytes: x\n", "line 2: cannot read the number of bytes"},
	{anyOf(ReadFlagFile), "--a=1\nb=2\n", `line 2: "b=2" is no --name=value`},
	{anyOf(ReadFlagFile), "--=2\n", `line 1: "--=2" is no --name=value`},
	{anyOf(ReadTargetConfig), "platform_name: \"CUDA\"\n", "gpu_device_info is missing"},
	{anyOf(ReadTargetConfig), "gpu_device_info { cuda_compute_capability { major: x } }\n", "major is no number"},
	{anyOf(ReadTargetConfig), "gpu_device_info { cuda_compute_capability { minor: x } }\n", "minor is no number"},
	{anyOf(ReadTargetArguments), "a: 1\n", "tpu_topology_args is missing"},
	{anyOf(ReadThunkMetadata), "\nthunk_metadata { }\n", "line 2: a thunk without thunk_info"},
	{anyOf(ReadThunkMetadata), "thunk_metadata { thunk_info { thunk_id: x } }\n", "thunk_id is no number"},
	{anyOf(ReadPTX), ".entry (\n", "line 1: an entry without a name"},
	{anyOf(ReadPTX), ".entry f(\n{\n", "the file ends inside of a function"},
	{anyOf(ReadLLVM), "define void @f() {\n", "the file ends inside of a function"},
}

func TestBrokenTexts(t *testing.T) {
	for _, c := range brokenTexts {
		if v, err := c.reader([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %+v, %v, wanted %q", c.text, v, err, c.want)
		}
	}
}

// Every reader of text formats refuses what is no text.
func TestNoText(t *testing.T) {
	for name, reader := range map[string]func([]byte) (any, error){
		"debug options": anyOf(ReadDebugOptions), "target": anyOf(ReadTargetConfig), "arguments": anyOf(ReadTargetArguments), "topology": anyOf(ReadTopology),
		"metadata": anyOf(ReadThunkMetadata),
	} {
		if v, err := reader([]byte("{ nonsense ]\n")); err == nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
