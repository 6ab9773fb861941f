package webpage

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
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
	root   *os.Root          // of the repository; nil where there is none
	beside string            // the folder of the configuration, relative to the root
	edits  *git.Edits        // nil where git does not tell
	names  map[string]string // of files as dumps name them: what the repository calls them
	files  map[string]file   // by those names
}

func newModel(o Options) *model {
	m := &model{edits: o.Edits, names: map[string]string{}, files: map[string]file{}}
	if o.Root == "" {
		return m
	}
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return m // then no sources are shown
	}
	m.root = root
	if beside, err := filepath.Rel(o.Root, o.Beside); err == nil && filepath.IsLocal(beside) {
		m.beside = filepath.ToSlash(beside)
	}
	return m
}

func (m *model) close() {
	if m.root != nil {
		m.root.Close()
	}
}

// place is a line in a file by the name that the page uses.
func (m *model) place(l hlo.Location) hlo.Location {
	l.File, l.Function = m.name(l.File), cut(l.Function)
	return l
}

// name is what the repository calls a file that a dump names: beside the configuration, from the root, or by what git makes of it.
func (m *model) name(dumped string) string {
	known, ok := m.names[dumped]
	if ok || dumped == "" {
		return known
	}
	known = cut(dumped)
	if near := path.Join(m.beside, dumped); m.holds(near) {
		known = near
	} else if own := m.edits.File(dumped); own != "" && !m.holds(dumped) {
		known = own
	}
	m.names[dumped] = known
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

// file adds a file of the model.
func (m *model) file(dumped string) {
	name := m.name(dumped)
	if _, known := m.files[name]; known || len(m.files) == maxFiles || !m.holds(name) {
		return
	}
	text, err := m.read(name)
	if err != nil {
		return
	}
	f := file{Lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	for _, h := range m.edits.Hunks() {
		if h.File == name {
			f.Edited = append(f.Edited, [2]int{h.First, h.First + max(1, h.Lines) - 1})
		}
	}
	m.files[name] = f
}

func (m *model) read(name string) (string, error) {
	f, err := m.root.OpenFile(name, os.O_RDONLY, fs.ModePerm)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileSize))
	return string(text), err
}

// filesOf adds the files that the kernels of a variant come from.
func (m *model) filesOf(v *facts.Variant) {
	if v == nil {
		return
	}
	for i := range v.Kernels {
		if name := v.Kernels[i].Source.File; name != "" {
			m.file(name)
		}
	}
}

// maxText bounds one text out of a dump.
const maxText = 600

// cut bounds a text. Names of one model begin alike and differ at their ends, so the middle goes.
func cut(s string) string { return phrase.Cut(s, maxText, maxText/3) }

func cutAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = cut(s)
	}
	return out
}

// scopeOf is the outer part of an op_name: two steps of the model below the program itself.
func scopeOf(opName string) string {
	steps := strings.Split(opName, "/")
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
	var out []byte
	for at := 0; at < len(document); {
		r, size := utf8.DecodeRune(document[at:])
		if r >= utf8.RuneSelf && !unicode.IsPrint(r) {
			if out == nil {
				out = append(make([]byte, 0, len(document)+64), document[:at]...)
			}
			out = fmt.Appendf(out, `\\u%04x`, r)
		} else if out != nil {
			out = append(out, document[at:at+size]...)
		}
		at += size
	}
	if out == nil {
		return document
	}
	return out
}

// encode is a document as the page reads it.
func encode(v any) ([]byte, error) {
	document, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the page's data: %w", err)
	}
	return visible(document), nil
}
