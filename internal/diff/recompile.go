package diff

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Explain says how the variants of a program differ from each other: the arguments that vary, or, where all arguments are alike,
// the constants that were baked in. Variants that differ in nothing it knows give one change of kind "none".
func Explain(p *facts.Program) []ArgumentChange {
	if p == nil || len(p.Variants) < 2 {
		return nil
	}
	var out []ArgumentChange
	var pairs []arguments // of the first variant with each
	for _, v := range p.Variants {
		pairs = append(pairs, pairArguments(p.Variants[0].Params, v.Params))
	}
	changes := argumentChanges(pairs)
	out = append(out, changes...)
	if c, differ := countChange(pairs); differ {
		out = append(out, c)
	}
	if len(changes) == 0 {
		out = append(out, insideChanges(alike(p.Variants))...)
	}
	if len(out) == 0 {
		out = []ArgumentChange{resultChange(p.Variants)}
	}
	return out
}

// alike are the variants that share their arguments with most others. The first step of a run may have fewer than all that follow, which
// does not say why those differ from each other.
func alike(variants []*facts.Variant) (most []*facts.Variant) {
	bySignature := map[string][]*facts.Variant{}
	for _, v := range variants {
		bySignature[v.Signature] = append(bySignature[v.Signature], v)
		if len(bySignature[v.Signature]) > len(most) {
			most = bySignature[v.Signature]
		}
	}
	return most
}

// insideChanges says what differs inside variants whose arguments are alike.
func insideChanges(variants []*facts.Variant) []ArgumentChange {
	if len(variants) < 2 {
		return nil
	}
	if out := constantChanges(variants); len(out) > 0 {
		return out
	}
	return unlikeChanges(variants)
}

// countChange says which arguments not every variant has: "34 arguments are not in every compile: opt.nu (34 arrays, 9.3 MiB)".
func countChange(pairs []arguments) (ArgumentChange, bool) {
	var counts []string
	least, most := len(pairs[0].fresh), 0
	for _, p := range pairs {
		counts = append(counts, phrase.Some(len(p.fresh), "argument"))
		least, most = min(least, len(p.fresh)), max(most, len(p.fresh))
	}
	c, n := ArgumentChange{Kind: "count", Values: counts}, most-least
	params, unnamed := missing(pairs)
	names := treesInWords(params)
	if unnamed {
		names = nil
		for _, p := range params {
			names = AddNewLine(names, made(p))
		}
		slices.Sort(names)
	} else {
		n = max(n, len(params))
	}
	switch {
	case len(names) == 0:
	case n == 1:
		c.Detail = "1 argument is not in every compile: " + names[0]
	default:
		c.Detail = fmt.Sprintf("%d arguments are not in every compile: %s", n, strings.Join(phrase.Within(names, 6), ", "))
	}
	return c, !allEqual(counts)
}

// missing lists the arguments that not every variant has, each name once; unnamed where names only count them.
func missing(pairs []arguments) (params []*facts.Parameter, unnamed bool) {
	seen := map[string]bool{}
	for _, p := range pairs {
		for _, a := range slices.Concat(p.gone(), p.added()) {
			if unnamed = p.unnamed; unnamed || !seen[a.Name] {
				seen[a.Name], params = true, append(params, a)
			}
		}
	}
	return params, unnamed
}

// treesInWords names arguments with what they hold: "seed u32[2]", "opt.nu (34 arrays, 9.3 MiB)".
func treesInWords(params []*facts.Parameter) (names []string) {
	for _, t := range treesOf(params) {
		name := t.String()
		if len(t.leaves) == 1 {
			name += " " + made(t.leaves[0])
		}
		names = append(names, name)
	}
	return names
}

// argumentChanges follows every argument of the first variant through all that have it.
func argumentChanges(pairs []arguments) (out []ArgumentChange) {
	for i, p := range pairs[0].old {
		var column []facts.Parameter
		for _, pair := range pairs {
			if j := pair.now[i]; j >= 0 {
				column = append(column, *pair.fresh[j])
			}
		}
		if len(column) < len(pairs) {
			continue
		}
		for _, aspect := range aspects {
			values := project(column, aspect.of)
			if !allEqual(values) {
				out = append(out, ArgumentChange{Name: p.Name, Kind: aspect.kind(column), Values: values, Detail: aspect.detail(column)})
			}
		}
	}
	return out
}

