package changes

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// compareParams says what became of the arguments.
func compareParams(old, fresh []facts.Parameter) (out []ParamChange) {
	p := pairArguments(old, fresh)
	for j, f := range p.fresh {
		if i := p.was[j]; i < 0 {
			out = append(out, ParamChange{Name: f.Name, New: f, What: "new: " + made(f)})
		} else if what := paramSentence(p.old[i], f); what != "" {
			out = append(out, ParamChange{Name: f.Name, Old: p.old[i], New: f, What: what})
		}
	}
	for _, o := range p.gone() {
		out = append(out, ParamChange{Name: o.Name, Old: o, What: "gone: " + made(o)})
	}
	return out
}

// KeptParams yields the arguments that both sides have, as they were and as they are.
func (v *Variant) KeptParams(yield func(was, is *facts.Parameter) bool) {
	p := pairArguments(v.Old.Params, v.New.Params)
	for j, f := range p.fresh {
		if i := p.was[j]; i >= 0 && !yield(p.old[i], f) {
			return
		}
	}
}

// Retyped reports whether most of the bytes that the program takes, or any of them, are of another type than before: what it computes follows from that.
func (v *Variant) Retyped(most bool) bool {
	var retyped, all int64
	for was, is := range v.KeptParams {
		all += is.Bytes
		if hlo.ShapeText(was.Shape).SameDims(hlo.ShapeText(is.Shape)) && was.Shape != is.Shape {
			retyped += is.Bytes
		}
	}
	return 2*retyped > all || !most && retyped > 0
}

// Enlarged reports whether most of what the peak grew by is arguments of other dimensions, or also of other types.
func (v *Variant) Enlarged(types bool) bool {
	var more int64
	for was, is := range v.KeptParams {
		if types || !hlo.ShapeText(was.Shape).SameDims(hlo.ShapeText(is.Shape)) {
			more += is.Bytes - was.Bytes
		}
	}
	grown := v.Grown(facts.MemoryPeak)
	return grown > 0 && 2*float64(more) > grown
}

// arguments pairs the arguments of two compilations.
type arguments struct {
	*pairing[*facts.Parameter]
	unnamed bool // names only count them
}

// pairArguments pairs the arguments of two variants. If the shapes are equal in order, so are the arguments, under any names but the same in another order.
func pairArguments(old, fresh []facts.Parameter) arguments {
	p := arguments{newPairing(pointers(old), pointers(fresh)), countedNames(old) && countedNames(fresh)}
	switch {
	case slices.EqualFunc(p.old, p.fresh, func(a, b *facts.Parameter) bool { return a.Shape == b.Shape && a.Aliased == b.Aliased }) && !reordered(p.old, p.fresh):
		p.inTurn(anything)
	case p.unnamed:
		p.byCount()
	default:
		p.inLists()
		p.byName()
	}
	return p
}

// inLists pairs the arrays of each list or tuple: state[0], state[1]. What comes, goes or is renamed moves those behind it, and flax.nnx passes the whole state of a
// model as one list. Arrays of equal shapes in order keep their places: what differs is which of them is donated or split.
func (p *arguments) inLists() {
	was, is := positionsInLists(p.old), positionsInLists(p.fresh)
	for _, list := range slices.Sorted(maps.Keys(was)) {
		inside := arguments{newPairing(pick(p.old, was[list]), pick(p.fresh, is[list])), true}
		if slices.EqualFunc(inside.old, inside.fresh, func(a, b *facts.Parameter) bool { return a.Shape == b.Shape }) {
			inside.inTurn(anything)
		} else {
			inside.byCount()
		}
		for i, j := range inside.now {
			if j >= 0 {
				p.join(was[list][i], is[list][j])
			}
		}
	}
}

// positionsInLists finds the arrays of each list.
func positionsInLists(params []*facts.Parameter) map[string][]int {
	lists := map[string][]int{}
	for i, p := range params {
		list := listOf(p.Name)
		if p.Captured { // TensorFlow numbers those of one kind in the order in which the function uses them
			list = unnumbered(p.Name)
		}
		if list != "" {
			lists[list] = append(lists[list], i)
		}
	}
	return lists
}

