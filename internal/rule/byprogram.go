package rule

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
)

// ByProgram finds settings by the program that they name: a proposal for thousands of programs has entries for each of them.
type ByProgram struct {
	all      []*Settings
	named    map[string][]*Settings
	patterns []*Settings // which may speak of any program
}

// Add puts more settings in.
func (b *ByProgram) Add(list ...*Settings) {
	b.all = append(b.all, list...)
	for _, s := range list {
		names, spelled := s.Named()
		if !spelled {
			b.patterns = append(b.patterns, s)
			continue
		}
		if b.named == nil {
			b.named = map[string][]*Settings{}
		}
		for _, name := range names {
			b.named[name] = append(b.named[name], s)
		}
	}
}

// All lists the settings in the order in which they were put in.
func (b *ByProgram) All() []*Settings { return b.all }

// Covers reports whether some of the settings speak of a program of a target. Program "*" stands for the target as a whole.
func (b *ByProgram) Covers(target, program string) bool { return b.covering(target, program, 1) }

// Several reports whether more than one of the settings speak of a program of a target.
func (b *ByProgram) Several(target, program string) bool { return b.covering(target, program, 2) }

func (b *ByProgram) covering(target, program string, least int) bool {
	for _, list := range [][]*Settings{b.named[program], b.patterns} {
		for _, s := range list {
			if (program != "*" || orAll(s.Programs, "*")) && s.Covers(target, program) {
				least--
			}
			if least == 0 {
				return true
			}
		}
	}
	return false
}

// Named lists the programs that the settings are for; false where a pattern among them may fit any, or a name several.
func (s *Settings) Named() (programs []string, spelled bool) {
	for _, p := range s.Programs {
		if stem, shared := facts.NumberedGraph(p); shared && stem == p || !match.PlainName(p) {
			return nil, false
		}
	}
	return s.Programs, len(s.Programs) > 0
}
