package diff

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// compareParams pairs arguments by position where just the names changed, else by name: they may stand in another order now.
func compareParams(old, fresh []facts.Parameter) []ParamChange {
	if alikeShaped(old, fresh) {
		return paramsInPairs(old, fresh, inOrder(len(fresh)))
	}
	if was := reordered(old, fresh); was != nil {
		return paramsInPairs(old, fresh, was)
	}
	if at := alignArguments(old, fresh); at != nil { // they have no names
		return paramsInPairs(old, fresh, inverse(at, len(fresh)))
	}
	was := byName(old, fresh)
	if recaptured(old, fresh, was); len(old) == len(fresh) {
		renamedParams(old, fresh, was)
	}
	return paramsInPairs(old, fresh, was)
}

// recaptured pairs what is captured under a new name, that of the operation that reads it now, with what no longer is under its own.
func recaptured(old, fresh []facts.Parameter, was []int) {
	left := map[string][]int{}
	for at := range old {
		if old[at].Captured && !slices.Contains(was, at) {
			left[old[at].Shape] = append(left[old[at].Shape], at)
		}
	}
	for i := range fresh {
		if list := left[fresh[i].Shape]; was[i] == unpaired && fresh[i].Captured && len(list) > 0 {
			was[i], left[fresh[i].Shape] = list[0], list[1:]
		}
	}
}

// alikeShaped reports whether two lists of arguments have the same shapes in the same order.
func alikeShaped(old, fresh []facts.Parameter) bool {
	return slices.EqualFunc(old, fresh, func(a, b facts.Parameter) bool { return a.Shape == b.Shape && a.Aliased == b.Aliased })
}

// reordered pairs arguments without names that are the same as before, each of them, in another order: theirs is that in which the model first
// uses them. Nil where they are not.
func reordered(old, fresh []facts.Parameter) []int {
	if len(old) != len(fresh) || !countedNames(old) || !countedNames(fresh) {
		return nil
	}
	places := map[string][]int{}
	for i := range old {
		places[spelled(&old[i])] = append(places[spelled(&old[i])], i)
	}
	var was []int
	for i := range fresh {
		list := places[spelled(&fresh[i])]
		if len(list) == 0 {
			return nil
		}
		was, places[spelled(&fresh[i])] = append(was, list[0]), list[1:]
	}
	return was
}

// spelled is all that paramSentence compares.
func spelled(p *facts.Parameter) string {
	return fmt.Sprint(p.Shape, p.Layout, p.Sharding, p.Constant, p.Aliased, p.Unused)
}

func inOrder(n int) []int {
	was := make([]int, n)
	for i := range was {
		was[i] = i
	}
	return was
}

// inverse says of each of n new arguments where the old one is, from where the old ones are among the new.
func inverse(at []int, n int) []int {
	was := make([]int, n)
	for j := range was {
		was[j] = unpaired
	}
	for i, j := range at {
		if j >= 0 {
			was[j] = i
		}
	}
	return was
}

// byName finds for every argument the old one of its name, unpaired where there was none.
func byName(old, fresh []facts.Parameter) []int {
	named := map[string]int{}
	for i := range old {
		named[old[i].Name] = i
	}
	was := make([]int, len(fresh))
	for i := range fresh {
		at, ok := named[fresh[i].Name]
		if !ok {
			at = unpaired
		}
		was[i] = at
		delete(named, fresh[i].Name)
	}
	return was
}

// renamedParams pairs the arguments whose names are new with those whose names are gone: first by shape, then in their order.
func renamedParams(old, fresh []facts.Parameter, was []int) {
	taken := make([]bool, len(old))
	for _, at := range was {
		if at != unpaired {
			taken[at] = true
		}
	}
	for _, key := range []func(*facts.Parameter) string{
		func(p *facts.Parameter) string { return p.Shape },
		func(*facts.Parameter) string { return "" },
	} {
		left := map[string][]int{}
		for at := range old {
			if !taken[at] {
				left[key(&old[at])] = append(left[key(&old[at])], at)
			}
		}
		for i := range was {
			if list := left[key(&fresh[i])]; was[i] == unpaired && len(list) > 0 {
				was[i], taken[list[0]] = list[0], true
				left[key(&fresh[i])] = list[1:]
			}
		}
	}
}

// paramsInPairs says what became of the arguments, of which was names the old ones.
func paramsInPairs(old, fresh []facts.Parameter, was []int) []ParamChange {
	var out []ParamChange
	kept := make([]bool, len(old))
	for i := range fresh {
		if was[i] == unpaired {
			out = append(out, ParamChange{Name: fresh[i].Name, New: &fresh[i], What: "new: " + made(&fresh[i])})
			continue
		}
		kept[was[i]] = true
		out = appendParam(out, &old[was[i]], &fresh[i])
	}
	for i := range old {
		if !kept[i] {
			out = append(out, ParamChange{Name: old[i].Name, Old: &old[i], What: "gone: " + made(&old[i])})
		}
	}
	return out
}

// fewLeaves is how many arguments of one tree are still named one by one.
const fewLeaves = 3

// tree is an argument of the model, or a part of one, with the arrays of it that something is said of.
type tree struct {
	name   string
	leaves []*facts.Parameter
}

// treesOf groups arguments by the argument of the model that they belong to; few of one are left alone.
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
			trees = append(trees, tree{commonPath(leaves), leaves})
		}
	}
	return trees
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

// said is "seed is new: u32[2]", "opt.nu is new: 34 arrays, 9.3 MiB".
func (t tree) said(what string) string {
	if len(t.leaves) == 1 {
		return fmt.Sprintf("%s %s: %s", t.name, what, made(t.leaves[0]))
	}
	return fmt.Sprintf("%s %s: %s", t.name, what, t.size())
}

// made is an argument's shape, with the line that made it where it has no name: "f32[4,8] of train.py:17".
func made(p *facts.Parameter) string {
	if p.Source.File == "" {
		return p.Shape
	}
	return fmt.Sprintf("%s of %s:%d", p.Shape, path.Base(p.Source.File), p.Source.Line)
}

func (t tree) size() string {
	var bytes float64
	for _, p := range t.leaves {
		bytes += float64(p.Bytes)
	}
	return phrase.Some(len(t.leaves), "array") + ", " + phrase.Bytes(bytes)
}

// Trees names arguments, many of one tree together: "state (215 arrays, 9.3 MiB)".
func Trees(params []*facts.Parameter) (names []string) {
	for _, t := range treesOf(params) {
		names = append(names, t.String())
	}
	return names
}
