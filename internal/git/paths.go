package git

import (
	"path"
	"strings"
)

// paths are the files of a repository, by the last part of their names.
type paths struct {
	below string // the folder that the dump's relative paths are tried in first; "" for the top
	named map[string][]string
}

func newPaths(below string) paths { return paths{below, map[string][]string{}} }

func (p paths) add(name string) {
	last := path.Base(name)
	p.named[last] = append(p.named[last], name)
}

// find is the repository's file that a dump means: the dump may come from another machine, or name files from within a folder. So
// one of the two paths ends with the other, whole; of several files that fit the one with the longest path is meant. A file of an
// installed package is none of the repository's. It is "" where none fits.
func (p paths) find(file string) string {
	if strings.Contains(file, "/site-packages/") || strings.Contains(file, "/dist-packages/") {
		return ""
	}
	for file = path.Clean(file); strings.HasPrefix(file, "../"); {
		file = file[len("../"):]
	}
	here, best := path.Join(p.below, file), ""
	for _, name := range p.named[path.Base(file)] {
		if name == here {
			return name
		}
		if len(name) > len(best) && (endsWith(file, name) || endsWith(name, file)) {
			best = name
		}
	}
	return best
}

// endsWith reports whether a path ends with another one, whole.
func endsWith(long, short string) bool {
	rest, ok := strings.CutSuffix(long, short)
	return ok && (rest == "" || strings.HasSuffix(rest, "/"))
}
