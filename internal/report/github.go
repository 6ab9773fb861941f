package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// maxAnnotations is how many annotations of one level GitHub keeps of a step.
const maxAnnotations = 10

// resultGitHub renders a result as workflow commands, one a change: the ten worst errors and the ten worst warnings, and how many were left
// out. What could not be looked at comes first, since the verdict hangs on it.
func resultGitHub(w io.Writer, r *indexed, o Options) error {
	a := &annotations{kept: map[string]int{}, left: map[string]int{}}
	for i := range r.Problems {
		a.problem(&r.Problems[i])
	}
	live := r.live()
	for _, c := range live {
		a.change(r, c, o)
	}
	if left := a.left["error"] + a.left["warning"] + a.left["notice"]; left > 0 {
		a.write("notice", nil, "xlagate", fmt.Sprintf("%s not shown here (%s, %s): see the report",
			phrase.Some(left, "more annotation"), phrase.Some(a.left["error"], "error"), phrase.Some(a.left["warning"], "warning")))
	}
	_, err := io.WriteString(w, a.out.String())
	return err
}

type annotations struct {
	out        strings.Builder
	kept, left map[string]int // by command
}

// full counts an annotation and reports whether there is no room for it.
func (a *annotations) full(command string) bool {
	most := maxAnnotations
	if command == "notice" {
		most-- // the last one says what was left out
	}
	if a.kept[command] == most {
		a.left[command]++
		return true
	}
	a.kept[command]++
	return false
}

func (a *annotations) problem(p *result.Problem) {
	if a.full("error") {
		return
	}
	lines := problemLines(p)
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text()
	}
	title := "xlagate could not look"
	if p.Target != "" {
		title += " at " + p.Target
	}
	a.write("error", configurationPlace(p.File), title, texts...)
}

// configurationPlace returns the annotation properties of a place in the configuration: "xlagate.yaml:12:5".
func configurationPlace(place string) []string {
	file, rest, ok := strings.Cut(place, ".yaml:")
	line, _, _ := strings.Cut(rest, ":")
	if _, err := strconv.Atoi(line); err != nil || !ok {
		return nil
	}
	return []string{"file=" + escapeProperty(file+".yaml"), "line=" + line}
}

func (a *annotations) change(r *indexed, c *result.Change, o Options) {
	command := map[string]string{"error": "error", "warning": "warning"}[c.Level]
	if command == "" {
		command = "notice"
	}
	if a.full(command) {
		return
	}
	texts := []string{titleBeside(c, o)}
	for _, l := range slices.Concat(changeLines(r, c), breakLines(r, c), howToAccept(c)) {
		if len(l) > 0 {
			texts = append(texts, l.text())
		}
	}
	file, line := repositoryFile(c.Source, o)
	properties := []string{"file=" + escapeProperty(file)}
	if line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", line))
	}
	a.write(command, properties, annotationTitle(r, c), texts...)
}

func (a *annotations) write(command string, properties []string, title string, texts ...string) {
	properties = append(properties, "title="+escapeProperty(cut(clean(title), maxName)))
	for i, t := range texts {
		texts[i] = escapeData(cut(clean(t), maxSentence))
	}
	fmt.Fprintf(&a.out, "::%s %s::%s\n", command, strings.Join(properties, ","), strings.Join(texts, "%0A"))
}

// escapeData escapes the text of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(clean(s)))
}

// Annotation is a change at a line of the model's source, or at the configuration when no source line is known.
type Annotation struct {
	File    string
	Line    int // 0: the file as a whole
	Level   string
	Title   string
	Message string
}

// Annotations lists what is shown at source lines, worst first: what could not be looked at, then the changes that break a rule
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

// titleBeside is the title of a change at its source line. When the annotation cannot be at that line, the place comes first.
func titleBeside(c *result.Change, o Options) string {
	if _, line := repositoryFile(c.Source, o); line > 0 {
		return cut(clean(c.Title), maxSentence)
	}
	return headlineOf(c).text()
}
