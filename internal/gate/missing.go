package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
)

// missing is the problem of a pattern of programs.include that no program of the dump matches.
func (l *looked) missing(pattern string) {
	message := fmt.Sprintf("no program matches %q: it was not compiled, or not dumped", pattern)
	fix := "`xlagate inspect` lists the programs of a dump; fix programs.include, or make the run compile it"
	left := l.leftOut()
	renamed, alike := l.renamedTo(pattern, left), match.Closest(pattern, programNames(left))
	switch {
	case len(left) == 0:
	case renamed != "":
		message += fmt.Sprintf("; was it renamed to %s, which the dump holds and programs.include leaves out?", renamed)
	case alike != "":
		message = fmt.Sprintf("no program matches %q; did you mean %s, which the dump holds and programs.include leaves out?", pattern, alike)
	default:
		message += "; programs.include leaves out " + listed(left)
	}
	if name := cmp.Or(renamed, alike); name != "" {
		fix = fmt.Sprintf("write %q for %q in the configuration, or make the run compile it", name, pattern)
	}
	l.didNotRun(message, fix)
}

// leftOut lists the model's programs that no pattern of the configuration names, neither to be looked at nor to be left out.
func (l *looked) leftOut() (left []*facts.Program) {
	wanted, unwanted := match.NewGlobs(l.Include), match.NewGlobs(l.Exclude)
	for _, p := range l.report.Programs {
		if !includesGraph(wanted, p.Name) && !unwanted.Fits(p.Name) {
			left = append(left, p)
		}
	}
	return left
}

// renamedTo is the program that does what was accepted under a name that the pattern matches.
func (l *looked) renamedTo(pattern string, left []*facts.Program) string {
	if l.base == nil {
		return ""
	}
	accepted := slices.DeleteFunc(slices.Clone(l.base.Programs), func(p *facts.Program) bool { return !match.Glob(pattern, p.Name) })
	for _, p := range diff.Compare(&facts.Report{Programs: accepted}, &facts.Report{Programs: left}).Programs {
		if p.Was != "" {
			return p.Name
		}
	}
	return ""
}

func programNames(programs []*facts.Program) (names []string) {
	for _, p := range programs {
		names = append(names, p.Name)
	}
	return names
}

// listed names programs, but not a long list of them.
func listed(programs []*facts.Program) string {
	const most = 4
	names := programNames(programs)
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}
