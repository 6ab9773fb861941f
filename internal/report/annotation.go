package report

import (
	"github.com/xlagate/xlagate/internal/result"
)

// Annotation is a finding beside a line of the model's source, or of the configuration when no source line is known.
type Annotation struct {
	File    string
	Line    int // 0: the file as a whole
	Level   string
	Title   string
	Message string
}

// Annotations lists what is to be shown beside lines, worst first: what could not be looked at, then the findings that were not
// waived.
func Annotations(r *result.Result, o Options) []Annotation {
	r = rooted(r, o.Root)
	var out []Annotation
	for i := range r.Problems {
		p := &r.Problems[i]
		file, _ := repositoryFile(&result.Finding{}, o)
		out = append(out, Annotation{File: file, Level: "error", Title: "xlagate could not look", Message: linesText(problemLines(p))})
	}
	live, _ := split(r)
	for _, f := range live {
		a := Annotation{Level: f.Level, Title: cut(clean("xlagate "+f.Rule+": "+subject(r, f)), maxName), Message: cut(clean(f.Message), maxSentence)}
		a.File, a.Line = repositoryFile(f, o)
		if more := findingText(f); more != "" {
			a.Message += "\n" + more
		}
		out = append(out, a)
	}
	return out
}
