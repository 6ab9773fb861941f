package changes

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Explain says how the variants of a program differ from each other: the arguments that vary, or, where all arguments are alike,
// the constants that were baked in. Variants that differ in nothing it knows give one change of kind "none".
func Explain(p *facts.Program) []ArgumentChange {
	if p == nil || len(p.Variants) < 2 {
		return nil
	}
	var out []ArgumentChange
	pairs := pairedWithFirst(p)
	changes := argumentChanges(pairs)
	out = append(out, changes...)
	if c, differ := countChange(pairs); differ {
		out = append(append(out, c), branchChange(p.Variants)...)
	}
	if len(out) == 0 {
		out = nameChanges(pairs)
	}
	out = append(out, insideChanges(alike(p.Variants))...)
	if len(out) == 0 {
		out = []ArgumentChange{resultChange(p.Variants)}
	}
	return out
}

// pairedWithFirst pairs the arguments of the first variant with those of each.
func pairedWithFirst(p *facts.Program) []arguments {
	return phrase.Map(p.Variants, func(v *facts.Variant) arguments { return pairArguments(p.Variants[0].Params, v.Params) })
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
	for _, find := range []func([]*facts.Variant) []ArgumentChange{constantChanges, unlikeChanges, constantSets} {
		if out := find(variants); len(out) > 0 {
			return out
		}
	}
	return nil
}

// countChange says which arguments not every variant has: "34 arguments are not in every compilation: opt.nu (34 arrays, 9.3 MiB)".
func countChange(pairs []arguments) (ArgumentChange, bool) {
	counts := texts(pairs, func(p arguments) string { return countInWords(p.fresh) })
	least, most := len(pairs[0].fresh), 0
	for _, p := range pairs {
		least, most = min(least, len(p.fresh)), max(most, len(p.fresh))
	}
	c, n := ArgumentChange{Kind: "count", Values: counts}, most-least
	params, unnamed := missing(pairs)
	names := treesInWords(params)
	if unnamed {
		names = slices.Sorted(maps.Keys(countOf(texts(params, made))))
	} else {
		n = max(n, len(params))
	}
	switch {
	case len(names) == 0:
	case n == 1:
		c.Detail = "1 argument is not in every compilation: " + names[0]
	default:
		c.Detail = fmt.Sprintf("%d arguments are not in every compilation: %s", n, strings.Join(phrase.Within(names, 6), ", "))
	}
	return c, !allEqual(counts)
}

// branchChange names the functions of the model that not every variant has operations in.
func branchChange(variants []*facts.Variant) []ArgumentChange {
	in, functions := map[string]int{}, []string(nil)
	for _, v := range variants {
		own := map[string]bool{}
		for i := range v.Model {
			if l := v.Model[i].Source; l.File != "" {
				own[l.NamedFunction()+" of "+path.Base(l.File)] = true
			}
		}
		if len(own) == 0 { // nothing is known of where its operations come from
			return nil
		}
		for named := range own {
			in[named]++
		}
	}
	for _, named := range slices.Sorted(maps.Keys(in)) {
		if in[named] < len(variants) {
			functions = append(functions, named)
		}
	}
	if len(functions) == 0 || len(functions) == len(in) { // it is another program altogether
		return nil
	}
	said := phrase.List(phrase.Within(functions, 3), "and") + map[bool]string{true: " has", false: " have"}[len(functions) == 1]
	return []ArgumentChange{{Kind: "static", Detail: said + " operations in some compilations only"}}
}

// countInWords counts arguments.
func countInWords[T any](params []T) string { return phrase.Some(len(params), "argument") }

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
func treesInWords(params []*facts.Parameter) []string {
	return texts(treesOf(params), func(t tree) string {
		if len(t.leaves) == 1 {
			return t.String() + " " + made(t.leaves[0])
		}
		return t.String()
	})
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
			values, last := texts(column, aspect.of), len(out)-1
			said := last >= 0 && out[last].Name == p.Name && out[last].Kind == aspect.kind // another sharding tells more than that only some calls have a mesh
			if allEqual(values) || said {
				continue
			}
			c := ArgumentChange{Name: p.Name, Kind: aspect.kind, Values: values, Detail: aspect.detail}
			if c.Kind == "shape" {
				c.Kind, c.Detail = shapeDetail(column)
			}
			out = append(out, c)
		}
	}
	return out
}

