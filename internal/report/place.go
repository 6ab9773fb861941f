package report

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/result"
)

// rooted returns the result with the source paths below root written relative to it, as a reader of the repository knows them.
func rooted(r *result.Result, root string) *result.Result {
	if root == "" {
		return r
	}
	out := *r
	out.Changes = slices.Clone(r.Changes)
	for i := range out.Changes {
		s := &out.Changes[i].Source
		s.File = below(root, s.File)
	}
	return &out
}

// below is the path relative to root, or the path itself where it does not lie there.
func below(root, file string) string {
	clean := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	root = strings.TrimSuffix(path.Clean(strings.ReplaceAll(root, `\`, "/")), "/")
	if rest, ok := strings.CutPrefix(clean, root+"/"); ok {
		return rest
	}
	return file
}

// repositoryFile is the file that a change is attached to: the model's source when it can lie in the repository, else the
// configuration, since code hosts drop what has no place.
func repositoryFile(s result.Source, o Options) (file string, line int) {
	if inRepository(s.File) {
		return strings.ReplaceAll(s.File, `\`, "/"), s.Line
	}
	if o.Config != "" {
		return o.Config, 0
	}
	return "xlagate.yaml", 0
}

// inRepository reports whether a path can be one below the root of a repository. Compilers also name files of installed
// packages and make up names in angle brackets.
func inRepository(file string) bool {
	clean := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	return file != "" && !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../") &&
		!strings.HasPrefix(file, "<") && !(len(file) > 1 && file[1] == ':')
}

// uri writes a relative path as a URI reference.
func uri(file string) string { return (&url.URL{Path: path.Clean(file)}).String() }
