package git

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Edits are the lines that were edited in the files of a repository since a commit. A nil *Edits has no edited lines.
type Edits struct {
	Base string // the commit

	tree   *workTree
	hunks  []Hunk
	byFile map[string][]Hunk
	now    paths
}

// fileEdits is what was edited in one file.
type fileEdits struct {
	old, now string // "" where there was or is none
	hunks    []Hunk
	removed  [][]string // the lines that each hunk took away
}

// editsOf combines the edited files with the others of the repository.
func editsOf(base string, tree *workTree, files []fileEdits, unedited []string) *Edits {
	e := &Edits{Base: base, tree: tree, byFile: map[string][]Hunk{}}
	e.now = paths{[]string{tree.below}, map[string][]string{}}
	slices.SortStableFunc(files, func(a, b fileEdits) int { return cmp.Compare(cmp.Or(a.now, a.old), cmp.Or(b.now, b.old)) })
	for _, f := range files {
		first := len(e.hunks)
		for _, h := range f.hunks {
			h.File, h.OldFile, h.Deleted = cmp.Or(f.now, f.old), f.old, f.now == ""
			e.hunks = append(e.hunks, h)
		}
		if f.now != "" {
			e.now.add(f.now)
			e.byFile[f.now] = append(e.byFile[f.now], e.hunks[first:]...)
		}
	}
	for _, name := range unedited {
		e.now.add(name)
	}
	return e
}

// Hunks is everything that was edited, by file and line.
func (e *Edits) Hunks() []Hunk {
	if e == nil {
		return nil
	}
	return slices.Clone(e.hunks)
}

// File returns the repository's name of a file that a dump names, "" if it has no such file; see [paths.find].
func (e *Edits) File(file string) string {
	if e == nil {
		return ""
	}
	return e.now.find(file)
}

// Path returns where a file is on the disk, named as in a [Hunk].
func (e *Edits) Path(name string) string { return filepath.Join(e.tree.top, filepath.FromSlash(name)) }

// Beside returns the edits as they are for some dumps: a file in the folder of a dump is the copy that was compiled, and is not edited.
func (e *Edits) Beside(dumps []string) *Edits {
	if e == nil || e.tree == nil {
		return e
	}
	of := *e
	of.byFile = maps.Clone(e.byFile)
	maps.DeleteFunc(of.byFile, func(name string, _ []Hunk) bool { return e.In(name, dumps) })
	of.now.below = nil
	for _, d := range dumps {
		if name, err := filepath.Rel(e.tree.top, resolved(d)); err == nil {
			of.now.below = append(of.now.below, filepath.ToSlash(name))
		}
	}
	of.now.below = append(of.now.below, e.now.below...)
	return &of
}

// At returns the hunk of a line of a file as it is now, unless the hunk only gives other names. The lines around removed ones count as edited. A file is named
// as the dump names it; see [paths.find].
func (e *Edits) At(file string, line int) (Hunk, bool) {
	if e == nil {
		return Hunk{}, false
	}
	hunks := e.byFile[e.now.find(file)]
	at := slices.IndexFunc(hunks, func(h Hunk) bool { return !h.same && h.holds(line) })
	if at < 0 {
		at = slices.IndexFunc(hunks, func(h Hunk) bool { return !h.same && h.Lines == 0 && (line == h.First || line == h.First+1) })
	}
	if at < 0 {
		return Hunk{}, false
	}
	return hunks[at], true
}

// Text returns a line of the work tree without the space around it. It shortens long lines. It returns "" if the line cannot be read, or is not in
// the Python function that the dump names, so that the file is not the one that was run.
func (e *Edits) Text(file string, line int, function string) string {
	if e == nil {
		return ""
	}
	name := e.now.find(file)
	if name == "" {
		return ""
	}
	return e.tree.text(name, line, function)
}

// In reports whether a file, named as in a [Hunk], is one of some files or below one of some folders.
func (e *Edits) In(name string, paths []string) bool {
	at := e.Path(name)
	return slices.ContainsFunc(paths, func(p string) bool {
		p = resolved(p)
		return at == p || strings.HasPrefix(at, p+string(filepath.Separator))
	})
}

