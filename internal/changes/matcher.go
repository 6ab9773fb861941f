package changes

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// matcher pairs two lists of kernels. Every step works through hash tables over what is still unpaired, so the whole is near
// linear, and every choice is made in the order of the lists, so it is deterministic.
type matcher struct {
	*pairing[*facts.Kernel]
	rescaled bool
	seed     maphash.Seed // of [matcher.withoutOrder]
}

// matchKernels finds what became of every launch: what is the same first, then what was taken apart or put together, then what
// changed in its place.
func matchKernels(old, fresh *facts.Variant, rescaled bool, edited Edited) (*matcher, Kernels) {
	m := &matcher{newPairing(pointers(old.Kernels), pointers(fresh.Kernels)), rescaled, maphash.MakeSeed()}
	m.order = editedLast(len(m.fresh), func(j int) bool { return edited.any(m.fresh[j].Frames()) })
	var k Kernels
	content := m.content()
	m.inTurn(func(k *facts.Kernel) string { return content(k) + loopOf(k) + "\x00" + k.OpName })
	m.inTurn(func(k *facts.Kernel) string { return content(k) + loopOf(k) })
	k.Unrolled = m.unroll()
	m.inTurn(content)
	m.inTurn(func(k *facts.Kernel) string { return m.withoutOrder(k) + "\x00" + k.OpName })
	m.inTurn(resized)
	k.Split, k.Merged = m.regroup(fresh)
	m.inTurn(placeOf)
	m.pairNeighbours()
	m.inTurn(scopeAndShape)
	m.inTurn(outAndRoot)
	m.inTurn(m.withoutOrder)
	m.sort(&k)
	return m, k
}

// Tally counts the kernels that came, went and changed. Of one that was split, one went and several came.
func (k *Kernels) Tally() (came, went, changed int) {
	count := func(before, after []facts.Kernel) {
		came, went = came+computing(after), went+computing(before)
	}
	count(k.Removed, k.Added)
	for _, s := range slices.Concat(k.Split, k.Unrolled) {
		count([]facts.Kernel{s.One}, s.Many)
	}
	for _, m := range k.Merged {
		count(m.Many, []facts.Kernel{m.One})
	}
	for _, c := range slices.Concat(k.Changed, k.Moved) {
		if c.Old.Class.Computes() && c.New.Class.Computes() {
			changed++
		} else {
			count([]facts.Kernel{c.Old}, []facts.Kernel{c.New})
		}
	}
	return came, went, changed
}

// computing counts kernels as a total does: copies, collectives and the like are none.
func computing(kernels []facts.Kernel) (n int) {
	for i := range kernels {
		n += int(Flag(kernels[i].Class.Computes()))
	}
	return n
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
	for j, i := range m.was {
		if i >= 0 {
			links = append(links, Link{[]int{i}, []int{j}})
		}
	}
	for _, s := range slices.Concat(k.Split, k.Unrolled) {
		links = append(links, Link{[]int{s.one}, s.at})
	}
	for _, s := range k.Merged {
		links = append(links, Link{s.at, []int{s.one}})
	}
	slices.SortFunc(links, func(a, b Link) int { return a.New[0] - b.New[0] })
	return links
}

// keyOf is what two kernels must share to be paired; "" pairs with nothing.
type keyOf = func(*facts.Kernel) string

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
	return k.Kind + "\x00" + k.Do.String() + "\x00" + k.Out + "\x00" + strings.Join(k.In, ", ") + "\x00" + k.Attrs
}

func familyOf(k *facts.Kernel) string {
	if k.Family != "" {
		return k.Family
	}
	return k.Kind + "\x00" + k.Do.String()
}

// resized is what a kernel and the same kernel on arrays of other shapes share: it was neither split nor merged.
func resized(k *facts.Kernel) string {
	if k.Family == "" || k.OpName == "" {
		return ""
	}
	return k.Family + loopOf(k) + "\x00" + k.OpName
}

