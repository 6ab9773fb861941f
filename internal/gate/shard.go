package gate

import (
	"fmt"
	"hash/fnv"
	"sort"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// Holds reports whether a program belongs to this part. The choice depends on the name alone, so all machines agree on it.
func (s Shard) Holds(program string) bool {
	if s.Count <= 1 {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(program))
	return int(h.Sum32()%uint32(s.Count)) == s.Index
}

// String is I/N, or "" for the whole.
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Cut keeps what belongs to this part of a report. What belongs to no program is the first part's.
func (s Shard) Cut(r *facts.Report) {
	if r == nil || s.Count <= 1 {
		return
	}
	r.Programs, r.Helpers = s.programs(r.Programs), s.programs(r.Helpers)
	var problems []facts.Problem
	for _, p := range r.Problems {
		if s.Holds(p.Program) {
			problems = append(problems, p)
		}
	}
	r.Problems = problems
	if s.Index > 0 {
		r.Clusters, r.Logs = nil, nil
	}
}

func (s Shard) programs(list []*facts.Program) []*facts.Program {
	var out []*facts.Program
	for _, p := range list {
		if s.Holds(p.Name) {
			out = append(out, p)
		}
	}
	return out
}

// joinTargets joins the parts of one target. Parts of different counts, a part that is missing or there twice, or two whole results
// of one target are failures to look.
func joinTargets(targets []result.Target) ([]result.Target, []result.Problem) {
	byName := map[string][]result.Target{}
	var names []string
	for _, t := range targets {
		if byName[t.Name] == nil {
			names = append(names, t.Name)
		}
		byName[t.Name] = append(byName[t.Name], t)
	}
	sort.Strings(names)
	var out []result.Target
	var problems []result.Problem
	for _, name := range names {
		parts := byName[name]
		if complaint := incompleteParts(parts); complaint != "" {
			problems = append(problems, result.Problem{Target: name, Rule: "target-ran", Message: fmt.Sprintf("target %s %s", name, complaint), Mend: "look at the jobs of that target, and merge the results of one run only"})
		}
		out = append(out, joinParts(parts))
	}
	return out, problems
}

func incompleteParts(parts []result.Target) string {
	if len(parts) == 1 && parts[0].Shard == "" {
		return ""
	}
	seen := map[int]int{}
	count := 0
	for _, p := range parts {
		var index, n int
		if _, err := fmt.Sscanf(p.Shard, "%d/%d", &index, &n); err != nil {
			return fmt.Sprintf("is in %d of the results: one would hide the other", len(parts))
		}
		if count != 0 && n != count {
			return fmt.Sprintf("was cut into %d parts by one job and into %d by another", count, n)
		}
		count = n
		if seen[index]++; seen[index] > 1 {
			return fmt.Sprintf("has part %s twice", p.Shard)
		}
	}
	if len(seen) < count {
		return fmt.Sprintf("has %d of its %d parts: the others did not run or did not upload", len(seen), count)
	}
	return ""
}

func joinParts(parts []result.Target) result.Target {
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].Shard < parts[j].Shard })
	out := parts[0]
	out.Shard = ""
	out.Programs, out.NotCovered, out.Helpers = nil, []string{}, 0
	seen := map[string]bool{}
	for _, p := range parts {
		out.Programs = append(out.Programs, p.Programs...)
		out.Helpers += p.Helpers
		for _, n := range p.NotCovered {
			if !seen[n] {
				seen[n] = true
				out.NotCovered = append(out.NotCovered, n)
			}
		}
	}
	if out.Programs == nil {
		out.Programs = []result.Program{}
	}
	sort.SliceStable(out.Programs, func(i, j int) bool { return out.Programs[i].Name < out.Programs[j].Name })
	sort.Strings(out.NotCovered)
	return out
}
