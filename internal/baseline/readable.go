package baseline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// Bounds on the lines of a readable file: it must be readable in half a minute.
const (
	maxFlags     = 15
	maxVariants  = 20
	maxArguments = 20
	maxResults   = 10
	maxFacts     = 85
)

// page builds the readable file of a program.
type page struct {
	program *Program
	leftOut map[string]int // of what is bounded, how much is not shown
}

// readable is what a program's readable file holds beside its machine file.
func readable(p *Program, machine []byte) *yamldoc.Node {
	g := &page{p, map[string]int{}}
	shown := p.Predicted
	variants, arguments, results := g.variants(), g.arguments(), g.results()
	facts, count := g.facts()
	toolchain := g.toolchain()
	return yamldoc.Map(0,
		"schema", yamldoc.Text(Schema),
		"program", yamldoc.Text(p.Name),
		"reason", yamldoc.TextOrNone(p.Reason),
		"toolchain", toolchain,
		"priced_on", yamldoc.TextOrNone(shown.Device),
		"variants", yamldoc.List(0, variants),
		"arguments", yamldoc.List(0, arguments),
		"results", yamldoc.List(0, results),
		"facts", facts,
		"dearest_kernels", yamldoc.List(0, g.kernels()),
		"left_out", counts(g.leftOut),
		"machine", yamldoc.Map(yamldoc.FlowStyle, "file", yamldoc.Text(MachineName(p.Name)), "bytes", whole(len(machine)), "sha256", yamldoc.Text(digest(machine))),
		"whole", yamldoc.Map(yamldoc.FlowStyle, "variants", whole(len(p.Variants)), "facts", whole(count), "kernels", whole(g.launches())),
	)
}

func whole(n int) *yamldoc.Node { return yamldoc.Number(float64(n)) }

// some is the number, nil for none.
func some(n int64) *yamldoc.Node {
	if n == 0 {
		return nil
	}
	return yamldoc.Number(float64(n))
}

func yes(b bool) *yamldoc.Node {
	if !b {
		return nil
	}
	return &yamldoc.Node{Kind: yamldoc.Scalar, Tag: "!!bool", Value: "true"}
}

func line(pairs ...any) *yamldoc.Node { return yamldoc.Map(yamldoc.FlowStyle, pairs...) }

func counts(n map[string]int) *yamldoc.Node {
	var pairs []any
	for _, name := range sortedKeys(n) {
		pairs = append(pairs, name, whole(n[name]))
	}
	if pairs == nil {
		return nil
	}
	return line(pairs...)
}

// first bounds a list, and notes how much of it is left out.
func first[T any](g *page, what string, list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	g.leftOut[what] = len(list) - most
	return list[:most]
}

func (g *page) launches() (n int) {
	for _, v := range g.program.Variants {
		n += len(v.Kernels)
	}
	return n
}

func (g *page) toolchain() *yamldoc.Node {
	t := g.program.Toolchain
	pairs := func(what string, values map[string]string) *yamldoc.Node {
		var list []any
		for _, key := range first(g, what, sortedKeys(values), maxFlags) {
			list = append(list, key, yamldoc.Text(shortened(values[key], maxSignature)))
		}
		if list == nil {
			return nil
		}
		return yamldoc.Map(0, list...)
	}
	return yamldoc.Map(0, "framework", yamldoc.TextOrNone(t.Framework), "backend", yamldoc.TextOrNone(t.Backend), "device", yamldoc.TextOrNone(t.Device),
		"versions", pairs("versions", t.Versions), "flags", pairs("flags", t.Flags))
}

func (g *page) variants() (lines []*yamldoc.Node) {
	for i, v := range first(g, "variants", g.program.Variants, maxVariants) {
		compiles, step := int64(0), int64(0)
		if len(v.Modules) > 1 {
			compiles = int64(len(v.Modules))
		}
		if i < len(g.program.Predicted.Steps) {
			step = g.program.Predicted.Steps[i]
		}
		lines = append(lines, line("signature", yamldoc.Text(shortened(v.Signature, maxSignature)), "compiles", some(compiles), "step_ns", some(step)))
	}
	return lines
}

// promise is what rules hold of an argument.
type promise struct {
	aliased, donated, unused         bool
	layout, sharding, spec, constant string
}

// arguments puts together the arguments of which the same is promised.
func (g *page) arguments() (lines []*yamldoc.Node) {
	type group struct {
		promise
		names []string
		bytes int64
	}
	var all []*group
	of, seen := map[promise]*group{}, map[promise]map[string]bool{}
	for _, v := range g.program.Variants {
		for _, a := range v.Params {
			p := promise{a.Aliased, a.Donated, a.Unused, a.Layout, cmp.Or(a.Spec, a.Sharding), "", a.Constant}
			if of[p] == nil {
				of[p], seen[p] = &group{promise: p}, map[string]bool{}
				all = append(all, of[p])
			}
			if !seen[p][a.Name] {
				seen[p][a.Name] = true
				of[p].names, of[p].bytes = append(of[p].names, a.Name), of[p].bytes+a.Bytes
			}
		}
	}
	for _, a := range first(g, "arguments", all, maxArguments) {
		lines = append(lines, line("names", yamldoc.Text(span(a.names)), "bytes", some(a.bytes), "aliased", yes(a.aliased), "donated", yes(a.donated), "unused", yes(a.unused),
			"layout", yamldoc.TextOrNone(shortened(a.layout, maxShape)), "sharding", yamldoc.TextOrNone(shortened(a.sharding, maxName)),
			"constant", yamldoc.TextOrNone(shortened(a.constant, maxShape)), "count", whole(len(a.names))))
	}
	return lines
}