// resolved is a path without symbolic links, as git names its work tree.
func resolved(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// Unedited reports whether files or folders are in the repository and are what they were at the base.
func (e *Edits) Unedited(ctx context.Context, paths []string) bool {
	known, err := e.tree.print(ctx, nil, append([]string{"ls-files", "--"}, paths...)...)
	if err != nil || known == "" {
		return false
	}
	_, err = e.tree.print(ctx, nil, diffing(append([]string{"--quiet", e.Base, "--"}, paths...)...)...)
	return err == nil
}

// EditedAt returns when a file was edited: when it was committed or written, whichever is earlier; when it was written if it has uncommitted edits;
// the zero time if it cannot be read.
func (e *Edits) EditedAt(ctx context.Context, name string) time.Time {
	info, err := os.Stat(e.Path(name))
	if err != nil {
		return time.Time{}
	}
	if _, err := e.tree.print(ctx, nil, diffing("--quiet", "HEAD", "--", name)...); err != nil {
		return info.ModTime()
	}
	text, err := e.tree.print(ctx, nil, "log", "-1", "--format=%ct", "--", name)
	seconds, numberErr := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if committed := time.Unix(seconds, 0); err == nil && numberErr == nil && committed.Before(info.ModTime()) {
		return committed
	}
	return info.ModTime()
}

// Gives ranks the lines of a hunk as a place where what a function returns was edited: 2 in a return or yield, 1 in an assignment, 0 elsewhere.
func (e *Edits) Gives(h Hunk) (rank int) {
	if !h.Python() {
		return 0
	}
	for _, s := range statementsOf(e.tree.lines(h.File)) {
		switch {
		case s[0].line > max(h.First, h.First+h.Lines-1) || s[len(s)-1].line < h.First:
		case s[0].text == "return" || s[0].text == "yield":
			return 2
		case assignment(s) > 0:
			rank = 1
		}
	}
	return rank
}

// FirstCode is the first line of a hunk that is code within a function or the module: no comment, and no head of a class. It prefers one that does
// more than give a value another name. Where lines were removed it is the one behind them: a decorator stood before the function that is there now.
func (e *Edits) FirstCode(h Hunk) int {
	code := func(line int) bool {
		return e.tree.isCode(h.File, line) && !strings.HasPrefix(e.Text(h.File, line, ""), "class ")
	}
	if h.Lines == 0 {
		if code(h.First + 1) {
			return h.First + 1
		}
		return h.First
	}
	const mostRead = 100 // lines: each is looked for in all that was removed
	first, removed := 0, h.removedText()
	for line := h.First; line < h.First+min(h.Lines, mostRead); line++ {
		if !code(line) {
			continue
		}
		if !renames(e.Text(h.File, line, ""), removed) {
			return line
		}
		first = cmp.Or(first, line)
	}
	return cmp.Or(first, h.First)
}

// renames reports whether a line only gives another name to what was called before.
func renames(line, removed string) bool {
	name, value, assigns := strings.Cut(line, " = ")
	return assigns && strings.Contains(value, "(") && strings.Contains(removed, value) && !strings.Contains(removed, name+" = ")
}

// paths are the files of a repository, by the last part of their names.
type paths struct {
	below []string // the folders that the dump's relative paths are tried in first; "" for the top
	named map[string][]string
}

func (p paths) add(name string) {
	last := path.Base(name)
	p.named[last] = append(p.named[last], name)
}

// find returns the repository's file that a dump means. The dump may come from another machine or name files from within a folder, so one path must
// end with the other. If the dump names more folders than the repository, the longest path fits best. If it names fewer, several files may fit:
// then it returns none rather than a wrong one. Files of installed packages match nothing. It returns "" if none fits.
func (p paths) find(file string) string {
	if strings.Contains(file, "/site-packages/") || strings.Contains(file, "/dist-packages/") {
		return ""
	}
	for file = path.Clean(file); strings.HasPrefix(file, "../"); {
		file = file[len("../"):]
	}
	same := p.named[path.Base(file)]
	for _, folder := range p.below {
		if here := path.Join(folder, file); slices.Contains(same, here) {
			return here
		}
	}
	best := ""
	var longer []string
	for _, name := range same {
		switch {
		case endsWith(file, name) && len(name) > len(best):
			best = name
		case endsWith(name, file):
			longer = append(longer, name)
		}
	}
	switch {
	case best == file || len(longer) == 0:
		return best
	case len(longer) == 1:
		return longer[0]
	}
	return ""
}

// endsWith reports whether a path ends with another one, whole.
func endsWith(long, short string) bool {
	rest, ok := strings.CutSuffix(long, short)
	return ok && (rest == "" || strings.HasSuffix(rest, "/"))
}