// nameChanges finds arguments that are alike but for their names, which are keys of a dictionary or fields of a state: another tree is another program.
func nameChanges(pairs []arguments) (out []ArgumentChange) {
	for i, p := range pairs[0].old {
		names := texts(pairs, func(pair arguments) string { return pair.fresh[pair.now[i]].Name })
		if !allEqual(names) {
			out = append(out, ArgumentChange{Name: p.Name, Kind: "name", Values: names, Detail: "another key or field"})
		}
	}
	return out
}

// aspects are what may differ in an argument.
var aspects = []struct {
	kind, detail string
	of           func(facts.Parameter) string
}{
	{kind: "shape", of: func(p facts.Parameter) string { return p.Shape }},
	{"constant", "a must-be-constant argument", func(p facts.Parameter) string { return p.Constant }},
	{"layout", "layout", func(p facts.Parameter) string { return cmp.Or(p.Layout, "none") }},
	{"sharding", "sharding", func(p facts.Parameter) string { return cmp.Or(p.Spec, p.Sharding, "none") }},
	{"sharding", "on a mesh in some calls only", func(p facts.Parameter) string {
		if p.Given == "" {
			return "on no mesh"
		}
		return PrintedSharding(&p)
	}},
	{"donation", "donated or not", donation},
}

func donation(p facts.Parameter) string {
	if p.Aliased || p.Donated {
		return "donated"
	}
	return "not donated"
}

// shapeDetail says whether types, ranks or dimensions vary: "dimension 0: 8, 16, 24".
func shapeDetail(column []facts.Parameter) (kind, detail string) {
	if !allEqual(texts(column, func(p facts.Parameter) string { return hlo.ShapeText(p.Shape).Type() })) {
		return "dtype", "dtype"
	}
	if !allEqual(texts(column, func(p facts.Parameter) string { return strconv.Itoa(len(hlo.ShapeText(p.Shape).Dims())) })) {
		return "shape", "rank"
	}
	var out []string
	for d := range hlo.ShapeText(column[0].Shape).Dims() {
		values := texts(column, func(p facts.Parameter) string { return hlo.ShapeText(p.Shape).Dims()[d] })
		if !allEqual(values) {
			out = append(out, fmt.Sprintf("dimension %d: %s", d, strings.Join(phrase.Within(AddNew(nil, values...), 8), ", ")))
		}
	}
	return "shape", strings.Join(out, "; ")
}

func texts[T any](list []T, of func(T) string) (out []string) {
	for _, item := range list {
		out = append(out, of(item))
	}
	return out
}

func allEqual(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return v != values[0] })
}

