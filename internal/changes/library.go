package changes

import (
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Libraries are the installed packages of which both versions are known and differ.
func Libraries(old, fresh facts.Toolchain) []FlagChange {
	return slices.DeleteFunc(compareFlags(old.Libraries, fresh.Libraries), unknown)
}

// Step is "optax 0.2.6 → 0.2.7".
func (f FlagChange) Step() string { return f.Name + " " + f.Old + " → " + f.New }

// library names the library that brought the edits by its versions: "optax 0.2.6 → 0.2.7, adam.py". It is "" where the model's own line was edited, and
// where the operations come from no library that changed.
func (s *suspect) library(v *Variant) string {
	if s.Edit != "" || len(v.Libraries) == 0 {
		return ""
	}
	for _, e := range s.edits {
		lines := v.libraryLines(e)
		for _, l := range lines {
			at := slices.IndexFunc(v.Libraries, func(c FlagChange) bool { return c.Name == facts.LibraryOf(l.File) })
			if at < 0 {
				continue
			}
			text := v.Libraries[at].Step()
			if !slices.ContainsFunc(lines, func(other hlo.Location) bool { return other.File != l.File }) {
				text += ", " + path.Base(l.File)
			}
			return text
		}
	}
	return ""
}

// libraryLines are the lines of installed packages that the operations of an edit come from. A stored baseline has no lines, so for operations that went it
// returns those of the operations that are left at the same place.
func (v *Variant) libraryLines(e *Edit) (lines []hlo.Location) {
	if len(e.Library) > 0 {
		return e.Library
	}
	for i := range v.New.Model {
		if s := &v.New.Model[i]; sameLine(s.Source, e.Source) && e.Source.File != "" || s.Scope == e.Scope {
			lines = append(lines, s.Libraries()...)
		}
	}
	return lines
}
