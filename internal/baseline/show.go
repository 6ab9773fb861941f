package baseline

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Bounds on the lines that a reviewer is shown of a program.
const (
	mostVariants  = 20
	mostArguments = 20
	mostKernels   = 20
	mostLetters   = 80 // of one text
)

// Show prints what was accepted of a program as a reviewer reads it: what it takes, its numbers, and the kernels that take longest.
func Show(out io.Writer, target string, p *Program) error {
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s/%s\n", target, p.Name)
	words := slices.DeleteFunc([]string{p.Toolchain.Framework, p.Toolchain.Backend, p.Toolchain.Device}, func(s string) bool { return s == "" })
	for _, list := range []struct {
		title string
		pairs []string
	}{
		{"toolchain", slices.Concat(words, assigned(p.Toolchain.Versions), assigned(p.Toolchain.Libraries))},
		{"flags", assigned(p.Toolchain.Flags)}, {"accepted because", p.Reasons},
	} {
		if text := strings.Join(list.pairs, ", "); text != "" {
			fmt.Fprintf(t, "  %s: %s\n", list.title, text)
		}
	}
	for _, c := range p.Ceilings {
		fmt.Fprintf(t, "  allowed besides: %s %s (%s)\n", c.Change, c.Title, c.Reason)
		for _, most := range c.Most {
			_, subject, _ := strings.Cut(most.Limit, " ")
			fmt.Fprintf(t, "    %s\n", strings.TrimSpace(most.Program+" "+most.Limit+": "+phrase.Show(most.Amount, facts.About(facts.ID(subject)).Unit)))
		}
	}
	for _, v := range p.Variants[:min(len(p.Variants), mostVariants)] {
		fmt.Fprintf(t, "\n  %s\n", short(v.Signature, 2*mostLetters))
		if len(v.Modules) > 1 {
			fmt.Fprintf(t, "  compiled %d times\n", len(v.Modules))
		}
		showArguments(t, v.Params)
		fmt.Fprintf(t, "  facts\n")
		for _, id := range sortedKeys(v.Facts) {
			if n := v.Facts[id]; n != 0 {
				fmt.Fprintf(t, "    %s\t%s\n", id, phrase.Show(n, facts.About(id).Unit))
			}
		}
		showKernels(t, v)
	}
	if more := len(p.Variants) - mostVariants; more > 0 {
		fmt.Fprintf(t, "\n  and %s\n", phrase.Some(more, "more variant"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	// A pull request wrote the file: a reason with U+202E would turn the rest of its line around.
	_, err := out.Write(bytes.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text.Bytes()))
	return err
}

func assigned(values map[string]string) []string {
	return phrase.Map(sortedKeys(values), func(name string) string { return name + " " + values[name] })
}

// showArguments prints the arguments, those that are alike on one line.
func showArguments(t io.Writer, params []facts.Parameter) {
	if len(params) > 0 {
		fmt.Fprintf(t, "  arguments\n")
	}
	groups := phrase.Group(params, describeArgument)
	for _, alike := range groups[:min(len(groups), mostArguments)] {
		var bytes int64
		for _, p := range alike {
			bytes += p.Bytes
		}
		names := phrase.Map(alike, func(p facts.Parameter) string { return short(p.Name, mostLetters) })
		text := strings.Join(names, ", ")
		if len(names) > 3 {
			text = fmt.Sprintf("%s … %s (%d)", names[0], names[len(names)-1], len(names))
		}
		fmt.Fprintf(t, "    %s\t%s\t%s\n", text, phrase.Bytes(float64(bytes)), describeArgument(alike[0]))
	}
}

// describeArgument says everything about an argument but its name and size.
func describeArgument(p facts.Parameter) string {
	var words []string
	for _, word := range []struct {
		is   bool
		text string
	}{
		{p.Aliased, "updated in place"}, {p.Donated, "donated, but of no use"}, {p.Unused, "unused"}, {p.Layout != "", "layout " + p.Layout},
		{p.Spec != "", p.Spec}, {p.Spec == "" && p.Sharding != "", "sharding " + p.Sharding}, {p.Constant != "", "always " + p.Constant},
	} {
		if word.is {
			words = append(words, short(word.text, mostLetters))
		}
	}
	return strings.Join(words, ", ")
}

// showKernels prints the kernels that take longest; without prices, those that move the most bytes.
func showKernels(t io.Writer, v *facts.Variant) {
	type group struct {
		does      string
		launches  float64
		ns, bytes float64
		names     []string
	}
	var times []facts.Priced
	if v.Device != nil && v.WorkVersion != 0 {
		times = v.Prices(v.Device)
	}
	groups := map[string]*group{}
	var order []*group
	for i := range v.Kernels {
		k := &v.Kernels[i]
		does := fmt.Sprintf("%s\t%s\t%s", short(strings.Join(k.Do.Folded(), " "), mostLetters), cmp.Or(k.Target, k.Kind), short(k.Out, mostLetters))
		g := groups[does]
		if g == nil {
			g = &group{does: does}
			groups[does], order = g, append(order, g)
		}
		runs := float64(max(1, k.Times) * max(1, k.Guess))
		g.launches, g.bytes = g.launches+runs, g.bytes+runs*float64(k.Bytes)
		if times != nil {
			g.ns += times[i].NS()
		}
		if k.OpName != "" && !slices.Contains(g.names, k.OpName) {
			g.names = append(g.names, k.OpName)
		}
	}
	slices.SortStableFunc(order, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(b.bytes, a.bytes), strings.Compare(a.does, b.does))
	})
	if len(order) > 0 {
		fmt.Fprintf(t, "  kernels\n")
	}
	for _, g := range order[:min(len(order), mostKernels)] {
		cost, name := phrase.Bytes(g.bytes), ""
		if times != nil {
			cost = phrase.Show(g.ns, "nanoseconds")
		}
		if len(g.names) > 0 {
			if name = short(g.names[0], mostLetters); len(g.names) > 1 {
				name += fmt.Sprintf(" and %d more", len(g.names)-1)
			}
		}
		fmt.Fprintf(t, "    %s\t%s\t%s\t%s\n", cost, strconv.FormatFloat(g.launches, 'f', -1, 64)+"×", g.does, name)
	}
	if more := len(order) - mostKernels; more > 0 {
		fmt.Fprintf(t, "    and %s\n", phrase.Some(more, "other kind"))
	}
}

// short removes the middle of a long text.
func short(s string, most int) string { return phrase.Cut(s, most, most*2/3) }
