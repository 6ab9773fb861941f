package report

import (
	"cmp"
	"crypto/sha256"
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

// resultGitHub renders a result as workflow commands: the ten worst errors and the ten worst warnings, and how many were left out.
func resultGitHub(w io.Writer, r *indexed, o Options) error {
	const maxAnnotations = 10 // of one level, which GitHub keeps of a step
	var b strings.Builder
	kept, left := map[string]int{}, map[string]int{}
	for _, a := range annotations(r, o) {
		command := levels[a.Level].command
		most := maxAnnotations
		if command == "notice" {
			most-- // the last one says what was left out
		}
		if kept[command] == most {
			left[command]++
			continue
		}
		kept[command]++
		at := []string{"file=" + escapeProperty(a.File)}
		if a.Line > 0 {
			at = append(at, fmt.Sprintf("line=%d", a.Line))
		}
		command = fmt.Sprintf("::%s %s,title=%s::%s", command, strings.Join(at, ","), escapeProperty(a.Title), escapeData(a.Message))
		fmt.Fprintln(&b, command)
	}
	if all := left["error"] + left["warning"] + left["notice"]; all > 0 {
		fmt.Fprintf(&b, "::notice title=xlagate::%s not shown here (%s, %s): see the report\n",
			phrase.Some(all, "more annotation"), phrase.Some(left["error"], "error"), phrase.Some(left["warning"], "warning"))
	}
	for _, n := range r.Notes {
		if n.Kind == "stale" { // what was checked is not what the pull request says
			fmt.Fprintf(&b, "::warning title=xlagate::%s\n", escapeData(clean(n.Message)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var escapeData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(clean(s)))
}

// Annotation is a change that breaks a rule, at a line of the model's source, or something that could not be checked. What has no place in the
// repository is at the configuration.
type Annotation struct {
	File    string
	Line    int // 0: the file as a whole
	Level   string
	Title   string
	Message string // a sentence a line

	id, rules string // of the change and what it breaks; "" of what could not be checked
}

// String is the annotation in one line: what could not be checked with its fix, or a change with what it breaks.
func (a Annotation) String() string {
	message := strings.Split(a.Message, "\n")
	if a.id != "" {
		message = []string{fmt.Sprintf("%s (breaks %s; change %s)", message[0], a.rules, a.id)}
	}
	return fmt.Sprintf("%s: %s: %s", a.Level, place(result.Source{File: a.File, Line: a.Line}), strings.Join(message, "; "))
}

// Annotations lists what is shown at source lines, worst first: what could not be checked, then the changes that break a rule
// and were not waived.
func Annotations(r *result.Result, o Options) []Annotation {
	return annotations(index(rooted(r, o.Root)), o)
}

func annotations(r *indexed, o Options) []Annotation {
	var out []Annotation
	for i := range r.Problems {
		p := &r.Problems[i]
		a := Annotation{Level: "error", Title: "xlagate could not check", Message: linesText(problemLines(p))}
		if p.Target != "" {
			a.Title = cut(clean(a.Title+" at "+p.Target), maxName)
		}
		a.File, a.Line = placeOfProblem(p, o)
		out = append(out, a)
	}
	for _, c := range r.Open() {
		rules := strings.Join(ruleNames(r, c), ", ")
		a := Annotation{Level: c.Level, Title: cut(clean("xlagate: "+subjectOf(r, c)+": "+rules), maxName), Message: messageBeside(r, c, o), id: c.ID, rules: rules}
		a.File, a.Line = repositoryFile(c.Source, o)
		out = append(out, a)
	}
	return out
}

// messageBeside is a change at its source line, with its title on a line of its own. When it cannot be at that line, the place comes first.
func messageBeside(r *indexed, c *result.Change, o Options) string {
	title := Headline(c)
	if _, line := repositoryFile(c.Source, o); line > 0 {
		title = cut(clean(c.Title), maxSentence)
	}
	return strings.TrimSuffix(title+"\n"+changeText(r, c), "\n")
}

// codeIssue is one entry of a report in Code Climate's form, as GitLab reads it: artifacts:reports:codequality.
type codeIssue struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"` // info | minor | major | critical | blocker
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// resultCodeQuality renders a result as a list of issues, one for each annotation.
func resultCodeQuality(w io.Writer, r *indexed, o Options) error {
	var issues []codeIssue
	for _, a := range annotations(r, o) {
		issue := codeIssue{Description: strings.TrimPrefix(a.Title, "xlagate: ") + ": " + a.Message, Check: a.rules, Fingerprint: a.id, Severity: levels[a.Level].severity}
		if a.id == "" {
			issue.Check, issue.Fingerprint, issue.Severity = "xlagate", fmt.Sprintf("%.16x", sha256.Sum256([]byte(issue.Description))), "blocker"
		}
		issue.Location.Path, issue.Location.Lines.Begin = clean(a.File), max(a.Line, 1)
		issues = append(issues, issue)
	}
	return writeJSON(w, "the list of issues", issues)
}

// placeOfProblem is the place of a problem in the configuration, or the configuration as a whole.
func placeOfProblem(p *result.Problem, o Options) (file string, line int) {
	whole, _ := repositoryFile(result.Source{}, o)
	ext := ".yaml"
	if strings.Contains(p.File, ".jsonl:") { // of the baseline
		ext = ".jsonl"
	}
	file, rest, _ := strings.Cut(p.File, ext+":")
	number, _, _ := strings.Cut(rest, ":")
	line, err := strconv.Atoi(number)
	if file += ext; err != nil || path.Base(file) == path.Base(whole) {
		file = whole
	}
	return file, line
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

func uri(file string) string { return (&url.URL{Path: path.Clean(file)}).String() }

// repositoryFile is the file that a change is attached to: the model's source when it can be in the repository, else the
// configuration, since code hosts drop what has no place. Compilers also name files of installed packages and make up names in angle brackets.
func repositoryFile(s result.Source, o Options) (file string, line int) {
	clean := path.Clean(strings.ReplaceAll(s.File, `\`, "/"))
	if s.File == "" || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || s.File[0] == '<' || len(s.File) > 1 && s.File[1] == ':' {
		return cmp.Or(o.Config, "xlagate.yaml"), 0
	}
	return strings.ReplaceAll(s.File, `\`, "/"), s.Line
}
