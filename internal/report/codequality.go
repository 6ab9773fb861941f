package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/result"
)

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
// could not be looked at. What has no line of the model stands at the configuration.
func resultCodeQuality(w io.Writer, r *indexed, o Options) error {
	issues := []codeIssue{} // an empty report is a list, too
	for i := range r.Problems {
		p := &r.Problems[i]
		issues = append(issues, codeIssue{
			Description: "xlagate could not look: " + strings.TrimSpace(clean(p.Message)), Check: "xlagate", Severity: "blocker",
			Fingerprint: fingerprint(p.Target, p.Rule, p.File, p.Message), Location: codePlaceOf(problemSource(p), o),
		})
	}
	for _, c := range r.live() {
		issues = append(issues, codeIssue{
			Description: clean(subject(r, c.Target, c.Program)+": "+c.Title) + ": " + linesText(breakLines(r, c)),
			Check:       strings.Join(ruleNames(r, c), ", "), Severity: severities[c.Level], Fingerprint: c.ID, Location: codePlaceOf(c.Source, o),
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(issues); err != nil {
		return fmt.Errorf("write the list of issues: %w", err)
	}
	return nil
}

// severities are Code Climate's words for the levels.
var severities = map[string]string{"error": "critical", "warning": "major", "info": "info"}

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
