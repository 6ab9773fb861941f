package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// clusterSection is what TensorFlow's autoclustering did.
func clusterSection(c *tensorflow.Clusters) section {
	if c == nil {
		return section{}
	}
	left := c.UserOps()
	sum := phrase.Some(c.Graphs, "graph") + "; autoclustering did not run: " + c.Why
	if c.Ran {
		sum = fmt.Sprintf("%s with %s; %d left out, %d of the system",
			phrase.Some(len(c.Clusters), "cluster"), phrase.Some(c.Clustered, "operation"), len(left), len(c.Unclustered)-len(left))
	}
	s := section{Title: in(strong, "clusters").and("   " + sum)}
	t := table{Head: []string{"cluster", "operations", "device", "function", "most of them", "module"}, Right: []bool{false, true}, Bare: true}
	t.Rows = each(c.Clusters, func(k *tensorflow.Cluster) []line {
		ops := k.Operations()
		total := 0
		for _, n := range ops {
			total += n
		}
		return []line{in(name, k.Name), count(total), in(name, tensorflow.DeviceName(k.Device)), in(name, k.Function), in(name, mostOps(ops)), in(name, k.Module)}
	})
	unclustered := table{Head: []string{"left out", "node", "function", "why"}, Bare: true} // those of the system are always outside
	unclustered.Rows = each(left, func(u *tensorflow.UnclusteredOp) []line {
		return []line{in(warn, "left out ").in(name, u.Op), in(name, u.Node), in(name, u.Function), say(u.Reason)}
	})
	collectives := table{Head: []string{"outside of XLA", "node", "function", "parts", "line"}, Bare: true} // those in TensorFlow's own graph
	collectives.Rows = each(c.Collectives, func(o *tensorflow.Collective) []line {
		return []line{in(warn, "outside of XLA ").in(name, o.Op), in(name, o.Node), in(name, o.Function), say(o.Place()), in(name, location(o.Source))}
	})
	rewrites := table{Head: []string{"Grappler", "node", "function", "what", "line"}, Bare: true} // before clustering
	rewrites.Rows = each(c.Rewrites, func(r *tensorflow.Rewrite) []line {
		what := r.What + prefixed(" by ", r.Optimizer)
		return []line{in(dim, "Grappler ").in(name, r.Op), in(name, r.Node), in(name, r.Function), say(what), in(name, location(r.Source))}
	})
	s.add(t, unclustered, collectives, rewrites)
	return s
}

func mostOps(ops map[string]int) string {
	const maxOps = 4 // operations that are named of a cluster
	var parts []string
	for i, op := range byCount(ops) {
		if i == maxOps {
			parts = append(parts, phrase.Some(len(ops)-maxOps, "more kind"))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", ops[op], op))
	}
	return strings.Join(parts, ", ")
}

func logSection(l *tensorflow.Logs) section {
	if l == nil {
		return section{}
	}
	lines := phrase.Map(l.Misses, func(m tensorflow.CacheMiss) line {
		return say("retraced ").in(name, m.Program).and(" ").in(name, location(m.Where)).and(": ").and(m.Reason)
	})
	took := map[string]float64{}
	for _, n := range l.Notes {
		if n.Kind == logs.CompileTime {
			took[n.Program] += n.Value
			continue
		}
		lines = append(lines, in(name, string(n.Kind)).and(" ").in(name, strings.TrimSpace(n.Program+" "+n.Op)).
			and(" ").in(name, location(n.Where)).and(prefixed(": ", n.Message)))
	}
	for _, program := range byCount(l.Compiles) {
		l := say("compiled "+phrase.Times(l.Compiles[program])+": ").in(name, program)
		if seconds := took[program]; seconds > 0 { // where the log says it
			l = l.and(fmt.Sprintf("   %.3g s in all", seconds))
		}
		lines = append(lines, l)
	}
	return titled(in(strong, "logs"), list{lines})
}

// passSection lists the passes that changed a module. XLA also dumps a module where a pipeline begins.
func passSection(m *facts.ModulePasses, o Options) section {
	t := table{Head: []string{"after", "instructions", "fusions", "collectives", "what changed"}, Right: []bool{false, true, true, true}}
	changed := 0
	for i := range m.Stages {
		var before *facts.PassStage
		if i > 0 {
			before = &m.Stages[i-1]
		}
		same := before != nil && !m.Stages[i].Changed(before)
		if before != nil && !same {
			changed++
		}
		if !same || o.All {
			s := &m.Stages[i]
			row := []line{in(name, passName(s)), count(s.Instructions), count(s.Fusions), count(s.Collectives), line{}}
			if before != nil {
				row = []line{row[0], step(before.Instructions, s.Instructions), step(before.Fusions, s.Fusions), step(before.Collectives, s.Collectives), opcodeChanges(s, before)}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	title := in(strong, "passes").and("   ").in(name, m.Module).
		and(fmt.Sprintf("   %s dumped, the module changed %s", phrase.Some(len(m.Stages), "stage"), phrase.Times(changed)))
	return titled(title, t)
}

func step(before, now int) line {
	if before == now {
		return count(now)
	}
	return count(before).and(" → ").in(strong, phrase.Number(float64(now)))
}

// passName is "0032 algsimp (simplification)"; a stage that is no pass keeps its label.
func passName(s *facts.PassStage) string {
	switch {
	case s.Kind != dump.StagePass:
		return s.Label
	case s.Pass.After == "" || s.Pass.Pipeline == "":
		return fmt.Sprintf("%04d %s", s.Pass.Number, s.Pass.After+s.Pass.Pipeline)
	}
	return fmt.Sprintf("%04d %s (%s)", s.Pass.Number, s.Pass.After, s.Pass.Pipeline)
}

// opcodeChanges is "+3 fusion, −12 add", the largest changes first.
func opcodeChanges(s, before *facts.PassStage) line {
	const maxOpcodeChanges = 5 // opcodes that are named of one pass
	if !s.Changed(before) {
		return in(dim, "nothing")
	}
	delta := map[string]int{}
	for op, n := range s.Opcodes {
		delta[op] += n
	}
	for op, n := range before.Opcodes {
		delta[op] -= n
	}
	ops := sortedKeys(delta)
	sort.SliceStable(ops, func(i, j int) bool { return abs(delta[ops[i]]) > abs(delta[ops[j]]) })
	var parts []string
	for _, op := range ops {
		if n := delta[op]; n > 0 {
			parts = append(parts, fmt.Sprintf("+%d %s", n, op))
		} else if n < 0 {
			parts = append(parts, fmt.Sprintf("−%d %s", -n, op))
		}
	}
	if len(parts) > maxOpcodeChanges {
		parts = append(parts[:maxOpcodeChanges], phrase.Some(len(parts)-maxOpcodeChanges, "more opcode"))
	}
	if len(parts) == 0 {
		return say("shapes, attributes, order or connections")
	}
	return say(strings.Join(parts, ", "))
}

func abs(n int) int { return max(n, -n) }
