package artifacts

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// A buffer assignment that was cut off, or that belongs to another module, does not add up to the report or has no buffer for an instruction.
func TestBuffersComplete(t *testing.T) {
	m, err := hlo.ParseText([]byte(`HloModule m

%body {
  %p = (f32[8]) parameter(0)
  %g = f32[8] get-tuple-element(%p), index=0
  %n = f32[8] negate(%g)
  ROOT %t = (f32[8]) tuple(%n)
}

%condition {
  %q = (f32[8]) parameter(0)
  ROOT %c = pred[] constant(true)
}

ENTRY %e {
  %x = f32[8] parameter(0)
  %y = (f32[8]) tuple(%x)
  ROOT %w = (f32[8]) while(%y), condition=%condition, body=%body
}
`), "m.txt")
	if err != nil {
		t.Fatal(err)
	}
	buffers := func(names string) *Buffers {
		b := &Buffers{Allocations: []Allocation{{Size: 32, Parameter: -1}}}
		for _, name := range strings.Fields(names) {
			b.Allocations[0].Values = append(b.Allocations[0].Values, Value{Name: name})
		}
		return b
	}
	report := func(bytes int64) []MemorySpace { return []MemorySpace{{Color: 0, Bytes: bytes}} }
	for _, c := range []struct {
		names  string
		report []MemorySpace
		want   string
	}{
		{"x y w n t c", report(32), ""}, {"x y w n t c", nil, ""},
		{"x y w n t c", report(64), "after 32 bytes of allocations, and the memory usage report says 64"},
		{"x y w t c", nil, "without a buffer for n,"}, {"y w n t c", nil, "without a buffer for x,"}, {"x y w n t", nil, "without a buffer for c,"},
	} {
		err := buffers(c.names).Complete(m, c.report)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, wanted %q", c.names, err, c.want)
		}
	}
}

// What holds several values has a buffer for each that it makes itself: not for an operand that it hands on, nor for what another computation returns.
func TestMakes(t *testing.T) {
	m, err := hlo.ParseText([]byte(`HloModule m

%wrapped {
  %a = f32[8] parameter(0)
  ROOT %s = f32[4] slice(%a), slice={[0:4]}
}

%sum {
  %l = f32[] parameter(0)
  %r = f32[] parameter(1)
  ROOT %add = f32[] add(%l, %r)
}

%fused {
  %z = f32[] constant(0)
  %f = f32[8] parameter(0)
  ROOT %reduce = f32[] reduce(%f, %z), dimensions={0}, to_apply=%sum
}

ENTRY %e {
  %x = f32[8] parameter(0)
  %fusion = f32[] fusion(%x), kind=kLoop, calls=%fused
  %call = ((f32[8], s32[]), f32[8]) custom-call(%x), custom_call_target="f"
  %copy = (f32[8]{0:S(1)}, f32[8], u32[]) copy-start(%x)
  %done = f32[8]{0:S(1)} copy-done(%copy)
  %start = ((f32[8]), f32[4], s32[]) async-start(%x), calls=%wrapped
  %end = f32[4] async-done(%start)
  %gather = (f32[8], f32[16]) all-gather-start(%x), dimensions={0}, replica_groups={{0,1}}
  %gathered = f32[16] all-gather-done(%gather)
  ROOT %t = (f32[8], f32[]) tuple(%x, %fusion)
}
`), "m.txt")
	if err != nil {
		t.Fatal(err)
	}
	b := &Buffers{Allocations: []Allocation{{Parameter: -1}}}
	for name, values := range map[string]int{"x": 1, "fusion": 1, "add": 1, "call": 5, "copy": 3, "start": 3, "gather": 2, "t": 1} {
		for range values {
			b.Allocations[0].Values = append(b.Allocations[0].Values, Value{Name: name})
		}
	}
	if err := b.Complete(m, nil); err != nil {
		t.Error(err)
	}
	all := b.Allocations[0].Values
	for i, v := range all {
		b.Allocations[0].Values = slices.Delete(slices.Clone(all), i, i+1)
		if err := b.Complete(m, nil); err == nil || !strings.Contains(err.Error(), "without a buffer for "+v.Name+",") {
			t.Errorf("without one of %s: %v", v.Name, err)
		}
	}
}

// Thunks that were cut off lack one that the metadata names, or launches of the module.
func TestThunksComplete(t *testing.T) {
	kernel := func(id int64, name string) Thunk {
		return Thunk{ID: id, Kind: "kKernel", Class: ThunkKernel, Kernel: name}
	}
	loop := Thunk{ID: 3, Kind: "kWhile", Class: ThunkControl}
	for _, c := range []struct {
		name     string
		thunks   Thunks
		names    ThunkNames
		launches int
		want     string
	}{
		{"whole", Thunks{Thunks: []Thunk{kernel(1, "a"), kernel(2, "b")}}, ThunkNames{1: "a", 2: "b"}, 2, ""},
		{"without metadata", Thunks{Thunks: []Thunk{kernel(1, "a")}}, nil, 1, ""},
		{"added by a pass", Thunks{Thunks: []Thunk{kernel(0, "memset"), kernel(1, "a")}}, ThunkNames{1: "a"}, 1, ""},
		{"metadata cut off", Thunks{Thunks: []Thunk{kernel(1, "a"), kernel(2, "b")}}, ThunkNames{1: "a"}, 2, "thunk 002 (b) is not in the thunk metadata"},
		{"sequence cut off", Thunks{Thunks: []Thunk{kernel(1, "a")}}, ThunkNames{1: "a", 2: "b"}, 1, "before the thunk 002 (b)"},
		{"launches lost", Thunks{Thunks: []Thunk{kernel(1, "a")}}, nil, 2, "after 1 launches, and the module has 2"},
		{"known to be incomplete", Thunks{Thunks: []Thunk{kernel(1, "a")}, Incomplete: true}, nil, 2, ""},
		{"a loop's condition", Thunks{Thunks: []Thunk{kernel(1, "a"), loop}}, nil, 2, ""},
		{"a conditional beside its branches", Thunks{Thunks: []Thunk{kernel(1, "a"), {ID: 3, Kind: "kConditional", Class: ThunkControl}, kernel(2, "b")}}, nil, 3, ""},
	} {
		err := c.thunks.Complete(c.names, c.launches)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, wanted %q", c.name, err, c.want)
		}
	}
}

// Of kernels that the PTX lacks the first is told; without any PTX none is.
func TestUnassembled(t *testing.T) {
	thunks := Thunks{Thunks: []Thunk{{Class: ThunkKernel, Kernel: "a"}, {Class: ThunkCopy, Kernel: "copy"}, {Class: ThunkKernel, Kernel: "b"}}}
	for want, entries := range map[string]map[string]bool{"": nil, "a": {"b": true}, "b": {"a": true}} {
		if got := thunks.Unassembled(entries); got != want {
			t.Errorf("%v: %s", entries, got)
		}
	}
	if got := thunks.Unassembled(map[string]bool{"a": true, "b": true}); got != "" {
		t.Error(got)
	}
}

// What an assembler prints is kept up to a bound; it is not stopped by it.
func TestLimitedOutput(t *testing.T) {
	var l limited
	for _, size := range []int{mostOutput - 10, 100, 100} {
		if n, err := l.Write(make([]byte, size)); n != size || err != nil {
			t.Errorf("%d of %d bytes are taken: %v", n, size, err)
		}
	}
	if l.Len() != mostOutput {
		t.Errorf("%d bytes are kept", l.Len())
	}
}
