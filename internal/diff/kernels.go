package diff

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// matcher pairs the kernels of two ledgers. Every step works through hash tables over what is still unpaired, so the whole is near
// linear, and every choice is made in ledger order, so it is deterministic.
type matcher struct {
	old, fresh []facts.Kernel
	toNew      []int // of every old kernel: its counterpart, or one of the marks below
	toOld      []int
	order      []int // of the new kernels: those on edited lines come last, so that they are the new ones of several equal ones
	rescaled   bool
}

// Marks in toNew and toOld besides indices.
const (
	unpaired  = -1
	regrouped = -2
)

// matchKernels finds what became of every launch: what is the same first, then what was taken apart or put together, then what
// changed in its place.
func matchKernels(old, fresh *facts.Variant, rescaled bool, edited Edited) (*matcher, Kernels) {
	m := &matcher{old: old.Kernels, fresh: fresh.Kernels, toNew: filled(len(old.Kernels)), toOld: filled(len(fresh.Kernels)), rescaled: rescaled}
	m.order = editedLast(len(m.fresh), func(j int) bool { return edited.any(m.fresh[j].Frames()) })
	var k Kernels
	content := m.content()
	m.pair(func(k *facts.Kernel) string { return content(k) + loopOf(k) + "\x00" + k.OpName })
	m.pair(func(k *facts.Kernel) string { return content(k) + loopOf(k) })
	k.Unrolled = m.unroll()
	m.pair(content)
	k.Split, k.Merged = m.regroup(fresh.Walls)
	m.pair(placeOf)
	m.pairNeighbours()
	m.pair(scopeAndShape)
	m.pair(outAndRoot)
	m.sort(&k)
	return m, k
}

// Link joins the kernels of two variants that correspond, each by its index: one with one, or one with the several that it was split into or
// merged from.
type Link struct{ Old, New []int }

// Links returns which kernels of the two variants correspond, in the order of the new ones. Those that were added or removed are in none.
func (v *Variant) Links() []Link {
	if v.Old == nil || v.New == nil {
		return nil
	}
	m, k := matchKernels(v.Old, v.New, v.Rescaled, v.edited)
	var links []Link
	for j, i := range m.toOld {
		if i >= 0 {
			links = append(links, Link{[]int{i}, []int{j}})
		}
	}
	for _, s := range k.Split {
		links = append(links, Link{[]int{s.one}, s.at})
	}
	for _, s := range k.Merged {
		links = append(links, Link{s.at, []int{s.one}})
	}
	for _, u := range k.Unrolled {
		links = append(links, Link{[]int{u.one}, u.at})
	}
	slices.SortFunc(links, func(a, b Link) int { return a.New[0] - b.New[0] })
	return links
}

func filled(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = unpaired
	}
	return list
}

// keyOf is what two kernels must share to be paired; "" pairs with nothing.
type keyOf func(*facts.Kernel) string

// content is what a kernel does: with its shapes, unless the program was rescaled.
func (m *matcher) content() keyOf {
	if m.rescaled {
		return familyOf
	}
	return printOf
}

func printOf(k *facts.Kernel) string {
	if k.Print != "" {
		return k.Print
	}
	return k.Kind + "\x00" + k.Do.String() + "\x00" + k.Out + "\x00" + k.In.String() + "\x00" + k.Attrs
}

func familyOf(k *facts.Kernel) string {
	if k.Family != "" {
		return k.Family
	}
	return k.Kind + "\x00" + k.Do.String()
}

func loopOf(k *facts.Kernel) string {
	if k.InLoop {
		return "\x00loop"
	}
	return ""
}

// placeOf is the kernel's place in the model: the same operations there, with other shapes or results, have changed.
func placeOf(k *facts.Kernel) string {
	if k.OpName == "" {
		return ""
	}
	return k.OpName + "\x00" + k.Do.String()
}

func scopeAndShape(k *facts.Kernel) string {
	if k.OpName == "" {
		return ""
	}
	return k.OpName + "\x00" + k.Out
}

func outAndRoot(k *facts.Kernel) string {
	return string(rune('0'+k.Class)) + k.Root + "\x00" + k.Target + "\x00" + k.Out + "\x00" + scopeOf(k.OpName)
}

// scopeOf is the part of the model that an op_name lies in, without its last step.
func scopeOf(opName string) string {
	if i := strings.LastIndexByte(opName, '/'); i >= 0 {
		return opName[:i]
	}
	return ""
}

// editedLast lists the numbers below n in order, those that were edited behind the others.
func editedLast(n int, edited func(int) bool) []int {
	var order, last []int
	for j := range n {
		if edited(j) {
			last = append(last, j)
		} else {
			order = append(order, j)
		}
	}
	return append(order, last...)
}

// pair joins unpaired kernels that have a key in common, in order.
func (m *matcher) pair(key keyOf) {
	waiting := map[string][]int{}
	for i := range m.old {
		if m.toNew[i] == unpaired {
			if s := key(&m.old[i]); s != "" {
				waiting[s] = append(waiting[s], i)
			}
		}
	}
	for _, j := range m.order {
		if m.toOld[j] != unpaired {
			continue
		}
		s := key(&m.fresh[j])
		if list := waiting[s]; s != "" && len(list) > 0 {
			m.toOld[j], m.toNew[list[0]] = list[0], j
			waiting[s] = list[1:]
		}
	}
}

// sort turns the pairs into the difference.
func (m *matcher) sort(k *Kernels) {
	for j := range m.fresh {
		i := m.toOld[j]
		switch {
		case i == unpaired:
			k.Added = append(k.Added, m.fresh[j])
		case i == regrouped:
		case !m.same(&m.old[i], &m.fresh[j]):
			k.Changed = append(k.Changed, KernelChange{Old: m.old[i], New: m.fresh[j]})
		case m.moved(&m.old[i], &m.fresh[j]):
			k.Moved = append(k.Moved, KernelChange{Old: m.old[i], New: m.fresh[j]})
		default:
			k.Kept++
		}
	}
	for i := range m.old {
		if m.toNew[i] == unpaired {
			k.Removed = append(k.Removed, m.old[i])
		}
	}
}

func (m *matcher) same(a, b *facts.Kernel) bool { return m.content()(a) == m.content()(b) }

// moved reports whether a kernel runs elsewhere, or more or less often, than it did.
func (m *matcher) moved(a, b *facts.Kernel) bool {
	return a.InLoop != b.InLoop || max(a.Times, 1) != max(b.Times, 1)
}

// byWeight orders kernels by how much is in them, the fullest first.
func byWeight(kernels []facts.Kernel, at []int) []int {
	sort.SliceStable(at, func(a, b int) bool { return kernels[at[a]].Do.Len() > kernels[at[b]].Do.Len() })
	return at
}

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
