package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// compilers are installed packages whose version [Toolchain.Versions] holds: a change in one of them is the framework's.
var compilers = []string{"jax", "jaxlib", "tensorflow", "torch", "torch_xla"}

// LibraryOf is the installed package that a file belongs to, by the name that is imported; "" for a file of the model, of Python or of a framework
// that compiles.
func LibraryOf(file string) string {
	if name := installedIn(file); !slices.Contains(compilers, name) {
		return name
	}
	return ""
}

// installedIn is the installed package that a file belongs to; "" for none.
func installedIn(file string) string {
	for _, dir := range []string{"/site-packages/", "/dist-packages/"} {
		if _, inside, ok := strings.Cut(file, dir); ok {
			return inside[:strings.IndexAny(inside+"/", "/.")]
		}
	}
	return ""
}

// Libraries lists the lines of installed packages that the operations of a statement come from, each once.
func (s *Statement) Libraries() (list []hlo.Location) {
	for _, stack := range s.Stacks {
		if l := stack.Library; l.File != "" && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}
