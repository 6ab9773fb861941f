package changes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// title returns what a cause did. A cause of which only kernels are known gets their place.
func (s *suspect) title(v *Variant) string {
	c := &s.Cause
	if len(s.edits) > 0 {
		c.Title = s.editsTitle(v)
	}
	if text, _ := carriesMore(s.own.Changed); text != "" && s.onlyStacks() {
		c.Title = text
	}
	var parts []string
	for _, text := range []string{s.library(v), s.arguments, c.Title} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if loops := loopsTitle(s.loops); loops != "" {
		if c.Kind == KindCode || c.Title == "" { // how a loop ends explains more than the operations of its condition
			parts = append([]string{loops}, parts...)
		} else {
			parts = append(parts, loops)
		}
	}
	if was, is, first := s.grownProducts(v); first != nil {
		c.grown, parts = first, append([]string{growthTitle(was, is)}, parts...)
	}
	if len(s.unroll) > 0 {
		parts = append([]string{unrollTitle(v, s.unroll)}, parts...)
	}
	if text := s.rewrites(v); text != "" {
		parts = append([]string{text}, parts...)
	}
	text, inLoop := s.oftener(v)
	for _, one := range s.sum { // what one part sends less does not hide what a loop of another repeats
		if often, in := one.oftener(v); in && !inLoop {
			text, inLoop = often, true
		}
	}
	if inLoop {
		parts = append([]string{text}, parts...)
	} else if text != "" {
		parts = append(parts, text)
	}
	// A split costs no launch if there are no more kernels than before. It follows from the operations that came or went, if there are any, unless something keeps
	// its pieces apart.
	if len(s.split) > 0 && computing(s.After) > computing(s.Before) && (len(s.edits) == 0 || len(s.split[0].Between) > 0) {
		parts = append(parts, splitsTitle(s.split, c.Kind != KindToolchain && (c.Kind != KindCode || c.Title == "")))
	}
	if k := s.instead(v); k != nil {
		parts = append(parts, "in their place: "+k.Operations()+" → "+k.Out)
	}
	switch {
	case len(parts) == 0:
		parts = s.kernelsTitle(v)
	case c.Title == "" && len(s.loops) > 0:
		c.place([]facts.Kernel{*s.loops[0].New})
	}
	if c.Kind == KindUnknown && len(v.Compiler) > 0 {
		parts = append(parts, "the toolchain also changed: "+toolsTitle(v.Compiler))
	}
	return strings.Join(parts, "; ")
}

// rewrites names the arguments that kernels of the cause write whole and that were updated in part: "cache (2 arrays, 4.0 MiB) is rewritten whole".
func (s *suspect) rewrites(v *Variant) string {
	list := phrase.Filter(v.Rewritten(), func(p *facts.Parameter) bool {
		return slices.ContainsFunc(s.After, func(k facts.Kernel) bool { return k.Writes == p.Shape })
	})
	if len(list) == 0 {
		return ""
	}
	names := phrase.Within(Trees(list), 3)
	return phrase.List(names, "and") + map[bool]string{true: " is", false: " are"}[len(names) == 1] + " rewritten whole"
}

// oftener says which collectives run in every step of a loop now, "all-reduce runs 4 times, in a loop, instead of once", or that the partitioner adds some that no
// edit asks for, "2 more collective-permute"; "" if none does. That a collective was split or joined with another one is none of it: as many arrays are sent as
// before.
func (s *suspect) oftener(v *Variant) (text string, inLoop bool) {
	moved := func(e *Edit) bool {
		return slices.ContainsFunc(e.IntoLoop, func(s Step) bool { return IsCollective(s.Opcode) })
	}
	if slices.ContainsFunc(s.edits, moved) {
		return "", false // it is said
	}
	was, is, loops, launches := map[string]float64{}, map[string]float64{}, map[string]bool{}, map[string]int{}
	count := func(kernels []facts.Kernel, runs map[string]float64, sign int) {
		for i := range kernels {
			if k := &kernels[i]; k.Class == facts.ClassCollective {
				runs[k.Target] += k.Runs()
				launches[k.Target] += sign
				loops[k.Target] = loops[k.Target] || sign > 0 && k.InLoop
			}
		}
	}
	count(s.Before, was, -1)
	count(s.After, is, 1)
	for _, kind := range slices.Sorted(maps.Keys(is)) {
		if arraysSent(v.New, kind) <= arraysSent(v.Old, kind) {
			continue
		}
		if before := cmp.Or(was[kind], 1); loops[kind] && is[kind] >= 2*before {
			text = fmt.Sprintf("%s runs %s, in a loop", kind, phrase.Times(is[kind]))
			switch {
			case was[kind] > 0:
				text += ", instead of " + phrase.Times(was[kind])
			case arraysSent(v.Old, kind) > 0:
				text = fmt.Sprintf("%s runs %s more, in a loop", kind, phrase.Times(is[kind]))
			}
			return text, true
		}
		asked := slices.ContainsFunc(s.edits, func(e *Edit) bool { return e.adds(kind) })
		if n := launches[kind]; text == "" && n > 0 && len(s.edits) > 0 && !asked {
			text = fmt.Sprintf("%d more %s", n, kind)
		}
	}
	return text, false
}

