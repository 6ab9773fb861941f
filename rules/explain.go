package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
)

// explain names what brought a growth about: the cause that adds most of the kernels that the rule cares for, with the lines before
// and after as evidence.
func explain(v *diff.Variant, cares func(*facts.Kernel) bool) (*result.Cause, result.Evidence) {
	return explainBy(v, cares, func(k *facts.Kernel) int64 {
		if cares(k) {
			return 1
		}
		return 0
	})
}

func explainBy(v *diff.Variant, cares func(*facts.Kernel) bool, weigh func(*facts.Kernel) int64) (*result.Cause, result.Evidence) {
	if v == nil || v.Old == nil {
		return largest(v, cares), result.Evidence{}
	}
	c := v.Why(weigh)
	if c == nil {
		return nil, result.Evidence{}
	}
	return causeFrom(c), evidence(c, cares)
}

// causeFrom turns a difference's cause into the result's form.
func causeFrom(c *diff.Cause) *result.Cause {
	at := c.Place()
	return &result.Cause{Summary: c.Summary, OpName: at.OpName, OpType: c.OpType, Source: SourceOf(at.Source)}
}

// CauseOf makes a cause from a kernel.
func CauseOf(summary string, k *facts.Kernel) *result.Cause {
	return &result.Cause{Summary: summary, OpName: k.OpName, OpType: k.OpType, Source: SourceOf(k.Source)}
}

// SourceOf turns a location into the result's form.
func SourceOf(l hlo.Location) result.Source {
	return result.Source{File: l.File, Line: int(l.Line), Function: l.Function}
}

// weights say how much of a fact a kernel accounts for. Of a fact that is not here every kernel accounts for one.
var weights = map[string]func(*facts.Kernel) int64{
	"cost.flops":          func(k *facts.Kernel) int64 { return k.Flops },
	"cost.bytes_accessed": func(k *facts.Kernel) int64 { return k.Bytes },
	"instructions.after":  func(k *facts.Kernel) int64 { return int64(1 + len(k.Do)) },
	"copies.count":        func(k *facts.Kernel) int64 { return oneIf(k.Class == facts.ClassCopy) },
	"transposes.count":    func(k *facts.Kernel) int64 { return int64(countOf(k.Do, "transpose")) },
	"kernels.total":       func(k *facts.Kernel) int64 { return oneIf(computes(k)) },
}

// explainThat names the first place of the model with an edit of a kind, else what changed most.
func explainThat(v *diff.Variant, fits func(diff.Edit) bool) (*result.Cause, result.Evidence) {
	for i := range v.Causes {
		if c := &v.Causes[i]; slices.ContainsFunc(c.Edits, fits) {
			return causeFrom(c), evidence(c, anyKernel)
		}
	}
	return explain(v, anyKernel)
}

// explainFact explains the growth of one fact.
func explainFact(v *diff.Variant, fact string) (*result.Cause, result.Evidence) {
	weigh := weights[fact]
	switch {
	case fact == "memory.output_bytes":
		return explainResults(v)
	case strings.HasPrefix(fact, "memory."):
		return explainMemory(v)
	case weigh == nil:
		return explain(v, anyKernel)
	case strings.HasPrefix(fact, "cost."):
		if cause, e := explainLonger(v); cause != nil {
			return cause, e
		}
	}
	return explainBy(v, func(k *facts.Kernel) bool { return weigh(k) > 0 }, weigh)
}

// explainMemory names the buffer that grew most beside what brought it about.
func explainMemory(v *diff.Variant) (*result.Cause, result.Evidence) {
	var grown *diff.BufferChange
	if v != nil && len(v.Buffers) > 0 {
		grown = &v.Buffers[0]
	}
	cause, e := explainBy(v, anyKernel, func(k *facts.Kernel) int64 {
		if grown != nil {
			return oneIf(keeps(k, grown))
		}
		return k.Bytes
	})
	if cause == nil || grown == nil {
		return cause, e
	}
	cause.Summary += "; " + bufferSentence(grown)
	if cause.Source.File == "" {
		cause.Source = SourceOf(grown.New.Source)
	}
	for _, b := range v.Buffers[:min(len(v.Buffers), maxEvidence)] {
		e.After = append(e.After, bufferSentence(&b))
	}
	return cause, e
}

