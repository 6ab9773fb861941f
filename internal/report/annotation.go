package report

import (
	"strings"

	"github.com/xlagate/xlagate/internal/result"
)

// Annotation is a change beside a line of the model's source, or of the configuration when no source line is known.
type Annotation struct {
	File    string
	Line    int // 0: the file as a whole
	Level   string
	Title   string
	Message string
}

// Annotations lists what is to be shown beside lines, worst first: what could not be looked at, then the changes that break a rule
// and were not waived.
func Annotations(r *result.Result, o Options) []Annotation {
	all := index(rooted(r, o.Root))
	var out []Annotation
	for i := range r.Problems {
		p := &r.Problems[i]
		file, _ := repositoryFile(result.Source{}, o)
		out = append(out, Annotation{File: file, Level: "error", Title: "xlagate could not look", Message: linesText(problemLines(p))})
	}
	for _, c := range all.live() {
		a := Annotation{Level: c.Level, Title: annotationTitle(all, c), Message: titleBeside(c, o)}
		a.File, a.Line = repositoryFile(c.Source, o)
		if more := changeText(all, c); more != "" {
			a.Message += "\n" + more
		}
		out = append(out, a)
	}
	return out
}

// annotationTitle is "xlagate: train_step: max-step-time, donation-kept".
func annotationTitle(r *indexed, c *result.Change) string {
	return cut(clean("xlagate: "+subject(r, c.Target, c.Program)+": "+strings.Join(ruleNames(r, c), ", ")), maxName)
}

// titleBeside is what was done, as it stands beside the line; where it cannot stand there, with the place in front.
func titleBeside(c *result.Change, o Options) string {
	if _, line := repositoryFile(c.Source, o); line > 0 {
		return cut(clean(c.Title), maxSentence)
	}
	return headlineOf(c).text()
}
