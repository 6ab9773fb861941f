// Package proposal writes a first xlagate.yaml from what a dump holds: budgets at what is there now, and the fusions that save the
// most traffic pinned by what is in them.
package proposal

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/framework"
	"github.com/xlagate/xlagate/internal/measure"
)

// mostFusions bounds how many fusions are pinned for a program.
const mostFusions = 3

// Config is the text of an xlagate.yaml for a dump that lies at path.
func Config(rep *facts.Report, path string) string {
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=https://raw.githubusercontent.com/xlagate/xlagate/main/docs/xlagate.schema.json\n")
	fmt.Fprintf(&b, "# %s\n", origin(rep))
	b.WriteString("version: 1\nextends: [recommended]   # against the accepted baseline nothing that matters may get worse\nbaseline: .xlagate\n")
	fmt.Fprintf(&b, "targets:\n  - name: %s\n    dump: %q   # or let xlagate run it: capture: { run: \"python train.py --steps 2\" }\n", targetName(rep), path)
	if len(rep.Programs) > 0 {
		b.WriteString(included(rep))
	}
	if rules := proposed(rep); rules != "" {
		b.WriteString("rules:\n" + rules)
	}
	return b.String()
}

// proposed are the entries under `rules:`.
func proposed(rep *facts.Report) string {
	var b strings.Builder
	compiled := 0
	for _, p := range rep.Programs {
		if p.IsCluster() {
			compiled = max(compiled, compiles(p))
			continue
		}
		budgets(&b, p)
	}
	if compiled > 0 {
		fmt.Fprintf(&b, "  - { rule: no-recompilation, program: %q, max_variants: %d }\n", clusters, compiled)
	}
	if rep.Clusters != nil && rep.Clusters.Ran {
		fmt.Fprintf(&b, "  - { rule: no-unclustered-ops, allow: [%s] }\n", strings.Join(outside(rep.Clusters), ", "))
	}
	return b.String()
}

func origin(rep *facts.Report) string {
	text, of := "from a dump", " of "
	for _, s := range []string{rep.Toolchain.Framework, rep.Toolchain.Backend, rep.Toolchain.Device} {
		if s != "" {
			text += of + s
			of = " "
		}
	}
	return fmt.Sprintf("%s: %s, %s left out; budgets stand at what is there now", text,
		measure.Counted(float64(len(rep.Programs)), "", "programs"), measure.Counted(float64(len(rep.Helpers)), "", "one-op helpers"))
}

func targetName(rep *facts.Report) string {
	if rep.Toolchain.Backend == "" {
		return "model"
	}
	return "model/" + rep.Toolchain.Backend
}

// clusters stands for what autoclustering made: which cluster has which number changes with every operation.
const clusters = "cluster_*"

// included is the line of programs.include. PyTorch/XLA makes one more graph wherever the model asks for a value too early: a list of those
// that are there now would leave out the very one that matters.
func included(rep *facts.Report) string {
	if rep.Toolchain.Framework == facts.TorchFramework {
		return "    programs: { include: [\"*\"] }   # a graph more is a break in the step\n"
	}
	return fmt.Sprintf("    programs: { include: [%s] }\n", strings.Join(names(rep.Programs), ", "))
}

func names(programs []*facts.Program) []string {
	var out []string
	for _, p := range programs {
		name := p.Name
		if p.IsCluster() {
			name = clusters
		} else if stem, ok := facts.NumberedGraph(name); ok {
			name = stem + "*"
		}
		if quoted := fmt.Sprintf("%q", name); !slices.Contains(out, quoted) {
			out = append(out, quoted)
		}
	}
	return out
}

func budgets(b *strings.Builder, p *facts.Program) {
	kernels, temp := worst(p, "kernels.total"), worst(p, "memory.temp_bytes")
	if kernels >= 0 {
		fmt.Fprintf(b, "  - { rule: max-kernels, program: %q, max: %.0f }\n", p.Name, kernels)
	}
	fmt.Fprintf(b, "  - { rule: no-recompilation, program: %q, max_variants: %d }\n", p.Name, compiles(p))
	if temp > 0 {
		fmt.Fprintf(b, "  - { rule: max-temp-bytes, program: %q, max: %.0f }   # %s now\n", p.Name, roomFor(temp), measure.Bytes(temp))
	}
	written(b, p)
	pins(b, p)
}

// written requires what calls the kernels that were written by hand, whatever they are called.
func written(b *strings.Builder, p *facts.Program) {
	if len(p.Variants) == 0 {
		return
	}
	everywhere := handWritten(p.Variants[0])
	for _, v := range p.Variants[1:] {
		called := handWritten(v)
		maps.DeleteFunc(everywhere, func(target string, _ []string) bool { return called[target] == nil })
	}
	for _, target := range slices.Sorted(maps.Keys(everywhere)) {
		of := strings.Map(printable, strings.Join(everywhere[target], ", "))
		fmt.Fprintf(b, "  - { rule: required-custom-calls, program: %q, calls: [{ call: %q }] }   # %s\n", p.Name, target, of)
	}
}

