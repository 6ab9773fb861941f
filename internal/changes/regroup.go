package changes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// regroup finds kernels that were split into several, and several that were merged into one.
func (m *matcher) regroup(fresh *facts.Variant) (split, merged []Regroup) {
	split = regroupSide(newSide(m.old, m.now), newSide(m.fresh, m.was))
	g := newGap(fresh)
	for i := range split {
		split[i].Between = g.between(split[i].at)
	}
	return split, regroupSide(newSide(m.fresh, m.was), newSide(m.old, m.now))
}

// side is one list of kernels, with what became of its kernels.
type side struct {
	kernels   []*facts.Kernel
	paired    []int
	connected bool
	byScope   map[string][]int // unpaired kernels that compute something, by their op_name without its last step
	byRegion  map[string][]int // the same, by the outer part of their op_name
}

func newSide(kernels []*facts.Kernel, paired []int) *side {
	s := &side{kernels: kernels, paired: paired, connected: connected(kernels), byScope: map[string][]int{}, byRegion: map[string][]int{}}
	for i := range kernels {
		if k := kernels[i]; s.free(i) && len(k.Do) > 0 {
			scope := scopeOf(k.OpName)
			s.byScope[scope] = append(s.byScope[scope], i)
			s.byRegion[regionOf(scope)] = append(s.byRegion[regionOf(scope)], i)
		}
	}
	return s
}

// free reports whether a kernel may still become a piece.
func (s *side) free(i int) bool { return s.paired[i] == unpaired && s.kernels[i].Class.Computes() }

// regionOf is the outer part of a scope: "jit(step)/layer0" of "jit(step)/layer0/mlp". Pieces of one kernel stay in one region.
// Functions that are jitted inside are no regions of their own.
func regionOf(scope string) string {
	outer, rest, _ := strings.Cut(scope, "/")
	for rest != "" {
		var step string
		if step, rest, _ = strings.Cut(rest, "/"); !strings.HasPrefix(step, "jit(") {
			return outer + "/" + step
		}
	}
	return outer
}

// regroupSide looks for kernels of one side that several kernels of the other side share out among them. It takes only kernels that are not paired.
func regroupSide(ones, others *side) []Regroup {
	var wholes []int
	for i := range ones.kernels {
		if ones.paired[i] == unpaired && ones.kernels[i].Do.Len() > 1 && ones.kernels[i].Class.Computes() {
			wholes = append(wholes, i)
		}
	}
	slices.SortStableFunc(wholes, func(a, b int) int { return cmp.Compare(ones.kernels[b].Do.Len(), ones.kernels[a].Do.Len()) }) // the fullest first
	var out []Regroup
	for _, i := range wholes {
		whole := ones.kernels[i]
		pieces := others.apart(whole)
		if len(pieces) < 2 {
			continue
		}
		g := Regroup{One: *whole, one: i, at: pieces}
		ones.paired[i] = regrouped
		for _, j := range pieces {
			others.paired[j] = regrouped
			g.Many = append(g.Many, *others.kernels[j])
		}
		out = append(out, g)
	}
	return out
}

// bounds that keep the search near linear
const (
	maxTries      = 8    // kernels that are tried as the last piece of one whole
	maxCandidates = 1024 // kernels of a region among which pieces are looked for; in a larger one, those of the same scope
)

// apart finds the pieces of a kernel: along the values between them if these are known, else by
// their place in the model.
func (s *side) apart(whole *facts.Kernel) []int {
	candidates := s.candidates(whole)
	if pieces := s.along(whole, candidates); pieces != nil {
		return pieces
	}
	return s.shareOut(whole, candidates)
}

// along tries kernels that may have written what the whole wrote as its last piece.
func (s *side) along(whole *facts.Kernel, lasts []int) []int {
	tries := 0
	for _, j := range lasts {
		k := s.kernels[j]
		if !s.connected || tries == maxTries {
			return nil
		}
		if s.free(j) && k.Out == whole.Out && (k.OpName == whole.OpName || k.Root == whole.Root) {
			tries++
			if pieces := s.upstream(whole, j); pieces != nil {
				return pieces
			}
		}
	}
	return nil
}

