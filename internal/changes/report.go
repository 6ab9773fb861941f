// Package changes compares two measurements in the model's words: which operations the model gained and lost, which kernels were kept, changed, added,
// removed, split, merged or unrolled, which arguments differ, and why.
//
// It compares [facts.Variant] values, so a stored baseline and a fresh dump are compared by the same code as two dumps.
package changes

import (
	"encoding/json"
	"math"

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
	Old       string       `json:"old"` // what was compared
	New       string       `json:"new"`
	Identical bool         `json:"identical"` // equal but for names, ids, numbering, metadata and order that mean nothing
	Programs  []*Program   `json:"programs"`
	Flags     []FlagChange `json:"flags"` // compiler flags that differ, by name
}

// Program is the difference of one program.
type Program struct {
	Name      string           `json:"program"`
	Was       string           `json:"was,omitempty"` // its name in the old dump, where that is another one
	Change    string           `json:"change"`
	Old, New  *facts.Program   `json:"-"` // nil when added or removed
	Replaced  *facts.Program   `json:"-"` // of one that was added: another program that had its name
	Parts     []*facts.Program `json:"-"` // clusters that merged or split and are compared all together; nil for a single program
	Were      []*facts.Program `json:"-"` // those that Parts are compared with
	Variants  []*Variant       `json:"-"`
	Recompile []ArgumentChange `json:"recompile"` // how the new program's variants differ; empty with one variant

	misses []string // why JAX traced it again, as its log says
	logged bool     // the dump holds what the run logged
}

// Singles returns each of the programs that are compared together by itself, without a baseline.
func (p *Program) Singles() (list []*Program) {
	for _, part := range p.Parts {
		single := &Program{Name: part.Name, Change: Changed, New: part}
		for _, v := range part.Variants {
			single.Variants = append(single.Variants, &Variant{Change: Changed, New: v})
		}
		list = append(list, single)
	}
	return list
}

// Variant is the difference of two compilations that were matched with each other.
type Variant struct {
	Change    string         `json:"change"`
	Old, New  *facts.Variant `json:"-"`        // nil when added or removed
	Rescaled  bool           `json:"rescaled"` // only sizes of arguments differ, so kernels are matched without their shapes
	Regrouped bool           `json:"-"`        // these are clusters that merged or split, joined
	Causes    []Cause        `json:"causes"`   // the weightiest first
	Model     Model          `json:"-"`
	Kernels   Kernels        `json:"kernels"`
	Facts     []FactChange   `json:"facts"` // facts that differ, by name
	Params    []ParamChange  `json:"params"`
	Dtypes    []DtypeChange  `json:"dtypes"`
	Buffers   []BufferChange `json:"buffers"` // temporary buffers that are new or grew, the largest growth first
	// FirstPass names the pass after which the two first differ and what it did; "" without dumps of every pass.
	FirstPass string       `json:"first_pass,omitempty"`
	Apart     *Apart       `json:"-"` // nil without FirstPass, and where they differ before any pass and no pass did otherwise
	Libraries []FlagChange `json:"-"` // installed packages with another version than before, where both versions are known
	Compiler  []FlagChange `json:"-"` // versions and flags that may be why equal programs are compiled to different ones

	edited     Edited
	through    map[string]bool // see [Variant.callees]; nil before it is known
	elsewhere  map[string]bool
	done       map[string]int // see [Variant.did]; nil before it is known
	addedLoops []*facts.Kernel
	unrolled   bool // see [Variant.Unrolled]
}

// Model is the difference of the two models, before any compilation.
type Model struct {
	Known  bool   // the operations of both models are known
	Remats bool   // jax.checkpoint computes something again for the backward pass, and did not before
	Same   bool   // the inputs of the compiler are equal, so that it made what differs
	Edits  []Edit // place by place, in the order of the program
}

// Edit is one place of the model where operations came or went.
type Edit struct {
	Scope   string           `json:"scope,omitempty"` // the model's scope: an op_name without its last step
	OpName  string           `json:"-"`               // of the first operation that came, or went where none came
	OpType  string           `json:"-"`
	Source  hlo.Location     `json:"source,omitzero"` // unknown for what only a stored baseline knows
	Stack   []hlo.Location   `json:"-"`               // the model's frames behind it, innermost first
	Within  string           `json:"-"`               // the function around it
	Library []hlo.Location   `json:"-"`               // the lines of installed packages that its operations come from
	Caller  hlo.Location     `json:"caller,omitzero"` // the call of the function, if the model calls it from several lines
	Callers []hlo.Location   `json:"-"`               // the calls that it may be
	OneCall bool             `json:"-"`               // no other call of the function was edited
	Added   []Step           `json:"added,omitempty"`
	Removed []Step           `json:"removed,omitempty"`
	Repeats *facts.Statement `json:"-"` // the statement elsewhere with the operations that were added: they are computed a second time

	IntoLoop []Step `json:"-"` // of what was added, what was outside of the loop

	again bool // jax.checkpoint computes it again for the backward pass
}

// Step is an operation of the model: what it does, in which type, and how often.
type Step struct {
	Opcode string `json:"opcode"`
	Type   string `json:"type,omitempty"`
	Count  int    `json:"count"`
}

// Kernels is the difference of two lists of launches.
type Kernels struct {
	Kept     int            `json:"kept"`
	Changed  []KernelChange `json:"changed"`
	Added    []facts.Kernel `json:"added"`
	Removed  []facts.Kernel `json:"removed"`
	Split    []Regroup      `json:"split"`    // one old kernel became several
	Merged   []Regroup      `json:"merged"`   // several old kernels became one
	Moved    []KernelChange `json:"moved"`    // the same kernel, now in or out of a loop
	Unrolled []Regroup      `json:"unrolled"` // a kernel of a loop's body became several
}

// Regroup is one kernel on one side and several on the other.
type Regroup struct {
	One     facts.Kernel   `json:"one"`
	Many    []facts.Kernel `json:"many"`
	Between []Divider      `json:"between"` // what keeps the many apart

	one int   // the index of the one
	at  []int // those of the many
}

// FactChange is a fact that differs. A side that was not dumped is NaN.
type FactChange struct {
	Name     facts.ID
	Old, New float64
}

// MarshalJSON writes a side that was not dumped as null.
func (c FactChange) MarshalJSON() ([]byte, error) {
	shown := struct {
		Name facts.ID `json:"name"`
		Old  *float64 `json:"old"`
		New  *float64 `json:"new"`
	}{Name: c.Name}
	if !math.IsNaN(c.Old) {
		shown.Old = &c.Old
	}
	if !math.IsNaN(c.New) {
		shown.New = &c.New
	}
	return json.Marshal(shown)
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
	Type  string   `json:"type"`
	Old   int      `json:"old"`
	New   int      `json:"new"`
	First facts.Op `json:"first"`
}

// BufferChange is a temporary buffer that is new or grew.
type BufferChange struct {
	New facts.Buffer `json:"new"`
	Old int64        `json:"old_bytes"` // its bytes before, 0 when it is new
}

// ArgumentChange says how one argument varies over the variants of a program.
type ArgumentChange struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`             // shape | dtype | layout | sharding | donation | name | constant | static | count | none
	Values []string `json:"values"`           // one a variant, in order: "f32[8,64]", "f32[16,64]"
	Detail string   `json:"detail,omitempty"` // "dimension 0: 8, 16, 24", "the closed-over constant 2 became 3 (train.py:12)"
}
