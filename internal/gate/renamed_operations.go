package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// renamedOperations says, beside growth that no one knows the toolchain of, that another version of JAX made the dump, where that shows
// in how it names operations: with their parameters until 0.4.31, under jit(main) until 0.6. Nothing is excused by it: which versions they were
// is not known.
func (l *looked) renamedOperations(found []JudgedFinding) []result.Note {
	grown := map[string]bool{}
	for i := range found {
		if f := &found[i]; f.Drift {
			grown[f.Program] = true
		}
	}
	var notes []result.Note
	for _, p := range l.programs {
		if !grown[p.Name] {
			continue
		}
		was, now := renaming(p)
		if was == "" {
			continue
		}
		notes = append(notes, result.Note{
			Kind: "upgrade", Target: l.Name, Program: p.Name,
			Message: fmt.Sprintf("another version of JAX made the baseline: it named operations %s, this dump %s; what grew may be the compiler's doing", was, now),
			Fix:     "compare with --against a dump of the base branch made by the same version, or make both dumps with xlagate capture, which tells the versions",
		})
	}
	return notes
}

// renaming gives an operation's name in the baseline and in the dump where no one version gives both; "" where one may have.
func renaming(p *diff.Program) (was, now string) {
	old, fresh := operationNames(p.Old), operationNames(p.New)
	for _, plain := range slices.Sorted(maps.Keys(old)) {
		if other := fresh[plain]; other != "" && old[plain] != "" && other != old[plain] {
			return old[plain], other
		}
	}
	return "", ""
}

// operationNames are the forms in which a program's operations are named, by the bare names of the operations: "jit(…)/jit(main)/dot_general[…]",
// "jit(…)/jit(main)/dot_general" or "jit(…)/dot_general".
func operationNames(p *facts.Program) map[string]string {
	forms := map[string]string{}
	if p == nil {
		return forms
	}
	for _, v := range p.Variants {
		for i := range v.Kernels {
			plain, form := operationForm(v.Kernels[i].OpName)
			if other, seen := forms[plain]; seen && other != form {
				form = "" // named in two ways: it tells nothing
			}
			forms[plain] = form
		}
	}
	return forms
}

// operationForm takes apart "jit(train_step)/jit(main)/jvp(loss)/dot_general[precision=None]".
func operationForm(opName string) (plain, form string) {
	path, parameters := opName, ""
	if strings.HasSuffix(opName, "]") {
		path, _, _ = strings.Cut(opName, "[")
		parameters = "[…]"
	}
	at := strings.LastIndexByte(path, '/')
	if !strings.HasPrefix(path, "jit(") || at < 0 || strings.ContainsAny(path[at+1:], "()") {
		return "", ""
	}
	under := "jit(…)/"
	if strings.Contains(path[:at+1], ")/jit(main)/") {
		under += "jit(main)/"
	}
	return path[at+1:], under + path[at+1:] + parameters
}
