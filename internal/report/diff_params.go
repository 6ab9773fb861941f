package report

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
)

// maxGrouped is how many arguments with the same change are named.
const maxGrouped = 3

// paramRows are the arguments that differ; those with the same change share a row, unless all are wanted.
func paramRows(changes []diff.ParamChange, o Options) [][]line {
	type group struct {
		mark  line
		what  string
		names []string
	}
	byChange := map[string]*group{}
	var groups []*group
	for _, p := range changes {
		mark := paramMark(&p)
		key := mark.text() + p.What
		if o.All {
			key += "\x00" + p.Name
		}
		g := byChange[key]
		if g == nil {
			g = &group{mark: mark, what: p.What}
			byChange[key] = g
			groups = append(groups, g)
		}
		g.names = append(g.names, p.Name)
	}
	var rows [][]line
	for _, g := range groups {
		what := say(g.what)
		if n := len(g.names); n > maxGrouped {
			g.names = append(g.names[:maxGrouped], fmt.Sprintf("… %d more", n-maxGrouped))
			what = what.in(dim, fmt.Sprintf(" (%d arguments)", n))
		}
		rows = append(rows, []line{g.mark.and(" ").in(name, strings.Join(g.names, ", ")), what})
	}
	return rows
}

func paramMark(p *diff.ParamChange) line {
	switch {
	case p.Old == nil:
		return in(good, "+")
	case p.New == nil:
		return in(bad, "-")
	}
	return in(warn, "~")
}
