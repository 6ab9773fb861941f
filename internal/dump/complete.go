package dump

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// ShardFound is a part that came back, and the file that it came in.
type ShardFound struct {
	Shard
	File string
}

// ShardComplaint says why the parts are not all the parts of one whole; "" when they are.
func ShardComplaint(parts []ShardFound) string {
	first := parts[0]
	seen := make([]string, first.Count)
	for _, p := range parts {
		switch {
		case p.Count != first.Count:
			return fmt.Sprintf("was cut into %s in %s and into %d in %s", phrase.Counted(float64(first.Count), "", "parts"), first.File, p.Count, p.File)
		case seen[p.Index] != "":
			return fmt.Sprintf("has part %s twice: in %s and in %s", p.Shard, seen[p.Index], p.File)
		}
		seen[p.Index] = p.File
	}
	return missing(seen, len(parts))
}

// missing names the parts without a file.
func missing(seen []string, have int) string {
	const most = 8
	var absent []string
	for i, file := range seen {
		if file == "" {
			absent = append(absent, Shard{i, len(seen)}.String())
		}
	}
	if len(absent) == 0 {
		return ""
	}
	names := strings.Join(absent[:min(len(absent), most)], ", ")
	if more := len(absent) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("has %d of its %d parts: %s did not run or did not upload", have, len(seen), names)
}