// withoutOrder is what a kernel shares with one that does the same and has its operands and results in another order, as a collective of several arrays or a
// loop does where an argument has another name. Where their names are counted, those change with the order too.
func (m *matcher) withoutOrder(k *facts.Kernel) string {
	var shapes uint64
	for out := range strings.SplitSeq(strings.Trim(k.Out, "()"), ", ") {
		shapes += maphash.String(m.seed, out)
	}
	shapes *= 31 // of results; those of operands follow
	for _, in := range k.In {
		shapes += maphash.String(m.seed, in)
	}
	return string(rune('0'+k.Class)) + k.Kind + "\x00" + k.Target + "\x00" + k.Do.String() + "\x00" + strconv.FormatUint(shapes, 36) + loopOf(k)
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

// sort turns the pairs into the difference.
func (m *matcher) sort(k *Kernels) {
	for j, fresh := range m.fresh {
		i := m.was[j]
		switch {
		case i == unpaired:
			k.Added = append(k.Added, *fresh)
		case i == regrouped:
		case !m.same(m.old[i], fresh):
			k.Changed = append(k.Changed, ChangeOf(m.old[i], fresh))
		case runsElsewhere(m.old[i], fresh):
			k.Moved = append(k.Moved, ChangeOf(m.old[i], fresh))
		default:
			k.Kept++
		}
	}
	for _, old := range m.gone() {
		k.Removed = append(k.Removed, *old)
	}
}

func (m *matcher) same(a, b *facts.Kernel) bool { return m.content()(a) == m.content()(b) }

// runsElsewhere reports whether a kernel runs elsewhere, or more or less often, than it did.
func runsElsewhere(a, b *facts.Kernel) bool {
	return a.InLoop != b.InLoop || a.Runs() != b.Runs()
}

// pairNeighbours pairs kernels whose neighbours are paired with each other: of the same root, read from the same kernels or by
// the same. It needs both lists to know who reads from whom, and goes on as long as it finds something.
func (m *matcher) pairNeighbours() {
	oldUsers, newUsers := usersOf(m.old), usersOf(m.fresh)
	for range 4 {
		paired := make([]int, len(m.old)) // of every paired old kernel itself
		for i := range paired {
			paired[i] = min(i, m.now[i])
			if m.now[i] >= 0 {
				paired[i] = i
			}
		}
		if !m.joinUnique(surroundings(m.old, oldUsers, paired), surroundings(m.fresh, newUsers, m.was)) {
			return
		}
	}
}

func connected(kernels []*facts.Kernel) bool {
	return slices.ContainsFunc(kernels, func(k *facts.Kernel) bool { return len(k.From) > 0 })
}

func usersOf(kernels []*facts.Kernel) [][]int32 {
	users := make([][]int32, len(kernels))
	for i := range kernels {
		for _, from := range kernels[i].From {
			users[from] = append(users[from], int32(i))
		}
	}
	return users
}

// surroundings spells the paired neighbours of every unpaired kernel; "" where there are none. toOld gives the old index of a paired kernel.
func surroundings(kernels []*facts.Kernel, users [][]int32, toOld []int) []string {
	out := make([]string, len(kernels))
	for i, k := range kernels {
		if toOld[i] != unpaired {
			continue
		}
		reads, readBy := neighbours(k.From, toOld), neighbours(users[i], toOld)
		if reads+readBy != "" {
			out[i] = fmt.Sprint(k.Class, k.Root, "|", reads, "|", readBy)
		}
	}
	return out
}

// neighbours lists the old indices of paired kernels.
func neighbours(list []int32, toOld []int) string {
	var at []string
	for _, n := range list {
		if toOld[n] >= 0 {
			at = append(at, strconv.Itoa(toOld[n]))
		}
	}
	slices.Sort(at)
	return strings.Join(at, ",")
}

// joinUnique joins what has a key that nothing else has on its side, and reports whether there was any.
func (p *pairing[T]) joinUnique(old, fresh []string) (joined bool) {
	at, count := map[string]int{}, map[string][2]int{}
	for side, keys := range [][]string{old, fresh} {
		for i, key := range keys {
			n := count[key]
			n[side]++
			if count[key] = n; side == 0 {
				at[key] = i
			}
		}
	}
	for j, key := range fresh {
		if key != "" && count[key] == [2]int{1, 1} {
			p.join(at[key], j)
			joined = true
		}
	}
	return joined
}
