package baseline

import (
	"sort"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// flow builds one line of the form {key: value, …}, leaving out what is empty.
type flow struct{ parts []string }

func (f *flow) add(key, value string) {
	f.parts = append(f.parts, key+": "+value)
}

func (f *flow) text(key, value string) {
	if value != "" {
		f.add(key, quote(value))
	}
}

func (f *flow) number(key string, value int64) {
	if value != 0 {
		f.add(key, strconv.FormatInt(value, 10))
	}
}

func (f *flow) yes(key string, value bool) {
	if value {
		f.add(key, "true")
	}
}

func (f *flow) list(key string, values []string) {
	if len(values) > 0 {
		f.add(key, "["+strings.Join(formatAll(values, quote), ", ")+"]")
	}
}

func (f *flow) counts(key string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	var list flow
	for _, name := range sortedKeys(counts) {
		list.add(quote(name), strconv.Itoa(counts[name]))
	}
	f.add(key, list.String())
}

func (f *flow) String() string { return "{" + strings.Join(f.parts, ", ") + "}" }

func formatKernel(k *facts.Kernel) string {
	var f flow
	f.list("do", k.Do)
	f.text("kind", k.Kind)
	f.text("out", k.Out)
	f.text("op", k.OpName)
	f.text("type", k.OpType)
	f.text("root", k.Root)
	f.list("in", k.In)
	f.text("target", k.Target)
	f.text("function", k.Function)
	f.counts("body", k.Written)
	f.text("groups", k.Groups)
	f.text("axes", k.Axes)
	f.text("attrs", k.Attrs)
	f.number("bytes", k.Bytes)
	f.number("flops", k.Flops)
	if k.Times > 1 {
		f.number("trips", k.Times)
	}
	f.text("loop", k.Loop)
	f.yes("in_loop", k.InLoop)
	f.yes("inner", !k.InEntry)
	f.yes("fusion", k.Fusion)
	f.text("class", classNames[k.Class])
	f.text("print", k.Print)
	f.text("family", k.Family)
	return f.String()
}

// classNames spells the classes of launches; a plain kernel needs no word.
var classNames = map[facts.Class]string{
	facts.ClassLibrary: "library", facts.ClassCopy: "copy", facts.ClassCollective: "collective", facts.ClassControl: "control",
}

func formatParam(p facts.Parameter) string {
	var f flow
	f.text("name", p.Name)
	f.text("shape", p.Shape)
	f.text("layout", p.Layout)
	f.text("sharding", p.Sharding)
	f.text("spec", p.Spec)
	f.number("bytes", p.Bytes)
	f.yes("aliased", p.Aliased)
	f.yes("donated", p.Donated)
	f.yes("unused", p.Unused)
	f.text("constant", p.Constant)
	return f.String()
}

func formatOutput(o facts.Output) string {
	var f flow
	f.text("shape", o.Shape)
	f.text("split", o.Split)
	f.text("sharding", o.Sharding)
	f.text("spec", o.Spec)
	f.number("bytes", o.Bytes)
	return f.String()
}

// modelLines are the operations that the model asks for, scope by scope: which line of the source asks for which of them may
// change without the model changing.
func modelLines(model []facts.Statement) []string {
	type place struct{ scope, dtype string }
	counts := map[place]map[string]int{}
	for i := range model {
		at := place{model[i].Scope, model[i].Type}
		if counts[at] == nil {
			counts[at] = map[string]int{}
		}
		for _, op := range model[i].Do {
			counts[at][op]++
		}
	}
	var lines []string
	for at, count := range counts {
		var f flow
		f.text("scope", at.scope)
		f.text("type", at.dtype)
		f.counts("do", count)
		lines = append(lines, f.String())
	}
	sort.Strings(lines)
	return lines
}

func formatConstant(c facts.Constant) string {
	var f flow
	f.text("shape", c.Shape)
	f.number("bytes", c.Bytes)
	f.text("value", c.Value)
	f.text("op", c.OpName)
	return f.String()
}

func formatBuffer(b facts.Buffer) string {
	var f flow
	f.number("bytes", b.Bytes)
	f.text("shape", b.Shape)
	f.text("op", b.OpName)
	return f.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// quote writes a scalar plainly where YAML reads it back as the same string, and in double quotes otherwise.
func quote(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd:
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func escape(r rune) string {
	hex := strconv.FormatInt(int64(r), 16)
	return `\u` + strings.Repeat("0", 4-len(hex)) + hex
}

// plain reports whether a string needs no quotes: words, with dots, dashes and underscores inside, that no YAML reader takes for a
// number, a bool or null.
func plain(s string) bool {
	if s == "" || strings.EqualFold(s, "true") || strings.EqualFold(s, "false") || strings.EqualFold(s, "null") ||
		strings.EqualFold(s, "yes") || strings.EqualFold(s, "no") || strings.EqualFold(s, "on") || strings.EqualFold(s, "off") ||
		len(s) == 1 && strings.ContainsAny(s, "yYnN") {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '-' || c == '/')) {
			return false
		}
	}
	return true
}
