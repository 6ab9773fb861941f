package dump

import "fmt"

// Shard is one of several parts, counted from 0. Its zero value is the whole.
type Shard struct{ Index, Count int }

// maxCount bounds the parts: more machines than that have other troubles.
const maxCount = 10_000

// ParseShard reads I/N.
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

// String is I/N.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Whole says whether nothing was cut.
func (s Shard) Whole() bool { return s.Count == 0 }
