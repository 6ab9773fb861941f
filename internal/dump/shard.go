package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Shard is one of several parts of a dump, numbered from 0. Its zero value is the whole dump.
type Shard struct{ Index, Count int }

// maxCount bounds the number of parts.
const maxCount = 10_000

// ParseShard parses "I/N".
func ParseShard(text string) (Shard, error) {
	var s Shard
	n, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Count)
	switch {
	case n != 2 || err != nil || s.String() != text || s.Index < 0 || s.Count < 1:
		return Shard{}, fmt.Errorf("%q is no part; expected I/N with I from 0 to N-1, as in 0/4", text)
	case s.Count > maxCount:
		return Shard{}, fmt.Errorf("%q are too many parts; at most %d", text, maxCount)
	case s.Index >= s.Count:
		return Shard{}, fmt.Errorf("%q lies behind the last part: they count from 0, so the last of %d is %d/%d", text, s.Count, s.Count-1, s.Count)
	}
	return s, nil
}

// String returns "I/N".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Whole reports whether the shard is the whole dump.
func (s Shard) Whole() bool { return s.Count == 0 }

// ShardPiece is an indivisible piece of work, with its size in bytes.
type ShardPiece struct {
	Name string
	Size int64
}

// Dealer assigns pieces of work to parts, one dump after the other. The assignment depends on the pieces alone: every machine that sees
// the same pieces in the same order computes the same one.
type Dealer struct {
	shard Shard
	load  []int64 // by part
}

// NewDealer returns a dealer for one part.
func NewDealer(s Shard) *Dealer { return &Dealer{s, make([]int64, s.Count)} }

// Whole reports whether there is only one part.
func (d *Dealer) Whole() bool { return len(d.load) <= 1 }

// opening is the fixed cost of a piece in bytes. It spreads small pieces over the parts.
const opening = 4096

// Mine reports for each piece whether it belongs to this part. Pieces are assigned by decreasing size, each to the part with the smallest load.
func (d *Dealer) Mine(pieces []ShardPiece) []bool {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[b].Size, pieces[a].Size), cmp.Compare(pieces[a].Name, pieces[b].Name))
	})
	mine := make([]bool, len(pieces))
	for _, i := range order {
		to := d.least()
		d.load[to] += pieces[i].Size + opening
		mine[i] = to == d.shard.Index
	}
	return mine
}

// least returns the first of the parts with the smallest load.
func (d *Dealer) least() int {
	least := 0
	for i, load := range d.load {
		if load < d.load[least] {
			least = i
		}
	}
	return least
}

// ShardFound is the result of a part and its file.
type ShardFound struct {
	Shard
	File string
}

// ShardComplaint says why the parts do not make one whole; "" when they do.
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
