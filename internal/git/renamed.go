package git

import "slices"

// rename is another name for the same.
type rename struct{ was, is string }

// leaveOutRenames marks the hunks that tell the interpreter what the lines before told it, but for names that the edited files give: an edit of a comment, of
// an annotation, of a layout, or of a name everywhere.
func (t *workTree) leaveOutRenames(files []fileEdits) {
	was, is, given := map[string]bool{}, map[string]bool{}, map[rename]bool{}
	same := map[*Hunk][]rename{}
	for i := range files {
		f := &files[i]
		if !isPython(f.now) || len(f.hunks) > maxRelated {
			continue
		}
		lines := t.lines(f.now)
		before, after := statementsOf(f.before(lines)), statementsOf(lines)
		noteNames(was, before)
		noteNames(is, after)
		for j := range f.hunks {
			h := &f.hunks[j]
			renames, alike := renamed(tokensIn(before, h.OldFirst, h.OldLines), tokensIn(after, h.First, h.Lines), given)
			if alike {
				same[h] = renames
			}
		}
	}
	for h, renames := range same {
		h.same = !slices.ContainsFunc(renames, func(r rename) bool { return !given[r] || is[r.was] || was[r.is] })
		h.Code = h.Code && !h.same
	}
}

// before returns the lines of a file before it was edited.
func (f *fileEdits) before(lines []string) (old []string) {
	next := 0
	for i, h := range f.hunks {
		first := h.First - 1
		if h.Lines == 0 {
			first++ // they were behind this line
		}
		first = min(max(first, next), len(lines))
		old = append(append(old, lines[next:first]...), f.removed[i]...)
		next = min(first+h.Lines, len(lines))
	}
	return append(old, lines[next:]...)
}

func noteNames(names map[string]bool, statements [][]lexeme) {
	for _, s := range statements {
		for _, t := range s {
			if t.isName() {
				names[t.text] = true
			}
		}
	}
}

// tokensIn lists the tokens of some lines.
func tokensIn(statements [][]lexeme, first, lines int) (list []lexeme) {
	ends := func(s []lexeme, line int) int { return s[len(s)-1].line - line }
	at, _ := slices.BinarySearchFunc(statements, first, ends)
	for _, s := range statements[at:] {
		if s[0].line >= first+lines {
			break
		}
		for _, t := range s {
			if t.line >= first && t.line < first+lines {
				list = append(list, t)
			}
		}
	}
	return list
}

// renamed reports whether two texts differ in names alone, and lists these. It notes which of them are given in the text.
func renamed(was, is []lexeme, given map[rename]bool) (renames []rename, alike bool) {
	if len(was) != len(is) {
		return nil, false
	}
	alike = true
	for i, a := range was {
		b := is[i]
		switch {
		case a.level != b.level:
			alike = false
		case a.text == b.text:
		case !a.isName() || !b.isName():
			alike = false
		default:
			renames = append(renames, rename{a.text, b.text})
			if a.binds && b.binds {
				given[rename{a.text, b.text}] = true
			}
		}
	}
	return renames, alike
}
