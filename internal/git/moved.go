package git

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// definition is a function or class that is in no function.
type definition struct {
	first, last int // of its lines in a file
	class       bool
	said        string // what it tells the interpreter
	behind      int    // how many statements before it may change its name, or a name that it uses when it is defined
}

// move is a function or class that was removed in one place and added in another.
type move struct {
	definition
	was []string // its lines, where it was also edited
}

// leaveOutMoved takes out of the hunks of a file the functions and classes that only moved in it. Of a function that was edited as well, it leaves the lines that are
// not as they were. What moves to another file may mean something else there.
func (f *fileEdits) leaveOutMoved(lines []string) {
	longer := func(lines []string) bool { return len(lines) > 1 }
	adds := func(h Hunk) bool { return h.Lines > 1 }
	late := func(h Hunk) bool { return h.First-1+h.Lines > len(lines) } // the file is too large, or was written meanwhile
	if !slices.ContainsFunc(f.removed, longer) || !slices.ContainsFunc(f.hunks, adds) || slices.ContainsFunc(f.hunks, late) {
		return
	}
	before := f.before(lines)
	gone := definitionsIn(before, func(d definition) bool {
		return slices.ContainsFunc(f.hunks, func(h Hunk) bool { return d.first >= h.OldFirst && d.last < h.OldFirst+h.OldLines })
	})
	var removed []definition
	var added []move
	for name, is := range definitionsIn(lines, func(d definition) bool {
		return slices.ContainsFunc(f.hunks, func(h Hunk) bool { return h.holds(d.first) && h.holds(d.last) })
	}) {
		switch was, moved := gone[name]; {
		case moved && is.behind != was.behind: // it means something else there
		case moved && is.said == was.said:
			removed, added = append(removed, was), append(added, move{is, nil})
		case moved && !is.class && !was.class:
			removed, added = append(removed, was), append(added, move{is, before[was.first-1 : was.last]})
		}
	}
	if len(added) > 0 {
		slices.SortFunc(added, func(a, b move) int { return cmp.Or(a.first-b.first, b.last-a.last) })
		f.cut(lines, removed, added)
	}
}

// definitionsIn finds the functions and classes in the lines of a file that may have moved, by name.
func definitionsIn(lines []string, may func(definition) bool) map[string]definition {
	found, scopes, several := map[string]definition{}, map[string]*scope{}, map[string]bool{}
	at := scopesOf(lines)
	for i, s := range at[1:] {
		for ; s != nil && hasCode(lines[i], true); s = s.around {
			if s.around == nil && s.indent > 0 { // it is there under a condition
				continue
			}
			name := s.String()
			d, known := found[name]
			if d.last, d.class = i+1, s.class; !known {
				d.first, scopes[name] = i+1, s
			}
			found[name] = d
			several[name] = several[name] || scopes[name] != s
		}
	}
	statements := statementsOf(lines)
	said := map[string][]int{} // the lines of statements that run when the module is imported and have a name
	for _, s := range statements {
		of := at[s[0].line]
		if of != nil && defines(s) {
			of = of.around
		}
		for of != nil && of.class {
			of = of.around
		}
		for _, t := range s {
			if of == nil && s[0].text != "@" && (t.binds || !defines(s)) {
				said[t.text] = append(said[t.text], s[0].line)
			}
		}
	}
	for name, d := range found {
		if strings.Contains(name, ".<locals>.") || several[name] || !may(d) {
			delete(found, name)
			continue
		}
		var text strings.Builder
		for _, t := range tokensIn(statements, d.first, d.last-d.first+1) {
			fmt.Fprintln(&text, t.level, t.text)
		}
		d.said = text.String()
		for name := range d.uses(statements) {
			before, _ := slices.BinarySearch(said[name], d.first)
			d.behind += before
		}
		found[name] = d
	}
	return found
}

// defines reports whether a statement is the head of a function or class.
func defines(s []lexeme) bool {
	return s[0].text == "def" || s[0].text == "class" || len(s) > 1 && s[0].text == "async" && s[1].text == "def"
}

// uses are the name of a function or class, and the names that it uses when it is defined: in its decorators and defaults, or in the whole class.
func (d definition) uses(statements [][]lexeme) map[string]bool {
	names := map[string]bool{}
	first, _ := slices.BinarySearchFunc(statements, d.first, func(s []lexeme, line int) int { return s[0].line - line })
	for _, s := range statements[first:] {
		if s[0].line > d.last {
			break
		}
		for i, t := range s {
			own := i > 0 && (s[i-1].text == "def" || s[i-1].text == "class")
			if t.isName() && (own || !t.binds) && !slices.Contains([]string{"def", "async", "class", "lambda", "None", "True", "False"}, t.text) {
				names[t.text] = true
			}
		}
		if defines(s) && !d.class {
			break
		}
	}
	return names
}

// cut takes what moved out of the hunks that removed or added it. The hunks that are left tell the lines before as if it had moved earlier.
func (f *fileEdits) cut(lines []string, removed []definition, added []move) {
	var hunks []Hunk
	var kept [][]string
	code := func(line string) bool { return hasCode(line, true) }
	longer := 0   // by what the hunks so far added
	both := false // lines with code are left that were removed, and such that were added
	add := func(gone []string, first int, came []string) {
		if len(gone) == 0 && !slices.ContainsFunc(came, code) {
			return
		}
		was := first - longer
		if len(gone) == 0 {
			was--
		}
		if len(came) == 0 {
			first--
		}
		h := hunkOf(was, gone, first, came, true)
		h.Code = h.Code || both && slices.ContainsFunc(slices.Concat(gone, came), code)
		hunks, kept = append(hunks, h), append(kept, gone)
		longer += len(came) - len(gone)
	}
	went := map[int]bool{} // the lines that moved
	for _, d := range removed {
		for line := d.first; line <= d.last; line++ {
			went[line] = true
		}
	}
	for i, h := range f.hunks {
		var gone []string
		for at, line := range f.removed[i] {
			if !went[at+h.OldFirst] {
				gone = append(gone, line)
			}
		}
		came := map[int]bool{}
		for _, m := range added {
			for line := max(m.first, h.First); line <= m.last && h.holds(line); line++ {
				came[line] = true
			}
		}
		both = false
		for line := h.First; h.holds(line); line++ {
			both = both || !came[line] && code(lines[line-1])
		}
		both = both && slices.ContainsFunc(gone, code)
		next, end := h.First, h.First+h.Lines
		if h.Lines == 0 {
			next, end = h.First+1, h.First+1
		}
		for _, m := range added {
			if m.first < next || m.last >= end {
				continue
			}
			if piece := lines[min(next, m.first)-1 : m.first-1]; slices.ContainsFunc(piece, code) {
				add(gone, next, piece)
				gone = nil
			}
			if m.was != nil {
				now := lines[m.first-1 : m.last]
				alike := 0
				for alike < min(len(m.was), len(now)) && m.was[alike] == now[alike] {
					alike++
				}
				was, now := m.was[alike:], now[alike:]
				for len(was) > 0 && len(now) > 0 && was[len(was)-1] == now[len(now)-1] {
					was, now = was[:len(was)-1], now[:len(now)-1]
				}
				add(was, m.first+alike, now)
			}
			next = m.last + 1
		}
		add(gone, next, lines[min(next, end)-1:end-1])
	}
	f.hunks, f.removed = hunks, kept
}
