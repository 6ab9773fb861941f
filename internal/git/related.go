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

// relate numbers the edits of a file: the hunks of a function that replace the same, or that a name which comes, goes or moves connects, are one.
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
			if h.Edit != earlier.Edit && (len(list) > maxRelated || h.replacesAs(earlier) || h.renames(earlier, kept) || h.moves(earlier, kept)) {
				unite(list, earlier.Edit, h.Edit)
			}
		}
	}
}

func unite(list []*Hunk, a, b int) {
	for _, h := range list {
		if h.Edit == a || h.Edit == b {
			h.Edit = min(a, b)
		}
	}
}

// moves reports whether one of two hunks brings a name that the other takes away, and that nothing else in the function has.
func (h *Hunk) moves(other *Hunk, kept words) bool {
	was, now, otherWas, otherNow := wordsIn(h.was), wordsIn(h.now), wordsIn(other.was), wordsIn(other.now)
	for name := range wordsIn(h.was + " " + other.was) {
		there, back := was[name] && !now[name] && otherNow[name] && !otherWas[name], otherWas[name] && !otherNow[name] && now[name] && !was[name]
		isNumber := name[0] >= '0' && name[0] <= '9'
		if (there || back) && !kept[name] && !isNumber {
			return true
		}
	}
	return false
}

// replacesAs reports whether two hunks take the same words away and put the same in their place.
func (h *Hunk) replacesAs(other *Hunk) bool {
	was, now, otherWas, otherNow := wordsIn(h.was), wordsIn(h.now), wordsIn(other.was), wordsIn(other.now)
	gone, came, otherGone, otherCame := was.without(now), now.without(was), otherWas.without(otherNow), otherNow.without(otherWas)
	return len(gone)+len(came) > 0 && len(otherGone)+len(otherCame) > 0 &&
		gone.within(otherWas) && came.within(otherNow) && otherGone.within(was) && otherCame.within(now)
}

// renames reports whether both hunks bring, or both take away, a name that one of them binds and nothing else in the function has.
func (h *Hunk) renames(other *Hunk, kept words) bool {
	was, now, otherWas, otherNow := wordsIn(h.was), wordsIn(h.now), wordsIn(other.was), wordsIn(other.now)
	for name := range wordsIn(h.binds + " " + other.binds) {
		came := now[name] && otherNow[name] && !was[name] && !otherWas[name]
		gone := was[name] && otherWas[name] && !now[name] && !otherNow[name]
		if (came || gone) && !kept[name] {
			return true
		}
	}
	return false
}

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
