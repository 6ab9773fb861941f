package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// kernelsTitle names the kernels themselves, where nothing else is known of a cause.
func (s *suspect) kernelsTitle(v *Variant) []string {
	text, of := carriesMore(s.own.Changed)
	sizes := false
	if text == "" {
		text, of = resizedTitle(&s.own)
		sizes = text != ""
	}
	if text == "" {
		text, of = mostTelling(&s.own)
	}
	if of != nil {
		s.place([]facts.Kernel{*of})
	}
	if names := renamedTitle(v); names != "" && of == nil && len(s.own.Removed) == 0 {
		return []string{names}
	}
	switch {
	case text == sameKernels && reorderedResults(v):
		return []string{"the results are in another order"}
	case !v.Model.Known || len(v.Model.Edits) > 0:
		return []string{text}
	case strings.HasSuffix(text, sameOperations):
		return []string{sameOperations}
	case sizes:
		return []string{text, "the model's operations are the same"}
	}
	return []string{text, "the model's operations are the same; their shapes or order differ"}
}

// carriesMore says what the loop that grew most carries now, and returns it: "a loop now carries f32[47,32,17], not s32[47,32]"; "" if none did.
func carriesMore(changed []KernelChange) (text string, loop *facts.Kernel) {
	var most int64
	for i := range changed {
		c := &changed[i]
		was, is := hlo.ShapeText(c.Old.Out).Elements(), hlo.ShapeText(c.New.Out).Elements()
		n := numbersIn(is) - numbersIn(was)
		if c.New.Root != "while" || n < notable || n <= most {
			continue
		}
		most, loop, text = n, &c.New, "a loop now carries "+counted(minus(is, was), 4)
		if gone := counted(minus(was, is), 4); gone != "" {
			text += ", not " + gone
		}
	}
	return text, loop
}

// numbersIn counts the elements of arrays.
func numbersIn(arrays []string) (n int64) {
	for _, a := range arrays {
		size := int64(1)
		for _, d := range hlo.ShapeText(a).Dims() {
			length, _ := strconv.ParseInt(strings.TrimPrefix(d, "<="), 10, 64)
			size *= length
		}
		n += size
	}
	return n
}

// mostChanged is the kernel that changed most, one that reads what it read before if there is any: the others follow from it.
func mostChanged(list []KernelChange) KernelChange {
	return slices.MaxFunc(list, func(a, b KernelChange) int {
		return cmp.Or(phrase.CompareBools(a.byItself(), b.byItself()), cmp.Compare(a.growth(), b.growth()))
	})
}

// resizedTitle names the kernel that changed most, if most of those that differ do the same on arrays of other shapes, and returns it:
// "dot f32[640,64] → f32[1024,64], and 57 more kernels on arrays of other shapes"; "" if they do not.
func resizedTitle(k *Kernels) (string, *facts.Kernel) {
	list := phrase.Filter(k.Changed, func(c KernelChange) bool {
		return c.New.Class != facts.ClassControl && c.Old.Out != c.New.Out && resized(&c.Old) == resized(&c.New) // a loop is told by what is in it
	})
	if len(list) <= len(k.Added)+len(k.Removed) { // around a product that grew, fusions are cut in another way
		list = phrase.Filter(list, func(c KernelChange) bool { return c.New.WorkClass() == price.Products })
	}
	if len(list) == 0 {
		return "", nil
	}
	most := mostChanged(list)
	text := fmt.Sprintf("%s %s → %s", most.New.Operations(), most.Old.Out, most.New.Out)
	if n := len(list) - 1; n > 0 {
		text += ", and " + phrase.Some(n, "more kernel") + " on arrays of other shapes"
	}
	return text, &most.New
}

// mostTelling describes the kernel that explains most, and returns it if the new program has it.
func mostTelling(k *Kernels) (string, *facts.Kernel) {
	if n, first := reshaped(k); n > 1 {
		return fmt.Sprintf("%d kernels on arrays of other shapes, among them %s", n, first.Describe()), first
	}
	switch {
	case len(k.Added) == 1:
		return "new: " + k.Added[0].Describe(), &k.Added[0]
	case len(k.Added) > 1:
		first := facts.FirstKernel(k.Added, facts.AnyKernel)
		return fmt.Sprintf("%d new kernels, among them %s", len(k.Added), first.Describe()), first
	case len(k.Changed) > 0:
		most := mostChanged(k.Changed)
		return fmt.Sprintf("%s: %s", most.New.Operations(), strings.Join(phrase.Within(most.What, 3), ", ")), &most.New
	case len(k.Moved) > 0:
		return fmt.Sprintf("%s: %s", k.Moved[0].New.Operations(), strings.Join(k.Moved[0].What, ", ")), &k.Moved[0].New
	case len(k.Removed) > 0:
		return "gone: " + k.Removed[0].Describe(), nil
	}
	return sameKernels, nil
}

// reshaped counts the kernels that came for one that did the same on an array of another shape, if all that came did, and returns the first.
func reshaped(k *Kernels) (n int, first *facts.Kernel) {
	came, went := texts(pointers(k.Added), (*facts.Kernel).Operations), texts(pointers(k.Removed), (*facts.Kernel).Operations)
	if len(minus(came, went))+len(minus(went, came)) > 0 {
		return 0, nil
	}
	out := func(k *facts.Kernel) string { return k.Out }
	others := minus(texts(pointers(k.Added), out), texts(pointers(k.Removed), out))
	return len(others), facts.FirstKernel(k.Added, func(k *facts.Kernel) bool { return slices.Contains(others, k.Out) })
}

const sameKernels = "the same kernels, connected in another way"

// reorderedResults reports whether the program returns arrays of the same shapes in another order: the keys of a dictionary sort its values.
func reorderedResults(v *Variant) bool {
	was, is := hlo.ShapeText(v.Old.Result).Elements(), hlo.ShapeText(v.New.Result).Elements()
	return !slices.Equal(was, is) && len(minus(was, is))+len(minus(is, was)) == 0
}
