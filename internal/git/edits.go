package git

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// Hunk is lines of a file that were edited together.
type Hunk struct {
	File     string // its path in the repository, with slashes; of a deleted file the path that it had
	Deleted  bool   // the file is deleted
	OldFile  string // the path before; "" of a new file
	OldFirst int    // the first of the lines that were removed or changed; where there are none, the line behind which others were added
	OldLines int
	First    int // the first of the lines that were added or changed; where there are none, the line behind which others were removed
	Lines    int
	Edit     int    // the first line of the edit that it is part of: several hunks of a function may be one
	Function string // the Python function or class around it, as Python names it: "Block.__call__"; "" outside of all

	Code       bool // any of these lines, before or now, is more than a comment, an import, blank, or the definition of a name that comes or goes
	New        bool // these lines only define functions and classes that the module did not have
	OnlyFloats bool // these lines say what they said before, but for the values of floats

	inJit           bool   // the statement that they are part of has jit compile a function
	same            bool   // these lines say what they said before, but for names
	removed         string // a removed line that says which function it was in
	text            string // the lines with code, those before first
	was, now, binds string // the words before and now, and those that may be names which the lines bind
	sets            string // the names that they set for other functions as well
}

// Python reports whether the file is Python.
func (h *Hunk) Python() bool { return isPython(h.File) }

// holds reports whether a line is among those that were added or changed.
func (h *Hunk) holds(line int) bool { return line >= h.First && line < h.First+h.Lines }

// Hands reports whether all that the lines do is to make values that a call takes: "batch = next(train)" before "step(params, batch)".
func (h *Hunk) Hands(call string) bool {
	_, arguments, _ := strings.Cut(call, "(")
	taken := wordsIn(arguments)
	for line := range strings.Lines(h.text) {
		if made := wordsIn(bound(strings.TrimSpace(line[1:]))); len(made) == 0 || !made.within(taken) {
			return false
		}
	}
	return h.text != ""
}

// OfTests reports whether the hunk is in a file of tests, as pytest and unittest name them.
func (h *Hunk) OfTests() bool {
	name := path.Base(h.File)
	return h.Python() && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py"))
}

// IsUsedIn reports whether a line of code uses a name that the hunk's lines may bind.
func (h *Hunk) IsUsedIn(line string) bool { return wordsIn(h.binds).shares(wordsIn(line)) }

// SetsAny reports whether the hunk's lines set a name of the module, a field or a parameter that is among those which lines of whatever function use.
func (h *Hunk) SetsAny(names map[string]bool) bool { return wordsIn(h.sets).shares(names) }

// Sets reports whether the hunk may set what other lines use: a name of the module, a field or a parameter, or an entry of a configuration.
func (h *Hunk) Sets() bool { return h.sets != "" || !h.Python() }

// Names reports whether the hunk's lines bind one of some names, or quote it: what makes an entry of a dictionary or a parameter of a layer.
func (h *Hunk) Names(names map[string]bool) bool {
	binds := wordsIn(h.binds)
	for name := range wordsIn(h.text) {
		if names[name] && (binds[name] || strings.Contains(h.text, `"`+name+`"`) || strings.Contains(h.text, "'"+name+"'")) {
			return true
		}
	}
	return false
}

// Loses reports whether the lines that were removed have some text more often than those that were added.
func (h *Hunk) Loses(text string) bool {
	more := 0
	for line := range strings.Lines(h.text) {
		if n := strings.Count(line[1:], text); line[0] == '-' {
			more += n
		} else {
			more -= n
		}
	}
	return more > 0
}

// Skips reports whether the lines return, go on or branch more often than those before: others may not run.
func (h *Hunk) Skips() bool {
	more := 0
	for line := range strings.Lines(h.text) {
		first, _, _ := strings.Cut(strings.TrimRight(line[1:], ":\n"), " ")
		switch {
		case !slices.Contains([]string{"if", "elif", "else", "for", "while", "return", "continue", "break"}, first):
		case line[0] == '+':
			more++
		default:
			more--
		}
	}
	return more > 0
}

// option finds a line that sets an option, in Python to a literal.
var option = regexp.MustCompile(`^[-+][^=:#]*?(\w+)\s*(?:: \w+\s*)?= ?(?:["'\d]|True|False|None)`)

