package diff

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// compareParams says what became of the arguments. Those of the same shapes in the same order are the same, whatever they are called.
func compareParams(old, fresh []facts.Parameter) []ParamChange {
	p := newPairing(old, fresh)
	switch at := alignArguments(old, fresh); {
	case alikeShaped(old, fresh):
		p.by(func(*facts.Parameter) string { return "" })
	case countedNames(old) && countedNames(fresh) && permuted(old, fresh):
		p.by(spelled)
	case at != nil: // they have no names
		for i, j := range at {
			if j >= 0 {
				p.was[j] = i
			}
		}
	default:
		p.byNames()
	}
	return paramsInPairs(old, fresh, p.was)
}

// alikeShaped reports whether two lists of arguments have the same shapes in the same order.
func alikeShaped(old, fresh []facts.Parameter) bool {
	return slices.EqualFunc(old, fresh, func(a, b facts.Parameter) bool { return a.Shape == b.Shape && a.Aliased == b.Aliased })
}

// permuted says whether arguments are the same as before, each of them, in another order: that in which the model first uses them.
func permuted(old, fresh []facts.Parameter) bool {
	spell := func(params []facts.Parameter) (list []string) {
		for i := range params {
			list = append(list, spelled(&params[i]))
		}
		slices.Sort(list)
		return list
	}
	return len(old) == len(fresh) && slices.Equal(spell(old), spell(fresh))
}

// spelled is all that paramSentence compares.
func spelled(p *facts.Parameter) string {
	return fmt.Sprint(p.Shape, p.Layout, p.Sharding, p.Constant, p.Aliased, p.Unused)
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
