package baseline

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// Format writes a program's baseline in its canonical form: one fact, one kernel, one argument a line, in an order that does
// not depend on the compiler's.
func Format(target string, p *Program) []byte {
	var w writer
	w.line("# %s/%s: written by xlagate accept; one fact, one kernel a line", target, FileName(p.Name))
	w.line("schema: %s", Schema)
	w.line("program: %s", quote(p.Name))
	w.toolchain(p.Toolchain)
	if p.Reason != "" {
		w.line("reason: %s", quote(p.Reason))
	}
	w.line("variants:")
	for _, v := range p.Variants {
		w.variant(v)
	}
	return w.Bytes()
}

type writer struct{ bytes.Buffer }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) toolchain(t facts.Toolchain) {
	w.line("toolchain:")
	w.pair("  framework", t.Framework)
	w.pair("  backend", t.Backend)
	w.pair("  device", t.Device)
	w.pairs("  versions", t.Versions)
	w.pairs("  flags", t.Flags)
}

func (w *writer) pair(key, value string) {
	if value != "" {
		w.line("%s: %s", key, quote(value))
	}
}

func (w *writer) pairs(key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	w.line("%s:", key)
	indent := strings.Repeat(" ", len(key)-len(strings.TrimLeft(key, " "))+2)
	for _, k := range sortedKeys(values) {
		w.line("%s%s: %s", indent, quote(k), quote(values[k]))
	}
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func (w *writer) variant(v *facts.Variant) {
	w.line("  - signature: %s", quote(v.Signature))
	w.pair("    result", v.Result)
	w.pair("    fingerprint", v.Fingerprint)
	w.pair("    input", v.InputPrint)
	w.pair("    backend", v.Backend)
	if v.WorkVersion > 0 {
		w.line("    work: %d", v.WorkVersion)
	}
	if len(v.Modules) > 1 {
		w.line("    compiles: %d", len(v.Modules))
	}
	w.lines("unstable", sortedLines(v.Unstable, quote))
	w.lines("params", formatAll(v.Params, formatParam))
	w.lines("outputs", formatAll(v.Outputs, formatOutput))
	w.line("    facts:")
	for _, k := range sortedKeys(v.Facts) {
		if !k.IsPrice() { // a price follows from the kernels' work, by whatever is known of devices when it is read
			w.line("      %s: %s", quote(string(k)), number(v.Facts[k]))
		}
	}
	w.lines("constants", sortedLines(v.Constants, formatConstant))
	w.lines("buffers", sortedLines(v.Buffers, formatBuffer))
	if v.ModelAfter {
		w.line("    model_after: true")
	}
	w.lines("model", modelLines(v.Model))
	w.kernels(v.Kernels)
}

// lines writes a list, one item a line; nothing when it is empty.
func (w *writer) lines(key string, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.line("    %s:", key)
	const item = "      - "
	length := 0
	for _, l := range lines {
		length += len(item) + len(l) + len("\n")
	}
	w.Grow(length)
	for _, l := range lines {
		w.WriteString(item)
		w.WriteString(l)
		w.WriteByte('\n')
	}
}

func (w *writer) kernels(kernels []facts.Kernel) {
	alike := map[launched]int{}
	for i := range kernels {
		alike[launchedAs(&kernels[i])]++
	}
	count, f := map[string]int{}, newFlow()
	for k, n := range alike {
		count[k.line(&f)] += n
	}
	var lines []string
	for _, k := range sortedKeys(count) {
		if n := count[k]; n > 1 {
			k = strings.TrimSuffix(k, "}") + ", times: " + strconv.Itoa(n) + "}"
		}
		lines = append(lines, k)
	}
	w.lines("kernels", lines)
}

func formatAll[T any](items []T, format func(T) string) []string {
	var lines []string
	for _, item := range items {
		lines = append(lines, format(item))
	}
	return lines
}

func sortedLines[T any](items []T, format func(T) string) []string {
	lines := formatAll(items, format)
	sort.Strings(lines)
	return lines
}
