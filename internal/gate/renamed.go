package gate

import (
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// pairRenamed finds the programs that were accepted under another name, as a check does. A result tells them itself.
func (in *intake) pairRenamed() {
	if in.old == nil || in.was != nil {
		return
	}
	var gone, added facts.Report
	for _, p := range in.old.Programs {
		if in.fresh[p.Name] == nil {
			gone.Programs = append(gone.Programs, &p.Program)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.fresh)) {
		if in.old.Find(name) == nil {
			added.Programs = append(added.Programs, &in.fresh[name].Program)
		}
	}
	in.was = map[string]string{}
	for _, p := range diff.Compare(&gone, &added).Programs {
		if p.Was != "" && in.fresh[p.Name] != nil && in.old.Find(p.Was) != nil {
			in.was[p.Name] = p.Was
		}
	}
}

// accepted is what the baseline holds of a program, under whichever name.
func (in *intake) accepted(name string) *baseline.Program {
	if was := in.was[name]; was != "" {
		return in.old.Find(was)
	}
	return in.old.Find(name)
}
