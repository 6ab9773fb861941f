package changes

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Compare returns the difference of two measurements.
func Compare(old, fresh *facts.Report) *Report { return CompareEdited(old, fresh, nil) }

// Edited names the edit that a line of the new model is part of; "" for a line that was not edited. It is nil where edits are not known.
type Edited func(hlo.Location) string

// any reports whether one of the lines was edited.
func (e Edited) any(lines []hlo.Location) bool { return e.in(lines) != "" }

// in names the edit of the innermost edited line of a stack; "" if there is none.
func (e Edited) in(stack []hlo.Location) string {
	for _, l := range stack {
		if e == nil {
			break
		}
		if edit := e(l); edit != "" {
			return edit
		}
	}
	return ""
}

// comparison holds what every pair of variants is compared with.
type comparison struct {
	compiler  []FlagChange // versions and flags that may be why equal programs are compiled to different ones
	libraries []FlagChange
	edited    Edited
}

// CompareEdited is Compare with known edits: of several equal operations or kernels, those on edited lines are the new ones.
func CompareEdited(old, fresh *facts.Report, edited Edited) *Report {
	facts.Identify(old, fresh)
	facts.PriceAlike(old, fresh)
	r := &Report{Old: old.Dump, New: fresh.Dump, Identical: true, Flags: compareFlags(facts.ComparableFlags(&old.Toolchain, &fresh.Toolchain))}
	c := &comparison{compilerChanges(&old.Toolchain, &fresh.Toolchain, r.Flags), Libraries(old.Toolchain, fresh.Toolchain), edited}
	split := ClustersSplitBy(old.Clusters, fresh.Clusters)
	r.Programs = pairPrograms(old.Programs, fresh.Programs)
	var comparing errgroup.Group // of thousands of programs that changed, one after the other takes longer than to measure them
	comparing.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range r.Programs {
		comparing.Go(func() error {
			return dump.Guard(func() error {
				c.program(p)
				p.misses, p.logged = missesOf(fresh.Logs, p.New), fresh.Logs != nil
				p.blameSplit(cmp.Or(split, p.Cut()))
				return nil
			})
		})
	}
	if defect := comparing.Wait(); defect != nil {
		panic(defect) // which the caller recovers, as if it had compared by itself
	}
	slices.SortFunc(r.Programs, func(a, b *Program) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range r.Programs {
		r.Identical = r.Identical && p.Change == Same
	}
	return r
}

func compareFlags(old, fresh map[string]string) []FlagChange {
	var out []FlagChange
	all := map[string]string{}
	maps.Copy(all, old)
	maps.Copy(all, fresh)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if old[name] != fresh[name] {
			out = append(out, FlagChange{Name: name, Old: old[name], New: fresh[name]})
		}
	}
	return out
}

// compilerChanges are the versions and flags that may be why equal programs are compiled to different ones. If a version differs, only the flags that both
// sides set count, because another version has other defaults.
func compilerChanges(old, fresh *facts.Toolchain, flags []FlagChange) []FlagChange {
	changes := compareFlags(old.Versions, fresh.Versions)
	changes = slices.DeleteFunc(changes, unknown)
	if len(changes) == 0 {
		return flags
	}
	return append(changes, slices.DeleteFunc(compareFlags(old.Flags, fresh.Flags), unknown)...)
}

// unknown reports whether a side has no value.
func unknown(f FlagChange) bool { return f.Old == "" || f.New == "" || f.Name == facts.DigestFlag }

// program compares a pair of programs.
func (c *comparison) program(p *Program) {
	switch {
	case p.Old == nil:
		p.Name, p.Change = p.New.Name, Added
	case p.New == nil:
		p.Name, p.Change = p.Old.Name, Removed
	default:
		p.Name, p.Change = p.New.Name, Same
		if p.Old.Name != p.New.Name {
			p.Was = p.Old.Name
		}
	}
	for _, pair := range pairVariants(p.Old, p.New) {
		v := c.variant(pair[0], pair[1])
		v.Regrouped = p.Parts != nil
		p.Variants = append(p.Variants, v)
	}
	if p.Change == Same && slices.ContainsFunc(p.Variants, func(v *Variant) bool { return v.Change != Same }) {
		p.Change = Changed
	}
	if p.Parts == nil { // the arguments of a joint program are not known
		p.Recompile = Explain(p.New)
	}
}

func (c *comparison) variant(old, fresh *facts.Variant) *Variant {
	v := &Variant{Old: old, New: fresh, Compiler: c.compiler, Libraries: c.libraries, edited: c.edited}
	switch {
	case old == nil:
		v.Change = Added
		return v
	case fresh == nil:
		v.Change = Removed
		return v
	}
	alike := runAlike(old, fresh)
	v.Params = compareParams(old.Params, fresh.Params)
	v.Rescaled = rescaled(old.Params, fresh.Params)
	v.Facts = compareFacts(old.Facts, fresh.Facts)
	if alike > 0 {
		fresh.Facts[facts.LoopsAsBefore] = float64(alike)
	}
	if old.Fingerprint == fresh.Fingerprint && len(v.Params) == 0 {
		v.Change, v.Kernels.Kept = Same, len(fresh.Kernels)
		return v
	}
	v.Change = Changed
	_, v.Kernels = matchKernels(old, fresh, v.Rescaled, c.edited)
	_, gone, added := PairLoops(old.Loops(), fresh.Loops())
	v.addedLoops, v.unrolled = added, isUnrolled(old, fresh, gone)
	v.Dtypes = compareDtypes(v)
	v.Buffers = compareBuffers(old.Buffers, fresh.Buffers)
	v.Model = compareModels(old, fresh, c.edited)
	v.Causes = findCauses(v)
	return v
}

