package baseline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

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

// page is a program's readable file.
type page struct {
	Schema    string           `json:"schema"`
	Program   string           `json:"program"`
	Reason    string           `json:"reason,omitempty"`
	Toolchain toolchainPart    `json:"toolchain"`
	PricedOn  string           `json:"priced_on,omitempty"`
	Variants  []variantLine    `json:"variants,omitempty"`
	Arguments []argumentLine   `json:"arguments,omitempty"`
	Results   []resultLine     `json:"results,omitempty"`
	Facts     map[facts.ID]any `json:"facts"`
	Kernels   []kernelLine     `json:"dearest_kernels,omitempty"`
	LeftOut   map[string]int   `json:"left_out,omitempty"` // the number of omitted items of each bounded list
	Machine   machineLine      `json:"machine"`
	Whole     wholeLine        `json:"whole"`

	of *Program
}

type (
	toolchainPart struct {
		Framework string            `json:"framework,omitempty"`
		Backend   string            `json:"backend,omitempty"`
		Device    string            `json:"device,omitempty"`
		Versions  map[string]string `json:"versions,omitempty"`
		Flags     map[string]string `json:"flags,omitempty"`
	}
	variantLine struct {
		Signature string `json:"signature"`
		Compiles  int    `json:"compiles,omitempty"` // if it is compiled more than once
		Step      int64  `json:"step_ns,omitempty"`
	}
	argumentLine struct {
		Names    string `json:"names"`
		Bytes    int64  `json:"bytes,omitempty"`
		Aliased  bool   `json:"aliased,omitempty"`
		Donated  bool   `json:"donated,omitempty"`
		Unused   bool   `json:"unused,omitempty"`
		Layout   string `json:"layout,omitempty"`
		Sharding string `json:"sharding,omitempty"`
		Constant string `json:"constant,omitempty"`
		Count    int    `json:"count"`
	}
	resultLine struct {
		Count    int    `json:"count"`
		Split    string `json:"split,omitempty"`
		Sharding string `json:"sharding,omitempty"`
	}
	kernelLine struct {
		NS       int64    `json:"ns,omitempty"`
		Launches int64    `json:"launches"`
		Do       string   `json:"do,omitempty"`
		Kind     string   `json:"kind,omitempty"`
		Target   string   `json:"target,omitempty"`
		Out      string   `json:"out,omitempty"`
		At       []string `json:"at,omitempty"`
		Op       string   `json:"op,omitempty"`
	}
	machineLine struct {
		File   string `json:"file"`
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	wholeLine struct {
		Variants int    `json:"variants"`
		Facts    int    `json:"facts"`
		Kernels  int    `json:"kernels"`
		SHA256   string `json:"sha256,omitempty"` // see seal
	}
)

// pageOf returns what a program's readable file says.
func pageOf(p *Program, machine machineLine) *page {
	g := &page{of: p, Schema: Schema, Program: p.Name, Reason: p.Reason, PricedOn: p.Predicted.Device, LeftOut: map[string]int{}}
	g.Variants, g.Arguments, g.Results, g.Kernels = g.variants(), g.arguments(), g.results(), g.kernels()
	g.Toolchain = toolchainPart{p.Toolchain.Framework, p.Toolchain.Backend, p.Toolchain.Device, g.pairs("versions", p.Toolchain.Versions), g.pairs("flags", p.Toolchain.Flags)}
	g.Machine, g.Whole = machine, wholeLine{Variants: len(p.Variants), Facts: g.facts()}
	for _, v := range p.Variants {
		g.Whole.Kernels += len(v.Kernels)
	}
	return g
}

// document returns a value as YAML, with one line for each list item and for each summary key.
func document(v any) *yamldoc.Node {
	root := yamldoc.Of(v)
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch key, value := root.Content[i].Value, root.Content[i+1]; {
		case key == "left_out" || key == "machine" || key == lastKey:
			value.Style = yamldoc.FlowStyle
		case value.Kind == yamldoc.Sequence || key == "facts":
			for _, item := range value.Content {
				item.Style |= yamldoc.FlowStyle * yamldoc.Style(zeroOne(item.Kind != yamldoc.Scalar))
			}
		}
	}
	return root
}

// first bounds a list, and records the number of omitted items.
func first[T any](g *page, what string, list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	g.LeftOut[what] = len(list) - most
	return list[:most]
}

