package git

import (
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

func (w words) shares(others words) bool { return len(w.without(others)) < len(w) }

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

// settings finds what a line of Python sets that lines of other functions may use: a name of the module, an attribute, a field of a class, a parameter or keyword on a
// line of its own.
var settings = regexp.MustCompile(`^(?:(\w+) = |\s+(?:self|cls)\.(\w+) = |\s*(\w+)(?:: |=)[^=])`)

// set is the name that a line sets; "" for none.
func set(line string) string {
	found := settings.FindStringSubmatch(line)
	if found == nil || slices.Contains([]string{"else", "try", "finally", "lambda"}, found[3]) {
		return ""
	}
	return found[1] + found[2] + found[3]
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
