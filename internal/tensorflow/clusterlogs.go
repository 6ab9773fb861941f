package tensorflow

import (
	"slices"
)

// explain adds to the reasons what TensorFlow's own log says about the nodes.
func (c *Clusters) explain(l *Logs) {
	if l == nil {
		return
	}
	for i := range c.Unclustered {
		op := &c.Unclustered[i]
		said := l.leftOut[op.Node+"\x00"+op.Op]
		if said == "" {
			said = l.leftOut[op.Node+"\x00"]
		}
		if said != "" && !op.System && op.Reason != said {
			op.Reason += "; TensorFlow's log says: " + said
		}
	}
}

// clusters derives from TensorFlow's clustering log what the graph dumps would show, as far as possible: kinds and numbers of operations, and names
// if the log has them. It is nil if the logs hold no summary.
func (l *Logs) clusters() *Clusters {
	if len(l.summaries) == 0 {
		return nil
	}
	out := &Clusters{Ran: true}
	for _, s := range l.summaries {
		if s.eager() {
			out.Eager++
			continue
		}
		out.Graphs++
		for _, c := range s.summary.Clusters {
			out.Clusters = append(out.Clusters, FrameworkCluster{Name: c.Name, Size: c.Size, Ops: c.Ops})
			for op, n := range c.Ops {
				if !SystemOp(op) {
					out.Clustered += n
				}
			}
		}
		s.outside(out)
	}
	return out
}

// eager recognises the graph of one operation that Python ran eagerly. A log shows less than a dump: a function of a single
// operation, none of it in a cluster, looks the same.
func (s clusterSummary) eager() bool {
	count := 0
	for op, n := range s.summary.Outside {
		switch op {
		case "_Arg", "_DeviceArg", "_Retval", "_DeviceRetval", "NoOp":
		default:
			count += n
		}
	}
	return s.summary.Inside == 0 && count == 1
}

// partingOf returns what a log says about an operation outside. A log does not say which operations read it, or whether XLA could compile it.
func partingOf(op string) Parting {
	if SystemOp(op) {
		return SystemParting(op)
	}
	return Parts
}

// outside adds the operations outside the clusters, one entry for each.
func (s clusterSummary) outside(out *Clusters) {
	ops := make([]string, 0, len(s.summary.Outside))
	for op := range s.summary.Outside {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	for _, op := range ops {
		for i := range s.summary.Outside[op] {
			u := UnclusteredOp{Op: op, System: SystemOp(op), File: s.log}
			if len(s.summary.Clusters) > 1 {
				u.Parts = partingOf(op)
			}
			if i < len(s.nodes[op]) {
				u.Node, u.Reason = s.nodes[op][i].Node, s.nodes[op][i].Text
			}
			out.Unclustered = append(out.Unclustered, u)
		}
	}
}