// explainResults names the result that is new or grew, beside what brought it about.
func explainResults(v *diff.Variant) (*result.Cause, result.Evidence) {
	cause, e := explainBy(v, func(k *facts.Kernel) bool { return k.Result }, func(k *facts.Kernel) int64 { return oneIf(k.Result) })
	op, text := diff.NewResult(v)
	if cause == nil || text == "" || strings.Contains(cause.Summary, text) {
		return cause, e
	}
	cause.Summary = strings.TrimSuffix(text+"; "+cause.Summary, "; ")
	if op.Source.File != "" {
		cause.OpName, cause.Source = op.OpName, SourceOf(op.Source)
	}
	return cause, e
}

// keeps says whether a kernel's value is what a buffer holds.
func keeps(k *facts.Kernel, b *diff.BufferChange) bool {
	return b.New.OpName != "" && (k.OpName == b.New.OpName || slices.ContainsFunc(k.Outs, func(op facts.Op) bool { return op.OpName == b.New.OpName }))
}

func bufferSentence(b *diff.BufferChange) string {
	text := fmt.Sprintf("%s (%s) is kept in memory", b.New.Shape, measure.Bytes(float64(b.New.Bytes)))
	if b.Old > 0 {
		is, was := measure.Apart(float64(b.New.Bytes), float64(b.Old), "bytes")
		text = fmt.Sprintf("%s takes %s, not %s", b.New.Shape, is, was)
	}
	if b.New.OpName != "" {
		text += " for " + b.New.OpName
	}
	return text
}

// largest names the kernel that moves the most bytes, for budgets that were broken without a baseline.
func largest(v *diff.Variant, cares func(*facts.Kernel) bool) *result.Cause {
	if v == nil || v.New == nil {
		return nil
	}
	var most *facts.Kernel
	for k := range kernelsThat(v.New, cares) {
		if most == nil || k.Bytes > most.Bytes {
			most = k
		}
	}
	if most == nil {
		return nil
	}
	return CauseOf("the largest is "+diff.Describe(most), most)
}

// maxEvidence bounds the lines that a finding carries on each side.
const maxEvidence = 12

// evidence lists the kernels that a cause took away and brought, those that the rule cares for; where it cares for none, all.
func evidence(c *diff.Cause, cares func(*facts.Kernel) bool) result.Evidence {
	e := result.Evidence{Before: kernelLines(c.Before, cares), After: kernelLines(c.After, cares)}
	if len(e.Before)+len(e.After) == 0 {
		e = result.Evidence{Before: kernelLines(c.Before, anyKernel), After: kernelLines(c.After, anyKernel)}
	}
	return e
}

// kernelLines describes kernels, those that read alike in one line.
func kernelLines(kernels []facts.Kernel, cares func(*facts.Kernel) bool) []string {
	var lines []string
	count := map[string]int{}
	for i := range kernels {
		if !cares(&kernels[i]) {
			continue
		}
		line := diff.Describe(&kernels[i])
		if count[line]++; count[line] == 1 {
			lines = append(lines, line)
		}
	}
	more := len(lines) - maxEvidence
	lines = lines[:min(len(lines), maxEvidence)]
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

// firstLines appends a line while there are few.
func firstLines(lines []string, line string) []string {
	if len(lines) >= maxEvidence {
		return lines
	}
	return append(lines, line)
}

// appendNew appends a line that is not there yet.
func appendNew(lines []string, line string) []string {
	if slices.Contains(lines, line) {
		return lines
	}
	return append(lines, line)
}
