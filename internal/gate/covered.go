package gate

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/rule"
)

// covered lists the programs of a target that settings speak of. Programs are sorted by name: those that are named are looked up.
func covered(s *rule.Settings, target string, programs []*diff.Program) (list []*diff.Program) {
	names, spelled := s.Named()
	if !spelled {
		for _, p := range programs {
			if s.Covers(target, p.Name) {
				list = append(list, p)
			}
		}
		return list
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		at, _ := slices.BinarySearchFunc(programs, name, func(p *diff.Program, name string) int { return strings.Compare(p.Name, name) })
		for ; at < len(programs) && programs[at].Name == name && s.Covers(target, name); at++ {
			list = append(list, programs[at])
		}
	}
	return list
}