// constantChanges finds closed-over and static values: constants at the same place of every variant with different values. One
// that many operations use, a learning rate, is one change.
func constantChanges(variants []*facts.Variant) []ArgumentChange {
	var out []ArgumentChange
	var uses []int
	lineUp := func(a, b facts.Constant) bool {
		return a.Shape == b.Shape && (a.OpName == b.OpName || a.OpName == "" || b.OpName == "")
	}
	for i, c := range variants[0].Constants {
		values := []string{c.Value}
		for _, v := range variants[1:] {
			if len(v.Constants) != len(variants[0].Constants) || !lineUp(c, v.Constants[i]) {
				return nil
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
	return text + inBrackets(c.Source.Short())
}

// constantSets compares programs whose constants do not line up: what each has that not all have.
func constantSets(variants []*facts.Variant) []ArgumentChange {
	valued := func(c facts.Constant) string { return c.Shape + " " + c.Value }
	count := map[string]int{}
	for _, v := range variants {
		for key := range countOf(texts(v.Constants, valued)) {
			count[key]++
		}
	}
	values := texts(variants, func(v *facts.Variant) string {
		own := texts(v.Constants, valued)
		own = slices.DeleteFunc(own, func(key string) bool { return count[key] == len(variants) })
		slices.Sort(own)
		return cmp.Or(strings.Join(phrase.First(slices.Compact(own), 3), ", "), "no extra constant")
	})
	if allEqual(values) {
		return nil
	}
	return []ArgumentChange{{Kind: "static", Values: values, Detail: "constants in the program: a static argument or a closed-over value differs"}}
}

// unlikeChanges names the operations that not every variant has: what a static argument, a must-be-constant argument or a Python
// branch decided.
func unlikeChanges(variants []*facts.Variant) []ArgumentChange {
	place, baked := "", true
	values := texts(variants, func(v *facts.Variant) string {
		for _, op := range v.Differing {
			if place == "" && op.Source.File != "" {
				place = inBrackets(op.Source.Short())
			} else if place == "" && op.OpName != "" {
				place = " in " + op.OpName
			}
		}
		baked = baked && len(v.Differing) <= 1 && (len(v.Differing) == 0 || v.Differing[0].Opcode == "constant")
		unlike := slices.DeleteFunc(slices.Clone(v.Differing), func(op facts.Op) bool { return op.Opcode == "constant" && len(v.Differing) > 1 })
		named := texts(unlike, func(op facts.Op) string {
			return strings.TrimSpace(op.Opcode + " " + strings.TrimPrefix(op.Attrs, op.Opcode+"="))
		})
		return cmp.Or(counted(named, 3), "no extra operation")
	})
	if allEqual(values) {
		return nil
	}
	if baked {
		for i := range values {
			values[i] = strings.TrimPrefix(values[i], "constant ")
		}
		values = slices.DeleteFunc(values, func(value string) bool { return value == "no extra operation" })
		return []ArgumentChange{{Kind: "static", Values: values, Detail: "a Python value is baked in; pass it as an array" + place}}
	}
	return []ArgumentChange{{Kind: "static", Values: values, Detail: "a static argument or a Python branch decides" + place}}
}

// counted lists at most so many names in order, equal ones once: "2 multiply, add".
func counted(names []string, most int) string {
	count, out := countOf(names), []string(nil)
	for _, name := range AddNew(nil, names...) {
		if n := count[name]; n > 1 {
			name = fmt.Sprintf("%d %s", n, name)
		}
		out = append(out, name)
	}
	return strings.Join(phrase.Within(out, most), ", ")
}

// resultChange tells variants whose arguments are alike apart by their results or sizes.
func resultChange(variants []*facts.Variant) ArgumentChange {
	results := texts(variants, func(v *facts.Variant) string { return v.Result })
	counts := texts(variants, func(v *facts.Variant) string {
		return fmt.Sprintf("%.0f instructions", v.Facts[facts.InstructionsBefore])
	})
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
	for _, alike := range sameChanges(p.fresh()) {
		s, change := strings.Join(phrase.First(p.namesOf(alike), 4), ", "), alike[0]
		switch {
		case change.Kind != "shape":
		case len(change.Values) <= 3:
			change.Detail = "" // the shapes show it
		case strings.HasPrefix(change.Detail, "dimension "):
			change.Values = change.Values[:1] // the others are of the sizes that the detail lists
		}
		if len(change.Values) > 0 && (change.Kind != "count" || change.Detail == "") {
			if s != "" {
				s += ": "
			}
			s += chain(change.Values)
		}
		if static := p.madeStatic(change); static != "" {
			s = static + ": " + s
		}
		switch {
		case s == "":
			s = change.Detail
		case change.Detail != "":
			s += " (" + change.Detail + ")"
		}
		out = append(out, s)
	}
	if len(p.misses) > 0 && !p.inArguments() { // JAX knows weak types, containers and static arguments, which no module has
		return phrase.First(chained(p.misses), 3)
	}
	if n := p.repeated(); n > 1 {
		same := fmt.Sprintf("the same module was compiled %s: nothing in it tells the calls apart", phrase.Times(n))
		if !p.logged && strings.Contains(p.New.Variants[0].Modules[0], ".jit_") {
			same += "; in a dump by xlagate capture, JAX says what differs"
		}
		out = append(out, same)
	}
	if len(out) == 0 {
		out = append(out, "the modules differ, but not in their arguments")
	}
	return out
}

// namesOf names the arguments that differ alike, many of one tree together.
func (p *Program) namesOf(alike []ArgumentChange) []string {
	var params []*facts.Parameter
	for _, a := range alike {
		of := slices.IndexFunc(p.New.Variants[0].Params, func(b facts.Parameter) bool { return b.Name == a.Name })
		switch {
		case a.Name == "":
		case of >= 0:
			params = append(params, &p.New.Variants[0].Params[of])
		default:
			params = append(params, &facts.Parameter{Name: a.Name})
		}
	}
	return Trees(params)
}

// missesOf lists why JAX traced a program again, as its log says it, each reason once.
func missesOf(logs *tensorflow.Logs, p *facts.Program) (reasons []string) {
	if logs == nil || p == nil {
		return nil
	}
	for _, miss := range logs.Misses {
		if miss.Program == facts.PlainName(p.Name) {
			reasons = AddNew(reasons, miss.Reason)
		}
	}
	return reasons
}

// chained tells the values of one argument together: of "n: 1 → 2" and "n: 2 → 3" it makes "n: 1 → 2 → 3".
func chained(reasons []string) []string {
	argument := func(reason string) string {
		name, values, _ := strings.Cut(reason, ": ")
		if strings.Count(values, " → ") != 1 {
			return reason
		}
		return name
	}
	return phrase.Map(phrase.Group(reasons, argument), func(of []string) string {
		if len(of) == 1 {
			return of[0]
		}
		var values []string
		for _, reason := range of {
			_, text, _ := strings.Cut(reason, ": ")
			values = append(values, strings.Split(text, " → ")...)
		}
		return argument(of[0]) + ": " + chain(values)
	})
}

// fresh leaves out of how the compilations differ what those of the old program differ in as well, unless nothing else is known.
func (p *Program) fresh() []ArgumentChange {
	if p.Old == nil {
		return p.Recompile
	}
	had := map[[2]string]bool{}
	for _, v := range p.Old.Variants {
		had[[2]string{"", countInWords(v.Params)}] = true
		for i := range v.Params {
			for _, aspect := range aspects {
				had[[2]string{v.Params[i].Name, aspect.of(v.Params[i])}] = true
			}
		}
	}
	isNew := func(c ArgumentChange) bool {
		return c.Name == "" && c.Kind != "count" || slices.ContainsFunc(c.Values, func(value string) bool { return !had[[2]string{c.Name, value}] })
	}
	more := phrase.Filter(p.Recompile, isNew)
	if len(more) == 0 && p.repeated() < 2 {
		return p.Recompile
	}
	return more
}

// repeated is how often the program compiles the same module at most.
func (p *Program) repeated() (most int) {
	for _, v := range p.New.Variants {
		most = max(most, len(v.Modules))
	}
	return most
}

// inArguments reports whether compilations differ in their arguments, not only in what is inside.
func (p *Program) inArguments() bool {
	return slices.ContainsFunc(p.fresh(), func(a ArgumentChange) bool { return a.Name != "" || a.Kind == "count" })
}

// Recalled reports whether the program is compiled again for arguments of another shape or type.
func (p *Program) Recalled() bool {
	return slices.ContainsFunc(p.fresh(), func(c ArgumentChange) bool { return c.Kind == "shape" || c.Kind == "dtype" })
}

// madeStatic names the arguments that a program took before and that its compilations now differ in: "lr is no argument any more".
func (p *Program) madeStatic(c ArgumentChange) string {
	if p.Old == nil || c.Name != "" || c.Kind != "constant" && c.Kind != "static" {
		return ""
	}
	gone := treesInWords(pairArguments(p.Old.Variants[0].Params, p.New.Variants[0].Params).gone())
	switch len(gone) {
	case 0:
		return ""
	case 1:
		return gone[0] + " is no argument any more"
	}
	return phrase.List(phrase.First(gone, 3), "and") + " are no arguments any more"
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

// chain writes the values of an argument, each once, in the order of the compiles: "f32[8,64] → f32[16,64]".
func chain(values []string) string {
	const most = 8
	values = AddNew(nil, values...)
	if len(values) > most {
		values = append(append([]string{}, values[:most]...), fmt.Sprintf("… %d more", len(values)-most))
	}
	return strings.Join(values, " → ")
}
