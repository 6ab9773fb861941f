package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/phrase"
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

// noteHeadroom tells of each budget of which this run takes half of what the baseline left, or more: told when it is broken, it would be put
// down to whoever comes last.
func noteHeadroom(r *result.Result) {
	for i := range r.Headroom {
		h := &r.Headroom[i]
		used, left := h.Actual-h.Base, h.Limit-h.Base
		if h.Key != "max" || h.Base <= 0 || h.Unit == "seconds" || used <= 0 || h.Actual > h.Limit || used < left/2 {
			continue
		}
		actual, limit := phrase.Show(h.Actual, h.Unit), phrase.Show(h.Limit, h.Unit)
		share := math.Floor(100 * h.Actual / h.Limit)
		r.Notes = append(r.Notes, result.Note{
			Kind: "headroom", Target: h.Target, Program: h.Program,
			Message: fmt.Sprintf("%s: %s of %s, %.0f %%; this run takes %.0f %% of what the baseline left", h.Rule, actual, limit, share, 100*used/left),
			Fix:     "xlagate trend",
		})
	}
}
