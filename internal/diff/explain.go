package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Explanation says what brought a finding about, in the model's own lines.
type Explanation struct {
	Root    *Cause // the difference from the baseline behind it; nil where the rule found the place by itself
	Kind    string // of a change that has no root, see the kinds of result.Change; "" for an edit of the model
	Summary string
	OpName  string
	OpType  string
	Source  result.Source
}

// ExplainGrowth names what brought a growth about: the cause that adds most of the kernels that the rule cares for, with the lines before
// and after as evidence.
func ExplainGrowth(v *Variant, cares func(*facts.Kernel) bool) (*Explanation, result.Evidence) {
	return ExplainBy(v, cares, func(k *facts.Kernel) int64 {
		if cares(k) {
			return 1
		}
		return 0
	})
}

// ExplainBy is Growth where kernels account for it by more or less than one.
func ExplainBy(v *Variant, cares func(*facts.Kernel) bool, weigh func(*facts.Kernel) int64) (*Explanation, result.Evidence) {
	if v == nil || v.Old == nil {
		return ExplainLargest(v, cares), result.Evidence{}
	}
	c := v.Why(weigh)
	if c == nil {
		return nil, result.Evidence{}
	}
	return ExplanationFrom(c), EvidenceOf(c, cares)
}

// ExplanationFrom turns a difference's cause into the result's form.
func ExplanationFrom(c *Cause) *Explanation {
	at := c.Place()
	return &Explanation{Root: c, Summary: c.Summary, OpName: at.OpName, OpType: c.OpType, Source: SourceOf(at.Source)}
}

// ExplanationOf makes a cause from a kernel.
func ExplanationOf(summary string, k *facts.Kernel) *Explanation {
	return &Explanation{Summary: summary, OpName: k.OpName, OpType: k.OpType, Source: SourceOf(k.Source)}
}

// SourceOf turns a location into the result's form.
func SourceOf(l hlo.Location) result.Source {
	return result.Source{File: l.File, Line: int(l.Line), Function: l.Function}
}

// FirstSource is the first line of the model that a program is known to come from.
func FirstSource(v *facts.Variant) hlo.Location {
	for i := range v.Kernels {
		if v.Kernels[i].Source.File != "" {
			return v.Kernels[i].Source
		}
	}
	return hlo.Location{}
}

// weights say how much of a fact a kernel accounts for. Of a fact that is not here every kernel accounts for one.
var weights = map[string]func(*facts.Kernel) int64{
	"cost.flops":          func(k *facts.Kernel) int64 { return k.Flops },
	"cost.bytes_accessed": func(k *facts.Kernel) int64 { return k.Bytes },
	"instructions.after":  func(k *facts.Kernel) int64 { return int64(1 + k.Do.Len()) },
	"copies.count":        func(k *facts.Kernel) int64 { return Flag(k.Class == facts.ClassCopy) },
	"transposes.count":    func(k *facts.Kernel) int64 { return int64(k.Do.Times("transpose")) },
	"kernels.total":       func(k *facts.Kernel) int64 { return Flag(k.Class.Computes()) },
}

// ExplainEdit names the first place of the model with an edit of a kind, else what changed most.
func ExplainEdit(v *Variant, fits func(Edit) bool) (*Explanation, result.Evidence) {
	for i := range v.Causes {
		if c := &v.Causes[i]; slices.ContainsFunc(c.Edits, fits) {
			return ExplanationFrom(c), EvidenceOf(c, AnyKernel)
		}
	}
	return ExplainGrowth(v, AnyKernel)
}

// ExplainFact explains the growth of one fact.
func ExplainFact(v *Variant, fact string) (*Explanation, result.Evidence) {
	weigh := weights[fact]
	switch {
	case fact == "memory.output_bytes":
		return ExplainResults(v)
	case strings.HasPrefix(fact, "memory."):
		return memory(v)
	case weigh == nil:
		return ExplainGrowth(v, AnyKernel)
	case strings.HasPrefix(fact, "cost."):
		if cause, e := longer(v); cause != nil {
			return cause, e
		}
	}
	return ExplainBy(v, func(k *facts.Kernel) bool { return weigh(k) > 0 }, weigh)
}

// Keeper is the root that more memory is put down to: the one with the launches that write the buffer that grew most; nil without roots.
func Keeper(v *Variant) *Cause { return v.Why(explainKeeps(v)) }

// explainKeeps weighs launches by whether they write the buffer that grew most, or, where none is known to have grown, by what they move.
func explainKeeps(v *Variant) func(*facts.Kernel) int64 {
	if v == nil || len(v.Buffers) == 0 {
		return func(k *facts.Kernel) int64 { return k.Bytes }
	}
	return func(k *facts.Kernel) int64 { return Flag(writes(k, &v.Buffers[0])) }
}

