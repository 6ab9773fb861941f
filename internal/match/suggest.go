package match

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// likely is how alike two words must be, from 0 to 1, for one to be suggested for the other.
const likely = 0.80

// Closest is the known word that is most like the given one, "" when none is.
func Closest(word string, known []string) string {
	best, score := "", likely
	for _, k := range known {
		if s := smetrics.JaroWinkler(strings.ToLower(word), strings.ToLower(k), 0.7, 4); s > score {
			best, score = k, s
		}
	}
	return best
}

// DidYouMean is `; did you mean "…"?` with the known word that is most like the given one, "" when none is.
func DidYouMean(word string, known []string) string {
	if best := Closest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
