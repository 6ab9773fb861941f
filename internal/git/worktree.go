package git

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
)

const (
	maxSource = 1 << 20 // bytes of a file: no source of a model is larger
	maxText   = 200     // letters of a line
)

// workTree reads the files of a repository as they are now.
type workTree struct {
	top   string
	below string // the folder in it that was asked about, with slashes; "" for the top
	held  sync.Mutex
	known map[string][]string // the lines of the files that were read
}

// lines are the lines of a file. A link that leads out of the repository is not followed. There are none where it cannot be read.
func (t *workTree) lines(name string) []string {
	root, err := os.OpenRoot(t.top)
	if err != nil {
		return nil
	}
	defer root.Close()
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// text is one line, fit to be shown.
func (t *workTree) text(name string, line int) string {
	t.held.Lock()
	defer t.held.Unlock()
	lines, known := t.known[name]
	if !known {
		lines = t.lines(name)
		t.known[name] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return shown(lines[line-1])
}

func shown(line string) string {
	letters := []rune(strings.TrimSpace(strings.ToValidUTF8(line, "\uFFFD")))
	if len(letters) > maxText {
		letters = append(letters[:maxText-1], '…')
	}
	for i, r := range letters {
		if !unicode.IsPrint(r) {
			letters[i] = ' '
		}
	}
	return string(letters)
}
