package gate

import (
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// headroom finds rows of the headroom by their rule and program.
type headroom map[string]map[string][]result.Headroom

func rowsByRule(rows []result.Headroom) headroom {
	h := headroom{}
	for _, row := range rows {
		if h[row.Rule] == nil {
			h[row.Rule] = map[string][]result.Headroom{}
		}
		h[row.Rule][row.Program] = append(h[row.Rule][row.Program], row)
	}
	return h
}

// of lists the rows that settings may have made: those of their rule, and of the programs that they name or of none.
func (h headroom) of(s *rule.Settings) (rows []result.Headroom) {
	byProgram := h[s.Rule.ID]
	names, spelled := s.Named()
	if !spelled {
		names = slices.Collect(maps.Keys(byProgram))
	} else {
		names = append([]string{""}, names...)
	}
	for _, name := range names {
		rows = append(rows, byProgram[name]...)
	}
	return rows
}
