package facts

import (
	"iter"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// kernel describes one launch.
func (r *reader) kernel(l launch) Kernel {
	k := Kernel{Form: r.form(l), Name: r.m.InstrName(l.id), Ops: r.operations(l.id)}
	k.Site = r.site(l, k.Ops)
	return k
}

// site is the place of a launch, and the model's name of it: its own metadata, or else the wrapper's, or else that of its last operation.
func (r *reader) site(l launch, ops []FusedOp) *Site {
	md := r.metadata(l.id)
	for _, other := range []hlo.InstrID{l.async, l.moves} {
		if md.OpName == "" && other != hlo.NoInstr {
			md = r.metadata(other)
		}
	}
	at := Site{
		OpName: md.OpName, OpType: md.OpType,
		Times: l.place.times, Guess: l.place.guess, Most: l.place.most, Branch: l.place.branch, InLoop: l.place.looped, InEntry: !l.place.inner,
	}
	if at.InLoop {
		at.Loop = r.metadata(l.place.loop).OpName
	}
	at.from(r.sources.frames(md))
	for _, op := range slices.Backward(ops) { // what the launch itself does not say
		if at.OpName != "" && at.Source.File != "" {
			break
		}
		if at.OpName == "" {
			at.OpName = op.OpName
		}
		if at.Source.File == "" && op.OpName == at.OpName {
			at.from(op.Stack)
		}
	}
	return r.interner.site(at)
}

// from sets the line, and those that called it.
func (at *Site) from(stack *Stack) { at.Source, at.Stack = stack.at(), stack }

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
	if k.Thread != "" {
		b.WriteString(" on " + k.Thread)
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

// maxOperations bounds the operations that are named in a sentence.
const maxOperations = 8

// Operations names what the kernel does: "subtract, exponential, 2 reduce".
func (k *Kernel) Operations() string { return k.OperationsWithin(maxOperations) }

// OperationsWithin names at most so many operations.
func (k *Kernel) OperationsWithin(most int) string {
	switch {
	case k.Function != "":
		return k.Function + " (" + k.Target + ")"
	case k.Target != "" && k.Do.Len() <= 1:
		return k.Target
	}
	if len(k.Do) == 0 {
		return k.Kind
	}
	return k.Do.counted(most)
}

// Counted names each opcode once, with its number: "subtract, 2 reduce".
func (o Opcodes) Counted() string { return o.counted(maxOperations) }

func (o Opcodes) counted(most int) string {
	return strings.Join(phrase.Within(o.Words(), most), ", ")
}

// inBrackets is a place for the end of a line; "" for none.
func inBrackets(l hlo.Location) string {
	if l.File == "" {
		return ""
	}
	return " (" + l.Short() + ")"
}

// KernelsThat yields the kernels that match, in the order of the schedule.
func (v *Variant) KernelsThat(fits func(*Kernel) bool) iter.Seq[*Kernel] {
	return func(yield func(*Kernel) bool) {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; fits(k) && !yield(k) {
				return
			}
		}
	}
}

// CountKernels returns the number of kernels that match.
func (v *Variant) CountKernels(fits func(*Kernel) bool) (n float64) {
	for range v.KernelsThat(fits) {
		n++
	}
	return n
}

// KernelBytes returns the number of bytes that the matching kernels read and write, each kernel counted once.
func (v *Variant) KernelBytes(fits func(*Kernel) bool) (n float64) {
	for k := range v.KernelsThat(fits) {
		n += float64(k.Bytes)
	}
	return n
}

// Launches returns how often a run launches the matching kernels. A kernel counts twice if it is in loops of unknown length and in no other loop.
func (v *Variant) Launches(fits func(*Kernel) bool) (n float64) {
	for k := range v.KernelsThat(fits) {
		if k.InLoop && k.Times <= 1 {
			n += 2
		} else {
			n += k.Runs()
		}
	}
	return n
}

// CustomCallRuns returns how often a run calls custom calls. Their cost is not known: work that moved into one seems to be gone.
func (v *Variant) CustomCallRuns() (n float64) {
	for k := range v.KernelsThat(func(k *Kernel) bool { return k.Target != "" && !k.IsCollective() }) {
		n += k.Runs()
	}
	return n
}

// FirstSource returns the first known line of the model that a kernel comes from.
func (v *Variant) FirstSource() hlo.Location {
	if k := FirstKernel(v.Kernels, AnyKernel); k != nil {
		return k.Source
	}
	return hlo.Location{}
}

// AnyKernel matches every kernel.
func AnyKernel(*Kernel) bool { return true }

// FirstKernel returns the first kernel that matches and has a known line, or else the first one that matches; nil if none does.
func FirstKernel(kernels []Kernel, fits func(*Kernel) bool) *Kernel {
	var found *Kernel
	for i := range kernels {
		k := &kernels[i]
		switch {
		case !fits(k):
		case k.Source.File != "":
			return k
		case found == nil:
			found = k
		}
	}
	return found
}

// Runs returns how often a run launches the kernel, as far as that is known.
func (k *Kernel) Runs() float64 { return float64(max(k.Times, 1)) }

// IsCollective reports whether the kernel exchanges data between devices.
func (k *Kernel) IsCollective() bool { return k.Class == ClassCollective }

// CostsLaunch reports whether the kernel computes or copies something.
func (k *Kernel) CostsLaunch() bool { return k.Class.Computes() || k.Class == ClassCopy }

// ConstantBytes returns the bytes of all constants in the module. The buffer assignment is not always dumped, and lacks those that were folded into kernels.
func (v *Variant) ConstantBytes() (n float64) {
	for _, c := range v.Constants {
		n += float64(c.Bytes)
	}
	return n
}
