package gate

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Distinct refuses dumps of which one is, or lies in, another: what was compiled once would look as if it was compiled twice.
func Distinct(paths []string) error {
	for i, path := range paths {
		for _, other := range paths[:i] {
			switch p, o := resolved(path), resolved(other); {
			case path == "-": // see CheckDumps
			case p == o:
				return UsageError{fmt.Sprintf("the dump %s is named twice; name it once", path)}
			case within(o, p):
				return UsageError{fmt.Sprintf("the dump %s lies in the dump %s; name one of them", path, other)}
			case within(p, o):
				return UsageError{fmt.Sprintf("the dump %s lies in the dump %s; name one of them", other, path)}
			}
		}
	}
	return nil
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved is the absolute path without links, as far as there is such a file.
func resolved(path string) string {
	if !OnDisk(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}