// listOf is the list that an array is in, state[0] of state[0][7], or "".
func listOf(name string) string {
	if list, at, ok := phrase.CutLast(strings.TrimSuffix(name, "]"), "["); ok && phrase.AllDigits(at) {
		return list
	}
	return ""
}

// unnumbered is a name without its number: gather_resource of gather_1_resource.
func unnumbered(name string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(name, "_"), phrase.AllDigits), "_")
}

// maxAligned bounds the pairs of arguments that are compared to pair them in order.
const maxAligned = 4 << 20

// byCount pairs arguments whose names only count them. Equal ones in another order are paired whatever their place, those of equal ranks in their place.
func (p *arguments) byCount() {
	inAnyOrder := newPairing(p.old, p.fresh)
	inAnyOrder.inTurn(spelled)
	switch {
	case len(p.old) == len(p.fresh) && len(inAnyOrder.gone()) == 0:
		p.inTurn(spelled)
	case len(p.old)*len(p.fresh) > maxAligned || slices.EqualFunc(p.old, p.fresh, func(a, b *facts.Parameter) bool { return sameRank(a, b) > 0 }):
		p.inTurn(func(a *facts.Parameter) string { return a.Name })
	default:
		p.byShape()
	}
}

// reordered reports whether both sides have the same names, however their paths are written, in different orders.
func reordered(old, fresh []*facts.Parameter) bool {
	if slices.EqualFunc(old, fresh, func(a, b *facts.Parameter) bool { return a.Name == b.Name }) {
		return false
	}
	was, is := phrase.Map(old, pathOf), phrase.Map(fresh, pathOf)
	if slices.Equal(was, is) {
		return false
	}
	slices.Sort(was)
	slices.Sort(is)
	return slices.Equal(was, is)
}

func pathOf(a *facts.Parameter) string { return strings.Join(steps(a.Name), "\x00") }

func pointers[T any](list []T) (out []*T) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

func anything(*facts.Parameter) string { return "any" }

func shapeOf(p *facts.Parameter) string { return p.Shape }

func dimsOf(p *facts.Parameter) string { return fmt.Sprint(hlo.ShapeText(p.Shape).Dims()) }

// rankOf is an argument's type with a star for each dimension.
func rankOf(p *facts.Parameter) string {
	shape := hlo.ShapeText(p.Shape)
	return shape.Type() + strings.Repeat("*", len(shape.Dims()))
}

// spelled is all that paramSentence compares.
func spelled(p *facts.Parameter) string {
	return fmt.Sprint(p.Shape, p.Layout, p.Sharding, p.Constant, p.Aliased, p.Unused)
}

