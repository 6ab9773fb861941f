package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// classesText is a module that runs one instruction, with the computations that it may call.
const classesText = `HloModule classes

%negate (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  ROOT %r = f32[8] negate(%p)
}

%gather (p.1: f32[8]) -> f32[16] {
  %p.1 = f32[8] parameter(0)
  %doubled = f32[8] add(%p.1, %p.1)
  ROOT %all = f32[16] all-gather(%doubled), channel_id=1, replica_groups={{0,1}}, dimensions={0}, frontend_attributes={chain_id="7"}
}

%gathered (p.2: f32[8]) -> f32[8] {
  %p.2 = f32[8] parameter(0)
  ROOT %end = f32[8] custom-call(%p.2), custom_call_target="AsyncCollectiveDone"
}

%moved (p.3: f32[8]) -> f32[4] {
  %p.3 = f32[8] parameter(0)
  ROOT %part = f32[4] slice(%p.3), slice={[0:4]}
}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8] parameter(0)
  %zero = f32[] constant(0)
  %yes = pred[] constant(true)
  %token = token[] after-all()
LAUNCH
}
`

// What each instruction launches.
func TestClassOfLaunch(t *testing.T) {
	for name, c := range map[string]struct {
		launch string
		want   []Class
	}{
		"a single operation": {`%l = f32[8] tanh(%x)`, []Class{ClassKernel}},
		"a reduction is one launch, however often it calls": {`%l = f32[] reduce(%x, %zero), dimensions={0}, to_apply=%sum`, []Class{ClassKernel}},
		"names and views":          {`%l = (f32[8]) tuple(%x)`, nil},
		"a bitcast":                {`%l = f32[4,2] bitcast(%x)`, nil},
		"a copy":                   {`%l = f32[8] copy(%x)`, []Class{ClassCopy}},
		"a transform of cuFFT":     {`%l = c64[5] fft(%x), fft_type=RFFT, fft_length={8}`, []Class{ClassLibrary}},
		"a loop fusion":            {`%l = f32[8] fusion(%x), kind=kLoop, calls=%negate`, []Class{ClassKernel}},
		"a Triton fusion":          {`%l = f32[8] fusion(%x), kind=kCustom, calls=%negate, backend_config={"fusion_backend_config":{"kind":"__triton"}}`, []Class{ClassKernel}},
		"a fusion for cuDNN":       {`%l = f32[8] fusion(%x), kind=kCustom, calls=%negate, backend_config={"fusion_backend_config":{"kind":"__cudnn$fusion"}}`, []Class{ClassLibrary}},
		"a fusion for XNNPACK":     {`%l = f32[8] fusion(%x), kind=kCustom, calls=%negate, backend_config={"fusion_config":{"kind":"__xnn_fusion"}}`, []Class{ClassLibrary}},
		"a fusion that copies":     {`%l = f32[8] fusion(%x), kind=kCustom, calls=%negate, backend_config={"fusion_backend_config":{"kind":"__dynamic_memcpy"}}`, []Class{ClassCopy}},
		"a call of a library":      {`%l = f32[8] custom-call(%x), custom_call_target="__cublas$gemm"`, []Class{ClassLibrary}},
		"a kernel of Pallas":       {`%l = f32[8] custom-call(%x), custom_call_target="tpu_custom_call"`, []Class{ClassKernel}},
		"the place of a device":    {`%l = u32[] partition-id()`, []Class{ClassKernel}},
		"the state of a generator": {`%l = u64[2] rng-get-and-update-state(), delta=8`, []Class{ClassKernel}},
		"a sort of CUB":            {`%l = (f32[8], u8[64]) custom-call(%x), custom_call_target="xla.gpu.ext.cub_sort_keys"`, []Class{ClassLibrary}},
		"a buffer that stays":      {"%l = f32[8] custom-call(%x), custom_call_target=\"Pin\"\n  %m = f32[8] custom-call(%l), custom_call_target=\"Unpin\"", nil},
		"an annotation":            {`%l = f32[8] custom-call(%x), custom_call_target="Sharding"`, nil},
		"a collective":             {`%l = f32[8] all-reduce(%x), replica_groups={}, to_apply=%sum`, []Class{ClassCollective}},
		"a collective in halves":   {"%l = f32[8] all-reduce-start(%x), replica_groups={}, to_apply=%sum\n  %m = f32[8] all-reduce-done(%l)", []Class{ClassCollective}},
		"a collective in fusions": {
			"%l = f32[16] fusion(%x), kind=kLoop, calls=%gather\n  %m = f32[16] fusion(%x), kind=kLoop, calls=%gather\n  %n = f32[8] fusion(%x), kind=kLoop, calls=%gathered",
			[]Class{ClassCollective, ClassKernel},
		},
		"a message to another device": {`%l = (f32[8], u32[], token[]) send(%x, %token), channel_id=2`, []Class{ClassCollective}},
		"a message to the host":       {`%l = (f32[8], u32[], token[]) send(%x, %token), channel_id=2, is_host_transfer=true`, []Class{ClassControl}},
		"the host's queue":            {`%l = token[] outfeed(%x, %token)`, []Class{ClassControl}},
		"a call is what it calls":     {`%l = f32[8] call(%x), to_apply=%negate`, []Class{ClassKernel}},
		"a slice":                     {`%l = f32[4] call(%x), to_apply=%moved`, []Class{ClassKernel}},
		"a slice by DMA":              {`%l = ((f32[8]), f32[4], u32[]) async-start(%x), calls=%moved`, []Class{ClassCopy}},
		"a kernel on a queue":         {`%l = ((f32[8]), f32[8], u32[]) async-start(%x), calls=%negate`, []Class{ClassKernel}},
		"branches":                    {`%l = f32[8] conditional(%yes, %x, %x), true_computation=%negate, false_computation=%negate`, []Class{ClassControl, ClassKernel, ClassKernel}},
	} {
		m, err := hlo.ParseText([]byte(strings.Replace(classesText, "LAUNCH", "  "+c.launch+"\n  ROOT %y = f32[8] bitcast(%x)", 1)), "m.txt")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w, err := newReader(m).walk()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []Class
		for _, l := range w.launches {
			got = append(got, l.class)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, wanted %v", name, got, c.want)
		}
	}
}
