package diff

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Describe is one kernel in a line: "loop add, tanh → f32[8,128]  jit(step)/gelu/tanh (model.py:3)".
func Describe(k *facts.Kernel) string {
	if k.Class == facts.ClassCollective {
		return strings.TrimRight(Collective(k)+"  "+k.OpName, " ") + at(k.Source)
	}
	var b strings.Builder
	b.WriteString(k.Kind)
	if ops := Operations(k); ops != k.Kind {
		b.WriteString(" " + ops)
	}
	b.WriteString(" → " + k.Out)
	if k.Class == facts.ClassCopy && k.Attrs != "" {
		b.WriteString(" " + k.Attrs)
	}
	if k.OpName != "" {
		b.WriteString("  " + k.OpName)
	}
	return b.String() + at(k.Source)
}

// Collective is a collective in a line: "all-gather f32[32,64] over x (1 of 8 devices), 8.0 KiB".
func Collective(k *facts.Kernel) string {
	text := k.Target + " " + k.Out
	if k.Axes != "" {
		text += " over " + k.Axes
	}
	if k.Groups != "" {
		text += " (" + groups(k.Groups) + ")"
	}
	if k.Bytes > 0 {
		text += ", " + phrase.Bytes(float64(k.Bytes))
	}
	return text
}

// groups spells "2 of 4" out: "2 groups of 4 devices".
func groups(s string) string {
	count, size, ok := strings.Cut(s, " of ")
	switch {
	case s == "1 pairs":
		return "1 pair"
	case !ok:
		return s
	case s == "1 of 1":
		return "one device"
	case count == "1":
		return "all " + size + " devices"
	case size == "1":
		return count + " groups of one device"
	}
	return count + " groups of " + size + " devices"
}

// Operations names what a kernel does: "subtract, exponential, 2 reduce".
func Operations(k *facts.Kernel) string {
	switch {
	case k.Function != "":
		return k.Function + " (" + k.Target + ")"
	case k.Target != "" && k.Do.Len() <= 1:
		return k.Target
	}
	if len(k.Do) == 0 {
		return k.Kind
	}
	return counted(k.Do)
}

// counted names each opcode once, with how often it stands there.
func counted(do facts.Opcodes) string { return strings.Join(phrase.Within(do.Words(), 8), ", ") }

// FirstThat finds a kernel that somebody cares for, one with a known source line before one without; nil when there is none.
func FirstThat(kernels []facts.Kernel, cares func(*facts.Kernel) bool) *facts.Kernel {
	var found *facts.Kernel
	for i := range kernels {
		k := &kernels[i]
		if !cares(k) {
			continue
		}
		if k.Source.File != "" {
			return k
		}
		if found == nil {
			found = k
		}
	}
	return found
}
