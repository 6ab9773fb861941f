package logs

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// jaxCompile reads "jit(predict) in 0.042591333 sec"; old versions leave jit() out.
func (r *reader) jaxCompile(rest []byte) {
	name, digits, _ := phrase.CutLast(strings.TrimSuffix(strings.TrimRight(string(rest), " ."), " sec"), " in ")
	seconds, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		r.unreadable(r.line, "the end of an XLA compilation, without its time")
		return
	}
	r.add(Event{Kind: Compile, Line: r.line, Program: stripTransform(name), Value: seconds})
}

// stripTransform takes the function out of "jit(predict)" or "pmap(step)".
func stripTransform(name string) string {
	open := strings.IndexByte(name, '(')
	if open <= 0 || !strings.HasSuffix(name, ")") {
		return name
	}
	return name[open+1 : len(name)-1]
}

// jaxMiss reads the explanation of a trace: "/srv/train.py:11:33 (main):", from 0.4.35 to 0.6 with "because:" and what it cost, and the
// indented lines behind it. A function's first trace is no retrace and is passed over.
func (r *reader) jaxMiss(rest []byte) {
	line := r.line
	header := string(rest)
	body := r.indented()
	where, ok := missPlace(header)
	m := explain(body)
	logger, seen := r.traced[m.defined]
	switch {
	case ok && m.first && m.unknown: // nothing says which function it is, so no later trace is compared with it
		return
	case !ok || m.program == "":
		r.unreadable(line, "JAX's explanation of a cache miss")
		return
	case m.first && !m.redefined && !seen:
		r.traced[m.defined] = r.logger
		return
	case m.first && !m.redefined && logger != r.logger: // another log handler says it again
		return
	case m.first:
		m.text = "the function is defined anew at the same place, so nothing of it is cached"
	case m.text == "":
		m.text = "JAX gave no reason"
	}
	r.add(Event{Kind: Retrace, Line: line, Program: m.program, Where: where, Text: m.text})
}

// indented takes the lines of one log message behind its first.
func (r *reader) indented() []string {
	var out []string
	for {
		text, ok := r.peek()
		if !ok || !bytes.HasPrefix(text, []byte("  ")) && !bytes.HasPrefix(text, []byte("explanation unavailable")) {
			return out
		}
		r.next()
		out = append(out, string(bytes.TrimSpace(text)))
	}
}

