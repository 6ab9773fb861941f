// Package diff tells what changed between two measurements, in the model's words: what the model asks for now and did not before,
// which kernels were kept, changed, added, removed, split, merged or unrolled, which arguments differ, and why.
//
// It compares [facts.Variant] values, so a stored baseline and a fresh dump are compared by the same code as two dumps.
package diff

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// How a program or a variant changed.
const (
	Same    = "same"
	Changed = "changed"
	Added   = "added"
	Removed = "removed"
)

// Report is the difference of two dumps.
type Report struct {
	Old, New  string // what was compared
	Identical bool   // equal but for names, ids, numbering, metadata and order that mean nothing
	Programs  []*Program
	Flags     []FlagChange // compiler flags that differ, by name
}

// Program is the difference of one program.
type Program struct {
	Name      string
	Was       string // its name in the old dump, where that is another one
	Change    string
	Old, New  *facts.Program   // nil when added or removed
	Replaced  *facts.Program   // of one that was added: another program that had its name
	Parts     []*facts.Program // clusters that merged or split and are compared all together; nil for a single program
	Variants  []*Variant
	Recompile []ArgumentChange // what tells the new program's variants apart; empty with one variant
}

// Variant is the difference of two compilations that were matched with each other.
type Variant struct {
	Change    string
	Old, New  *facts.Variant // nil when added or removed
	Rescaled  bool           // the signature changed on purpose: only sizes differ, kernels were matched without their shapes
	Regrouped bool           // clusters that merged or split, all together
	Causes    []Cause        // what brought the changes about, the weightiest first
	Model     Model
	Kernels   Kernels
	Facts     []FactChange // facts that differ, by name
	Params    []ParamChange
	Dtypes    []DtypeChange
	Buffers   []BufferChange // temporary buffers that are new or grew, the largest growth first
	// FirstPass says after which pass the two first differ and what it did, where per-pass dumps exist.
	FirstPass string
	Compiler  []FlagChange // versions and flags that may be why equal programs are compiled to different ones

	edited Edited
}

// Model is what changed in what the model asks for, before any compiler saw it.
type Model struct {
	Known bool   // both sides tell what the model asks for
	Same  bool   // the programs handed to the compiler are equal: whatever differs is the compiler's doing
	Edits []Edit // place by place, in the order of the program
}

// Edit is one place of the model where operations came or went.
type Edit struct {
	Scope   string           `json:"scope,omitempty"` // the model's scope: an op_name without its last step
	OpName  string           `json:"-"`               // of the first operation that came, or went where none came
	OpType  string           `json:"-"`
	Source  hlo.Location     `json:"source,omitzero"` // unknown for what only a stored baseline knows
	Stack   []hlo.Location   `json:"-"`               // the model's frames behind it, innermost first
	Caller  hlo.Location     `json:"caller,omitzero"` // which call of the function it is, where the model calls it from several lines
	Callers []hlo.Location   `json:"-"`               // that, and the other calls that it may be
	OneCall bool             `json:"-"`               // no other call of the function was edited: what changed is how it is called there
	Added   []Step           `json:"added,omitempty"`
	Removed []Step           `json:"removed,omitempty"`
	Repeats *facts.Statement `json:"-"` // the statement elsewhere that does exactly what was added: it is computed a second time

	IntoLoop []Step `json:"-"` // of what was added, what stood outside of every loop
}

// Step is an operation of the model: what it does, in which type, and how often.
type Step struct {
	Opcode string `json:"opcode"`
	Type   string `json:"type,omitempty"`
	Count  int    `json:"count"`
}

// Kernels is the difference of two launch ledgers.
type Kernels struct {
	Kept     int
	Changed  []KernelChange
	Added    []facts.Kernel
	Removed  []facts.Kernel
	Split    []Regroup      // one old kernel became several
	Merged   []Regroup      // several old kernels became one
	Moved    []KernelChange // the same kernel, now in or out of a loop
	Unrolled []Regroup      // a kernel of a loop's body now is in the program several times
}

// Regroup is one kernel on one side and several on the other.
type Regroup struct {
	One     facts.Kernel
	Many    []facts.Kernel
	Between []Divider // what keeps the many apart

	one int   // the index of the one
	at  []int // those of the many
}

// FactChange is a fact that differs. A side that was not dumped is NaN.
type FactChange struct {
	Name     facts.ID
	Old, New float64
}

// ParamChange is an argument that differs.
type ParamChange struct {
	Name string           `json:"name"`
	Old  *facts.Parameter `json:"old"`  // nil when added
	New  *facts.Parameter `json:"new"`  // nil when removed
	What string           `json:"what"` // "dimension 0: 8 → 16", "no longer donated: no output has its shape f32[64,128]"
}

// DtypeChange is a type that is used more than before, with the first operation that brought it in.
type DtypeChange struct {
	Type  string
	Old   int
	New   int
	First facts.Op
}

// BufferChange is a temporary buffer that is new or grew.
type BufferChange struct {
	New facts.Buffer
	Old int64 // its bytes before, 0 when it is new
}

// ArgumentChange says how one argument varies over the variants of a program.
type ArgumentChange struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`             // shape | dtype | layout | sharding | donation | constant | static | count | none
	Values []string `json:"values"`           // one a variant, in order: "f32[8,64]", "f32[16,64]"
	Detail string   `json:"detail,omitempty"` // "dimension 0: 8, 16, 24", "the closed-over constant 2 became 3 (train.py:12)"
}
