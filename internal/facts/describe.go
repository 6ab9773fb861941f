package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Describe returns the kernel in a line: "loop add, tanh → f32[8,128]  jit(step)/gelu/tanh (model.py:3)".
func (k *Kernel) Describe() string {
	if k.Class == ClassCollective {
		return strings.TrimRight(k.DescribeCollective()+"  "+k.OpName, " ") + inBrackets(k.Source)
	}
	var b strings.Builder
	b.WriteString(k.Kind)
	if ops := k.Operations(); ops != k.Kind {
		b.WriteString(" " + ops)
	}
	b.WriteString(" → " + k.Out)
	if k.Class == ClassCopy && k.Attrs != "" {
		b.WriteString(" " + k.Attrs)
	}
	if k.OpName != "" {
		b.WriteString("  " + k.OpName)
	}
	return b.String() + inBrackets(k.Source)
}

// DescribeCollective returns a collective in a line: "all-gather f32[32,64] over x (1 of 8 devices), 8.0 KiB".
func (k *Kernel) DescribeCollective() string {
	text := k.Target + " " + k.Out
	if k.Axes != "" {
		text += " over " + k.Axes
	}
	if k.Groups != "" {
		text += " (" + replicaGroups(k.Groups) + ")"
	}
	if k.Bytes > 0 {
		text += ", " + phrase.Bytes(float64(k.Bytes))
	}
	return text
}

// replicaGroups spells out "2 of 4": "2 groups of 4 devices".
func replicaGroups(s string) string {
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

// Operations names what the kernel does: "subtract, exponential, 2 reduce".
func (k *Kernel) Operations() string {
	switch {
	case k.Function != "":
		return k.Function + " (" + k.Target + ")"
	case k.Target != "" && k.Do.Len() <= 1:
		return k.Target
	}
	if len(k.Do) == 0 {
		return k.Kind
	}
	return k.Do.Counted()
}

// Counted names each opcode once, with its number: "subtract, 2 reduce".
func (do Opcodes) Counted() string { return strings.Join(phrase.Within(do.Words(), 8), ", ") }

// inBrackets is a place for the end of a line; "" for none.
func inBrackets(l hlo.Location) string {
	if l.File == "" {
		return ""
	}
	return " (" + l.Short() + ")"
}
