package changes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Divider keeps kernels from being fused: an operation that no fusion crosses, or another use of a value that one writes for the next.
type Divider struct {
	Opcode string          // of the operations that no fusion crosses: "opt-barrier", a callback's target; "" for other uses of a value
	Places []hlo.Location  // of those operations
	Value  string          // what is used elsewhere, too: "tanh"
	Users  []*facts.Kernel // that read it
	Result bool            // it is a result of the program
}

// Between returns what keeps the kernels with these indices apart: barriers and callbacks that take their values, else other uses of the values. It
// is empty if the dump does not show it.
func Between(v *facts.Variant, at []int) []Divider {
	return newGap(v).between(at)
}

// gap finds what keeps kernels of one variant apart.
type gap struct {
	kernels []*facts.Kernel
	users   [][]int32
	walls   []facts.Barrier
}

func newGap(v *facts.Variant) *gap {
	kernels := pointers(v.Kernels)
	return &gap{kernels, usersOf(kernels), v.Barriers}
}

func (g *gap) between(pieces []int) []Divider {
	if walls := g.wallsBehind(pieces); len(walls) > 0 {
		return walls
	}
	var out []Divider
	for _, j := range pieces {
		if d, ok := g.otherUses(j, pieces); ok {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Divider) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(out, func(a, b Divider) bool { return a.String() == b.String() })
}

// wallsBehind returns the barriers and callbacks that take a value of the kernels, those of one kind together.
func (g *gap) wallsBehind(pieces []int) (out []Divider) {
	for i := range g.walls {
		w := &g.walls[i]
		behind := func(op facts.Op) bool {
			return slices.ContainsFunc(pieces, func(j int) bool { return makes(g.kernels[j], &op) })
		}
		if !slices.ContainsFunc(w.Inputs, behind) {
			continue
		}
		at := slices.IndexFunc(out, func(d Divider) bool { return d.Opcode == w.Opcode })
		if at < 0 {
			at, out = len(out), append(out, Divider{Opcode: w.Opcode})
		}
		if w.Source.File != "" && !slices.Contains(out[at].Places, line(w.Source)) {
			out[at].Places = append(out[at].Places, line(w.Source))
		}
	}
	for _, d := range out {
		slices.SortFunc(d.Places, compareLines)
	}
	slices.SortFunc(out, func(a, b Divider) int { return strings.Compare(a.Opcode, b.Opcode) })
	return out
}

// makes reports whether an operation of the model is what a kernel's value is.
func makes(k *facts.Kernel, op *facts.Op) bool {
	if k.OpName == op.OpName && k.Root == op.Opcode && (k.Source.File == "" || op.Source.File == "" || sameLine(k.Source, op.Source)) {
		return true
	}
	return slices.ContainsFunc(k.Outs, func(o facts.Op) bool { return o.OpName == op.OpName && o.Opcode == op.Opcode })
}

// otherUses returns what else reads a value that one piece writes for another.
func (g *gap) otherUses(j int, pieces []int) (Divider, bool) {
	inside := func(u int32) bool { return slices.Contains(pieces, int(u)) }
	if !slices.ContainsFunc(g.users[j], inside) {
		return Divider{}, false
	}
	k := g.kernels[j]
	d := Divider{Value: cmp.Or(lastStep(k.OpName), k.Root), Result: k.Result}
	for _, u := range g.users[j] {
		if !inside(u) {
			d.Users = append(d.Users, g.kernels[u])
		}
	}
	return d, d.Result || len(d.Users) > 0
}

// wall reports whether it is an operation that no fusion crosses.
func (d Divider) wall() bool { return d.Opcode != "" }

// MarshalText returns the divider in words.
func (d Divider) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is "optimization barriers (train.py:9, train.py:12)" or "tanh is also read by sine (train.py:9), log".
func (d Divider) String() string {
	if d.wall() {
		return wallWord(d.Opcode, len(d.Places)) + inBrackets(strings.Join(phrase.Within(texts(d.Places, hlo.Location.Short), 4), ", "))
	}
	users := texts(d.Users, func(k *facts.Kernel) string { return k.Operations() + inBrackets(k.Source.Short()) })
	var parts []string
	if d.Result {
		parts = append(parts, "is a result of the program")
	}
	if len(users) > 0 {
		parts = append(parts, "is also read by "+strings.Join(phrase.Within(users, 3), ", "))
	}
	return d.Value + " " + strings.Join(parts, " and ")
}

// SplitBy says why kernels are apart: "by an optimization barrier (train.py:9)", "because tanh is also read by sine"; "" if that is not known.
func SplitBy(dividers []Divider) string {
	if len(dividers) == 0 {
		return ""
	}
	word := "because "
	if dividers[0].wall() {
		word = "by "
	}
	return word + strings.Join(phrase.Within(texts(dividers, Divider.String), 3), ", ")
}

// wallWord names operations that no fusion crosses: "an optimization barrier", "host callbacks".
func wallWord(opcode string, n int) string {
	word := opcode
	switch {
	case opcode == barrier:
		word = "optimization barrier"
	case strings.Contains(opcode, "callback"):
		word = "host callback"
	}
	switch {
	case n > 1:
		return word + "s"
	case strings.ContainsRune("aeiou", rune(word[0])):
		return "an " + word
	}
	return "a " + word
}

func lastStep(opName string) string { return opName[strings.LastIndexByte(opName, '/')+1:] }

// inBrackets is a note for the end of a phrase; "" for none.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
