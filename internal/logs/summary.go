package logs

import (
	"strconv"
	"strings"
)

// Summary is autoclustering's summary of one graph. It counts the two nodes that no dump shows, _SOURCE and _SINK, as NoOp.
type Summary struct {
	Size     int // nodes of the graph
	Inside   int // of them in clusters
	Clusters []SummaryCluster
	Outside  map[string]int // operations outside, by kind
}

// SummaryCluster is one cluster of a summary.
type SummaryCluster struct {
	Name string
	Size int
	Ops  map[string]int
}

// tfSummary reads the block behind "*** Clustering info for graph of size 54":
//
//	Built 3 clusters, size 35 / 54 (64.81%)
//	  cluster_0 21 / 54 (38.89%)
//	   Add: 1 instances
//	Unclustered nodes: 19 / 54 (35.19%)
//	  AsString: 1 instances
func (r *reader) tfSummary(size string) {
	line := r.line
	s := &Summary{Outside: map[string]int{}}
	s.Size, _ = strconv.Atoi(strings.TrimSpace(size))
	var ops map[string]int
	for {
		text, ok := r.peekMarking()
		if !ok || !s.line(text, &ops) {
			break
		}
		r.next()
	}
	outside := 0
	for _, n := range s.Outside {
		outside += n
	}
	if s.Size == 0 || s.Inside+outside != s.Size {
		r.unreadable(line, "autoclustering's summary of a graph")
		return
	}
	r.add(Event{Kind: Clusters, Line: line, Summary: s})
}

// peekMarking returns the next line, if it is one of the marking pass, without its prefix.
func (r *reader) peekMarking() (string, bool) {
	line, ok := r.peek()
	if !ok {
		return "", false
	}
	_, rest, ok := strings.Cut(string(line), "mark_for_compilation_pass.cc:")
	if !ok {
		return "", false
	}
	_, text, ok := strings.Cut(rest, "] ")
	return strings.TrimSpace(text), ok
}

// line reads one line of the block and reports whether it was one.
func (s *Summary) line(text string, ops *map[string]int) bool {
	switch {
	case strings.HasPrefix(text, "Built "):
		_, rest, _ := strings.Cut(text, "size ")
		s.Inside = leadingNumber(rest)
		return true
	case strings.HasPrefix(text, "Unclustered nodes: "):
		*ops = s.Outside
		return true
	}
	if op, count, ok := strings.Cut(text, ": "); ok && strings.HasSuffix(count, " instances") && *ops != nil {
		(*ops)[op] = leadingNumber(count)
		return true
	}
	name, rest, ok := strings.Cut(text, " ")
	if !ok || !strings.Contains(rest, " / ") {
		return false
	}
	c := SummaryCluster{Name: name, Size: leadingNumber(rest), Ops: map[string]int{}}
	s.Clusters = append(s.Clusters, c)
	*ops = c.Ops
	return true
}

func leadingNumber(s string) int {
	digits, _, _ := strings.Cut(s, " ")
	n, _ := strconv.Atoi(digits)
	return n
}
