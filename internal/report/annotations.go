package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// maxAnnotations is how many annotations of one level GitHub keeps of a step.
const maxAnnotations = 10

// resultGitHub renders a result as workflow commands, one a change: the ten worst errors and the ten worst warnings, and how many were left
// out. What could not be checked comes first, since the verdict hangs on it.
func resultGitHub(w io.Writer, r *indexed, o Options) error {
	a := &annotations{kept: map[string]int{}, left: map[string]int{}}
	for i := range r.Problems {
		a.problem(&r.Problems[i])
	}
	live := r.Open()
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
	title := "xlagate could not check"
	if p.Target != "" {
		title += " at " + p.Target
	}
	at := problemSource(p)
	a.write("error", placeProperties(at.File, at.Line), title, texts...)
}

func (a *annotations) change(r *indexed, c *result.Change, o Options) {
	command := levels[c.Level].command
	if a.full(command) {
		return
	}
	texts := []string{titleBeside(c, o)}
	for _, l := range slices.Concat(changeLines(r, c), breakLines(r, c), howToAccept(c)) {
		if len(l) > 0 {
			texts = append(texts, l.text())
		}
	}
	a.write(command, placeProperties(repositoryFile(c.Source, o)), annotationTitle(r, c), texts...)
}

// placeProperties are the properties of an annotation that say where it is; line 0 is the file as a whole.
func placeProperties(file string, line int) []string {
	switch {
	case file == "":
		return nil
	case line == 0:
		return []string{"file=" + escapeProperty(file)}
	}
	return []string{"file=" + escapeProperty(file), fmt.Sprintf("line=%d", line)}
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

// Annotations lists what is shown at source lines, worst first: what could not be checked, then the changes that break a rule
// and were not waived.
func Annotations(r *result.Result, o Options) []Annotation {
	all := index(rooted(r, o.Root))
	var out []Annotation
	for i := range r.Problems {
		p := &r.Problems[i]
		file, _ := repositoryFile(result.Source{}, o)
		out = append(out, Annotation{File: file, Level: "error", Title: "xlagate could not check", Message: linesText(problemLines(p))})
	}
	for _, c := range all.Open() {
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
	return cut(clean("xlagate: "+subjectOf(r, c)+": "+strings.Join(ruleNames(r, c), ", ")), maxName)
}

// titleBeside is the title of a change at its source line. When the annotation cannot be at that line, the place comes first.
func titleBeside(c *result.Change, o Options) string {
	if _, line := repositoryFile(c.Source, o); line > 0 {
		return cut(clean(c.Title), maxSentence)
	}
	return headlineOf(c).text()
}

// codeIssue is one entry of a report in Code Climate's form, as GitLab reads it: artifacts:reports:codequality.
type codeIssue struct {
	Description string    `json:"description"`
	Check       string    `json:"check_name"`
	Fingerprint string    `json:"fingerprint"`
	Severity    string    `json:"severity"` // info | minor | major | critical | blocker
	Location    codePlace `json:"location"`
}

type codePlace struct {
	Path  string    `json:"path"`
	Lines codeLines `json:"lines"`
}

type codeLines struct {
	Begin int `json:"begin"`
}

// resultCodeQuality renders a result as a list of issues: one for each change that breaks a rule and is not waived, and one for each thing that
// could not be checked. An issue without a line of the model is at the configuration.
func resultCodeQuality(w io.Writer, r *indexed, o Options) error {
	var issues []codeIssue
	for i := range r.Problems {
		p := &r.Problems[i]
		issues = append(issues, codeIssue{
			Description: "xlagate could not check: " + strings.TrimSpace(clean(p.Message)), Check: "xlagate", Severity: "blocker",
			Fingerprint: fingerprint(p.Target, p.Rule, p.File, p.Message), Location: codePlaceOf(problemSource(p), o),
		})
	}
	for _, c := range r.Open() {
		issues = append(issues, codeIssue{
			Description: clean(subjectOf(r, c)+": "+c.Title) + ": " + linesText(breakLines(r, c)),
			Check:       strings.Join(ruleNames(r, c), ", "), Severity: levels[c.Level].severity, Fingerprint: c.ID, Location: codePlaceOf(c.Source, o),
		})
	}
	return writeJSON(w, "the list of issues", issues)
}

// problemSource is the place of a problem in the configuration, where it names one.
func problemSource(p *result.Problem) result.Source {
	file, rest, ok := strings.Cut(p.File, ".yaml:")
	number, _, _ := strings.Cut(rest, ":")
	if line, err := strconv.Atoi(number); ok && err == nil {
		return result.Source{File: file + ".yaml", Line: line}
	}
	return result.Source{}
}

func codePlaceOf(s result.Source, o Options) codePlace {
	file, line := repositoryFile(s, o)
	return codePlace{clean(file), codeLines{max(line, 1)}}
}

func fingerprint(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// rooted returns the result with the source paths below root written relative to it, as a reader of the repository knows them.
func rooted(r *result.Result, root string) *result.Result {
	if root == "" {
		return r
	}
	out := *r
	out.Changes = slices.Clone(r.Changes)
	for i := range out.Changes {
		s := &out.Changes[i].Source
		s.File = below(root, s.File)
	}
	return &out
}

// below is the path relative to root, or the path itself where it is not there.
func below(root, file string) string {
	clean := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	root = strings.TrimSuffix(path.Clean(strings.ReplaceAll(root, `\`, "/")), "/")
	if rest, ok := strings.CutPrefix(clean, root+"/"); ok {
		return rest
	}
	return file
}

// repositoryFile is the file that a change is attached to: the model's source when it can be in the repository, else the
// configuration, since code hosts drop what has no place.
func repositoryFile(s result.Source, o Options) (file string, line int) {
	if inRepository(s.File) {
		return strings.ReplaceAll(s.File, `\`, "/"), s.Line
	}
	return cmp.Or(o.Config, "xlagate.yaml"), 0
}

// inRepository reports whether a path can be one below the root of a repository. Compilers also name files of installed
// packages and make up names in angle brackets.
func inRepository(file string) bool {
	clean := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	return file != "" && !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../") &&
		!strings.HasPrefix(file, "<") && !(len(file) > 1 && file[1] == ':')
}

// uri writes a relative path as a URI reference.
func uri(file string) string { return (&url.URL{Path: path.Clean(file)}).String() }
