package git

import (
	"cmp"
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

// leaveOutMoved takes out of the hunks the functions and classes that only moved, within a file or to another. Of a function that was edited as well, it leaves
// the lines that are not as they were.
func (t *workTree) leaveOutMoved(files []fileEdits) {
	gone, came := make([]map[string]definition, len(files)), make([]map[string]definition, len(files)) // in each file, by name
	were, are := map[string][]definition{}, map[string][]definition{}
	text := map[string][]string{} // of what is gone, by name
	for i := range files {
		f := &files[i]
		lines := t.lines(f.now)
		if slices.ContainsFunc(f.hunks, func(h Hunk) bool { return h.First-1+h.Lines > len(lines) }) { // it is too large, or was written meanwhile
			continue
		}
		if before := f.before(lines); isPython(f.old) && slices.ContainsFunc(f.removed, func(lines []string) bool { return len(lines) > 1 }) {
			gone[i] = definitionsIn(before, func(d definition) bool {
				return slices.ContainsFunc(f.hunks, func(h Hunk) bool { return d.first >= h.OldFirst && d.last < h.OldFirst+h.OldLines })
			})
			for name, d := range gone[i] {
				were[name], text[name] = append(were[name], d), before[d.first-1:d.last]
			}
		}
		if isPython(f.now) && slices.ContainsFunc(f.hunks, func(h Hunk) bool { return h.Lines > 1 }) {
			came[i] = definitionsIn(lines, func(d definition) bool {
				return slices.ContainsFunc(f.hunks, func(h Hunk) bool { return h.holds(d.first) && h.holds(d.last) })
			})
			for name, d := range came[i] {
				are[name] = append(are[name], d)
			}
		}
	}
	same := func(d definition, others []definition) bool {
		return slices.ContainsFunc(others, func(o definition) bool { return o.said == d.said })
	}
	edited := func(name string) bool {
		return len(were[name]) == 1 && len(are[name]) == 1 && !were[name][0].class && !are[name][0].class
	}
	for i := range files {
		var removed []definition
		for name, d := range gone[i] {
			if same(d, are[name]) || edited(name) {
				removed = append(removed, d)
			}
		}
		var added []move
		for name, d := range came[i] {
			switch {
			case same(d, were[name]):
				added = append(added, move{d, nil})
			case edited(name):
				added = append(added, move{d, text[name]})
			}
		}
		if len(removed)+len(added) > 0 {
			slices.SortFunc(added, func(a, b move) int { return cmp.Or(a.first-b.first, b.last-a.last) })
			files[i].cut(t.lines(files[i].now), removed, added)
		}
	}
}

// definitionsIn finds the functions and classes in the lines of a file that may have moved, by name.
func definitionsIn(lines []string, may func(definition) bool) map[string]definition {
	found := map[string]definition{}
	for i, s := range scopesOf(lines)[1:] {
		for ; s != nil && hasCode(lines[i], true); s = s.around {
			d, known := found[s.String()]
			if d.last, d.class = i+1, s.class; !known {
				d.first = i + 1
			}
			found[s.String()] = d
		}
	}
	statements := statementsOf(lines)
	for name, d := range found {
		if strings.Contains(name, ".<locals>.") || !may(d) {
			delete(found, name)
			continue
		}
		var said strings.Builder
		for _, t := range tokensIn(statements, d.first, d.last-d.first+1) {
			said.WriteString(t.text + " ")
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
	longer := 0 // by what the hunks so far added
	add := func(gone []string, first int, came []string) {
		if len(gone) == 0 && !slices.ContainsFunc(came, func(line string) bool { return hasCode(line, true) }) {
			return
		}
		was := first - longer
		if len(gone) == 0 {
			was--
		}
		if len(came) == 0 {
			first--
		}
		hunks, kept = append(hunks, hunkOf(was, gone, first, came, true)), append(kept, gone)
		longer += len(came) - len(gone)
	}
	for i, h := range f.hunks {
		var gone []string
		for at, line := range f.removed[i] {
			at += h.OldFirst
			if !slices.ContainsFunc(removed, func(d definition) bool { return at >= d.first && at <= d.last }) {
				gone = append(gone, line)
			}
		}
		next, end := h.First, h.First+h.Lines
		if h.Lines == 0 {
			next, end = h.First+1, h.First+1
		}
		for _, m := range added {
			if m.first < next || m.last >= end {
				continue
			}
			if next < m.first {
				add(gone, next, lines[next-1:m.first-1])
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
