// Package export writes a dump, or what changed between two, in the formats of other tools: Model Explorer, pprof, and XLA itself.
package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// File is one file of an export.
type File struct {
	Name string
	Data []byte
}

// format is a tool's format. A format with several files is written to a folder.
type format struct {
	name, about string
	several     bool
	write       func([]view) ([]File, error)
}

var formats = []format{
	{"model-explorer", "a folder: graphs, data of their nodes and, with --against, which nodes correspond", true, modelExplorer},
	{"pprof", "time, bytes, flops and memory by the model's scopes; with --against the difference", false, pprof},
	{"hlo", "a module as text", false, hloText},
}

// Formats lists the formats.
func Formats() []string {
	return phrase.Map(formats, func(f format) string { return f.name })
}

// About describes each format in one line.
func About() string {
	lines := phrase.Map(formats, func(f format) string { return fmt.Sprintf("%-15s %s", f.name, f.about) })
	return strings.Join(lines, "\n")
}

// Several reports whether a format is a folder of files.
func Several(name string) bool { return formatNamed(name).several }

func formatNamed(name string) format {
	return formats[slices.IndexFunc(formats, func(f format) bool { return f.name == name })]
}

// Of exports the programs of a difference that match a glob, all if it is "". If the old side is empty, it exports the new side.
func Of(d *changes.Report, name, programs string) ([]File, error) {
	views, err := viewsOf(d, programs)
	if err != nil {
		return nil, err
	}
	return formatNamed(name).write(views)
}

// view is one variant, alone or with its earlier state.
type view struct {
	program, name string // name tells it from all others of the export
	*changes.Variant
	parts    []*facts.Program // see [changes.Program]
	compared bool             // with another dump
}

func viewsOf(d *changes.Report, programs string) (views []view, err error) {
	var names []string
	taken := map[string]bool{} // files, as systems see them that do not tell cases apart
	for _, p := range d.Programs {
		names = append(names, p.Name)
		if programs != "" && !facts.Fits(programs, p.Name) {
			continue
		}
		for i, v := range p.Variants {
			name := p.Name
			if len(p.Variants) > 1 {
				name += "-" + strconv.Itoa(i+1)
			}
			for stem, n := name, 2; taken[strings.ToLower(fileName(name))]; n++ {
				name = stem + "-" + strconv.Itoa(n)
			}
			taken[strings.ToLower(fileName(name))] = true
			views = append(views, view{program: p.Name, name: name, Variant: v, parts: p.Parts, compared: d.Old != ""})
		}
	}
	if len(views) == 0 && programs != "" {
		return nil, fmt.Errorf("no program matches %q%s; the dump holds %s", programs, phrase.DidYouMean(programs, names), phrase.List(phrase.Within(names, 8), "and"))
	}
	return views, nil
}

// modules yields the new side, or the old one of a removed variant, with its name: of clusters that are compared all together each.
func (v *view) modules(yield func(string, *facts.Variant) bool) {
	if v.parts == nil {
		yield(v.name, cmp.Or(v.New, v.Old))
		return
	}
	for _, p := range v.parts {
		if !yield(p.Name, p.Variants[0]) {
			return
		}
	}
}

// sides yields the existing sides with their names.
func (v *view) sides(yield func(string, *facts.Variant) bool) {
	if v.Old != nil && !yield("before", v.Old) {
		return
	}
	after := ""
	if v.compared {
		after = "after"
	}
	if v.New != nil {
		yield(after, v.New)
	}
}

// prices are the predicted prices of the kernels, all empty for an unknown device.
func prices(v *facts.Variant) []facts.Priced {
	if v.Device != nil {
		return v.Prices(v.Device)
	}
	list := make([]facts.Priced, len(v.Kernels))
	for i := range list {
		list[i] = facts.Priced{Kernel: &v.Kernels[i], Runs: v.Kernels[i].Runs()}
	}
	return list
}

// scopes are the parts of an op_name without the last part, which is the operation.
func scopes(opName string) []string {
	first, _, _ := strings.Cut(opName, ";") // of merged operations each has its name there
	parts := strings.Split(first, "/")
	return parts[:max(0, len(parts)-1)]
}

// called is the compiler's name of a kernel, or for a stored kernel the model's.
func called(k *facts.Kernel, at int) string {
	return cmp.Or(k.Name, k.Root+"."+strconv.Itoa(at))
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
