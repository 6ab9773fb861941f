package git

import (
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Hunk is lines of a file that were edited together.
type Hunk struct {
	File     string // its path in the repository, with slashes; of a deleted file the path that it had
	Deleted  bool   // the file is deleted
	OldFile  string // the path before; "" of a new file
	OldFirst int    // the first of the lines that were removed or changed; where there are none, the line behind which others were added
	OldLines int
	First    int // the first of the lines that were added or changed; where there are none, the line behind which others were removed
	Lines    int
	Edit     int    // the first line of the edit that it is part of: several hunks of a function may be one
	Function string // the Python function or class around it, as Python names it: "Block.__call__"; "" outside of all

	Code       bool // any of these lines, before or now, is more than a comment, an import, blank, or the definition of a name that comes or goes
	New        bool // these lines only define functions and classes that the module did not have
	OnlyFloats bool // these lines say what they said before, but for the values of floats

	inJit           bool   // the statement that they are part of has jit compile a function
	same            bool   // these lines say what they said before, but for names
	removed         string // a removed line that says which function it was in
	text            string // the lines with code, those before first
	was, now, binds string // the words before and now, and those that may be names which the lines bind
	sets            string // the names that they set for other functions as well
}

// float finds the floats in a line of code.
var float = regexp.MustCompile(`\b\d+(?:\.\d*(?:[eE][-+]?\d+)?|[eE][-+]?\d+)`)

// hunkOf is what some lines were removed and others added for. Where none were removed or added, the first is the line that the others are behind.
func hunkOf(oldFirst int, removed []string, first int, added []string, python bool) Hunk {
	h := Hunk{OldFirst: oldFirst, OldLines: len(removed), First: first, Lines: len(added)}
	defines := python && (h.OldLines == 0 || h.Lines == 0)
	was, now, binds, sets := words{}, words{}, words{}, words{}
	var text strings.Builder
	var masked [2]strings.Builder // the lines that were removed and those that were added, without the values of floats
	for i, line := range slices.Concat(removed, added) {
		if !hasCode(line, python) {
			continue
		}
		sign, to, side := "-", was, &masked[0]
		if i >= len(removed) {
			sign, to, side = "+", now, &masked[1]
		} else if h.removed == "" || decorates(h.removed) {
			h.removed = line
		}
		to.add(line)
		side.WriteString(float.ReplaceAllString(line, "0.0") + "\n")
		text.WriteString(sign + strings.TrimSpace(line) + "\n")
		binds.add(bound(line))
		sets.add(set(line))
		h.Code = true
		name, _, given := strings.Cut(line, " = ") // to a name of the module, or to an annotated one: if such lines only come or go, other edited lines use it
		field, _, annotated := strings.Cut(strings.TrimSpace(name), ":")
		head := strings.HasPrefix(strings.TrimSpace(line), "class ") // without anything in it: the rest of the class was moved
		defines = defines && (head || given && (token.IsIdentifier(name) || annotated && token.IsIdentifier(field)))
	}
	h.Code, h.Edit, h.OnlyFloats = h.Code && !defines, h.First, masked[0].String() == masked[1].String()
	h.text = text.String()
	h.was, h.now, h.binds, h.sets = was.String(), now.String(), binds.String(), sets.String()
	return h
}

// Python reports whether the file is Python.
func (h *Hunk) Python() bool { return isPython(h.File) }

// holds reports whether a line is among those that were added or changed.
func (h *Hunk) holds(line int) bool { return line >= h.First && line < h.First+h.Lines }

// OfTests reports whether the hunk is in a file of tests, as pytest and unittest name them.
func (h *Hunk) OfTests() bool {
	name := path.Base(h.File)
	return h.Python() && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py"))
}

// Hands reports whether all that the lines do is to make values that a call takes: "batch = next(train)" before "step(params, batch)".
func (h *Hunk) Hands(call string) bool {
	_, arguments, _ := strings.Cut(call, "(")
	taken := wordsIn(arguments)
	for line := range strings.Lines(h.text) {
		if made := wordsIn(bound(strings.TrimSpace(line[1:]))); len(made) == 0 || !made.within(taken) {
			return false
		}
	}
	return h.text != ""
}

// IsUsedIn reports whether a line of code uses a name that the hunk's lines may bind.
func (h *Hunk) IsUsedIn(line string) bool { return wordsIn(h.binds).shares(wordsIn(line)) }

// SetsAny reports whether the hunk's lines set a name of the module, a field or a parameter that is among those which lines of whatever function use.
func (h *Hunk) SetsAny(names map[string]bool) bool { return wordsIn(h.sets).shares(names) }

// Sets reports whether the hunk may set what other lines use: a name of the module, a field or a parameter, or an entry of a configuration.
func (h *Hunk) Sets() bool { return h.sets != "" || !h.Python() }

// Names reports whether the hunk's lines bind one of some names, or quote it: what makes an entry of a dictionary or a parameter of a layer.
func (h *Hunk) Names(names map[string]bool) bool {
	binds := wordsIn(h.binds)
	for name := range wordsIn(h.text) {
		if names[name] && (binds[name] || strings.Contains(h.text, `"`+name+`"`) || strings.Contains(h.text, "'"+name+"'")) {
			return true
		}
	}
	return false
}

// NamesIn are the names in lines of code.
func NamesIn(text string) map[string]bool { return wordsIn(text) }

// Loses reports whether the lines that were removed have some text more often than those that were added.
func (h *Hunk) Loses(text string) bool {
	more := 0
	for line := range strings.Lines(h.text) {
		if n := strings.Count(line[1:], text); line[0] == '-' {
			more += n
		} else {
			more -= n
		}
	}
	return more > 0
}

// Skips reports whether the lines return, go on or branch more often than those before: others may not run.
func (h *Hunk) Skips() bool {
	more := 0
	for line := range strings.Lines(h.text) {
		first, _, _ := strings.Cut(strings.TrimRight(line[1:], ":\n"), " ")
		switch {
		case !slices.Contains([]string{"if", "elif", "else", "for", "while", "return", "continue", "break"}, first):
		case line[0] == '+':
			more++
		default:
			more--
		}
	}
	return more > 0
}

// Compiles reports whether jit compiles a function in the lines or in the statement around them, so that its options may be edited: which arguments are donated,
// and which are static.
func (h *Hunk) Compiles() bool { return h.inJit || compiles(wordsIn(h.was+" "+h.now)) }

// CompilesAnew reports whether a line that was added has jit compile a function, by its name or above its definition, where no line that was removed did so with the
// same static arguments.
func (h *Hunk) CompilesAnew(function string) bool {
	own := h.Function[strings.LastIndexByte(h.Function, '.')+1:] == function
	was, now, static := words{}, words{}, false // of the lines that do
	for line := range strings.Lines(h.text) {
		w, says := wordsIn(line[1:]), strings.Contains(line, "static_arg")
		if !own && !w[function] || !compiles(w) && !(own && says) {
			continue
		}
		if static = static || says; line[0] == '-' {
			maps.Copy(was, w)
		} else {
			maps.Copy(now, w)
		}
	}
	return len(now) > 0 && (len(was) == 0 || static && !maps.Equal(was, now))
}

func compiles(w words) bool { return w["jit"] || w["jit_compile"] }

// In64Bits reports whether a line that was removed, and one that was added, has JAX compute in 64 bits, in all that it compiles.
func (h *Hunk) In64Bits() (was, now bool) {
	for line := range strings.Lines(h.text) {
		if w := wordsIn(line[1:]); w["jax_enable_x64"] && w["True"] {
			was, now = was || line[0] == '-', now || line[0] == '+'
		}
	}
	return was, now
}

// Uncompiles reports whether the lines had jit compile a function, above its definition or by its name, and do so no more.
func (h *Hunk) Uncompiles(function string) bool {
	own := h.Function[strings.LastIndexByte(h.Function, '.')+1:] == function
	had := map[byte]bool{}
	for line := range strings.Lines(h.text) {
		if w := wordsIn(line[1:]); compiles(w) && (w[function] || own && decorates(line[1:])) {
			had[line[0]] = true
		}
	}
	return had['-'] && !had['+']
}

// Drops reports whether the lines defined or used a function and do so no more. An attribute, a keyword and a variable of its name are other things.
func (h *Hunk) Drops(function string) bool {
	used := map[byte]bool{}
	for line := range strings.Lines(h.text) {
		for _, s := range statementsOf([]string{line[1:]}) {
			for i, t := range s {
				before, behind := "", ""
				if i > 0 {
					before = s[i-1].text
				}
				if i+1 < len(s) {
					behind = s[i+1].text
				}
				if t.text == function && before != "." && behind != "=" && (!t.binds || before == "def") {
					used[line[0]] = true
				}
			}
		}
	}
	return used['-'] && !used['+']
}

// removedText are the lines with code that the hunk removed.
func (h *Hunk) removedText() string {
	var b strings.Builder
	for line := range strings.Lines(h.text) {
		if line[0] == '-' {
			b.WriteString(line[1:])
		}
	}
	return b.String()
}

// Removed is the first line with code that a hunk removed, as a diff shows it; "" if the hunk has lines of its own.
func (h *Hunk) Removed() string {
	line, _, _ := strings.Cut(h.removedText(), "\n")
	if h.Lines > 0 || line == "" {
		return ""
	}
	return "- " + shown(line)
}
