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
	for i, s := range scopesOf(lines)[1:] {
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
	statements, given := statementsOf(lines), map[string]int{} // how often the module gives a name to a value
	for _, s := range statements {
		for _, t := range s[:assignment(s)] {
			if t.binds && s[0].level == 1 {
				given[t.text]++
			}
		}
	}
	for name, d := range found {
		if strings.Contains(name, ".<locals>.") || several[name] || !may(d) {
			delete(found, name)
			continue
		}
		var said strings.Builder
		rebound := false // what it means depends on where it is
		for _, t := range tokensIn(statements, d.first, d.last-d.first+1) {
			fmt.Fprintln(&said, t.level, t.text)
			rebound = rebound || given[t.text] > 1 || t.text == name && given[name] > 0
		}
		if rebound {
			delete(found, name)
			continue
		}
		d.said = said.String()
		found[name] = d
	}
	return found
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
