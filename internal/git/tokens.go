package git

import (
	"regexp"
	"slices"
	"strings"
)

// lexeme is a name, a number, a text or a sign of Python.
type lexeme struct {
	text  string
	line  int  // of a file's lines, the first is 1
	level int  // of the first of a statement: in how many blocks it is, and one
	binds bool // it is a name that its statement gives
}

// isName reports whether it is a name or a keyword.
func (t lexeme) isName() bool {
	return t.text[0] == '_' || t.text[0]|0x20 >= 'a' && t.text[0]|0x20 <= 'z'
}

var tokenPattern = regexp.MustCompile(`(?s)` +
	`(?:[rRbBuUfF]{0,2}(?:"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))` +
	`|#[^\n]*|\\\r?\n|\n|[A-Za-z_]\w*|\d[\w.]*|:=|[-+*/@%&|^<>=!]=|\*\*|//|->|\S`)

// statementsOf reads the statements of Python, each without what says nothing to the interpreter: comments, texts that stand alone, annotations of functions,
// and a comma before a bracket that closes. A check that only fails, with the condition before it, says nothing of what is computed.
func statementsOf(lines []string) (statements [][]lexeme) {
	var open []lexeme
	var blocks []int // the columns of those around a statement, and its own
	line, depth := 1, 0
	for _, text := range tokenPattern.FindAllString(strings.Join(lines, "\n")+"\n", -1) {
		switch {
		case text == "\n" && depth == 0:
			if len(open) > 0 {
				column := indentOf(lines[open[0].line-1])
				inner := slices.IndexFunc(blocks, func(block int) bool { return block >= column })
				if inner >= 0 {
					blocks = blocks[:inner]
				}
				blocks = append(blocks, column)
				open[0].level = len(blocks)
			}
			last := len(statements) - 1
			switch said := meant(open); {
			case len(said) == 0:
			case said[0].text != "assert" && said[0].text != "raise":
				statements = append(statements, said)
			case said[0].text == "raise" && last >= 0 && isCondition(statements[last]) && !isTried(statements, said[0].level): // nothing is behind it
				statements = statements[:last]
			}
			open = nil
		case text[0] == '#' || text[0] == '\n' || text[0] == '\\':
		default:
			depth = max(0, depth+nesting(text))
			open = append(open, lexeme{text: text, line: line})
		}
		line += strings.Count(text, "\n")
	}
	return statements
}

// isCondition reports whether a statement is "if" with its condition, and nothing is behind that.
func isCondition(s []lexeme) bool { return s[0].text == "if" && s[len(s)-1].text == ":" }

// isTried reports whether what follows some statements at a level is in a block of try, which may catch what it raises.
func isTried(statements [][]lexeme, level int) bool {
	for _, s := range slices.Backward(statements) {
		if s[0].level >= level {
			continue
		}
		if level = s[0].level; s[0].text == "try" {
			return true
		}
	}
	return false
}

// nesting is 1 for an opening bracket and -1 for a closing one.
func nesting(text string) int {
	switch text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// meant leaves of a statement what it says, and marks the names that it gives.
func meant(s []lexeme) (said []lexeme) {
	if len(s) == 1 && strings.ContainsAny(s[0].text[len(s[0].text)-1:], `"'`) { // a text
		return nil
	}
	defines := len(s) > 0 && (s[0].text == "def" || s[0].text == "async")
	depth, note := 0, false // within an annotation
	for i, t := range s {
		depth += nesting(t.text)
		switch {
		case defines && depth == 1 && t.text == ":" || defines && depth == 0 && t.text == "->":
			note = true
		case note && (depth == 1 && (t.text == "," || t.text == "=") || depth == 0 && (t.text == ")" || t.text == ":")):
			note = false
		}
		closes := t.text == "," && i+1 < len(s) && nesting(s[i+1].text) < 0
		if !note && !closes {
			said = append(said, t)
		}
	}
	bind(said)
	return said
}

// bind marks the names that a statement gives: a function or class and its parameters, the variables of loops and lambdas, what is imported or opened under a
// name, and what is left of an assignment.
func bind(s []lexeme) {
	depth, assigned := 0, assignment(s)
	var within string // the word whose names are given
	for i := range s {
		t := &s[i]
		depth += nesting(t.text)
		before := ""
		if i > 0 {
			before = s[i-1].text
		}
		own := before == "." && i > 1 && (s[i-2].text == "self" || s[i-2].text == "cls")
		switch {
		case t.text == "def" || t.text == "class" || t.text == "for" || t.text == "lambda" || t.text == "as":
			within = t.text
		case t.text == "in" || t.text == ":" && within != "def" || t.text == "=" && within == "class":
			within = ""
		case !t.isName() || before == "." && !own:
		case within == "def" || within == "lambda":
			t.binds = before == within || before == "(" && depth == 1 || before == "," && depth < 2 || before == "*" || before == "**"
		case within == "class" || within == "as":
			t.binds, within = before == within, ""
		case within == "for":
			t.binds = true
		case i < assigned:
			inside := 0 // of square brackets and braces
			for _, b := range s[:i] {
				if strings.Contains("[]{}", b.text) {
					inside += nesting(b.text)
				}
			}
			t.binds = inside == 0 || before == "(" || before == ","
		}
	}
}

// assignment is the place of the last sign of a statement that gives values to what is left of it, 0 for none: "=" or the ":" of an annotated name.
func assignment(s []lexeme) (at int) {
	depth := 0
	for i, t := range s {
		depth += nesting(t.text)
		if depth == 0 && (t.text == "=" || i == 1 && t.text == ":") {
			at = i
		}
	}
	return at
}
