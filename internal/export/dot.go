package export

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// fill is the colour of a kernel by its change. The colours also differ for people with red-green blindness.
var fill = map[string]string{"": "white", "same": "white", "changed": "#fde9a9", "split": "#f7c6a3", "merged": "#cfe3f7", "added": "#f7c6a3", "removed": "#d9d9d9"}

// dot writes a graph of the kernels, with a frame for each scope and a drawing for each variant. A comparison has both sides.
func dot(views []view, o Options) ([]File, error) {
	var b bytes.Buffer
	b.WriteString("digraph xlagate {\n  rankdir=TB; compound=true; fontname=\"sans-serif\";\n  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=10];\n")
	for i := range views {
		v := &views[i]
		was, is := v.fates()
		for side, variant := range v.sides {
			fates, other := is, "added"
			if variant == v.Old {
				fates, other = was, "removed"
			}
			d := &drawing{b: &b, prefix: fmt.Sprintf("%s%d_", side, i), variant: variant, all: prices(variant), o: o}
			d.frame(strings.TrimSpace(v.name+" "+side), func(at int) string {
				fate := fates[at]
				if v.compared && fate == "" {
					fate = other
				}
				return fate
			})
		}
	}
	b.WriteString("}\n")
	return []File{{"kernels.dot", b.Bytes()}}, nil
}

// drawing is one variant in a graph.
type drawing struct {
	b       *bytes.Buffer
	prefix  string
	variant *facts.Variant
	all     []facts.Priced
	o       Options
	frames  int
}

func (d *drawing) frame(name string, fate func(int) string) {
	fmt.Fprintf(d.b, "  subgraph \"cluster_%s\" {\n    label=%s;\n", d.prefix, quoted(name))
	var at []int
	drawn := make([]bool, len(d.all))
	for i := range d.all {
		if drawn[i] = d.o.inScope(d.all[i].OpName); drawn[i] {
			at = append(at, i)
		}
	}
	d.scope(at, 0, "    ", fate)
	for _, i := range at {
		for from := range d.all[i].From.All() {
			if drawn[from] {
				fmt.Fprintf(d.b, "    \"%s%d\" -> \"%s%d\";\n", d.prefix, from, d.prefix, i)
			}
		}
	}
	d.b.WriteString("  }\n")
}

// scope draws kernels whose scopes agree up to a depth. Kernels in deeper scopes get their own frames.
func (d *drawing) scope(at []int, depth int, indent string, fate func(int) string) {
	deeper, order := map[string][]int{}, []string{}
	for _, i := range at {
		layers := scopes(d.all[i].OpName)
		if len(layers) <= depth {
			p := &d.all[i]
			tip := fmt.Sprintf("%s\n%s, %s", label(p.Kernel), called(p.Kernel, i), phrase.Nanoseconds(p.NS()))
			fmt.Fprintf(d.b, "%s\"%s%d\" [label=%s, tooltip=%s, fillcolor=%q];\n", indent, d.prefix, i, quoted(tip), quoted(p.OpName), fill[fate(i)])
			continue
		}
		if deeper[layers[depth]] == nil {
			order = append(order, layers[depth])
		}
		deeper[layers[depth]] = append(deeper[layers[depth]], i)
	}
	for _, layer := range order {
		d.frames++
		fmt.Fprintf(d.b, "%ssubgraph \"cluster_%s%d\" {\n%s  label=%s;\n", indent, d.prefix, d.frames, indent, quoted(layer))
		d.scope(deeper[layer], depth+1, indent+"  ", fate)
		d.b.WriteString(indent + "}\n")
	}
}

// quoted is a string of the DOT language, in which a backslash begins an escape.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x00", "").Replace(strings.ToValidUTF8(s, "\uFFFD")) + `"`
}
