package diff

import (
	"fmt"
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
	if len(old) == len(fresh) {
		was := byName(old, fresh)
		renamedParams(old, fresh, was)
		return paramsInPairs(old, fresh, was)
	}
	return paramsInPairs(old, fresh, byName(old, fresh))
}

// alikeShaped says whether two lists of arguments have the same shapes in the same order.
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
			out = append(out, ParamChange{Name: fresh[i].Name, New: &fresh[i], What: "new: " + fresh[i].Shape})
			continue
		}
		kept[was[i]] = true
		out = appendParam(out, &old[was[i]], &fresh[i])
	}
	for i := range old {
		if !kept[i] {
			out = append(out, ParamChange{Name: old[i].Name, Old: &old[i], What: "gone: " + old[i].Shape})
		}
	}
	return out
}

// fewLeaves is how many arguments of one tree are still named one by one.
const fewLeaves = 3

// Trees names arguments, those of one tree together: "state (215 arrays, 9.3 MiB)".
func Trees(params []*facts.Parameter) []string {
	leaves := map[string][]*facts.Parameter{}
	var order []string
	for _, p := range params {
		root := treeOf(p.Name)
		if leaves[root] == nil {
			order = append(order, root)
		}
		leaves[root] = append(leaves[root], p)
	}
	var out []string
	for _, root := range order {
		if list := leaves[root]; len(list) > fewLeaves {
			out = append(out, fmt.Sprintf("%s (%s, %s)", root, phrase.Some(len(list), "array"), phrase.Bytes(bytesOf(list))))
			continue
		}
		for _, p := range leaves[root] {
			out = append(out, p.Name)
		}
	}
	return out
}

// treeOf is the argument that a leaf belongs to: "state" of "state.params['w1']".
func treeOf(name string) string {
	if at := strings.IndexAny(name, "[."); at > 0 {
		return name[:at]
	}
	return name
}

func bytesOf(params []*facts.Parameter) (n float64) {
	for _, p := range params {
		n += float64(p.Bytes)
	}
	return n
}