// handWritten lists the functions of the kernels that were written by hand, by what calls them.
func handWritten(v *facts.Variant) map[string][]string {
	functions := map[string][]string{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if k.Written != nil && !slices.Contains(functions[k.Target], k.Function) {
			functions[k.Target] = append(functions[k.Target], k.Function)
		}
	}
	return functions
}

// roomFor is a size with the tolerance that the recommended pack gives it: a few bytes more come and go with every compiler.
func roomFor(bytes float64) float64 { return math.Ceil(max(1.05*bytes, bytes+1024)) }

func compiles(p *facts.Program) int {
	n := 0
	for _, v := range p.Variants {
		n += max(1, len(v.Modules))
	}
	return n
}

// worst is the largest value of a fact over the variants, -1 when no variant has it.
func worst(p *facts.Program, fact string) float64 {
	most := -1.0
	for _, v := range p.Variants {
		if n, ok := v.Facts[fact]; ok {
			most = max(most, n)
		}
	}
	return most
}

// pins writes required-fusions for the fusions that save the most: each operation beyond the first would read and write its
// operands once more.
func pins(b *strings.Builder, p *facts.Program) {
	if len(p.Variants) == 0 {
		return
	}
	chosen := distinct(p.Variants[0].Kernels)
	if len(chosen) == 0 {
		return
	}
	fmt.Fprintf(b, "  - rule: required-fusions\n    program: %q\n    fusions:\n", p.Name)
	for _, c := range chosen {
		fmt.Fprintf(b, "      - { name: %q, contains: [%s], min: %d }   # %s\n", c.name, strings.Join(c.do, ", "), c.count, c.where)
	}
}

type pin struct {
	name, scope, where string
	do                 []string
	saved              int64
	count              int
}

func distinct(kernels []facts.Kernel) []pin {
	byKey := map[string]*pin{}
	for i := range kernels {
		k := &kernels[i]
		if !k.Fusion || k.Do.Len() < 2 {
			continue
		}
		do := known(once(k.Do))
		if len(do) < 2 {
			continue
		}
		key := strings.Join(do, ",")
		if byKey[key] == nil {
			byKey[key] = &pin{do: do, where: where(k), scope: scopeOf(k.OpName)}
		}
		byKey[key].saved += k.Bytes * int64(k.Do.Len()-1)
	}
	var list []pin
	for _, c := range byKey {
		c.count = holding(kernels, c.do)
		list = append(list, *c)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].saved != list[j].saved {
			return list[i].saved > list[j].saved
		}
		return strings.Join(list[i].do, ",") < strings.Join(list[j].do, ",")
	})
	list = list[:min(len(list), mostFusions)]
	nameApart(list)
	return list
}

// once names each opcode once.
func once(do facts.Opcodes) []string {
	out := make([]string, len(do))
	for i, op := range do {
		out[i] = op.Opcode
	}
	return out
}

// known are the operations that a fusion is known by: those that tell, and beside a single one the arithmetic around it. A compiler moves
// the others from kernel to kernel, and nobody would miss them.
func known(do []string) []string {
	telling := slices.DeleteFunc(slices.Clone(do), func(op string) bool { return place(op) > 0 })
	if len(telling) != 1 {
		return telling
	}
	return slices.DeleteFunc(slices.Clone(do), func(op string) bool { return place(op) > 0 && !slices.Contains(arithmetic, op) })
}

// arithmetic are the operations that an activation is made of, beside the one that tells it.
var arithmetic = []string{"add", "maximum", "multiply", "subtract"}

// holding counts the fusions that hold all of the operations, as the rule will.
func holding(kernels []facts.Kernel, do []string) int {
	n := 0
	for i := range kernels {
		if kernels[i].Fusion && subset(do, kernels[i].Do) {
			n++
		}
	}
	return n
}

func subset(part []string, whole facts.Opcodes) bool {
	return !slices.ContainsFunc(part, func(opcode string) bool { return whole.Times(opcode) == 0 })
}

func where(k *facts.Kernel) string {
	text := strings.Map(printable, k.OpName)
	if k.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", strings.Map(printable, k.Source.File), k.Source.Line)
	}
	return text
}

// printable keeps text from a dump from ending the comment that it stands in.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
		return -1
	}
	return r
}

func outside(c *framework.Clusters) []string {
	seen := map[string]bool{}
	var out []string
	for _, op := range c.Unclustered {
		if !op.System && !seen[op.Op] {
			seen[op.Op] = true
			out = append(out, op.Op)
		}
	}
	sort.Strings(out)
	return out
}
