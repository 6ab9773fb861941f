package git

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// words are the names and numbers of Python in some text, each once.
type words map[string]bool

var word = regexp.MustCompile(`\w+`)

func (w words) add(text string) {
	for _, name := range word.FindAllString(text, -1) {
		w[name] = true
	}
}

func wordsIn(text string) words {
	w := words{}
	w.add(text)
	return w
}

// String is the text that [wordsIn] reads.
func (w words) String() string { return strings.Join(slices.Sorted(maps.Keys(w)), " ") }

func (w words) without(others words) words {
	left := maps.Clone(w)
	maps.DeleteFunc(left, func(name string, _ bool) bool { return others[name] })
	return left
}

func (w words) within(others words) bool { return len(w.without(others)) == 0 }

// binding finds what a line of Python binds to names: a function or class and its parameters, the variable of a loop, what is left of an assignment.
var binding = regexp.MustCompile(`^\s*(?:(?:async )?(?:(?:def|class) (.*)|for (.*?) in .*)|(.*?) = .*)$`)

// bound are the words of a line that are names which it binds, or may be.
func bound(line string) string {
	found := binding.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return strings.Join(found[1:], " ")
}

// maxRelated bounds the hunks of a function that are compared with each other; more are one edit.
const maxRelated = 256

// relate numbers the edits of a file. Hunks of one function are one edit if they replace the same, or if a name that comes, goes or moves connects them.
func relate(lines []string, hunks []Hunk) {
	byFunction, held := map[string][]*Hunk{}, make([]bool, len(lines))
	for i := range hunks {
		h := &hunks[i]
		h.Edit = h.First
		byFunction[outermost(h.Function)] = append(byFunction[outermost(h.Function)], h)
		for at := h.First; at < h.First+h.Lines && at <= len(held); at++ {
			held[at-1] = true
		}
	}
	kept := map[string]words{}
	for i, s := range scopesOf(lines)[1:] {
		function := outermost(s.String())
		if held[i] || len(byFunction[function]) < 2 {
			continue
		}
		if kept[function] == nil {
			kept[function] = words{}
		}
		kept[function].add(lines[i])
	}
	for function, list := range byFunction {
		connect(list, kept[function])
	}
}

// outermost is the function around another that is in none.
func outermost(function string) string {
	function, _, _ = strings.Cut(function, ".<locals>.")
	return function
}

// connect makes one edit of the related hunks of a function. kept are the words of its lines that were not edited.
func connect(list []*Hunk, kept words) {
	for i, h := range list {
		for _, earlier := range list[:i] {
			if h.Edit == earlier.Edit || h.same || earlier.same || len(list) <= maxRelated && !h.related(earlier, kept) {
				continue
			}
			a, b := earlier.Edit, h.Edit
			for _, of := range list {
				if of.Edit == a || of.Edit == b {
					of.Edit = min(a, b)
				}
			}
		}
	}
}

// related reports whether two hunks are one edit: they take the same words away and put the same in their place; or one of them brings a name that the other
// takes away; or both bring, or both take away, a name that one of them binds. Nothing else in the function has that name.
func (h *Hunk) related(other *Hunk, kept words) bool {
	was, now, otherWas, otherNow := wordsIn(h.was), wordsIn(h.now), wordsIn(other.was), wordsIn(other.now)
	gone, came, otherGone, otherCame := was.without(now), now.without(was), otherWas.without(otherNow), otherNow.without(otherWas)
	if h.text == other.text || len(gone)+len(came) > 0 && len(otherGone)+len(otherCame) > 0 &&
		gone.within(otherWas) && came.within(otherNow) && otherGone.within(was) && otherCame.within(now) {
		return true
	}
	for name := range wordsIn(h.binds + " " + other.binds) {
		if (came[name] && otherCame[name] || gone[name] && otherGone[name]) && !kept[name] {
			return true
		}
	}
	for name := range wordsIn(h.was + " " + other.was) {
		isNumber := name[0] >= '0' && name[0] <= '9'
		if (gone[name] && otherCame[name] || otherGone[name] && came[name]) && !kept[name] && !isNumber {
			return true
		}
	}
	return false
}

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

// valuesIn counts the values that a statement separates by commas. It counts those in tuples and lists one by one, and leaves out those that it hands to a
// call.
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
