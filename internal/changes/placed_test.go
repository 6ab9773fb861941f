package changes

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// What a cause is about stands where the kernels that it brought do it; what none of them does stands where the model asks for it.
func TestPlaceOfCause(t *testing.T) {
	at := func(line int32) hlo.Location { return hlo.Location{File: "model.py", Line: line} }
	running := func(opcode string, line int32) facts.Kernel {
		return facts.Kernel{Form: &facts.Form{Root: opcode}, Site: &facts.Site{Source: at(line)}}
	}
	for name, c := range map[string]struct {
		added string
		after []facts.Kernel
		want  int32
	}{
		"on its line":               {"dot", []facts.Kernel{running("dot", 30), running("dot", 20)}, 20},
		"on another line":           {"dot", []facts.Kernel{running("tanh", 40), running("dot", 30), running("dot", 50)}, 30},
		"multiplied by convolution": {"dot", []facts.Kernel{running("convolution", 30)}, 30},
		"in no kernel":              {"opt-barrier", []facts.Kernel{running("dot", 30)}, 20},
		"nothing is asked for":      {"", []facts.Kernel{running("dot", 30)}, 20},
	} {
		cause := Cause{Kind: KindCode, Source: at(20), After: c.after, Edits: []Edit{{}}}
		if c.added != "" {
			cause.Edits[0].Added = []Step{{Opcode: c.added, Count: 1}}
		}
		cause.toWork()
		if got := cause.Source.Line; got != c.want {
			t.Errorf("%s: line %d, want %d", name, got, c.want)
		}
	}
}

// That values left the host's memory is said only where both sides have a buffer assignment: without one nothing tells where they are.
func TestOffloaded(t *testing.T) {
	old := &facts.Variant{Facts: map[facts.ID]float64{facts.MemoryPeak: 8, facts.MemoryHost: 1 << 20}}
	for want, now := range map[string]map[facts.ID]float64{
		"": {},
		"no longer offloaded to the host's memory: 1.0 MiB": {facts.MemoryPeak: 8},
		"now offloaded to the host's memory: 1.0 MiB":       {facts.MemoryPeak: 8, facts.MemoryHost: 2 << 20},
	} {
		if got := offloaded(&Variant{Old: old, New: &facts.Variant{Facts: now}}); got != want {
			t.Errorf("%v: %q, want %q", now, got, want)
		}
	}
}

// What was computed again is dropped only if the forward pass lost it, too. Equal operations of both passes may be paired either way.
func TestDropped(t *testing.T) {
	const forward, again = "jit(f)/jvp()/closed_call", "jit(f)/transpose(jvp())/checkpoint/rematted_computation"
	model := func(scopes ...string) (list []facts.Statement) {
		for _, scope := range scopes {
			list = append(list, facts.Statement{Scope: scope, Type: "f32", Do: []string{"dot", "tanh"}})
		}
		return list
	}
	gone := []Edit{{Scope: forward, Removed: []Step{{"dot", "f32", 1}}}, {Scope: again, Removed: []Step{{"tanh", "f32", 1}}, again: true}}
	for want, now := range map[bool][]facts.Statement{false: model("jit(f)/jvp()"), true: nil} {
		v := &Variant{Old: &facts.Variant{}, New: &facts.Variant{}, Model: Model{Known: true, Edits: gone}}
		v.Old.Model, v.New.Model = model(forward, again), now
		if v.dropped() != want {
			t.Errorf("%d statements are left: dropped is %v", len(now), !want)
		}
	}
}
