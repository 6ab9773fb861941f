package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// passSections tell of each module what every pass of the compiler made of it.
func passSections(modules []facts.ModulePasses, o Options) []block {
	var out []block
	for i := range modules {
		if s := passSection(&modules[i], o); len(s.Title) > 0 {
			out = append(out, s)
		}
	}
	return out
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
			t.Rows = append(t.Rows, passRow(&m.Stages[i], before))
		}
	}
	if len(m.Stages) == 0 {
		return section{}
	}
	title := in(strong, "passes").and("   ").in(name, m.Module).and(fmt.Sprintf("   %s dumped, the module changed %s", phrase.Some(len(m.Stages), "stage"), times(changed)))
	return section{Title: title, Blocks: []block{t}}
}

func passRow(s, before *facts.PassStage) []line {
	counts := []line{count(s.Instructions), count(s.Fusions), count(s.Collectives)}
	what := line{}
	if before != nil {
		counts = []line{step(before.Instructions, s.Instructions), step(before.Fusions, s.Fusions), step(before.Collectives, s.Collectives)}
		what = opcodeChanges(s, before)
	}
	return append([]line{in(name, passName(s))}, append(counts, what)...)
}

func count(n int) line { return say(phrase.Number(float64(n))) }

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
	case s.Pass.After == "":
		return fmt.Sprintf("%04d %s", s.Pass.Number, s.Pass.Pipeline)
	}
	return fmt.Sprintf("%04d %s (%s)", s.Pass.Number, s.Pass.After, s.Pass.Pipeline)
}

// maxOpcodeChanges bounds the opcodes that are named of one pass.
const maxOpcodeChanges = 5

// opcodeChanges is "+3 fusion, −12 add", the largest changes first.
func opcodeChanges(s, before *facts.PassStage) line {
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
