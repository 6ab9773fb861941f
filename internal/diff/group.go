package diff

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

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
