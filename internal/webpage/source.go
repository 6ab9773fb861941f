package webpage

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// file is a file of the model as it is now.
type file struct {
	Lines  []string `json:"lines"`
	Edited [][2]int `json:"edited,omitempty"` // first and last lines that git says were edited
}

// Bounds on the files that a page holds.
const (
	maxFiles    = 100
	maxFileSize = 512 << 10
)

// model is the model's source files.
type model struct {
	root   *os.Root        // of the repository; nil where there is none
	beside string          // the folder of the configuration, relative to the root
	edits  *git.Edits      // nil where git does not tell
	files  map[string]file // by the names that the page uses
	others map[string]bool // files that are not what was compiled
}

// sources are the model's files as one dump names them.
type sources struct {
	*model
	dump  string            // its folder, relative to the root
	names map[string]string // of files as it names them: those that the page uses
}

func newModel(o Options) *model {
	m := &model{edits: o.Edits, files: map[string]file{}, others: map[string]bool{}}
	if o.Root == "" {
		return m
	}
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return m // then no sources are shown
	}
	m.root = root
	m.beside = m.local(o.Beside)
	return m
}

// local is a folder as it is named from the root; "" where it is not below it.
func (m *model) local(folder string) string {
	full, err := filepath.Abs(folder)
	if folder == "" || m.root == nil || err != nil {
		return ""
	}
	name, err := filepath.Rel(m.root.Name(), full)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return filepath.ToSlash(name)
}

func (m *model) of(dump string) sources { return sources{m, m.local(dump), map[string]string{}} }

func (m *model) close() {
	if m.root != nil {
		m.root.Close()
	}
}

// place is a line in a file by the name that the page uses.
func (s sources) place(l hlo.Location) hlo.Location {
	l.File, l.Function = s.name(l.File), cut(l.Function)
	return l
}

// name is what the repository calls a file that a dump names: beside the dump, beside the configuration, from the root, or by what git makes of it.
func (s sources) name(dumped string) string {
	known, ok := s.names[dumped]
	if ok || dumped == "" {
		return known
	}
	known = cut(dumped)
	within := strings.TrimPrefix(dumped, s.beside+"/")
	if own := path.Join(s.dump, within); s.dump != "" && s.holds(own) {
		known = own
	} else if near := path.Join(s.beside, within); s.holds(near) {
		known = near
	} else if own := s.edits.File(dumped); own != "" && !s.holds(dumped) {
		known = own
	}
	s.names[dumped] = known
	return known
}

// holds reports whether a file of the model is there. A dump may name any file: only Python below the repository is ever read.
func (m *model) holds(name string) bool {
	if m.root == nil || !strings.HasSuffix(name, ".py") || !filepath.IsLocal(name) {
		return false
	}
	info, err := m.root.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxFileSize
}

// file adds a file of the model. One beside a dump is a copy, in which nothing was edited.
func (s sources) file(name string) {
	if _, known := s.files[name]; known || len(s.files) == maxFiles || !s.holds(name) {
		return
	}
	in, err := s.root.Open(name)
	if err != nil {
		return
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxFileSize))
	if err != nil {
		return
	}
	f := file{Lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
	for _, h := range s.edits.Hunks() {
		if h.File == name && (s.dump == "" || !strings.HasPrefix(name, s.dump+"/")) {
			f.Edited = append(f.Edited, [2]int{h.First, h.First + max(1, h.Lines) - 1})
		}
	}
	s.files[name] = f
}

// filesOf adds the files that the kernels of a variant come from. A file is not the one that was compiled where a line that the dump names is no code.
func (s sources) filesOf(v *facts.Variant) {
	for _, l := range v.Frames() {
		name, line := s.name(l.File), int(l.Line)
		s.file(name)
		f, there := s.files[name]
		code := ""
		if there && line > 0 && line <= len(f.Lines) {
			code, _, _ = strings.Cut(strings.TrimSpace(f.Lines[line-1]), "#")
		}
		if there && line > 0 && (code == "" || s.edits.File(name) == name && s.edits.Text(name, line, l.Function) == "") {
			s.others[name] = true
		}
	}
}

// maxText bounds one text out of a dump.
const maxText = 600

// cut bounds a text. Names of one model begin alike and differ at their ends, so the middle goes.
func cut(s string) string { return phrase.Cut(s, maxText, maxText/3) }

func cutAll(list []string) []string { return listed(phrase.Map(list, cut)) }

// scopeOf is the outer part of a buffer's op_name: two steps of the model below the program itself. A buffer without an op_name has its own name.
func scopeOf(l *facts.Lifetime) string {
	if l.OpName == "" {
		return l.Name
	}
	steps := strings.Split(l.OpName, "/")
	if len(steps) > 1 {
		steps = steps[1 : len(steps)-1]
	}
	if len(steps) == 0 {
		return "no scope"
	}
	return strings.Join(steps[:min(2, len(steps))], "/")
}

// visible writes invisible characters, and those that reorder or hide others, as escapes.
func visible(document []byte) []byte {
	hidden := func(r rune) bool { return r >= utf8.RuneSelf && !unicode.IsPrint(r) }
	if bytes.IndexFunc(document, hidden) < 0 {
		return document
	}
	var out bytes.Buffer
	out.Grow(len(document) + 64)
	for _, r := range string(document) {
		if hidden(r) {
			fmt.Fprintf(&out, `\\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}
