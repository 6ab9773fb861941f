package git

import "regexp"

// definitionStart finds the first line of a function or class of a module, and its name.
var definitionStart = regexp.MustCompile(`^(?:@|(?:async )?def (\w+)|class (\w+))`)

// noteNew marks the hunks that only define functions and classes which the module did not have: only another edit can use them.
func (f *fileEdits) noteNew(lines []string) {
	for i := range f.hunks {
		h := &f.hunks[i]
		if f.old == "" || h.OldLines > 0 || h.Lines == 0 || h.First-1+h.Lines > len(lines) {
			continue
		}
		before, added, behind := lines[:h.First-1], lines[h.First-1:h.First-1+h.Lines], lines[h.First-1+h.Lines:]
		names := definedIn(added)
		decorated := len(before) > 0 && decorates(before[len(before)-1]) // what stood below the decorator is decorated no more
		if h.New = len(names) > 0 && !decorated && !binds(before, names) && !binds(behind, names); !h.New {
			continue
		}
		for _, removed := range f.removed {
			h.New = h.New && !binds(removed, names)
		}
	}
}

// definedIn are the names of the functions and classes that lines define; none if the lines do anything else.
func definedIn(lines []string) words {
	names, inside, decorated := words{}, false, false
	for _, line := range lines {
		if !hasCode(line, true) {
			continue
		}
		if indentOf(line) == 0 && line[0] != ')' {
			found := definitionStart.FindStringSubmatch(line)
			if inside = found != nil; inside {
				names.add(found[1] + " " + found[2])
			}
			decorated = decorates(line)
		}
		if !inside {
			return nil
		}
	}
	if decorated { // the decorator of a function that was there
		return nil
	}
	return names
}

// binds reports whether a line of the module gives one of some names to something: a function, an import or a value.
func binds(lines []string, names words) bool {
	for _, line := range lines {
		if line == "" || line[0] == '#' || indentOf(line) > 0 {
			continue
		}
		given := wordsIn(bound(line))
		if !hasCode(line, true) {
			given = wordsIn(line) // an import
		}
		if len(names.without(given)) < len(names) {
			return true
		}
	}
	return false
}
