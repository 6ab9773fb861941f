package logs

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// jaxCompile reads "jit(predict) in 0.042591333 sec"; old versions leave jit() out.
func (r *reader) jaxCompile(rest []byte) {
	name, seconds, ok := cutDuration(string(rest))
	if !ok {
		r.unreadable(r.line, "the end of an XLA compilation, without its time")
		return
	}
	r.add(Event{Kind: Compile, Line: r.line, Program: stripTransform(name), Value: seconds})
}

// cutDuration splits "<name> in <seconds> sec".
func cutDuration(s string) (name string, seconds float64, ok bool) {
	s = strings.TrimSuffix(strings.TrimRight(s, " ."), " sec")
	at := strings.LastIndex(s, " in ")
	if at < 0 {
		return "", 0, false
	}
	seconds, err := strconv.ParseFloat(s[at+4:], 64)
	return s[:at], seconds, err == nil
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
	switch {
	case !ok || m.program == "":
		r.unreadable(line, "JAX's explanation of a cache miss")
		return
	case m.first && !m.redefined && r.firstTrace(m.defined):
		return
	case m.first:
		m.text = "the function is defined anew at the same place, so nothing of it is cached"
	case m.text == "":
		m.text = "JAX gave no reason"
	}
	r.add(Event{Kind: Retrace, Line: line, Program: m.program, Where: where, Text: m.text})
}

// firstTrace reports whether a function's definition was not traced before, or is said again by another log handler.
func (r *reader) firstTrace(defined string) bool {
	logger, seen := r.traced[defined]
	if !seen {
		r.traced[defined] = r.logger
	}
	return !seen || logger != r.logger
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

// missPlace reads "/srv/train.py:11:33 (main) costing 1.868 ms because:"; the column may be missing.
func missPlace(header string) (Location, bool) {
	place, rest, ok := strings.Cut(header, " (")
	if !ok {
		return Location{}, false
	}
	var where Location
	where.Function, _, _ = cutLastIn(rest, ")")
	parts := strings.Split(place, ":")
	var numbers []int
	for len(parts) > 1 && len(numbers) < 2 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil {
			break
		}
		numbers = append(numbers, n)
		parts = parts[:len(parts)-1]
	}
	where.File = strings.Join(parts, ":")
	switch len(numbers) {
	case 1:
		where.Line = numbers[0]
	case 2:
		where.Line, where.Column = numbers[1], numbers[0]
	}
	return where, where.File != "" && where.Line > 0
}

// splitAt splits a text at separators, each of which follows the one before it. It returns one part more than separators, empty ones if a
// separator is missing.
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

