package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// finish gives a cause its sentence and its place in the model.
func (s *suspect) finish(v *Variant) Cause {
	c := s.Cause
	if c.Kind == result.KindCode {
		c.Title = editsSentence(s.edits, v.Old)
		for _, e := range s.edits {
			c.Edits = append(c.Edits, *e)
		}
	}
	parts := s.ledgerParts(c.Kind)
	if c.Title != "" {
		parts = append([]string{c.Title}, parts...)
	}
	if len(parts) == 0 {
		parts = c.ofKernels(v)
		if len(s.tools) > 0 {
			parts = append(parts, "it was compiled otherwise: "+toolsSentence(s.tools))
		}
	}
	c.Title = strings.Join(parts, "; ")
	s.locate(&c, v)
	return c
}

// ofKernels puts a cause down to the kernels themselves, where nothing else is known of it.
func (c *Cause) ofKernels(v *Variant) (parts []string) {
	text, of := kernelsSentence(&v.Kernels)
	if of != nil {
		c.place([]facts.Kernel{*of})
	}
	parts = append(parts, text)
	if v.Model.Known && len(v.Model.Edits) == 0 {
		parts = append(parts, "the model has the same operations; their shapes, order or connections differ")
	}
	return parts
}

// locate finds where in the model a cause stands: at the devices' talk that a sharding brought, else, where the cause itself does not say,
// at the weightiest kernel that came, else at the nearest line of the model.
func (s *suspect) locate(c *Cause, v *Variant) {
	if talks := facts.FirstKernel(s.After, func(k *facts.Kernel) bool { return k.Class == facts.ClassCollective && k.OpName != "" }); c.Kind == result.KindSharding && talks != nil {
		c.place([]facts.Kernel{*talks})
	}
	if c.Source.File == "" && (c.OpName == "" || onlyGone(s.edits)) {
		c.place(weightiestFirst(s.After))
	}
	if c.Source.File == "" && c.Kind != result.KindDonation {
		c.Source = nearestSource(v.New, c.OpName)
	}
	if len(s.edits) > 0 && s.edits[0].OneCall && line(c.Source) == line(s.edits[0].Source) {
		c.Source = s.edits[0].Caller
	}
	c.toWork()
}

// nearestSource is the line of the model whose scope is nearest to an op_name.
func nearestSource(v *facts.Variant, opName string) hlo.Location {
	best, most := hlo.Location{}, -1
	for i := range v.Model {
		s := &v.Model[i]
		n := shared(s.OpName, opName)
		if s.Scope == scopeOf(opName) || s.Scope == opName {
			n += len(opName)
		}
		if s.Source.File != "" && n > most {
			best, most = s.Source, n
		}
	}
	return best
}

func onlyGone(edits []*Edit) bool {
	return !slices.ContainsFunc(edits, func(e *Edit) bool { return len(e.Added) > 0 })
}

// place moves a cause to the first kernel that the model has a name for, one with a known line before one without.
func (c *Cause) place(kernels []facts.Kernel) {
	if k := facts.FirstKernel(kernels, func(k *facts.Kernel) bool { return k.OpName != "" }); k != nil {
		c.OpName, c.OpType, c.Source = k.OpName, k.OpType, k.Source
	}
}

// weightiestFirst orders kernels by what a run of them computes and moves: what took the place of something that went is hardly the smallest.
func weightiestFirst(kernels []facts.Kernel) []facts.Kernel {
	weight := func(k facts.Kernel) int64 { return (k.Flops + k.Bytes) * max(k.Times, 1) }
	return slices.SortedStableFunc(slices.Values(kernels), func(a, b facts.Kernel) int { return cmp.Compare(weight(b), weight(a)) })
}

// ledgerParts says what became of the kernels: what was unrolled, and the largest kernel that was split.
func (s *suspect) ledgerParts(kind string) []string {
	var parts []string
	if len(s.unroll) > 0 {
		parts = append(parts, unrollSentence(s.unroll))
	}
	if len(s.split) > 0 {
		largest := *s.split[0]
		if kind == result.KindToolchain {
			largest.Between = nil // nothing in the model stands there
		}
		parts = append(parts, SplitSentence(&largest))
		if n := len(s.split) - 1; n > 0 {
			parts[len(parts)-1] += fmt.Sprintf(", and %d more were split", n)
		}
	}
	return parts
}

func unrollSentence(list []*Unroll) string {
	most := list[0]
	for _, u := range list {
		if len(u.Copies) > len(most.Copies) {
			most = u
		}
	}
	return fmt.Sprintf("%s of a loop's body stands %d times in the program", most.One.Operations(), len(most.Copies))
}

// SplitSentence says that one kernel became several, and what stands between them.
func SplitSentence(s *Regroup) string {
	text := fmt.Sprintf("%s ran in one kernel, now in %d", s.One.Operations(), len(s.Many))
	if len(s.Between) > 0 {
		text += ": between them " + strings.Join(phrase.Within(s.Between, 2), "; ")
	}
	return text
}

// kernelsSentence is what is left to say where neither the model nor a split explains anything, and the kernel that it speaks of.
func kernelsSentence(k *Kernels) (string, *facts.Kernel) {
	switch {
	case len(k.Added) == 1:
		return "new: " + k.Added[0].Describe(), &k.Added[0]
	case len(k.Added) > 1:
		first := facts.FirstKernel(k.Added, func(*facts.Kernel) bool { return true })
		return fmt.Sprintf("%d new kernels, among them %s", len(k.Added), first.Describe()), first
	case len(k.Changed) > 0:
		most := slices.MaxFunc(k.Changed, func(a, b KernelChange) int { return cmp.Compare(a.growth(), b.growth()) })
		return fmt.Sprintf("%s: %s", most.New.Operations(), strings.Join(phrase.Within(most.What, 3), ", ")), &most.New
	case len(k.Moved) > 0:
		return fmt.Sprintf("%s: %s", k.Moved[0].New.Operations(), strings.Join(k.Moved[0].What, ", ")), &k.Moved[0].New
	case len(k.Removed) > 0:
		return "gone: " + k.Removed[0].Describe(), nil
	}
	return "the kernels do the same, wired differently", nil
}

// growth is what a kernel computes and moves more than it did.
func (c *KernelChange) growth() int64 { return c.New.Flops + c.New.Bytes - c.Old.Flops - c.Old.Bytes }

// compilerSentence says why equal programs were compiled to different ones.
func compilerSentence(changes []FlagChange) string {
	text := "the model asks for the same as before, the compiler made something else of it"
	if len(changes) == 0 {
		return text
	}
	return text + ": " + toolsSentence(changes)
}

func toolsSentence(changes []FlagChange) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, c.String())
	}
	return strings.Join(phrase.Within(parts, 4), ", ")
}

// String is "xla_disable_hlo_passes=fusion (was unset)".
func (f FlagChange) String() string {
	value := func(v string) string {
		if v == "" {
			return "unset"
		}
		return v
	}
	return fmt.Sprintf("%s is %s, was %s", f.Name, value(f.New), value(f.Old))
}