// aspects are what may differ in an argument.
var aspects = []struct {
	of     func(facts.Parameter) string
	kind   func([]facts.Parameter) string
	detail func([]facts.Parameter) string
}{
	{func(p facts.Parameter) string { return p.Shape }, shapeKind, dimensionDetail},
	{func(p facts.Parameter) string { return p.Constant }, always("constant"), always("a must-be-constant argument")},
	{func(p facts.Parameter) string { return cmp.Or(p.Layout, "none") }, always("layout"), always("layout")},
	{func(p facts.Parameter) string { return cmp.Or(p.Sharding, "none") }, always("sharding"), always("sharding")},
	{donation, always("donation"), always("donated or not")},
}

func always(text string) func([]facts.Parameter) string {
	return func([]facts.Parameter) string { return text }
}

func donation(p facts.Parameter) string {
	if p.Aliased || p.Donated {
		return "donated"
	}
	return "not donated"
}

func shapeKind(column []facts.Parameter) string {
	dtype := func(p facts.Parameter) string { return hlo.ShapeText(p.Shape).Type() }
	if !allEqual(project(column, dtype)) {
		return "dtype"
	}
	return "shape"
}

// dimensionDetail names the dimensions that vary: "dimension 0: 8, 16, 24".
func dimensionDetail(column []facts.Parameter) string {
	if shapeKind(column) == "dtype" {
		return "dtype"
	}
	var all [][]string
	for _, p := range column {
		all = append(all, hlo.ShapeText(p.Shape).Dims())
		if len(all[len(all)-1]) != len(all[0]) {
			return "rank"
		}
	}
	var out []string
	for d := range all[0] {
		var values []string
		for _, dims := range all {
			values = append(values, dims[d])
		}
		if !allEqual(values) {
			out = append(out, fmt.Sprintf("dimension %d: %s", d, strings.Join(phrase.Within(values, 8), ", ")))
		}
	}
	return strings.Join(out, "; ")
}

func project(column []facts.Parameter, of func(facts.Parameter) string) []string {
	var values []string
	for _, p := range column {
		values = append(values, of(p))
	}
	return values
}

func allEqual(values []string) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// constantChanges finds closed-over and static values: constants that stand at the same place of every variant with different values. One
// that many operations use, a learning rate, is one change.
func constantChanges(variants []*facts.Variant) []ArgumentChange {
	var out []ArgumentChange
	var uses []int
	for i, c := range variants[0].Constants {
		values := []string{c.Value}
		for _, v := range variants[1:] {
			if i >= len(v.Constants) || v.Constants[i].Shape != c.Shape {
				return constantSets(variants)
			}
			values = append(values, v.Constants[i].Value)
		}
		if allEqual(values) {
			continue
		}
		if at := slices.IndexFunc(out, func(ch ArgumentChange) bool { return slices.Equal(ch.Values, values) }); at >= 0 {
			uses[at]++
			continue
		}
		out, uses = append(out, ArgumentChange{Kind: "constant", Values: values, Detail: constantDetail(c)}), append(uses, 0)
	}
	if len(out) == 0 && slices.ContainsFunc(variants, func(v *facts.Variant) bool { return len(v.Constants) != len(variants[0].Constants) }) {
		return constantSets(variants)
	}
	for i, more := range uses {
		if more > 0 {
			out[i].Detail += fmt.Sprintf(", and in %s", phrase.Counted(float64(more), "", "more places"))
		}
	}
	return out
}

func constantDetail(c facts.Constant) string {
	text := "a static value or closed-over constant " + c.Shape
	if c.OpName != "" {
		text += " of " + c.OpName
	}
	if c.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", path.Base(c.Source.File), c.Source.Line)
	}
	return text
}

