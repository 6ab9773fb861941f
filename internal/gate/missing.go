package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
	"github.com/xlagate/xlagate/internal/suggest"
)

// missing is the problem of a pattern of programs.include that no program of the dump matches.
func (l *looked) missing(pattern string) {
	message := fmt.Sprintf("no program matches %q: it was not compiled, or not dumped", pattern)
	mend := "`xlagate inspect` lists the programs of a dump; mend programs.include, or make the run compile it"
	switch left := l.leftOut(); {
	case len(left) == 0:
	case l.meant(pattern, left) != "":
		name := l.meant(pattern, left)
		message += fmt.Sprintf("; was it renamed to %s, which the dump holds and programs.include leaves out?", name)
		mend = fmt.Sprintf("write %q for %q in the configuration, or make the run compile it", name, pattern)
	default:
		message += "; programs.include leaves out " + listed(left)
	}
	l.didNotRun(message, mend)
}

// leftOut lists the model's programs that no pattern of the configuration names, neither to be looked at nor to be left out.
func (l *looked) leftOut() (left []*facts.Program) {
	wanted, unwanted := glob.NewSet(l.Include), glob.NewSet(l.Exclude)
	for _, p := range l.report.Programs {
		if !includesGraph(wanted, p.Name) && !unwanted.Fits(p.Name) {
			left = append(left, p)
		}
	}
	return left
}

// meant is the program that may be the one that a pattern names, under another name: the one that does what was accepted, else the one that
// is called most alike.
func (l *looked) meant(pattern string, left []*facts.Program) string {
	if l.base != nil {
		accepted := slices.DeleteFunc(slices.Clone(l.base.Programs), func(p *facts.Program) bool { return !glob.Match(pattern, p.Name) })
		for _, p := range diff.Compare(&facts.Report{Programs: accepted}, &facts.Report{Programs: left}).Programs {
			if p.Was != "" {
				return p.Name
			}
		}
	}
	return suggest.Word(pattern, programNames(left))
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