// candidates are the free kernels in the whole's region of the model, and those that the model has no name for, the nearest to the
// whole first.
func (s *side) candidates(whole *facts.Kernel) []int {
	scope := scopeOf(whole.OpName)
	list := slices.Clone(s.byRegion[regionOf(scope)])
	if len(list) > maxCandidates {
		list = slices.Clone(s.byScope[scope])
	}
	if scope != "" {
		list = append(list, s.byRegion[""]...)
	}
	list = slices.DeleteFunc(list, func(j int) bool { return !s.free(j) })
	list = list[:min(len(list), maxCandidates)]
	near := make(map[int]int, len(list))
	for _, j := range list {
		near[j] = shared(s.kernels[j].OpName, whole.OpName)
	}
	slices.SortStableFunc(list, func(a, b int) int { return near[b] - near[a] })
	return list
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// upstream collects the pieces that lead to the last piece. It follows the values that a piece reads, and takes only kernels all of whose operations are still
// left of the whole.
func (s *side) upstream(whole *facts.Kernel, last int) []int {
	p := &pieces{left: timesOf(whole.Do)}
	if !p.take(last, s.kernels[last].Do) {
		return nil
	}
	for next := 0; next < len(p.chosen); next++ {
		for _, from := range s.kernels[p.chosen[next]].From {
			if j := int(from); s.free(j) && !slices.Contains(p.chosen, j) {
				p.take(j, s.kernels[j].Do)
			}
		}
	}
	return p.enough(whole)
}

// shareOut picks kernels that each do part of what the whole did, the nearest first, until nothing is left of it.
func (s *side) shareOut(whole *facts.Kernel, candidates []int) []int {
	p := &pieces{left: timesOf(whole.Do)}
	for _, j := range candidates {
		if p.covered == whole.Do.Len() {
			return p.enough(whole)
		}
		p.take(j, s.kernels[j].Do)
	}
	return p.most(whole)
}

// pieces are the kernels chosen so far for one whole.
type pieces struct {
	left    map[string]int
	chosen  []int
	covered int
}

// take chooses a kernel when the whole has all of its operations left.
func (p *pieces) take(j int, do facts.Opcodes) bool {
	count := timesOf(do)
	for op, n := range count {
		if p.left[op] < n {
			return false
		}
	}
	for op, n := range count {
		p.left[op] -= n
	}
	p.covered += do.Len()
	p.chosen = append(p.chosen, j)
	return true
}

// enough is the choice in the order of the list, if half of the whole was found again: less is a coincidence.
func (p *pieces) enough(whole *facts.Kernel) []int {
	if 2*p.covered < whole.Do.Len() || len(p.chosen) < 2 {
		return nil
	}
	slices.Sort(p.chosen)
	return p.chosen
}

// most is enough for pieces that only the model's names connect: three quarters of the whole.
func (p *pieces) most(whole *facts.Kernel) []int {
	if 4*p.covered < 3*whole.Do.Len() {
		return nil
	}
	return p.enough(whole)
}

func timesOf(do facts.Opcodes) map[string]int {
	count := make(map[string]int, len(do))
	for _, op := range do {
		count[op.Opcode] += op.Times
	}
	return count
}

func countOf(list []string) map[string]int {
	count := make(map[string]int, len(list))
	for _, s := range list {
		count[s]++
	}
	return count
}

// wiring are operations that only move data: those of a loop's body that read its step, and what replaces them without the loop.
var wiring = map[string]bool{
	"dynamic-slice": true, "slice": true, "dynamic-update-slice": true, "copy": true, "concatenate": true, "transpose": true,
	"bitcast": true, "broadcast": true, "reshape": true, "pad": true,
}

// bodyKey is what a kernel of a loop's body shares with its copies after unrolling; "" for what only wires the loop.
func bodyKey(k *facts.Kernel) string {
	ops := slices.Clone(k.Do)
	ops = slices.DeleteFunc(ops, func(op facts.OpcodeTimes) bool { return wiring[op.Opcode] })
	if len(ops) == 0 || k.Class == facts.ClassControl {
		return ""
	}
	return strconv.Itoa(int(k.Class)) + k.Target + "\x00" + ops.String() + "\x00" + k.Out
}

// unroll finds kernels of old loops that are in the new program several times. Equal kernels of old loops share the copies: of 4 products in a body, each
// is there 4 times if 16 are new. A loop that runs as often as before is not unrolled.
func (m *matcher) unroll() []Regroup {
	copies, runs := map[string][]int{}, map[string]int64{} // how often kernels of a loop run
	loops := map[string]int{}                              // by name, how many are gone
	for _, k := range m.old {
		loops[k.OpName] += int(Flag(k.Class == facts.ClassControl))
	}
	for j := range m.fresh {
		k := m.fresh[j]
		if loops[k.OpName] -= int(Flag(k.Class == facts.ClassControl)); k.InLoop {
			runs[k.Loop] = max(runs[k.Loop], k.Times)
		}
		if key := bodyKey(m.fresh[j]); key != "" && m.was[j] == unpaired {
			copies[key] = append(copies[key], j)
		}
	}
	inLoops, order := map[string][]int{}, []string{}
	for i, k := range m.old {
		key := bodyKey(k)
		if m.now[i] != unpaired || !k.InLoop || key == "" || loops[k.Loop] <= 0 && runs[k.Loop] >= k.Times {
			continue
		}
		if inLoops[key] == nil {
			order = append(order, key)
		}
		inLoops[key] = append(inLoops[key], i)
	}
	var out []Regroup
	for _, key := range order {
		ones := inLoops[key]
		times := m.old[ones[0]].Times
		found := slices.DeleteFunc(copies[key], func(j int) bool { return m.fresh[j].InLoop && m.fresh[j].Times >= times && times > 1 })
		share := len(found) / len(ones)
		if share < 2 {
			continue
		}
		for n, i := range ones {
			var at []int
			for c := n; c < len(found); c += len(ones) { // the copies of a body follow one another
				at = append(at, found[c])
			}
			u := Regroup{One: *m.old[i], one: i, at: at}
			m.now[i] = regrouped
			for _, j := range at {
				m.was[j] = regrouped
				u.Many = append(u.Many, *m.fresh[j])
			}
			out = append(out, u)
		}
	}
	return out
}
