package changes

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
)

// written is how Python writes operations, besides by their own names. The spaces tell signs from those that are no operations, such as "->" and "*args".
var written = map[string][]string{
	"add": {" + "}, "subtract": {" - "}, "multiply": {" * "}, "divide": {" / "}, "power": {" ** "}, "remainder": {" % "}, "dot": {" @ ", "matmul(", "einsum("},
	"and": {" & "}, "or": {" | "}, "xor": {" ^ "}, "not": {" ~"}, "select": {"where("}, "exponential": {"exp("}, "sine": {"sin("}, "cosine": {"cos("},
	"reduce": {"sum(", "mean(", "max(", "min(", "prod(", "any(", "all("}, "convert": {"astype("}, "scatter": {".at["}, "concatenate": {"stack("}, "clamp": {"clip("},
}

// editOfGone is the edit behind operations that are gone from a function: the lines that they were on are not known. It is one whose lines computed such operations,
// and compute fewer now; then it is sure. Else it is one that may skip lines there or around it, else one that removed lines in the function. It is none if several
// may be.
func (g *Grouping) editOfGone(c *Cause) (at hlo.Location, sure bool) {
	best, several := int64(0), false
	for i := range c.Edits {
		e := &c.Edits[i]
		computed := func(h git.Hunk) bool {
			return slices.ContainsFunc(e.Removed, func(s Step) bool { return h.Loses(s.Opcode+"(") || slices.ContainsFunc(written[s.Opcode], h.Loses) })
		}
		for _, h := range g.lines.Code {
			own := isSameFunction(h.Function, e.Within)
			if len(e.Added) > 0 || h.Function == "" || !own && !isAround(h.Function, e.Within) {
				continue
			}
			rank := max(3*Flag(computed(h)), 2*Flag(h.Skips()), Flag(own && h.OldLines > 0))
			l := lineOf(h, g.lines.Edits)
			switch {
			case rank > best:
				at, best, several = l, rank, false
			case rank == best && rank > 0:
				several = several || EditOf(at, g.lines.Edits) != EditOf(l, g.lines.Edits)
			}
		}
	}
	if several {
		return hlo.Location{}, false
	}
	return at, best == 3
}

// isAround reports whether a function is around another one.
func isAround(outer, inner string) bool {
	for {
		at := strings.LastIndex(inner, ".<locals>.")
		if at < 0 {
			return false
		}
		if inner = inner[:at]; isSameFunction(outer, inner) {
			return true
		}
	}
}