// missedAt matches "/srv/train.py:11:33 (main) costing 1.868 ms because:"; the column may be missing.
var missedAt = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))? \((.*)`)

// missPlace reads where JAX traced a function.
func missPlace(header string) (Location, bool) {
	found := missedAt.FindStringSubmatch(header)
	if found == nil {
		return Location{}, false
	}
	function, _, _ := phrase.CutLast(found[4], ")")
	line, err := strconv.Atoi(found[2])
	column, _ := strconv.Atoi(found[3])
	return Location{File: found[1], Line: line, Column: column, Function: function}, err == nil && line > 0
}

// splitAt splits a text at separators, each of which follows the one before it. It returns one part more than separators, empty ones if a separator is missing.
func splitAt(s string, separators ...string) (parts []string, ok bool) {
	parts = make([]string, len(separators)+1)
	for i, separator := range separators {
		before, after, found := strings.Cut(s, separator)
		if !found {
			return make([]string, len(parts)), false
		}
		parts[i], s = before, after
	}
	parts[len(separators)] = s
	return parts, true
}

// explanation is what JAX says about one trace.
type explanation struct {
	program   string
	defined   string // where the function is defined
	first     bool   // the function was never seen
	unknown   bool   // it has no name and no place: "<unknown> id=139721260832448"
	redefined bool   // but another one of the same line was
	text      string
}

// maxReasons bounds the lines that are kept of JAX's reasons.
const maxReasons = 4

// explain reads the body of an explanation of any version. It keeps the lines that say what differs, or all lines if there is no such line.
func explain(lines []string) (out explanation) {
	var details, others []string
	for _, line := range lines {
		plain, _, _ := strings.Cut(strings.TrimPrefix(line, "* "), "https://")
		plain = strings.TrimRight(plain, " .:,")
		switch {
		case line == "never seen function:":
			out.first = true
		case strings.HasPrefix(line, "<unknown> id="):
			out.unknown = true
		case out.program == "" && strings.Contains(line, " defined at "):
			out.program, out.defined, _ = strings.Cut(strings.TrimPrefix(plain, "for "), " defined at ")
			out.program, _, _ = strings.Cut(out.program, " id=") // of an address
			if strings.HasPrefix(out.program, "functools.partial(") {
				out.program = "<unnamed wrapped function>"
			} else { // before 0.5, JAX names a function by its place, "Model.apply" or "make.<locals>.step"
				out.program = out.program[strings.LastIndexByte(out.program, '.')+1:]
			}
		case strings.HasPrefix(line, "but seen another function"):
			out.redefined = true
		case strings.HasPrefix(line, "all previously seen"), strings.HasPrefix(line, "explanation unavailable"), line == "":
		case strings.HasPrefix(plain, "at "), strings.HasPrefix(plain, "now "):
			details = append(details, differs(plain))
		default:
			others = append(others, plain)
		}
	}
	if len(details) == 0 {
		details = others
	}
	out.text = strings.Join(details[:min(len(details), maxReasons)], "; ")
	return out
}

// differs says in the order of the calls what differs: "x: f32[2,4] → f32[3,4]" of "at x, now f32[3,4] and before f32[2,4]". Where only one call has a weak
// type, as a Python number and what is computed from it have, JAX writes "f32[]{weak_type=True}", and of the other "f32[]{weak_type=False}" or "f32[]".
func differs(detail string) string {
	const weak, metadata = "{weak_type=True}", " with pytree metadata "
	path, types, told := strings.Cut(strings.TrimPrefix(detail, "at "), ", now ")
	name := argument(path)
	now, before, both := strings.Cut(types, " and before ")
	if !told || !both {
		return detail
	}
	before, _, _ = strings.Cut(before, ", so ")
	if _, is, ok := strings.Cut(now, metadata); ok { // a static argument, or a static field of a class
		_, was, _ := strings.Cut(before, metadata)
		valueIs, static := staticValue(is)
		valueWas, wasStatic := staticValue(was)
		if static && wasStatic {
			name, was, is = "static "+name, valueWas, valueIs
		}
		was, is = unlike(was, is)
		return name + ": " + was + " → " + is
	}
	plain := strings.NewReplacer(weak, "", "{weak_type=False}", "", "({})", "", "<class '", "", "'>", "").Replace
	if plain(now) == plain(before) && strings.Contains(now, weak) != strings.Contains(before, weak) {
		return name + ": one call passes a Python number or a value of its weak type, another an array of type " + plain(now)
	}
	return name + ": " + plain(before) + " → " + plain(now)
}

// staticValue is "0.6" of "Static(val=0.6)", in which JAX (jax/_src/tree_util.py) wraps a static argument.
func staticValue(text string) (string, bool) {
	value, static := strings.CutPrefix(text, "Static(val=")
	return strings.TrimSuffix(value, ")"), static
}

// unlike leaves out the first and last fields of two objects of a class that are equal: "Config(dim=64, lr=0.1, seed=0)" and "Config(dim=64, lr=0.2, seed=0)"
// become "Config(…, lr=0.1, …)" and "Config(…, lr=0.2, …)".
func unlike(was, is string) (string, string) {
	class, before := fieldsOf(was)
	other, now := fieldsOf(is)
	if class == "" || class != other || slices.Equal(before, now) {
		return was, is
	}
	first, last, fewest := 0, 0, min(len(before), len(now))
	for first < fewest && before[first] == now[first] {
		first++
	}
	for last < fewest-first && before[len(before)-1-last] == now[len(now)-1-last] {
		last++
	}
	short := func(fields []string) string {
		differ := slices.Clone(fields[first : len(fields)-last])
		if first > 0 {
			differ = slices.Insert(differ, 0, "…")
		}
		if last > 0 {
			differ = append(differ, "…")
		}
		return class + "(" + strings.Join(differ, ", ") + ")"
	}
	return short(before), short(now)
}

// fieldsOf splits an object as Python prints it, "Config(dims=(8, 8), name='a')", at the commas that are in no brackets and no text; class "" for others.
func fieldsOf(object string) (class string, fields []string) {
	class, rest, _ := strings.Cut(object, "(")
	inside, closed := strings.CutSuffix(rest, ")")
	if !closed || strings.ContainsAny(class, " '\"[{,") {
		return "", nil
	}
	depth, from, quote := 0, 0, byte(0)
	for i := 0; i < len(inside); i++ {
		switch c := inside[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && strings.HasPrefix(inside[i:], ", "):
			fields = append(fields, inside[from:i])
			from = i + len(", ")
		}
	}
	return class, append(fields, inside[from:])
}

// argument names an argument or a part of it as Python does: "argument 1['w']" of "input path [0][1]['w']", "argument beta" of "input path [1]['beta']".
func argument(path string) string {
	inside, is := strings.CutPrefix(path, "input path ")
	if !is {
		return path
	}
	if positional, is := strings.CutPrefix(inside, "[0]["); is {
		number, part, _ := strings.Cut(positional, "]")
		return "argument " + number + part
	}
	keyword, part, _ := strings.Cut(strings.TrimPrefix(inside, "[1]['"), "']")
	return "argument " + keyword + part
}