// memory names the buffer that grew most beside what brought it about.
func memory(v *Variant) (*Explanation, result.Evidence) {
	var grown *BufferChange
	if v != nil && len(v.Buffers) > 0 {
		grown = &v.Buffers[0]
	}
	cause, e := ExplainBy(v, AnyKernel, explainKeeps(v))
	if cause == nil || grown == nil {
		return cause, e
	}
	cause.Summary += "; " + bufferSentence(grown)
	if cause.Source.File == "" {
		cause.Source = SourceOf(grown.New.Source)
	}
	for _, b := range v.Buffers[:min(len(v.Buffers), MaxLines)] {
		e.After = append(e.After, bufferSentence(&b))
	}
	return cause, e
}

// ExplainResults names the result that is new or grew, beside what brought it about.
func ExplainResults(v *Variant) (*Explanation, result.Evidence) {
	cause, e := ExplainBy(v, func(k *facts.Kernel) bool { return k.Result }, func(k *facts.Kernel) int64 { return Flag(k.Result) })
	op, text := NewResult(v)
	if cause == nil || text == "" || strings.Contains(cause.Summary, text) {
		return cause, e
	}
	cause.Summary = strings.TrimSuffix(text+"; "+cause.Summary, "; ")
	if op.Source.File != "" {
		cause.OpName, cause.Source = op.OpName, SourceOf(op.Source)
	}
	return cause, e
}

// writes says whether a kernel's value is what a buffer holds.
func writes(k *facts.Kernel, b *BufferChange) bool {
	return b.New.OpName != "" && (k.OpName == b.New.OpName || slices.ContainsFunc(k.Outs, func(op facts.Op) bool { return op.OpName == b.New.OpName }))
}

func bufferSentence(b *BufferChange) string {
	text := fmt.Sprintf("%s (%s) is kept in memory", b.New.Shape, phrase.Bytes(float64(b.New.Bytes)))
	if b.Old > 0 {
		is, was := phrase.Apart(float64(b.New.Bytes), float64(b.Old), "bytes")
		text = fmt.Sprintf("%s takes %s, not %s", b.New.Shape, is, was)
	}
	if b.New.OpName != "" {
		text += " for " + b.New.OpName
	}
	return text
}

// ExplainLargest names the kernel that moves the most bytes, for budgets that were broken without a baseline.
func ExplainLargest(v *Variant, cares func(*facts.Kernel) bool) *Explanation {
	if v == nil || v.New == nil {
		return nil
	}
	var most *facts.Kernel
	for k := range KernelsOf(v.New, cares) {
		if most == nil || k.Bytes > most.Bytes {
			most = k
		}
	}
	if most == nil {
		return nil
	}
	return ExplanationOf("the largest is "+Describe(most), most)
}

// MaxLines bounds the lines that a finding carries on each side.
const MaxLines = 12

// EvidenceOf lists the kernels that a cause took away and brought, those that the rule cares for; where it cares for none, all.
func EvidenceOf(c *Cause, cares func(*facts.Kernel) bool) result.Evidence {
	e := result.Evidence{Before: LinesOf(c.Before, cares), After: LinesOf(c.After, cares)}
	if len(e.Before)+len(e.After) == 0 {
		e = result.Evidence{Before: LinesOf(c.Before, AnyKernel), After: LinesOf(c.After, AnyKernel)}
	}
	return e
}

// LinesOf describes kernels, those that read alike in one line.
func LinesOf(kernels []facts.Kernel, cares func(*facts.Kernel) bool) []string {
	var lines []string
	count := map[string]int{}
	for i := range kernels {
		if !cares(&kernels[i]) {
			continue
		}
		line := Describe(&kernels[i])
		if count[line]++; count[line] == 1 {
			lines = append(lines, line)
		}
	}
	more := len(lines) - MaxLines
	lines = lines[:min(len(lines), MaxLines)]
	for i, line := range lines {
		if n := count[line]; n > 1 {
			lines[i] = fmt.Sprintf("%d × %s", n, line)
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more kinds of kernels", more))
	}
	return lines
}

// AddLine appends a line while there are few.
func AddLine(lines []string, line string) []string {
	if len(lines) >= MaxLines {
		return lines
	}
	return append(lines, line)
}

// AddNewLine appends a line that is not there yet.
func AddNewLine(lines []string, line string) []string {
	if slices.Contains(lines, line) {
		return lines
	}
	return append(lines, line)
}
