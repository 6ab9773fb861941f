package git

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// option finds a line that sets an option, in Python to a literal.
var option = regexp.MustCompile(`^[-+][^=:#]*?(\w+)\s*(?:: \w+\s*)?= ?(?:["'\d]|True|False|None)`)

// Rematerializes ranks the lines as a place where it is said what a backward pass computes again: 2 where they set an option of that, 1 where they speak of it
// otherwise, 0 elsewhere. The line is the first one of the best.
func (e *Edits) Rematerializes(h Hunk) (rank, line int) {
	for text := range strings.Lines(h.text) {
		rank = max(rank, rematerializes(text, h.Python()))
	}
	for line := h.First; rank > 0 && line < h.First+h.Lines; line++ {
		if rematerializes("+"+e.Text(h.File, line, ""), h.Python()) == rank {
			return rank, line
		}
	}
	return rank, e.FirstCode(h)
}

// rematerializes is the rank of one line, which a sign is before.
func rematerializes(line string, python bool) int {
	says := func(name string) bool {
		return slices.ContainsFunc(strings.Split(name, "_"), func(part string) bool {
			return part == "remat" || strings.HasPrefix(part, "rematerializ") || part == "saveable"
		})
	}
	words := slices.Collect(maps.Keys(wordsIn(line)))
	spoken := slices.ContainsFunc(words, says)
	set := option.FindStringSubmatch(line)
	switch {
	case set != nil && says(set[1]), spoken && !python:
		return 2
	case spoken, slices.Contains(words, "checkpoint"), slices.Contains(words, "checkpoint_policies"):
		return 1
	}
	return 0
}
