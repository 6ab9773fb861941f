package changes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// FillPasses sets the pass after which each changed variant first differs, if both dumps hold the
// module after every pass.
func FillPasses(r *Report, old, fresh []facts.ModulePasses) {
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			if v.Change != Changed {
				continue
			}
			a, b := passesOf(old, v.Old), passesOf(fresh, v.New)
			if a != nil && b != nil {
				v.FirstPass, v.Apart = firstPass(a, b)
			}
		}
	}
}

// passesOf finds the passes of the module that a variant was measured from.
func passesOf(list []facts.ModulePasses, v *facts.Variant) *facts.ModulePasses {
	for i := range list {
		if slices.Contains(v.Modules, list[i].Module) && slices.ContainsFunc(list[i].Stages, func(s facts.PassStage) bool { return s.Kind == dump.StagePass }) {
			return &list[i]
		}
	}
	return nil
}

// Apart is the pass that first did otherwise than in the earlier compilation.
type Apart struct {
	Pass   string              // "algsimp"; "pipeline-start" or "" where it has no dump of its own
	Before [2]*facts.PassStage // both modules as it found them
}

// firstPass walks both compilations side by side. XLA writes a module after a pass only where the pass changed it, so the stages are
// aligned first; where one side has none, it is as it was before.
func firstPass(a, b *facts.ModulePasses) (string, *Apart) {
	var before [2]*facts.PassStage
	apart := false
	for _, at := range align(a.Stages, b.Stages) {
		now := before
		for side, s := range at {
			if s != nil {
				now[side] = s
			}
		}
		if now[0] == nil || now[1] == nil {
			before = now
			continue
		}
		equal := now[0].Fingerprint == now[1].Fingerprint
		switch {
		case equal:
			apart = false
		case before[0] == nil || before[1] == nil:
			apart = true // the model itself differs
		case !apart || didOtherwise(before, now):
			s := at[1]
			if s == nil {
				s = at[0]
			}
			said := whereAmongPasses(s) + passDid(before, now)
			if apart {
				said += "; the two differ before any pass"
			}
			return said, &Apart{s.Pass.After, before}
		}
		before = now
	}
	if apart {
		return "before any pass: every pass did the same to both", nil
	}
	return "", nil
}

// align pairs the stages of two compilations: the longest sequence of passes that both have, in order, and between them what only
// one has.
func align(a, b []facts.PassStage) (out [][2]*facts.PassStage) {
	p := newPairing(pointers(a), pointers(b))
	p.inOrder(func(a, b *facts.PassStage) int32 {
		return int32(Flag(a.Kind == b.Kind && a.Pass.Pipeline == b.Pass.Pipeline && a.Pass.After == b.Pass.After))
	})
	next := 0
	upTo := func(j int) {
		for ; next < j; next++ {
			out = append(out, [2]*facts.PassStage{nil, p.fresh[next]})
		}
	}
	for i, s := range p.old {
		j := p.now[i]
		if j == unpaired {
			out = append(out, [2]*facts.PassStage{s, nil})
			continue
		}
		upTo(j)
		out = append(out, [2]*facts.PassStage{s, p.fresh[j]})
		next = j + 1
	}
	upTo(len(p.fresh))
	return out
}

// whereAmongPasses is "after pass 0045 priority-fusion (fusion)", or "after optimizations".
func whereAmongPasses(s *facts.PassStage) string {
	switch {
	case s.Kind != dump.StagePass:
		return strings.ReplaceAll(string(s.Kind), "-", " ")
	case s.Pass.After == "":
		return fmt.Sprintf("after pass %04d %s", s.Pass.Number, s.Pass.Pipeline)
	}
	return fmt.Sprintf("after pass %04d %s (%s)", s.Pass.Number, s.Pass.After, s.Pass.Pipeline)
}

// didOtherwise reports whether a pass changed the counts of the two modules differently.
func didOtherwise(before, now [2]*facts.PassStage) bool {
	return slices.ContainsFunc(amounts, func(c amount) bool { return c.of(now[0])-c.of(before[0]) != c.of(now[1])-c.of(before[1]) })
}

// amount is a number of a stage that says what a pass did.
type amount struct {
	noun string
	of   func(*facts.PassStage) int
}

var amounts = []amount{
	{"instructions", func(s *facts.PassStage) int { return s.Instructions }},
	{"fusions", func(s *facts.PassStage) int { return s.Fusions }},
	{"collectives", func(s *facts.PassStage) int { return s.Collectives }},
	{"copies", func(s *facts.PassStage) int { return s.Opcodes["copy"] + s.Opcodes["copy-start"] }},
	{"transposes", func(s *facts.PassStage) int { return s.Opcodes["transpose"] }},
	{"loops", func(s *facts.PassStage) int { return s.Opcodes["while"] }},
	{"custom calls", func(s *facts.PassStage) int { return s.Opcodes["custom-call"] }},
}

// passDid says what a pass did on each side: ": instructions 31 → 19, fusions 0 → 2; in the old one instructions 31 → 17".
func passDid(before, now [2]*facts.PassStage) string {
	text := ": " + change(before[1], now[1])
	if didOtherwise(before, now) {
		text += "; in the old one " + change(before[0], now[0])
	}
	return text
}

func change(before, now *facts.PassStage) string {
	var parts []string
	for _, c := range amounts {
		if was, is := c.of(before), c.of(now); was != is {
			parts = append(parts, fmt.Sprintf("%s %s → %s", c.noun, phrase.Number(float64(was)), phrase.Number(float64(is))))
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case before.Fingerprint == now.Fingerprint:
		return "it did nothing"
	}
	return "it changed operations without adding or removing any"
}
