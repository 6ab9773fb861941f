package git

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// definition is a function or class of Python in some lines, from one to another, the first is 1.
type definition struct {
	first, last int
	text        string
}

// definitions lists the functions and classes in some lines, each before those within it.
func definitions(lines []string) (list []definition) {
	at := map[*scope]int{}
	for i, s := range scopesOf(lines)[1:] {
		if !hasCode(lines[i], true) {
			continue
		}
		for ; s != nil; s = s.around {
			n, known := at[s]
			if !known {
				n, at[s] = len(list), len(list)
				list = append(list, definition{first: i + 1})
			}
			list[n].last = i + 1
			list[n].text += fmt.Sprintf("%d %s\n", indentOf(lines[i])-s.indent, strings.TrimSpace(lines[i]))
		}
	}
	slices.SortFunc(list, func(a, b definition) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last)) })
	return list
}

// leaveOutMoved leaves out of the hunks what only moved: functions and classes that were taken away at one place and are at another as they were.
func (t *workTree) leaveOutMoved(files []fileEdits) {
	gone, moved := map[string]bool{}, map[string]bool{} // by text
	for _, f := range files {
		for _, lines := range f.removed {
			for _, d := range definitions(lines) {
				gone[d.text] = true
			}
		}
	}
	for i := range files {
		if f := &files[i]; len(gone) > 0 && isPython(f.now) {
			lines := t.lines(f.now)
			for _, d := range definitions(lines) {
				if gone[d.text] && f.cut(d, lines) {
					moved[d.text] = true
				}
			}
		}
	}
	for i := range files {
		for j, lines := range files[i].removed {
			if h := &files[i].hunks[j]; len(moved) > 0 && onlyThose(moved, lines) && !anyCode(h.linesOf(t.lines(files[i].now))) {
				h.Code = false
			}
		}
	}
}

// linesOf returns the lines of a file that were added or changed.
func (h *Hunk) linesOf(lines []string) []string {
	first := min(max(h.First-1, 0), len(lines))
	return lines[first:min(first+h.Lines, len(lines))]
}

func anyCode(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return hasCode(line, true) })
}

// cut takes the lines of a definition out of the hunk that added it, and reports whether one did.
func (f *fileEdits) cut(d definition, lines []string) bool {
	at := slices.IndexFunc(f.hunks, func(h Hunk) bool { return h.First <= d.first && d.last < h.First+h.Lines })
	if at < 0 {
		return false
	}
	above, below := f.hunks[at], f.hunks[at]
	above.Lines, below.First = d.first-above.First, d.last+1
	below.Lines = f.hunks[at].First + f.hunks[at].Lines - below.First
	below.OldFirst, below.OldLines = below.OldFirst+below.OldLines, 0
	f.hunks, f.removed = slices.Delete(f.hunks, at, at+1), slices.Delete(f.removed, at, at+1)
	for _, h := range []Hunk{above, below} {
		if h.Code = h.OldLines > 0 || anyCode(h.linesOf(lines)); h.Code {
			f.hunks, f.removed = append(f.hunks, h), append(f.removed, nil)
		}
	}
	return true
}

// onlyThose reports whether lines hold some definitions and no other code.
func onlyThose(moved map[string]bool, lines []string) bool {
	rest := slices.Clone(lines)
	for _, d := range definitions(lines) {
		if moved[d.text] {
			clear(rest[d.first-1 : d.last])
		}
	}
	return !anyCode(rest)
}
