package webpage

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
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