func (g *page) pairs(what string, values map[string]string) map[string]string {
	shown := map[string]string{}
	for _, key := range first(g, what, sortedKeys(values), maxFlags) {
		shown[key] = shortened(values[key], maxSignature)
	}
	return shown
}

func (g *page) variants() (lines []variantLine) {
	for i, v := range first(g, "variants", g.of.Variants, maxVariants) {
		l := variantLine{Signature: shortened(v.Signature, maxSignature)}
		if len(v.Modules) > 1 {
			l.Compiles = len(v.Modules)
		}
		if i < len(g.of.Predicted.Steps) {
			l.Step = g.of.Predicted.Steps[i]
		}
		lines = append(lines, l)
	}
	return lines
}

// promise holds the properties of an argument that rules check.
type promise struct {
	aliased, donated, unused   bool
	layout, sharding, constant string
}

// arguments groups the arguments with equal promises.
func (g *page) arguments() (lines []argumentLine) {
	type group struct {
		promise
		names []string
		bytes int64
	}
	var all []*group
	of, seen := map[promise]*group{}, map[promise]map[string]bool{}
	for _, v := range g.of.Variants {
		for _, a := range v.Params {
			p := promise{a.Aliased, a.Donated, a.Unused, a.Layout, cmp.Or(a.Spec, a.Sharding), a.Constant}
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
		lines = append(lines, argumentLine{
			span(a.names), a.bytes, a.aliased, a.donated, a.unused, shortened(a.layout, maxShape), shortened(a.sharding, maxName), shortened(a.constant, maxShape), len(a.names),
		})
	}
	return lines
}

// span returns the first and the last of several names.
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

// results groups the results with equal shardings.
func (g *page) results() (lines []resultLine) {
	type spread struct{ split, sharding string }
	count := map[spread]int{}
	for _, v := range g.of.Variants {
		for _, o := range v.Outputs {
			count[spread{o.Split, cmp.Or(o.Spec, o.Sharding)}]++
		}
	}
	order := slices.SortedFunc(maps.Keys(count), func(a, b spread) int {
		return cmp.Or(cmp.Compare(a.sharding, b.sharding), cmp.Compare(a.split, b.split))
	})
	for _, s := range first(g, "results", order, maxResults) {
		lines = append(lines, resultLine{count[s], shortened(s.split, maxShape), shortened(s.sharding, maxName)})
	}
	return lines
}

// facts sets the facts, one a line: one number if all variants agree, otherwise one for each. If there are too many, it omits zeros first. It
// returns their number.
func (g *page) facts() int {
	values := map[facts.ID][]any{}
	for i, v := range g.of.Variants {
		for name, n := range keptFacts(v.Facts) {
			if values[name] == nil {
				values[name] = make([]any, len(g.of.Variants))
			}
			values[name][i] = n
		}
	}
	names := sortedKeys(values)
	isZero := func(name facts.ID) bool {
		return !slices.ContainsFunc(values[name], func(n any) bool { return n != 0.0 })
	}
	if len(names) > maxFacts {
		slices.SortStableFunc(names, func(a, b facts.ID) int { return cmp.Compare(zeroOne(isZero(a)), zeroOne(isZero(b))) })
		names = first(g, "facts", names, maxFacts)
		slices.Sort(names)
	}
	g.Facts = map[facts.ID]any{}
	for _, name := range names {
		g.Facts[name] = amount(values[name])
	}
	return len(values)
}

func zeroOne(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxAmounts bounds the variants whose numbers are on one line.
const maxAmounts = 8

// amount returns a fact's values in the variants; nil for unknown ones.
func amount(values []any) any {
	if same := slices.Compact(slices.Clone(values)); len(same) == 1 {
		return same[0]
	}
	if len(values) > maxAmounts {
		different := map[any]bool{}
		for _, v := range values {
			different[v] = true
		}
		return fmt.Sprintf("%d different values in %d variants", len(different), len(values))
	}
	return values
}

// kernels sets the most expensive groups of kernels. Their prices and source lines come from Predicted, all else from the kernels.
func (g *page) kernels() (lines []kernelLine) {
	known := map[groupKey]*group{}
	for _, all := range groups(g.of) {
		known[all.key] = all
	}
	most := min(len(known), maxGroups)
	if len(known) > most {
		g.LeftOut["dearest_kernels"] = len(known) - most
	}
	shown := g.of.Predicted.Kernels
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
		lines = append(lines, kernelLine{d.NS, of.launches, of.key.Do, of.key.Kind, of.key.Target, of.key.Out, d.At, of.name.String()})
	}
	return lines
}
