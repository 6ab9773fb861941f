package export

import (
	"bytes"
	"fmt"
	"math"

	"github.com/google/pprof/profile"

	"github.com/xlagate/xlagate/internal/facts"
)

// The values of each sample of a profile, in order.
const (
	sampleTime = iota
	sampleBytes
	sampleFlops
	sampleLaunches
	sampleMemory
	samples
)

// pprof writes a profile whose stacks are the model's scopes, with the kernel at the end. For a comparison it is the difference, as
// `go tool pprof -diff_base` makes it.
func pprof(views []view) ([]File, error) {
	b := &profileBuilder{
		Profile: &profile.Profile{
			SampleType: []*profile.ValueType{
				sampleTime: {Type: "predicted", Unit: "nanoseconds"}, sampleBytes: {Type: "moved", Unit: "bytes"}, sampleFlops: {Type: "flops", Unit: "count"},
				sampleLaunches: {Type: "launches", Unit: "count"}, sampleMemory: {Type: "memory_at_peak", Unit: "bytes"},
			},
			DefaultSampleType: "predicted",
		},
		functions: map[[2]string]*profile.Function{}, locations: map[place]*profile.Location{},
	}
	for i := range views {
		v := &views[i]
		for _, variant := range v.sides {
			b.variant(v, variant)
		}
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		return nil, fmt.Errorf("write the profile: %w", err)
	}
	return []File{{"profile.pb.gz", out.Bytes()}}, nil
}

type profileBuilder struct {
	*profile.Profile
	functions map[[2]string]*profile.Function
	locations map[place]*profile.Location
}

type place struct {
	name, file string
	line       int32
}

func (b *profileBuilder) variant(v *view, variant *facts.Variant) {
	sign := 1.0
	if v.compared && variant == v.Old {
		sign = -1
	}
	for i, p := range prices(variant) {
		at := place{called(p.Kernel, i), p.Source.File, p.Source.Line}
		if v.compared {
			at.name = label(p.Kernel) // the compiler numbers its names anew in every compile
		}
		b.add(v.name, p.OpName, at, p.Kind, sign, [samples]float64{
			sampleTime: p.NS(), sampleBytes: p.Runs * float64(p.Bytes), sampleFlops: p.Runs * float64(p.Flops), sampleLaunches: p.Runs,
		})
	}
	if variant.Device != nil {
		b.add(v.name, "", place{name: "the call, its arguments and results"}, "host", sign, [samples]float64{sampleTime: variant.CallNS(variant.Device)})
	}
	if s := variant.Schedule(); s != nil {
		peak, _ := s.Peak()
		for _, l := range s.Lifetimes {
			if l.From <= peak && peak <= l.To {
				at := place{l.Shape, l.Source.File, l.Source.Line}
				b.add(v.name, l.OpName, at, "memory", sign, [samples]float64{sampleMemory: float64(l.Bytes)})
			}
		}
	}
}

// add adds a sample. What pprof takes off carries the label that its own difference of two profiles does.
func (b *profileBuilder) add(program, opName string, leaf place, kind string, sign float64, values [samples]float64) {
	s := &profile.Sample{Label: map[string][]string{"kind": {kind}}}
	if leaf.file != "" {
		s.Label["source"] = []string{fmt.Sprintf("%s:%d", leaf.file, leaf.line)}
	}
	if sign < 0 {
		s.Label["pprof::base"] = []string{"true"}
	}
	for _, n := range values {
		s.Value = append(s.Value, int64(math.Round(sign*n)))
	}
	stack := append([]string{program}, scopes(opName)...)
	s.Location = append(s.Location, b.location(leaf))
	for i := len(stack) - 1; i >= 0; i-- {
		s.Location = append(s.Location, b.location(place{name: stack[i]}))
	}
	b.Sample = append(b.Sample, s)
}

func (b *profileBuilder) location(at place) *profile.Location {
	if known := b.locations[at]; known != nil {
		return known
	}
	f := b.functions[[2]string{at.name, at.file}]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.Function) + 1), Name: at.name, SystemName: at.name, Filename: at.file}
		b.functions[[2]string{at.name, at.file}], b.Function = f, append(b.Function, f)
	}
	l := &profile.Location{ID: uint64(len(b.Location) + 1), Line: []profile.Line{{Function: f, Line: int64(at.line)}}}
	b.locations[at], b.Location = l, append(b.Location, l)
	return l
}
