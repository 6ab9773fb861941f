// Package explain puts what a difference knows into the result's words: which place of the model brought a growth about, with the
// kernels before and after as evidence.
package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
)

// Cause says what brought a finding about, in the model's own lines.
type Cause struct {
	Root    *diff.Cause // the difference from the baseline behind it; nil where the rule found the place by itself
	Kind    string      // of a change that has no root, see the kinds of result.Change; "" for an edit of the model
	Summary string
	OpName  string
	OpType  string
	Source  result.Source
}

// Growth names what brought a growth about: the cause that adds most of the kernels that the rule cares for, with the lines before
// and after as evidence.
func Growth(v *diff.Variant, cares func(*facts.Kernel) bool) (*Cause, result.Evidence) {
	return By(v, cares, func(k *facts.Kernel) int64 {
		if cares(k) {
			return 1
		}
		return 0
	})
}

// By is Growth where kernels account for it by more or less than one.
func By(v *diff.Variant, cares func(*facts.Kernel) bool, weigh func(*facts.Kernel) int64) (*Cause, result.Evidence) {
	if v == nil || v.Old == nil {
		return Largest(v, cares), result.Evidence{}
	}
	c := v.Why(weigh)
	if c == nil {
		return nil, result.Evidence{}
	}
	return From(c), Evidence(c, cares)
}

// From turns a difference's cause into the result's form.
func From(c *diff.Cause) *Cause {
	at := c.Place()
	return &Cause{Root: c, Summary: c.Summary, OpName: at.OpName, OpType: c.OpType, Source: SourceOf(at.Source)}
}

// CauseOf makes a cause from a kernel.
func CauseOf(summary string, k *facts.Kernel) *Cause {
	return &Cause{Summary: summary, OpName: k.OpName, OpType: k.OpType, Source: SourceOf(k.Source)}
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
	"copies.count":        func(k *facts.Kernel) int64 { return ledger.One(k.Class == facts.ClassCopy) },
	"transposes.count":    func(k *facts.Kernel) int64 { return int64(k.Do.Times("transpose")) },
	"kernels.total":       func(k *facts.Kernel) int64 { return ledger.One(k.Class.Computes()) },
}

// Edit names the first place of the model with an edit of a kind, else what changed most.
func Edit(v *diff.Variant, fits func(diff.Edit) bool) (*Cause, result.Evidence) {
	for i := range v.Causes {
		if c := &v.Causes[i]; slices.ContainsFunc(c.Edits, fits) {
			return From(c), Evidence(c, ledger.Any)
		}
	}
	return Growth(v, ledger.Any)
}

// Fact explains the growth of one fact.
func Fact(v *diff.Variant, fact string) (*Cause, result.Evidence) {
	weigh := weights[fact]
	switch {
	case fact == "memory.output_bytes":
		return Results(v)
	case strings.HasPrefix(fact, "memory."):
		return memory(v)
	case weigh == nil:
		return Growth(v, ledger.Any)
	case strings.HasPrefix(fact, "cost."):
		if cause, e := longer(v); cause != nil {
			return cause, e
		}
	}
	return By(v, func(k *facts.Kernel) bool { return weigh(k) > 0 }, weigh)
}

// Keeper is the root that more memory is put down to: the one with the launches that write the buffer that grew most; nil without roots.
func Keeper(v *diff.Variant) *diff.Cause { return v.Why(keeps(v)) }

// keeps weighs launches by whether they write the buffer that grew most, or, where none is known to have grown, by what they move.
func keeps(v *diff.Variant) func(*facts.Kernel) int64 {
	if v == nil || len(v.Buffers) == 0 {
		return func(k *facts.Kernel) int64 { return k.Bytes }
	}
	return func(k *facts.Kernel) int64 { return ledger.One(writes(k, &v.Buffers[0])) }
}

// memory names the buffer that grew most beside what brought it about.
func memory(v *diff.Variant) (*Cause, result.Evidence) {
	var grown *diff.BufferChange
	if v != nil && len(v.Buffers) > 0 {
		grown = &v.Buffers[0]
	}
	cause, e := By(v, ledger.Any, keeps(v))
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

// Results names the result that is new or grew, beside what brought it about.
func Results(v *diff.Variant) (*Cause, result.Evidence) {
	cause, e := By(v, func(k *facts.Kernel) bool { return k.Result }, func(k *facts.Kernel) int64 { return ledger.One(k.Result) })
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

// writes says whether a kernel's value is what a buffer holds.
func writes(k *facts.Kernel, b *diff.BufferChange) bool {
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

// Largest names the kernel that moves the most bytes, for budgets that were broken without a baseline.
func Largest(v *diff.Variant, cares func(*facts.Kernel) bool) *Cause {
	if v == nil || v.New == nil {
		return nil
	}
	var most *facts.Kernel
	for k := range ledger.Kernels(v.New, cares) {
		if most == nil || k.Bytes > most.Bytes {
			most = k
		}
	}
	if most == nil {
		return nil
	}
	return CauseOf("the largest is "+diff.Describe(most), most)
}

// MaxLines bounds the lines that a finding carries on each side.
const MaxLines = 12

// Evidence lists the kernels that a cause took away and brought, those that the rule cares for; where it cares for none, all.
func Evidence(c *diff.Cause, cares func(*facts.Kernel) bool) result.Evidence {
	e := result.Evidence{Before: Lines(c.Before, cares), After: Lines(c.After, cares)}
	if len(e.Before)+len(e.After) == 0 {
		e = result.Evidence{Before: Lines(c.Before, ledger.Any), After: Lines(c.After, ledger.Any)}
	}
	return e
}

// Lines describes kernels, those that read alike in one line.
func Lines(kernels []facts.Kernel, cares func(*facts.Kernel) bool) []string {
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

// Add appends a line while there are few.
func Add(lines []string, line string) []string {
	if len(lines) >= MaxLines {
		return lines
	}
	return append(lines, line)
}

// AddNew appends a line that is not there yet.
func AddNew(lines []string, line string) []string {
	if slices.Contains(lines, line) {
		return lines
	}
	return append(lines, line)
}
