package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// gap answers what stands between kernels that used to be one.
type gap struct {
	kernels []facts.Kernel // the whole ledger
	users   [][]int32
	walls   []facts.Wall
}

// Between says what stands between kernels of a variant, given by their places in its ledger: a barrier or callback behind one of
// them, another reader of its value, or the program's result. It is empty where the dump does not tell.
func Between(v *facts.Variant, at []int) []string {
	return (&gap{kernels: v.Kernels, users: usersOf(v.Kernels), walls: v.Walls}).between(at)
}

func (g *gap) between(pieces []int) []string {
	out := g.wallsBehind(pieces)
	if len(out) == 0 {
		for _, j := range pieces {
			out = append(out, g.secondUsers(j, pieces)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wallsBehind lists the barriers and callbacks that take a value of the kernels, each kind once with all its lines.
func (g *gap) wallsBehind(pieces []int) []string {
	places := map[string][]string{}
	for i := range g.walls {
		w := &g.walls[i]
		behind := func(op facts.Op) bool {
			return slices.ContainsFunc(pieces, func(j int) bool { return makes(&g.kernels[j], &op) })
		}
		if slices.ContainsFunc(w.Behind, behind) {
			places[w.Opcode] = append(places[w.Opcode], placeName(w.Source))
		}
	}
	var out []string
	for opcode, at := range places {
		slices.Sort(at)
		at = slices.DeleteFunc(slices.Compact(at), func(s string) bool { return s == "" })
		word := wallWord(opcode)
		if len(at) > 1 {
			word = wallWords(opcode)
		}
		if len(at) > 0 {
			word += " (" + strings.Join(phrase.Within(at, 4), ", ") + ")"
		}
		out = append(out, word)
	}
	return out
}

func wallWords(opcode string) string {
	if opcode == barrier {
		return "optimization barriers"
	}
	if callsHost(opcode) {
		return "calls of the host (" + opcode + ")"
	}
	return opcode + "s"
}

// makes says whether an operation of the model is what a kernel's value is.
func makes(k *facts.Kernel, op *facts.Op) bool {
	if k.OpName == op.OpName && k.Root == op.Opcode && (k.Source.File == "" || op.Source.File == "" || sameLine(k.Source, op.Source)) {
		return true
	}
	return slices.ContainsFunc(k.Outs, func(o facts.Op) bool { return o.OpName == op.OpName && o.Opcode == op.Opcode })
}

func wallWord(opcode string) string {
	switch {
	case opcode == barrier:
		return "an optimization_barrier"
	case callsHost(opcode):
		return "a call of the host (" + opcode + ")"
	}
	if strings.ContainsRune("aeiou", rune(opcode[0])) {
		return "an " + opcode
	}
	return "a " + opcode
}

// secondUsers says who else reads a value that one piece hands to another.
func (g *gap) secondUsers(j int, pieces []int) []string {
	inside := func(u int32) bool { return slices.Contains(pieces, int(u)) }
	if !slices.ContainsFunc(g.users[j], inside) {
		return nil
	}
	k := &g.kernels[j]
	var out []string
	if k.Result {
		out = append(out, fmt.Sprintf("%s is a result of the program as well%s", valueOf(k), at(k.Source)))
	}
	for _, u := range g.users[j] {
		if !inside(u) && len(out) < 3 {
			out = append(out, fmt.Sprintf("%s is read by %s as well%s", valueOf(k), g.kernels[u].Operations(), at(g.kernels[u].Source)))
		}
	}
	return out
}

// valueOf names what a kernel computes, in the model's words where it has some.
func valueOf(k *facts.Kernel) string {
	if step := lastStep(k.OpName); step != "" {
		return step
	}
	return k.Root
}

func lastStep(opName string) string { return opName[strings.LastIndexByte(opName, '/')+1:] }

// at is the place of something in the model, for the end of a sentence.
func at(l hlo.Location) string {
	if l.File == "" {
		return ""
	}
	return " (" + placeName(l) + ")"
}

// placeName is "train.py:99"; "" for no place.
func placeName(l hlo.Location) string {
	if l.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", l.File[strings.LastIndexByte(l.File, '/')+1:], l.Line)
}