// rescaled reports whether the arguments are the same but for their sizes: another batch, not another program.
func rescaled(old, fresh []facts.Parameter) bool {
	if len(old) != len(fresh) {
		return false
	}
	differ := false
	for i := range old {
		a, b := old[i].Shape, fresh[i].Shape
		if a == b {
			continue
		}
		if !hlo.ShapeText(a).SameRank(hlo.ShapeText(b)) {
			return false
		}
		differ = true
	}
	return differ
}

func compareFacts(old, fresh facts.Values) (out []FactChange) {
	all := facts.Values{}
	maps.Copy(all, old)
	maps.Copy(all, fresh)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if was, is := numberOf(old, id), numberOf(fresh, id); was != is {
			out = append(out, FactChange{id, was, is})
		}
	}
	return out
}

// numberOf is a fact, NaN where it was not dumped.
func numberOf(values facts.Values, id facts.ID) float64 {
	if n, known := values[id]; known {
		return n
	}
	return math.NaN()
}

func paramSentence(old, fresh *facts.Parameter) string {
	var parts []string
	say := func(format string, a, b string) {
		if a != b {
			parts = append(parts, fmt.Sprintf(format, a, b))
		}
	}
	say("%s → %s", old.Shape, fresh.Shape)
	say("layout {%s} → {%s}", old.Layout, fresh.Layout)
	say("sharding %s → %s", cmp.Or(old.Sharding, "none"), cmp.Or(fresh.Sharding, "none"))
	say("constant %s → %s", cmp.Or(old.Constant, "none"), cmp.Or(fresh.Constant, "none"))
	switch {
	case old.Aliased && !fresh.Aliased && fresh.Donated:
		parts = append(parts, "still donated, but no output has its shape "+fresh.Shape)
	case old.Aliased && !fresh.Aliased:
		parts = append(parts, "no longer donated")
	case !old.Aliased && fresh.Aliased:
		parts = append(parts, "donated now")
	}
	if !old.Unused && fresh.Unused {
		parts = append(parts, "nothing reads it any more")
	}
	return strings.Join(parts, ", ")
}

// compareDtypes lists the types that more instructions have than before, each with the first kernel operation that is new with it.
func compareDtypes(v *Variant) (out []DtypeChange) {
	for name, is := range v.New.Facts {
		dtype, ok := facts.Dtype.Member(name)
		if !ok || is <= v.Old.Facts[name] {
			continue
		}
		out = append(out, DtypeChange{Type: dtype, Old: int(v.Old.Facts[name]), New: int(is), First: v.FirstNew(dtype)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Type < out[j].Type })
	return out
}

// Knows reports whether both sides have a fact.
func (v *Variant) Knows(fact facts.ID) bool {
	if v.Old == nil {
		return false
	}
	_, before := v.Old.Facts[fact]
	_, now := v.New.Facts[fact]
	return before && now
}

// Cost returns a cost on both sides: of a run where both sides know that, else with each loop counted once.
func (v *Variant) Cost(cost facts.ID) (was, is float64) {
	if weighted := facts.About(cost).Weighted; v.Knows(weighted) {
		cost = weighted
	}
	return v.Old.Facts[cost], v.New.Facts[cost]
}

// compareBuffers finds the temporary buffers that are new or grew. A buffer is known by what the model keeps in it.
func compareBuffers(old, fresh []facts.Buffer) (out []BufferChange) {
	p := newPairing(old, fresh)
	p.inTurn(func(b facts.Buffer) string { return fmt.Sprint(b.Bytes, b.Shape, b.OpName) })
	p.inTurn(func(b facts.Buffer) string { return b.OpName })
	for j, i := range p.was {
		c := BufferChange{New: fresh[j]}
		if i >= 0 {
			c.Old = old[i].Bytes
		}
		if c.New.Bytes > c.Old {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b BufferChange) int { return cmp.Compare(b.New.Bytes-b.Old, a.New.Bytes-a.Old) })
	return out
}

// FirstNew finds the operation with which a type comes into the model, not the first kernel that shows it: the first operation in this type that the old model
// has fewer of in its scope. Without an old program it is the first operation in the type.
func (v *Variant) FirstNew(dtype string) facts.Op {
	if op := firstLined(newIn(v.Old, v.New, dtype)); op.Opcode != "" {
		return op
	}
	var inKernels []facts.Op // of a program of whose model nothing is known
	for i := range v.New.Kernels {
		for _, op := range opsOf(&v.New.Kernels[i]) {
			if strings.Contains(op.Shape, dtype+"[") {
				inKernels = append(inKernels, *op.Op)
			}
		}
	}
	return firstLined(inKernels)
}

// firstLined returns the first operation with a known line, else the first of all; none of none.
func firstLined(ops []facts.Op) (first facts.Op) {
	if len(ops) == 0 {
		return first
	}
	return ops[max(0, slices.IndexFunc(ops, func(op facts.Op) bool { return op.Source.File != "" }))]
}

// newIn lists the weightiest operation of each statement in a type that the old model has fewer of in its scope.
func newIn(old, fresh *facts.Variant, dtype string) (ops []facts.Op) {
	had := map[string]int{}
	if old != nil && old.ModelAfter == fresh.ModelAfter {
		for i := range old.Model {
			if s := &old.Model[i]; s.Type == dtype {
				had[s.Scope] += len(s.Do)
			}
		}
	}
	for i := range fresh.Model {
		s := &fresh.Model[i]
		if s.Type != dtype {
			continue
		}
		if had[s.Scope] -= len(s.Do); had[s.Scope] < 0 {
			ops = append(ops, facts.Op{Opcode: weightiest(s.Do), OpName: s.OpName, Shape: dtype, Source: s.Source})
		}
	}
	return ops
}
