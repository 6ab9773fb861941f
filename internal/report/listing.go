package report

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/xlagate/xlagate/internal/phrase"
)

// maxDiffLines bounds what is compared line by line. The library numbers the different lines with runes, of which there are
// about 1.1 million; a report is unreadable long before.
const maxDiffLines = 50_000

// lineDiff shows two texts as one, what left marked '-', what came marked '+'. Texts that are too long are counted.
func lineDiff(before, after []string) listing {
	if len(before)+len(after) > maxDiffLines {
		return listing{[]listed{
			{'-', []string{phrase.Some(len(before), "line") + ", too many to show line by line"}},
			{'+', []string{phrase.Some(len(after), "line")}},
		}}
	}
	matcher := diffmatchpatch.New()
	matcher.DiffTimeout = 0 // the default gives up after a second, differently each time
	a, b, lines := matcher.DiffLinesToRunes(oneAline(before), oneAline(after))
	var out listing
	for _, d := range matcher.DiffCharsToLines(matcher.DiffMainRunes(a, b, false), lines) {
		for text := range strings.Lines(d.Text) {
			out.Lines = append(out.Lines, listed{diffMarks[d.Type], splitCells(strings.TrimSuffix(text, "\n"))})
		}
	}
	return out
}

var diffMarks = map[diffmatchpatch.Operation]byte{
	diffmatchpatch.DiffDelete: '-', diffmatchpatch.DiffInsert: '+', diffmatchpatch.DiffEqual: ' ',
}

// oneAline joins lines, whose own line breaks [clean] takes out.
func oneAline(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(clean(l))
		b.WriteByte('\n')
	}
	return b.String()
}

// splitCells splits a line at runs of two or more spaces, which separate its columns.
func splitCells(text string) []string {
	var out []string
	for c := range strings.SplitSeq(text, "  ") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}
