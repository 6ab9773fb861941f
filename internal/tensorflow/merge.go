package tensorflow

import (
	"maps"
	"slices"
)

// Merge adds what is known of the graphs of another part or dump.
func (c *Clusters) Merge(o *Clusters) *Clusters {
	switch {
	case c == nil:
		return o
	case o == nil:
		return c
	}
	all := *c
	all.Ran = c.Ran || o.Ran
	if all.Ran {
		all.Why = ""
	}
	all.Graphs, all.Eager, all.Pipeline, all.Clustered = c.Graphs+o.Graphs, c.Eager+o.Eager, c.Pipeline+o.Pipeline, c.Clustered+o.Clustered
	all.Unclustered, all.Clusters = slices.Concat(c.Unclustered, o.Unclustered), slices.Concat(c.Clusters, o.Clusters)
	all.Rewrites = slices.Concat(c.Rewrites, o.Rewrites)
	all.Collectives = slices.Concat(c.Collectives, o.Collectives)
	return &all
}

// Merge adds what the logs of another part or dump said.
func (l *Logs) Merge(o *Logs) *Logs {
	switch {
	case l == nil:
		return o
	case o == nil:
		return l
	}
	all := &Logs{
		Compiles: map[string]int{}, Misses: slices.Concat(l.Misses, o.Misses), Notes: slices.Concat(l.Notes, o.Notes),
		Events: l.Events + o.Events, leftOut: map[string]string{}, summaries: slices.Concat(l.summaries, o.summaries),
		Cuts: slices.Concat(l.Cuts, o.Cuts), Metrics: l.Metrics || o.Metrics,
	}
	for _, logs := range []*Logs{l, o} {
		maps.Copy(all.leftOut, logs.leftOut)
		for program, n := range logs.Compiles {
			all.Compiles[program] += n
		}
	}
	return all
}