// constantSets compares programs whose constants do not line up: what each has that not all have.
func constantSets(variants []*facts.Variant) []ArgumentChange {
	count := map[string]int{}
	for _, v := range variants {
		for key := range valuesOf(v) {
			count[key]++
		}
	}
	var values []string
	for _, v := range variants {
		var own []string
		for key := range valuesOf(v) {
			if count[key] < len(variants) {
				own = append(own, key)
			}
		}
		slices.Sort(own)
		values = append(values, strings.Join(own[:min(len(own), 3)], " "))
	}
	if allEqual(values) {
		return nil
	}
	for i, v := range values {
		if v == "" {
			values[i] = "none of these"
		}
	}
	return []ArgumentChange{{Kind: "static", Values: values, Detail: "constants in the program: a static argument or a closed-over value differs"}}
}

// unlikeChanges names the operations that not every variant has: what a static argument, a must-be-constant argument or a Python
// branch decided.
func unlikeChanges(variants []*facts.Variant) []ArgumentChange {
	change := ArgumentChange{Kind: "static", Detail: "a static argument or a Python branch decides"}
	place := ""
	for _, v := range variants {
		var own []string
		for _, op := range v.Unlike[:min(len(v.Unlike), 3)] {
			own = append(own, strings.TrimSpace(op.Opcode+" "+op.Attrs))
			if place == "" && op.Source.File != "" {
				place = fmt.Sprintf(" (%s:%d)", path.Base(op.Source.File), op.Source.Line)
			} else if place == "" && op.OpName != "" {
				place = " in " + op.OpName
			}
		}
		if len(own) == 0 {
			own = []string{"none of these"}
		}
		change.Values = append(change.Values, strings.Join(own, ", "))
	}
	if allEqual(change.Values) {
		return nil
	}
	change.Detail += place
	return []ArgumentChange{change}
}

func valuesOf(v *facts.Variant) map[string]bool {
	set := map[string]bool{}
	for _, c := range v.Constants {
		set[c.Shape+" "+c.Value] = true
	}
	return set
}

func resultChange(variants []*facts.Variant) ArgumentChange {
	var results, counts []string
	for _, v := range variants {
		results = append(results, v.Result)
		counts = append(counts, fmt.Sprintf("%.0f instructions", v.Facts[facts.InstructionsBefore]))
	}
	switch {
	case !allEqual(results):
		return ArgumentChange{Kind: "static", Values: results, Detail: "the arguments are alike, the results are not: a static argument differs"}
	case !allEqual(counts):
		return ArgumentChange{Kind: "static", Values: counts, Detail: "the arguments are alike, the programs are not: a static argument or a Python branch differs"}
	}
	return ArgumentChange{Kind: "none", Detail: "the arguments are alike; the programs differ inside"}
}

// Differences says what differs from compile to compile of the program, arguments that differ alike in one sentence.
func (p *Program) Differences() []string {
	var out []string
	for _, alike := range sameChanges(p.Recompile) {
		var names []string
		for _, a := range alike {
			if a.Name != "" {
				names = append(names, a.Name)
			}
		}
		s, change := strings.Join(phrase.First(names, 4), ", "), alike[0]
		if len(change.Values) > 0 && (change.Kind != "count" || change.Detail == "") {
			if s != "" {
				s += ": "
			}
			s += chain(change.Values)
		}
		switch {
		case s == "":
			s = change.Detail
		case change.Detail != "":
			s += " (" + change.Detail + ")"
		}
		out = append(out, s)
	}
	for _, v := range p.New.Variants {
		if n := len(v.Modules); n > 1 {
			out = append(out, fmt.Sprintf("the same module was compiled %d times (%s): the function is created anew for every call, a static argument that the program does not use differs, or an argument's type is weak only sometimes", n, strings.Join(v.Modules, ", ")))
		}
	}
	if len(out) == 0 {
		out = append(out, "the modules differ, but not in their arguments")
	}
	return out
}

// sameChanges puts together what changed alike, in the order of the first.
func sameChanges(changes []ArgumentChange) (groups [][]ArgumentChange) {
	at := map[string]int{}
	for _, a := range changes {
		key := strings.Join(append([]string{a.Kind, a.Detail}, a.Values...), "\x00")
		i, seen := at[key]
		if !seen {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}

// chain writes the values of an argument in the order of the compiles: "f32[8,64] → f32[16,64]".
func chain(values []string) string {
	const most = 8
	if len(values) > most {
		values = append(append([]string{}, values[:most]...), fmt.Sprintf("… %d more", len(values)-most))
	}
	return strings.Join(values, " → ")
}
