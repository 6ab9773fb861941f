package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// pairNeighbours pairs kernels whose neighbours are paired with each other: of the same root, read from the same kernels or by
// the same. It needs both ledgers to know who reads from whom, and goes on as long as it finds something.
func (m *matcher) pairNeighbours() {
	oldUsers, newUsers := usersOf(m.old), usersOf(m.fresh)
	for range 4 {
		before := m.open()
		m.pairAt(m.names(m.old, oldUsers, nil), m.names(m.fresh, newUsers, m.toOld))
		if m.open() == before {
			return
		}
	}
}

func connected(kernels []facts.Kernel) bool {
	return slices.ContainsFunc(kernels, func(k facts.Kernel) bool { return k.From != "" })
}

func usersOf(kernels []facts.Kernel) [][]int32 {
	users := make([][]int32, len(kernels))
	for i := range kernels {
		for from := range kernels[i].From.All() {
			users[from] = append(users[from], int32(i))
		}
	}
	return users
}

func (m *matcher) open() int {
	n := 0
	for _, to := range m.toOld {
		if to == unpaired {
			n++
		}
	}
	return n
}

// names spells the surroundings of every unpaired kernel in terms of the old ledger. translate gives the old index of a new
// kernel; nil for the old ledger itself.
func (m *matcher) names(kernels []facts.Kernel, users [][]int32, translate []int) []string {
	out := make([]string, len(kernels))
	paired := m.toNew
	if translate != nil {
		paired = translate
	}
	old := func(i int32) int {
		if translate == nil {
			return int(i)
		}
		return translate[i]
	}
	for i := range kernels {
		if paired[i] != unpaired {
			continue
		}
		var parts []string
		for _, side := range [][]int32{slices.Collect(kernels[i].From.All()), users[i]} {
			parts = append(parts, "|")
			for _, n := range side {
				if paired[n] >= 0 {
					parts = append(parts, strconv.Itoa(old(n)))
				}
			}
		}
		if len(parts) > 2 {
			out[i] = string(rune('0'+kernels[i].Class)) + kernels[i].Root + strings.Join(sortedSides(parts), ",")
		}
	}
	return out
}

// sortedSides sorts the numbers on each side of the bars.
func sortedSides(parts []string) []string {
	second := slices.Index(parts[1:], "|") + 1
	slices.Sort(parts[1:second])
	slices.Sort(parts[second+1:])
	return parts
}

// pairAt joins unpaired kernels whose names are equal and unique on both sides.
func (m *matcher) pairAt(old, fresh []string) {
	at := map[string]int{}
	for i, s := range old {
		if s == "" {
			continue
		}
		if _, twice := at[s]; twice {
			at[s] = unpaired
			continue
		}
		at[s] = i
	}
	taken := map[string]int{}
	for _, s := range fresh {
		taken[s]++
	}
	for j, s := range fresh {
		if i, ok := at[s]; ok && i >= 0 && taken[s] == 1 {
			m.toOld[j], m.toNew[i] = i, j
		}
	}
}
