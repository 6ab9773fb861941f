package git

import (
	"cmp"
	"fmt"
	"go/token"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// parseDiff returns what was edited in each file, from the output of git diff with no context lines.
func parseDiff(text string) ([]fileEdits, error) {
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read what git prints: %s", shown(err.Error()))
	}
	var edits []fileEdits
	for _, f := range files {
		edit := fileEdits{old: f.OldName, now: f.NewName}
		for _, part := range f.TextFragments {
			edit.hunks = append(edit.hunks, hunkOf(part, isPython(cmp.Or(f.NewName, f.OldName))))
			var removed []string
			for _, l := range part.Lines {
				if l.Op == gitdiff.OpDelete {
					removed = append(removed, strings.TrimSuffix(l.Line, "\n"))
				}
			}
			edit.removed = append(edit.removed, removed)
		}
		edits = append(edits, edit)
	}
	return edits, nil
}

func hunkOf(part *gitdiff.TextFragment, python bool) Hunk {
	h := Hunk{OldFirst: int(part.OldPosition), OldLines: int(part.OldLines), First: int(part.NewPosition), Lines: int(part.NewLines)}
	defines := python && (h.OldLines == 0 || h.Lines == 0)
	was, now, binds := words{}, words{}, words{}
	for _, l := range part.Lines {
		line := strings.TrimSuffix(l.Line, "\n")
		if !hasCode(line, python) {
			continue
		}
		if l.Op == gitdiff.OpDelete {
			was.add(line)
			h.gone += " " + definedBy(line)
		} else {
			now.add(line)
			h.came += " " + definedBy(line)
		}
		h.text += l.Op.String() + strings.TrimSpace(line) + "\n"
		binds.add(bound(line))
		h.Code = true
		name, _, given := strings.Cut(line, " = ") // to a name of the module, or to an annotated one: if such lines only come or go, other edited lines use it
		field, _, annotated := strings.Cut(strings.TrimSpace(name), ":")
		defines = defines && given && (token.IsIdentifier(name) || annotated && token.IsIdentifier(field))
		if l.Op == gitdiff.OpDelete && (h.removed == "" || decorates(h.removed)) {
			h.removed = line
		}
	}
	h.Code, h.Edit = h.Code && !defines, h.First
	h.was, h.now, h.binds = was.String(), now.String(), binds.String()
	return h
}
