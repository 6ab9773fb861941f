package git

import (
	"cmp"
	"slices"
	"strings"
)

// Edits are the lines that were edited in the files of a repository since a commit. No edits at all (nil) answer as if nothing was edited.
type Edits struct {
	Base string // the commit

	tree    *workTree
	hunks   []Hunk
	byFile  map[string][]Hunk
	byOld   map[string][]Hunk
	renames map[string]string // by the old path
	now     paths
	old     paths
}

// fileEdits is what was edited in one file.
type fileEdits struct {
	old, now string // "" where there was or is none
	hunks    []Hunk
}

// editsOf puts together what was edited and what else the repository holds.
func editsOf(base string, tree *workTree, files []fileEdits, unedited []string) *Edits {
	e := &Edits{Base: base, tree: tree, byFile: map[string][]Hunk{}, byOld: map[string][]Hunk{}, renames: map[string]string{}}
	e.now, e.old = newPaths(tree.below), newPaths(tree.below)
	slices.SortStableFunc(files, func(a, b fileEdits) int { return cmp.Compare(cmp.Or(a.now, a.old), cmp.Or(b.now, b.old)) })
	for _, f := range files {
		e.add(f)
	}
	for _, name := range unedited {
		e.now.add(name)
		e.old.add(name)
	}
	return e
}

func (e *Edits) add(f fileEdits) {
	first := len(e.hunks)
	for _, h := range f.hunks {
		h.File, h.OldFile = cmp.Or(f.now, f.old), f.old
		e.hunks = append(e.hunks, h)
	}
	hunks := slices.Clip(e.hunks[first:])
	if f.now != "" {
		e.now.add(f.now)
		e.byFile[f.now] = append(e.byFile[f.now], hunks...)
	}
	if f.old != "" {
		e.old.add(f.old)
		e.byOld[f.old] = append(e.byOld[f.old], hunks...)
	}
	if f.now != "" && f.old != "" && f.now != f.old {
		e.renames[f.old] = f.now
	}
}

// Hunks is everything that was edited, by file and line.
func (e *Edits) Hunks() []Hunk {
	if e == nil {
		return nil
	}
	return slices.Clone(e.hunks)
}

// File is what the repository calls a file that a dump names, "" where it holds none like it; see [paths.find].
func (e *Edits) File(file string) string {
	if e == nil {
		return ""
	}
	return e.now.find(file)
}

// At is the hunk that a line of a file as it is now lies in. Lines that were only removed leave the lines before and behind them edited.
// A file is named as the dump names it; see [paths.find].
func (e *Edits) At(file string, line int) (Hunk, bool) {
	if e == nil {
		return Hunk{}, false
	}
	hunks := e.byFile[e.now.find(file)]
	at := slices.IndexFunc(hunks, func(h Hunk) bool { return h.holds(line) })
	if at < 0 {
		at = slices.IndexFunc(hunks, func(h Hunk) bool { return h.touches(line) })
	}
	return pick(hunks, at)
}

// Old is the hunk that a line of a file as it was before lies in: a line that was removed or changed.
func (e *Edits) Old(file string, line int) (Hunk, bool) {
	if e == nil {
		return Hunk{}, false
	}
	hunks := e.byOld[e.old.find(file)]
	return pick(hunks, slices.IndexFunc(hunks, func(h Hunk) bool { return h.held(line) }))
}

func pick(hunks []Hunk, at int) (Hunk, bool) {
	if at < 0 {
		return Hunk{}, false
	}
	return hunks[at], true
}

// Carry is where an old line is now. A line that was removed is carried to the one before it.
func (e *Edits) Carry(file string, line int) int {
	if e == nil {
		return line
	}
	shift := 0
	for _, h := range e.byOld[e.old.find(file)] {
		if h.held(line) {
			return h.now(line)
		}
		if line < behind(h.OldFirst, h.OldLines) {
			break
		}
		shift = behind(h.First, h.Lines) - behind(h.OldFirst, h.OldLines)
	}
	return line + shift
}

// Renamed is what an old file is called now, spelled as the dump spells it.
func (e *Edits) Renamed(file string) string {
	if e == nil {
		return file
	}
	old := e.old.find(file)
	now, renamed := e.renames[old]
	if !renamed {
		return file
	}
	if around, whole := strings.CutSuffix(file, old); whole {
		return around + now
	}
	return now
}

// Text is a line as it stands in the work tree, without the space around it; "" where it cannot be read. A long line is cut.
func (e *Edits) Text(file string, line int) string {
	if e == nil {
		return ""
	}
	name := e.now.find(file)
	if name == "" {
		return ""
	}
	return e.tree.text(name, line)
}