// span names the first and the last of several.
func span(names []string) string {
	firstName, last := shortened(names[0], maxShape), shortened(names[len(names)-1], maxShape)
	switch len(names) {
	case 1:
		return firstName
	case 2:
		return firstName + ", " + last
	}
	return firstName + " … " + last
}

// results puts together the results that are spread alike over devices.
func (g *page) results() (lines []*yamldoc.Node) {
	type spread struct{ split, sharding string }
	count := map[spread]int{}
	for _, v := range g.program.Variants {
		for _, o := range v.Outputs {
			count[spread{o.Split, cmp.Or(o.Spec, o.Sharding)}]++
		}
	}
	order := slices.SortedFunc(maps.Keys(count), func(a, b spread) int {
		return cmp.Or(cmp.Compare(a.sharding, b.sharding), cmp.Compare(a.split, b.split))
	})
	for _, s := range first(g, "results", order, maxResults) {
		lines = append(lines, line("count", whole(count[s]), "split", yamldoc.TextOrNone(shortened(s.split, maxShape)), "sharding", yamldoc.TextOrNone(shortened(s.sharding, maxName))))
	}
	return lines
}

// facts are one a line: a number where all variants agree, otherwise one for each. Where there is no room, zeros are left out first.
func (g *page) facts() (*yamldoc.Node, int) {
	values := map[facts.ID][]string{}
	for i, v := range g.program.Variants {
		for name, n := range keptFacts(v.Facts) {
			if values[name] == nil {
				values[name] = make([]string, len(g.program.Variants))
			}
			values[name][i] = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	names := sortedKeys(values)
	isZero := func(name facts.ID) bool {
		return !slices.ContainsFunc(values[name], func(n string) bool { return n != "0" })
	}
	if len(names) > maxFacts {
		slices.SortStableFunc(names, func(a, b facts.ID) int { return cmp.Compare(zeroOne(isZero(a)), zeroOne(isZero(b))) })
		names = first(g, "facts", names, maxFacts)
		slices.Sort(names)
	}
	var pairs []any
	for _, name := range names {
		pairs = append(pairs, string(name), amount(values[name]))
	}
	return yamldoc.Map(0, pairs...), len(values)
}

func zeroOne(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxAmounts bounds how many variants' numbers stand on one line.
const maxAmounts = 8

// amount is what a fact is in each variant; "" where it is not known.
func amount(values []string) *yamldoc.Node {
	scalar := func(text string) *yamldoc.Node {
		if text == "" {
			return &yamldoc.Node{Kind: yamldoc.Scalar, Tag: "!!null", Value: "null"}
		}
		n := &yamldoc.Node{Kind: yamldoc.Scalar, Value: text}
		n.Tag = n.ShortTag()
		return n
	}
	if same := slices.Compact(slices.Clone(values)); len(same) == 1 {
		return scalar(same[0])
	}
	if len(values) > maxAmounts {
		return yamldoc.Text(fmt.Sprintf("%d different values in %d variants", len(slices.Compact(slices.Sorted(slices.Values(values)))), len(values)))
	}
	var list []*yamldoc.Node
	for _, text := range values {
		list = append(list, scalar(text))
	}
	return yamldoc.List(yamldoc.FlowStyle, list)
}

// kernels shows the dearest groups of kernels. What is said of them comes from the kernels; their price and place do not.
func (g *page) kernels() (lines []*yamldoc.Node) {
	known := map[groupKey]*group{}
	for _, all := range groups(g.program) {
		known[all.key] = all
	}
	most := min(len(known), maxGroups)
	if len(known) > most {
		g.leftOut["dearest_kernels"] = len(known) - most
	}
	shown := g.program.Predicted.Kernels
	for i := range max(most, len(shown)) {
		var d Dearest
		if i < len(shown) {
			d = shown[i]
		}
		of := known[d.Key]
		if of == nil || i >= most {
			of = &group{name: nameOf("")} // there is no such group
		}
		delete(known, d.Key)
		var at []*yamldoc.Node
		for _, place := range d.At {
			at = append(at, yamldoc.Text(place))
		}
		lines = append(lines, line("ns", some(d.NS), "launches", yamldoc.Number(float64(of.launches)), "do", yamldoc.TextOrNone(of.key.do), "kind", yamldoc.TextOrNone(of.key.kind),
			"target", yamldoc.TextOrNone(of.key.target), "out", yamldoc.TextOrNone(of.key.out), "at", yamldoc.List(yamldoc.FlowStyle, at), "op", yamldoc.TextOrNone(of.name.String())))
	}
	return lines
}