// cutLastIn splits at the last occurrence.
func cutLastIn(s, sep string) (before, after string, ok bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// explanation is what JAX says about one trace.
type explanation struct {
	program   string
	defined   string // where the function is defined
	first     bool   // the function was never seen
	redefined bool   // but another one of the same line was
	text      string
}

// explain reads the body of an explanation, of any version.
func explain(lines []string) explanation {
	var out explanation
	var m missReasons
	for _, line := range lines {
		line = strings.TrimPrefix(line, "* ")
		switch {
		case line == "never seen function:":
			out.first = true
		case out.program == "" && strings.Contains(line, " defined at "):
			out.program, out.defined = definedAt(line)
		case strings.HasPrefix(line, "but seen another function"):
			out.redefined = true
		default:
			m.take(line)
		}
	}
	out.text = m.text()
	return out
}

// definedAt reads "for predict defined at F:L" and "predict id=140037587699808 defined at F:L"; the id is an address.
func definedAt(line string) (program, place string) {
	name, place, _ := strings.Cut(strings.TrimPrefix(line, "for "), " defined at ")
	name, _, _ = strings.Cut(name, " id=")
	return jitName(name), place
}

// jitName is the function's name in jit. Before 0.5, JAX names a function by its place, "Model.apply" or "make.<locals>.step", or not at all.
func jitName(name string) string {
	if strings.HasPrefix(name, "functools.partial(") {
		return "<unnamed wrapped function>"
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// missReasons collects the differences between the arguments of a trace and those of the closest earlier trace.
type missReasons struct {
	list    []missReason
	several bool // several earlier traces were equally close: the first says enough
	done    bool
	keys    keywordNames
}

type missReason struct {
	what    string
	details []string
}

// fillers are lines without any information.
var fillers = []string{"all previously seen cache keys", "types now:", "closest seen input", "being re-defined repeatedly", "explanation unavailable",
	"cache miss explanation unavailable", "where weak_type=", "weak_type=False means", "See https://", "found differences at", "now:", "before:", "!= before:"}

// missHeadings are the beginnings of the lines that say what differs, in any version, and what they come to. Before 0.5 JAX compares the
// pytree with the keywords, and speaks of those alone.
var missHeadings = []struct{ text, what string }{
	{"never seen input type signature", "different input types"},
	{"never seen input pytree", "different input pytree"},
	{"never seen passing ", "different input pytree"},
	{"tracing context doesn't match", otherContext},
	{"Tracing context doesn't match", otherContext},
	{"different tracing context", otherContext},
}

const otherContext = "different tracing context, due to config or a context manager"

func (m *missReasons) take(line string) {
	at, keyed := strings.CutPrefix(line, "key with ")
	switch {
	case m.done || line == "":
	case strings.Contains(line, "Several previous keys are closest"):
		m.several = true
	case keyed && m.several && len(m.list) > 0:
		m.done = true
	case m.heading(at) || m.keywords(line) || isFiller(line):
	case strings.HasPrefix(line, "closest seen context") || strings.HasPrefix(line, "compare to tuple"):
		m.done = true // what follows are positions in a tuple of JAX's own
	case len(m.list) == 0:
		m.list = append(m.list, missReason{what: plainReason(line)})
	case !isSignature(line):
		last := &m.list[len(m.list)-1]
		last.details = append(last.details, plainReason(line))
	}
}

// heading takes a line that says what differs.
func (m *missReasons) heading(line string) bool {
	for _, h := range missHeadings {
		if strings.HasPrefix(line, h.text) {
			m.list = append(m.list, missReason{what: h.what})
			m.keys.passing = strings.HasPrefix(line, "never seen passing ")
			return true
		}
	}
	if strings.HasPrefix(line, "different ") {
		m.list = append(m.list, missReason{what: strings.TrimRight(line, ".:")})
		return true
	}
	return false
}

// keywordNames are the keywords that are passed now and those that the closest call passed.
type keywordNames struct {
	passing     bool
	closest     bool
	now, before string
}

// keywords takes the names below "never seen passing …" and below "closest seen passes …".
func (m *missReasons) keywords(line string) bool {
	k := &m.keys
	switch {
	case !k.passing:
		return false
	case strings.HasPrefix(line, "closest seen "):
		k.closest = true
	case k.closest:
		k.before = line
	default:
		k.now = line
	}
	return true
}

// text is one line of all that was said.
func (m *missReasons) text() string {
	if k := m.keys; k.passing && k.now != k.before {
		return "different keyword arguments: now " + cmp.Or(k.now, "none") + " and before " + cmp.Or(k.before, "none")
	}
	var said []string
	for _, r := range m.list {
		// Which of the leaves are dynamic follows from how many there are.
		if len(m.list) > 1 && r.what == "different static_argnums" {
			continue
		}
		if len(r.details) > 0 {
			r.what += ": " + strings.Join(r.details, "; ")
		}
		said = append(said, r.what)
	}
	return strings.Join(said, "; ")
}

func isFiller(line string) bool {
	return slices.ContainsFunc(fillers, func(f string) bool { return strings.HasPrefix(line, f) })
}

// isSignature recognises 0.4.35's list of all arguments, "w: f32[4,4],  x: f32[3,4]", and its pytree, "PyTreeDef(…)".
func isSignature(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return strings.HasPrefix(line, "PyTreeDef(") ||
		ok && !strings.HasPrefix(line, "at ") && !strings.HasPrefix(line, "[") && !strings.ContainsAny(name, " \t")
}

// plainReason brings the versions' wordings together: "at x, now f32[3,4] and before f32[2,4]".
func plainReason(line string) string {
	line = strings.TrimRight(line, ".:,")
	if at := strings.Index(line, "https://"); at > 0 {
		line = strings.TrimSpace(line[:at])
	}
	if strings.HasPrefix(line, "[") {
		_, line, _ = strings.Cut(line, ": ") // the position in a tuple of JAX's own
		line = strings.TrimSuffix(line, ", and")
	}
	place, rest, ok := strings.Cut(line, ", seen ")
	if !ok {
		return line
	}
	before, now, ok := strings.Cut(rest, " but now given ")
	if !ok {
		return line
	}
	now, why, explained := strings.Cut(now, ",      so ")
	line = place + ", now " + now + " and before " + strings.TrimSuffix(before, ",")
	if explained {
		line += ", so " + why
	}
	return line
}
