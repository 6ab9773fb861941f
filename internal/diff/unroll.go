package diff

import (
	"slices"
	"strconv"

	"github.com/xlagate/xlagate/internal/facts"
)

// wiring are operations that a loop's body reads its step with, or that stand in for that once the loop is gone.
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

// unroll finds kernels of old loops that now stand several times in the program: one pairs with each, the others are its copies.
func (m *matcher) unroll() []Unroll {
	copies := map[string][]int{}
	for j := range m.fresh {
		if key := bodyKey(&m.fresh[j]); key != "" && m.toOld[j] == unpaired {
			copies[key] = append(copies[key], j)
		}
	}
	var out []Unroll
	for i := range m.old {
		k := &m.old[i]
		key := bodyKey(k)
		if m.toNew[i] != unpaired || !k.InLoop || key == "" {
			continue
		}
		found := slices.DeleteFunc(slices.Clone(copies[key]), func(j int) bool { return m.fresh[j].InLoop && m.fresh[j].Times >= k.Times && k.Times > 1 })
		if len(found) < 2 {
			continue
		}
		u := Unroll{One: *k}
		m.toNew[i] = regrouped
		for _, j := range found {
			m.toOld[j] = regrouped
			u.Copies = append(u.Copies, m.fresh[j])
		}
		delete(copies, key)
		out = append(out, u)
	}
	return out
}
