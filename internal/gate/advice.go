package gate

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// acceptLine finds the commands in the advice of rules, which do not know how check was called.
var acceptLine = regexp.MustCompile(`xlagate accept(?: --[a-z]+(?: "[^"]*"| [^-\s,][^\s,]*)?)*`)

// completeFixes adds to the accept commands of problems and notes what check was called with and accept needs too, so that they work when pasted.
func (o Options) completeFixes(problems []result.Problem, notes []result.Note) {
	for i := range problems {
		problems[i].Fix = o.completed(problems[i].Fix)
	}
	for i := range notes {
		notes[i].Fix = o.completed(notes[i].Fix)
	}
}

// completed adds to the accept commands in an advice what check was called with.
func (o Options) completed(advice string) string {
	return acceptLine.ReplaceAllStringFunc(advice, func(line string) string {
		options := o.acceptOptions()
		if at := slices.Index(options, "--baseline"); at >= 0 && strings.Contains(line, "--baseline") {
			options = options[:at]
		}
		dumps := slices.Clone(o.Dumps)
		for _, t := range o.Config.Targets {
			if dump := o.ByTarget[t.Name]; dump != "" {
				dumps = append(dumps, "--target", t.Name+"="+dump)
			} else if slices.Contains(o.Targets, t.Name) {
				dumps = append(dumps, "--target", t.Name)
			}
		}
		arguments := slices.Concat(options, dumps)
		if len(o.Command) > 0 {
			arguments = slices.Concat(arguments, []string{"--"}, o.Command)
		}
		return strings.TrimSpace(line + " " + phrase.Shell(arguments))
	})
}

// acceptOptions lists the options of check that accept needs too: the rule file, unless it is the one that is found without, and the baseline.
func (o Options) acceptOptions() (options []string) {
	if o.Dir != "" && o.Config != nil && o.Config.Path != "" {
		file := absolute(o.Dir, o.Config.Path)
		if found, err := config.Find(o.Dir); err != nil || found != file {
			options = append(options, "-c", filepath.ToSlash(Relative(o.Dir, file)))
		}
	}
	if o.Baseline != "" {
		options = append(options, "--baseline", o.Baseline)
	}
	return options
}

// ruleFile is the path of the configuration from the top of the repository, "" where it is outside of one.
func (o Options) ruleFile() string {
	if o.Root == "" || o.Config == nil || o.Config.Path == "" {
		return ""
	}
	below, _ := files.Below(o.Root, absolute(o.Dir, o.Config.Path))
	return below
}