// Rematerializes ranks the lines as a place where it is said what a backward pass computes again: 2 where they set an option of that, 1 where they speak of it
// otherwise, 0 elsewhere. The line is the first one of the best.
func (e *Edits) Rematerializes(h Hunk) (rank, line int) {
	for text := range strings.Lines(h.text) {
		rank = max(rank, rematerializes(text, h.Python()))
	}
	for line := h.First; rank > 0 && line < h.First+h.Lines; line++ {
		if rematerializes("+"+e.Text(h.File, line, ""), h.Python()) == rank {
			return rank, line
		}
	}
	return rank, e.FirstCode(h)
}

func rematerializes(line string, python bool) int {
	says := func(name string) bool {
		return slices.ContainsFunc(strings.Split(name, "_"), func(part string) bool {
			return part == "remat" || strings.HasPrefix(part, "rematerializ") || part == "saveable"
		})
	}
	name := line
	if set := option.FindStringSubmatch(line); set != nil {
		name = set[1]
	} else if python {
		name = ""
	}
	words := slices.Collect(maps.Keys(wordsIn(line)))
	switch {
	case slices.ContainsFunc(slices.Collect(maps.Keys(wordsIn(name))), says):
		return 2
	case slices.ContainsFunc(words, says) || slices.Contains(words, "checkpoint") || slices.Contains(words, "checkpoint_policies"):
		return 1
	}
	return 0
}

// NamesIn are the names in lines of code.
func NamesIn(text string) map[string]bool { return wordsIn(text) }

// Compiles reports whether jit compiles a function in the lines or in the statement around them, so that its options may be edited: which arguments are donated,
// and which are static.
func (h *Hunk) Compiles() bool { return h.inJit || compiles(wordsIn(h.was+" "+h.now)) }

// CompilesAnew reports whether a line that was added has jit compile a function, by its name or above its definition, where no line that was removed did so with the
// same static arguments.
func (h *Hunk) CompilesAnew(function string) bool {
	own := h.Function[strings.LastIndexByte(h.Function, '.')+1:] == function
	was, now, static := words{}, words{}, false // of the lines that do
	for line := range strings.Lines(h.text) {
		w, says := wordsIn(line[1:]), strings.Contains(line, "static_arg")
		if !own && !w[function] || !compiles(w) && !(own && says) {
			continue
		}
		if static = static || says; line[0] == '-' {
			maps.Copy(was, w)
		} else {
			maps.Copy(now, w)
		}
	}
	return len(now) > 0 && (len(was) == 0 || static && !maps.Equal(was, now))
}

func compiles(w words) bool { return w["jit"] || w["jit_compile"] }

// In64Bits reports whether a line that was removed, and one that was added, has JAX compute in 64 bits, in all that it compiles.
func (h *Hunk) In64Bits() (was, now bool) {
	for line := range strings.Lines(h.text) {
		if w := wordsIn(line[1:]); w["jax_enable_x64"] && w["True"] {
			was, now = was || line[0] == '-', now || line[0] == '+'
		}
	}
	return was, now
}

// Uncompiles reports whether the lines had jit compile a function, above its definition or by its name, and do so no more.
func (h *Hunk) Uncompiles(function string) bool {
	own := h.Function[strings.LastIndexByte(h.Function, '.')+1:] == function
	had := map[byte]bool{}
	for line := range strings.Lines(h.text) {
		if w := wordsIn(line[1:]); compiles(w) && (w[function] || own && decorates(line[1:])) {
			had[line[0]] = true
		}
	}
	return had['-'] && !had['+']
}

// Drops reports whether the lines defined or used a function and do so no more. An attribute, a keyword and a variable of its name are other things.
func (h *Hunk) Drops(function string) bool {
	used := map[byte]bool{}
	for line := range strings.Lines(h.text) {
		for _, s := range statementsOf([]string{line[1:]}) {
			for i, t := range s {
				before, behind := "", ""
				if i > 0 {
					before = s[i-1].text
				}
				if i+1 < len(s) {
					behind = s[i+1].text
				}
				if t.text == function && before != "." && behind != "=" && (!t.binds || before == "def") {
					used[line[0]] = true
				}
			}
		}
	}
	return used['-'] && !used['+']
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

// removedText are the lines with code that the hunk removed.
func (h *Hunk) removedText() string {
	var b strings.Builder
	for line := range strings.Lines(h.text) {
		if line[0] == '-' {
			b.WriteString(line[1:])
		}
	}
	return b.String()
}

// Removed is the first line with code that a hunk removed, as a diff shows it; "" if the hunk has lines of its own.
func (h *Hunk) Removed() string {
	line, _, _ := strings.Cut(h.removedText(), "\n")
	if h.Lines > 0 || line == "" {
		return ""
	}
	return "- " + shown(line)
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