// arraysSent counts the arrays that collectives of one kind send in a run.
func arraysSent(v *facts.Variant, kind string) (n float64) {
	for i := range v.Kernels {
		if k := &v.Kernels[i]; k.Class == facts.ClassCollective && k.Target == kind {
			n += float64(len(hlo.ShapeText(k.Out).Elements())) * k.Runs()
		}
	}
	return n
}

// instead returns the dearest kernel that came with an edit that only takes operations away, and yet costs time; nil for others, and where that kernel explains
// less than half of it.
func (s *suspect) instead(v *Variant) *facts.Kernel {
	more := launchTime(v.New, s.After) - launchTime(v.Old, s.Before)
	if len(s.edits) == 0 || len(s.loops) > 0 || !onlyGone(s.edits) || slices.ContainsFunc(s.edits, forgotten) || more <= 0 {
		return nil
	}
	var dearest *facts.Kernel
	var most float64
	for i := range s.After {
		if ns := launchTime(v.New, s.After[i:i+1]); ns > most {
			dearest, most = &s.After[i], ns
		}
	}
	if 2*most < more {
		return nil
	}
	return dearest
}

// onlyStacks reports whether all that came arranges what loops return, and nothing went.
func (s *suspect) onlyStacks() bool {
	computes := func(step Step) bool { return !movesData(step) && !stacks(step) }
	return len(s.edits) > 0 && !slices.ContainsFunc(s.edits, func(e *Edit) bool { return len(e.Removed) > 0 || slices.ContainsFunc(e.Added, computes) })
}

// loopsTitle says how loops run now: "the loop ran 50 times, now an unknown number of times, and 2 more loops changed".
func loopsTitle(loops []LoopChange) string {
	if len(loops) == 0 {
		return ""
	}
	text := loops[0].String()
	if n := len(loops) - 1; n > 0 {
		text += ", and " + phrase.Some(n, "more loop") + " changed"
	}
	return text
}

// unrollTitle says how often the body of an unrolled loop is there. Where the loop is still there, it names the kernel that computes most, and of those the one
// that is there most often.
func unrollTitle(v *Variant, list []*Regroup) string {
	if n := v.BodyCopies(); n > 0 {
		return fmt.Sprintf("a loop is unrolled: its body is in the program %d times", n)
	}
	most := slices.MaxFunc(list, func(a, b *Regroup) int {
		return cmp.Or(cmp.Compare(a.One.Flops, b.One.Flops), cmp.Compare(len(a.Many), len(b.Many)))
	})
	return fmt.Sprintf("%s of a loop's body is in the program %d times", most.One.Operations(), len(most.Many))
}

// splitsTitle says that kernels were split, and why the first was, where that is in the model.
func splitsTitle(splits []*Regroup, inModel bool) string {
	text := splits[0].Title()
	if !inModel {
		text = (&Regroup{One: splits[0].One, Many: splits[0].Many}).Title()
	}
	if n := len(splits) - 1; n > 0 {
		text += ", and " + phrase.Count(n, "more kernel was", "more kernels were") + " split"
	}
	return text
}

// Title is "subtract, exponential, 2 reduce is split into 4 kernels by an optimization barrier (train.py:9)", or
// "one kernel became 2: train.py:27 now reads its add too (3 places)".
func (r *Regroup) Title() string {
	if len(r.Between) > 0 && len(r.Between[0].Users) > 0 {
		first := r.Between[0].Users[0]
		text := fmt.Sprintf("one kernel became %d: %s now reads its %s too", len(r.Many), cmp.Or(first.Source.Short(), first.Operations()), r.Between[0].Value)
		if n := len(r.Between[0].Users); n > 1 {
			text += fmt.Sprintf(" (%d places)", n)
		}
		return text
	}
	text := fmt.Sprintf("%s is split into %d kernels", r.One.Operations(), len(r.Many))
	if why := SplitBy(r.Between); why != "" {
		text += " " + why
	}
	return text
}

// toolchainTitle says why equal programs were compiled to different ones.
func toolchainTitle(changes []FlagChange) string {
	text := "the model is the same; the compiler made another program of it"
	if len(changes) == 0 {
		return text
	}
	return text + ": " + toolsTitle(changes)
}

func toolsTitle(changes []FlagChange) string {
	return strings.Join(phrase.Within(texts(changes, FlagChange.String), 4), ", ")
}

// FlagChange is a compiler flag that differs, "" for its default; or what compiled, by name and version.
type FlagChange struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// String is "xla_disable_hlo_passes=fusion (was unset)".
func (f FlagChange) String() string {
	return fmt.Sprintf("%s is %s, was %s", f.Name, cmp.Or(f.New, "unset"), cmp.Or(f.Old, "unset"))
}
