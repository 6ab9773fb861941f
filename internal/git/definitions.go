package git

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// related holds, of each edit that definitions connect with others, one nearer to the first of them.
type related map[editPlace]editPlace

// editPlace is an edit of one function: its file and its first line.
type editPlace struct {
	file string
	line int
}

// relateFiles makes one edit of a definition that comes or goes and of all hunks that begin or cease to use it, and of what a function takes or returns and
// the hunks that call it.
func relateFiles(files []fileEdits) {
	came, gone := map[string]editPlace{}, map[string]editPlace{}
	eachHunk(files, func(at editPlace, h *Hunk) {
		note(came, strings.Fields(h.came), at)
		note(gone, strings.Fields(h.gone), at)
	})
	for name := range came {
		if _, both := gone[name]; both {
			delete(came, name)
			delete(gone, name)
		}
	}
	r, other := related{}, map[string]editPlace{}
	eachHunk(files, func(at editPlace, h *Hunk) {
		for function := range strings.SplitSeq(h.Function, ".<locals>.") {
			if h.changesCalls() {
				note(other, []string{function[strings.LastIndexByte(function, '.')+1:]}, at)
			}
		}
	})
	eachHunk(files, func(at editPlace, h *Hunk) {
		was, now := wordsIn(h.was), wordsIn(h.now)
		r.connect(at, now, other)
		r.connect(at, now.without(was), came)
		r.connect(at, was.without(now), gone)
	})
	eachHunk(files, func(at editPlace, h *Hunk) {
		if first, connected := r[at]; connected {
			first = r.find(first)
			h.With = fmt.Sprintf("%s:%d", first.file, first.line)
		}
	})
}

func eachHunk(files []fileEdits, do func(editPlace, *Hunk)) {
	for i := range files {
		for j := range files[i].hunks {
			if h := &files[i].hunks[j]; !h.same {
				do(editPlace{cmp.Or(files[i].now, files[i].old), h.Edit}, h)
			}
		}
	}
}

func note(by map[string]editPlace, names []string, at editPlace) {
	for _, name := range names {
		if _, known := by[name]; !known {
			by[name] = at
		}
	}
}

// connect makes one edit of a place and of those of the definitions that it begins or ceases to use.
func (r related) connect(at editPlace, names words, defined map[string]editPlace) {
	for name := range names {
		if place, ok := defined[name]; ok && place != at {
			a, b := r.find(place), r.find(at)
			if cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) > 0 {
				a, b = b, a
			}
			r[a], r[b] = a, a
		}
	}
}

// find returns the edit that stands for all those that are one with it.
func (r related) find(at editPlace) editPlace {
	for r[at] != (editPlace{}) && r[at] != at {
		at = r[at]
	}
	return at
}

// changesCalls reports whether the function around the hunk takes or returns another number of values now.
func (h *Hunk) changesCalls() bool {
	var was, is []int
	for line := range strings.Lines(h.text) {
		for _, s := range statementsOf([]string{line[1:]}) {
			from, told := map[string]int{"return": 1, "def": 3}[s[0].text] // behind the word; in the bracket behind the name
			switch {
			case !told || len(s) < from:
			case line[0] == '-':
				was = append(was, valuesIn(s[from:]))
			default:
				is = append(is, valuesIn(s[from:]))
			}
		}
	}
	return len(was) > 0 && len(is) > 0 && !slices.Equal(was, is)
}

// valuesIn counts the values that a statement separates by commas, those in tuples and lists one by one, those that it hands to a call not.
func valuesIn(s []lexeme) int {
	n, calls := 1, 0 // brackets of calls that are open
	var open []bool  // whether a bracket is one of a call
	for i, t := range s {
		switch nesting(t.text) {
		case 1:
			call := i > 0 && (s[i-1].isName() || nesting(s[i-1].text) < 0)
			open = append(open, call)
			calls += count(call)
		case -1:
			if last := len(open) - 1; last >= 0 {
				calls -= count(open[last])
				open = open[:last]
			}
		}
		if t.text == "," && calls == 0 {
			n++
		}
	}
	return n
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
