package git

import (
	"cmp"
	"slices"
	"strings"
)

func isPython(name string) bool { return strings.HasSuffix(name, ".py") }

// hasCode reports whether a line is more than blank, and in Python more than a comment or an import.
func hasCode(line string, python bool) bool {
	line = strings.TrimSpace(line)
	for _, quiet := range []string{"#", "import ", "from "} {
		if python && strings.HasPrefix(line, quiet) {
			return false
		}
	}
	return line != ""
}

// decorates reports whether a line belongs to the function behind it.
func decorates(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "@") }

// scope is a function or a class of Python.
type scope struct {
	name   string
	class  bool
	indent int
	around *scope // nil at the top of the file
}

// String is the name that Python gives it.
func (s *scope) String() string {
	switch {
	case s == nil:
		return ""
	case s.around == nil:
		return s.name
	case s.around.class:
		return s.around.String() + "." + s.name
	}
	return s.around.String() + ".<locals>." + s.name
}

// named reports whether a function may be this one. A dump may name it with or without what is around it, and names lambdas, comprehensions and
// modules in angle brackets.
func (s *scope) named(function string) bool {
	function = function[strings.LastIndexByte(function, '.')+1:]
	return function == "" || strings.HasPrefix(function, "<") || s != nil && s.name == function
}

// holding is the innermost scope that a statement of this indent can be in.
func (s *scope) holding(indent int) *scope {
	for s != nil && s.indent >= indent {
		s = s.around
	}
	return s
}

// defined is what a line begins to define within a scope; nil where it defines nothing.
func (s *scope) defined(line string) *scope {
	indent := indentOf(line)
	line = strings.TrimPrefix(strings.TrimLeft(line, " \t"), "async ")
	word, name, _ := strings.Cut(line, " ")
	if word != "def" && word != "class" {
		return nil
	}
	name = strings.TrimLeft(name, " ")
	if end := strings.IndexAny(name, " (:[\r"); end >= 0 {
		name = name[:end]
	}
	return &scope{name, word == "class", indent, s.holding(indent)}
}

// indentOf is the column of the first letter.
func indentOf(line string) int {
	column := 0
	for _, c := range line {
		switch c {
		case ' ':
			column++
		case '\t':
			column += 8 - column%8
		default:
			return column
		}
	}
	return column
}

// scopesOf is the scope of each line, the first in place 1. A decorator is in the scope of what it decorates.
func scopesOf(lines []string) []*scope {
	at := make([]*scope, len(lines)+1)
	var inside *scope
	var l lexer
	decorator := 0
	for i, line := range lines {
		if begins := l.line(line); begins && hasCode(line, true) {
			inside = inside.holding(indentOf(line))
			if made := inside.defined(line); made != nil {
				inside = made
				for d := decorator; d > 0 && d <= i; d++ {
					at[d] = made
				}
			}
			if decorator = cmp.Or(decorator, i+1); !decorates(line) {
				decorator = 0
			}
		}
		at[i+1] = inside
	}
	return at
}

// lexer knows what is open at the end of a line.
type lexer struct {
	quote string // of a text that goes on
	depth int    // brackets
	joins bool   // a backslash ends the line
}

// line reads a line and reports whether a statement begins on it.
func (l *lexer) line(text string) (begins bool) {
	if l.quote == "" && (*scope)(nil).defined(text) != nil {
		l.depth, l.joins = 0, false // no bracket is open before a definition: one was misread
	}
	begins = l.quote == "" && l.depth == 0 && !l.joins
	for i := 0; i < len(text); {
		switch {
		case l.quote != "":
			i += l.inText(text[i:])
		case text[i] == '#':
			i = len(text)
		default:
			i += l.inCode(text[i:])
		}
	}
	l.joins = l.quote == "" && strings.HasSuffix(strings.TrimSuffix(text, "\r"), `\`)
	if len(l.quote) == 1 {
		l.quote = ""
	}
	return begins
}

// inText reads a letter of a text and returns how many bytes that was.
func (l *lexer) inText(rest string) int {
	if strings.HasPrefix(rest, l.quote) {
		n := len(l.quote)
		l.quote = ""
		return n
	}
	if rest[0] == '\\' {
		return 2
	}
	return 1
}

// inCode reads a letter outside of texts and returns how many bytes that was.
func (l *lexer) inCode(rest string) int {
	switch rest[0] {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(0, l.depth-1)
	case '"', '\'':
		l.quote = rest[:1]
		if three := strings.Repeat(l.quote, 3); strings.HasPrefix(rest, three) {
			l.quote = three
		}
		return len(l.quote)
	}
	return 1
}

// placeIn fills in the functions of a file's hunks, and whether they are within a call of jit.
func placeIn(lines []string, hunks []Hunk) {
	scopes, starts := scopesOf(lines), statementStarts(lines)
	inJit := map[int]bool{}
	compiled := func(statement int) bool {
		if statement < 0 || statement+1 >= len(starts) {
			return false
		}
		if _, known := inJit[statement]; !known {
			inJit[statement] = compiles(wordsIn(strings.Join(lines[starts[statement]-1:starts[statement+1]-1], "\n")))
		}
		return inJit[statement]
	}
	for i := range hunks {
		h := &hunks[i]
		h.Function = h.in(lines, scopes).String()
		// An option may be on a line of its own: "donate_argnums=(0,),". So the statements count that the hunk begins and ends in.
		behind, begins := slices.BinarySearch(starts, h.First+1)
		if h.Lines == 0 {
			h.inJit = !begins && compiled(behind-1)
			continue
		}
		last, _ := slices.BinarySearch(starts, h.First+h.Lines)
		h.inJit = compiled(behind-1) || compiled(last-1)
	}
}

// statementStarts lists the lines that a statement begins on, and the one behind the last line.
func statementStarts(lines []string) (starts []int) {
	var l lexer
	for i, line := range lines {
		if l.line(line) {
			starts = append(starts, i+1)
		}
	}
	return append(starts, len(lines)+1)
}

// in returns the scope of the first of its lines that has code; of removed lines, the scope that they would be in.
func (h *Hunk) in(lines []string, scopes []*scope) *scope {
	if h.First < 0 || h.First >= len(scopes) {
		return nil
	}
	if h.Lines > 0 {
		return scopes[firstCode(lines, h.First, min(h.First+h.Lines-1, len(lines)))]
	}
	if decorates(h.removed) {
		return scopes[firstCode(lines, min(h.First+1, len(lines)), len(lines))]
	}
	if made := scopes[h.First].defined(h.removed); made != nil || h.removed == "" {
		return cmp.Or(made, scopes[h.First])
	}
	return scopes[h.First].holding(indentOf(h.removed))
}

// firstCode returns the first line of a range that has code, else the first.
func firstCode(lines []string, first, last int) int {
	for i := first; i >= 1 && i <= last; i++ {
		if hasCode(lines[i-1], true) {
			return i
		}
	}
	return first
}
