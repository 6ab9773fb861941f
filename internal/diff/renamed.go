package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// leastAlike is the share of what they do that two programs have to have in common to be the same one under another name.
const leastAlike = 0.75

// pairChanged joins removed and added programs that take the same arguments and still do most of the same: renamed and changed at once. Of
// several the most alike go together.
func pairChanged(removed []*facts.Program, added []programs) ([]*facts.Program, []programs) {
	for {
		best, at, to := 0.0, 0, 0
		for i := range added {
			for j, p := range removed {
				if added[i].old != nil || isCluster(p) || signatures(p) != signatures(added[i].fresh) {
					continue
				}
				if share := likeness(p, added[i].fresh); share > best {
					best, at, to = share, i, j
				}
			}
		}
		if best < leastAlike {
			return removed, added
		}
		added[at].old = removed[to]
		removed = slices.Delete(removed, to, to+1)
	}
}

// likeness is the share of operations that both ask for, of the one that asks for fewer: a program may grow or shrink. Where it is not known
// what the models ask for, kernels are compared.
func likeness(a, b *facts.Program) float64 {
	was, is := asked(a), asked(b)
	if len(was) == 0 || len(is) == 0 {
		was, is = launched(a), launched(b)
	}
	fewer, same := min(total(was), total(is)), 0
	if fewer == 0 {
		return 0
	}
	for key, n := range was {
		same += min(n, is[key])
	}
	return float64(same) / float64(fewer)
}

// asked counts the operations of the model, by what they do in which type.
func asked(p *facts.Program) map[string]int {
	ops := map[string]int{}
	for _, v := range p.Variants {
		for i := range v.Model {
			for _, do := range v.Model[i].Do {
				ops[do+" "+v.Model[i].Type]++
			}
		}
	}
	return ops
}

// launched counts the kernels, by what they do.
func launched(p *facts.Program) map[string]int {
	work := map[string]int{}
	for _, v := range p.Variants {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; k.Class != facts.ClassControl {
				work[strconv.Itoa(int(k.Class))+k.Target+"\x00"+strings.Join(k.Do, ",")+"\x00"+k.Out]++
			}
		}
	}
	return work
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