// countedNames reports whether names only count arguments: p0, p1, … of PyTorch/XLA. A new one renames those behind it.
func countedNames(params []facts.Parameter) bool {
	if len(params) == 0 {
		return false
	}
	prefix := strings.TrimRight(params[0].Name, "0123456789")
	for i := range params {
		if params[i].Name != prefix+strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// byShape pairs arguments without names: in order, as many of equal shape as possible; then those of equal sizes in one place; then those of equal
// shape in any order, which is the order of first use; then those of equal type and rank; then those in one place.
func (p *arguments) byShape() {
	p.inOrder(func(a, b *facts.Parameter) int32 {
		switch {
		case a.Shape != b.Shape:
			return 0
		case a.Aliased != b.Aliased:
			return 4
		case a.Sharding != b.Sharding || a.Constant != b.Constant:
			return 5
		}
		return 6
	})
	p.inPlace(func(a, b *facts.Parameter) bool { return hlo.ShapeText(a.Shape).SameDims(hlo.ShapeText(b.Shape)) })
	p.inTurn(shapeOf)
	p.inOrder(sameRank)
	p.inPlace(func(*facts.Parameter, *facts.Parameter) bool { return true })
}

func sameRank(a, b *facts.Parameter) int32 {
	return int32(Flag(hlo.ShapeText(a.Shape).SameRank(hlo.ShapeText(b.Shape))))
}

// inPlace pairs the arguments that both sides have as many of between two pairs, if they fit.
func (p *arguments) inPlace(fits func(old, fresh *facts.Parameter) bool) {
	for first := 0; first < len(p.now); first++ {
		end, from, to := first, 0, len(p.fresh)
		for end < len(p.now) && p.now[end] == unpaired {
			end++
		}
		if first > 0 {
			from = p.now[first-1] + 1
		}
		if end < len(p.now) {
			to = p.now[end]
		}
		for i := first; i < end && to-from == end-first; i++ {
			if j := from + i - first; p.was[j] == unpaired && fits(p.old[i], p.fresh[j]) {
				p.join(i, j)
			}
		}
		first = end
	}
}

// byName pairs arguments by name, then by path, then by a path in which one step was renamed, then by shape and use. If both sides have as many, it pairs
// the rest in order.
func (p *arguments) byName() {
	p.inTurn(func(a *facts.Parameter) string { return "name " + a.Name + a.Shape })
	p.inTurn(renumbered)
	p.inTurn(func(a *facts.Parameter) string { return "name " + a.Name })
	p.inTurn(func(a *facts.Parameter) string { return "path " + pathOf(a) })
	for _, alike := range []func(*facts.Parameter) string{shapeOf, dimsOf, rankOf} {
		for depth := range p.deepest() {
			p.inTurn(func(a *facts.Parameter) string { return renamedAt(a, depth, alike) })
		}
	}
	p.inTurn(func(a *facts.Parameter) string { return fmt.Sprint(a.Shape, a.Aliased, a.Donated, a.Unused) })
	if len(p.old) == len(p.fresh) {
		p.inTurn(shapeOf)
		p.inTurn(anything)
	}
}

// renumbered spells the name and the shape of a variable that TensorFlow names by the operation that reads it, without the number of that operation: one more layer
// makes matmul_2_readvariableop_resource of matmul_1_readvariableop_resource. It is "" for other names.
func renumbered(a *facts.Parameter) string {
	if !strings.Contains(a.Name, "readvariableop") {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, strings.ReplaceAll(a.Name, "_", "")) + a.Shape
}

// steps splits the path of an array in the model's state: state, params, w of "state.params['w']" and of "state['params']['w']".
func steps(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[]'\"./", r) })
}

// deepest is how many steps lead to a part of the state that is not paired yet.
func (p *arguments) deepest() (depth int) {
	for _, a := range p.gone() {
		depth = max(depth, len(steps(a.Name))-1)
	}
	return depth
}

// renamedAt spells the path of an array without one of the steps to the part of the state that it is in; "" if that has no such step.
func renamedAt(a *facts.Parameter, depth int, alike func(*facts.Parameter) string) string {
	path := steps(a.Name)
	if depth >= len(path)-1 {
		return ""
	}
	path[depth] = "*"
	return strings.Join(path, "\x00") + "\n" + alike(a)
}

// fewLeaves is the largest number of arguments of one tree that are named one by one.
const fewLeaves = 3

// tree is an argument of the model, or a subtree of one, with some of its arrays.
type tree struct {
	name   string
	leaves []*facts.Parameter
}

// treesOf groups arguments by the argument of the model that they belong to; few of one are left alone. Those of one that differ in nothing but the number of
// the layer are named so, if all of them are of few kinds: "params['layers'][*]['w']".
func treesOf(params []*facts.Parameter) (trees []tree) {
	byRoot := map[string][]*facts.Parameter{}
	for _, p := range params {
		byRoot[rootOf(p.Name)] = append(byRoot[rootOf(p.Name)], p)
	}
	for _, p := range params {
		leaves := byRoot[rootOf(p.Name)]
		switch {
		case len(leaves) <= fewLeaves:
			trees = append(trees, tree{p.Name, []*facts.Parameter{p}})
		case leaves[0] == p:
			alike := phrase.Group(leaves, func(p *facts.Parameter) string {
				parts := atNumbers(p.Name)
				for i := 1; i < len(parts); i += 2 {
					parts[i] = "\x00" // which no name has
				}
				return strings.Join(parts, "")
			})
			if len(alike) > fewLeaves {
				trees = append(trees, tree{commonPath(leaves), leaves})
				break
			}
			for _, of := range alike {
				trees = append(trees, tree{layered(of), of})
			}
		}
	}
	return trees
}

// layered names arguments that differ in numbers alone, with a star for each number that differs: "layers[*].w[0]" of "layers[2].w[0]" and "layers[3].w[0]".
func layered(params []*facts.Parameter) string {
	parts := atNumbers(params[0].Name)
	for _, p := range params[1:] {
		for i, part := range atNumbers(p.Name) {
			if part != parts[i] {
				parts[i] = "*"
			}
		}
	}
	name := strings.Join(parts, "")
	for cut := true; cut; { // "v" of "v[*][*]"
		name, cut = strings.CutSuffix(name, "[*]")
	}
	return name
}

// atNumbers cuts a name at the numbers that may be those of layers, so that every second part is one: "layers[", "3", "].w" of "layers[3].w".
func atNumbers(name string) (parts []string) {
	digit := func(i int) bool { return i < len(name) && '0' <= name[i] && name[i] <= '9' }
	start := 0
	for i := 1; i < len(name); i++ {
		if !digit(i) || strings.IndexByte("[_./", name[i-1]) < 0 {
			continue
		}
		end := i
		for digit(end) {
			end++
		}
		parts = append(parts, name[start:i], name[i:end])
		start, i = end, end
	}
	return append(parts, name[start:])
}

// rootOf is the argument that a leaf belongs to: "state" of "state.params['w1']".
func rootOf(name string) string {
	if at := strings.IndexAny(name, "[./"); at > 0 {
		return name[:at]
	}
	return name
}

// commonPath is what the names of leaves of one tree begin with: "state.params" of "state.params['w1']" and "state.params['w2']".
func commonPath(leaves []*facts.Parameter) string {
	n := len(leaves[0].Name)
	for _, p := range leaves[1:] {
		n = min(n, shared(leaves[0].Name, p.Name))
	}
	name := leaves[0].Name[:n]
	if at := strings.LastIndexAny(name, "[./"); at > 0 && !strings.HasSuffix(name, "]") {
		name = name[:at]
	}
	return name
}

// String is "state (215 arrays, 9.3 MiB)"; of a single array its name.
func (t tree) String() string {
	if len(t.leaves) == 1 {
		return t.name
	}
	return fmt.Sprintf("%s (%s)", t.name, t.size())
}

// said is "seed is new: u32[2]", or "opt.nu is new: 34 arrays, 9.3 MiB". It is "6 arrays of state are new: 5.0 KiB" if the other side has arrays of this tree,
// too. other lists the names of the other side, sorted.
func (t tree) said(what string, other []string) string {
	if len(t.leaves) == 1 {
		return fmt.Sprintf("%s is %s: %s", t.name, what, made(t.leaves[0]))
	}
	if at, _ := slices.BinarySearch(other, t.name); at < len(other) && strings.HasPrefix(other[at], t.name) {
		return fmt.Sprintf("%s of %s are %s: %s", phrase.Some(len(t.leaves), "array"), t.name, what, phrase.Bytes(t.bytes()))
	}
	return fmt.Sprintf("%s is %s: %s", t.name, what, t.size())
}

// namesOf are the names of arguments, sorted.
func namesOf(params []facts.Parameter) []string {
	names := phrase.Map(params, func(p facts.Parameter) string { return p.Name })
	slices.Sort(names)
	return names
}

// made is an argument's shape, with the line that made it where it has no name: "f32[4,8] of train.py:17".
func made(p *facts.Parameter) string {
	if p.Source.File == "" {
		return p.Shape
	}
	return p.Shape + " of " + p.Source.Short()
}

func (t tree) size() string {
	return phrase.Some(len(t.leaves), "array") + ", " + phrase.Bytes(t.bytes())
}

func (t tree) bytes() (n float64) {
	for _, p := range t.leaves {
		n += float64(p.Bytes)
	}
	return n
}

// Trees names arguments, many of one tree together: "state (215 arrays, 9.3 MiB)".
func Trees(params []*facts.Parameter) []string { return texts(treesOf(params), tree.String) }
