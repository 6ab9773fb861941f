package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// The elements of JUnit's form, as Jenkins' junit-10.xsd defines them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string `xml:"name,attr"`
		Tests      int    `xml:"tests,attr"`
		Failures   int    `xml:"failures,attr"`
		Errors     int    `xml:"errors,attr"`
		Skipped    int    `xml:"skipped,attr"`
		Properties *junitProperties
		Cases      []junitCase `xml:"testcase"`
	}
	junitProperties struct {
		XMLName xml.Name        `xml:"properties"`
		List    []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		ClassName string        `xml:"classname,attr"`
		Name      string        `xml:"name,attr"`
		Skipped   *junitMessage `xml:"skipped"`
		Error     *junitMessage `xml:"error"`
		Failure   *junitMessage `xml:"failure"`
		Out       string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// resultJUnit renders a result as test suites: a suite for each target, a case for each change that breaks a rule and for each program without
// one. What failed the gate is a failure, what could not be checked an error, what was waived is skipped; changes below the
// failing level pass and keep their text as output.
func resultJUnit(w io.Writer, r *indexed, _ Options) error {
	all := junitSuites{Name: "xlagate"}
	targets := map[string]*result.Target{}
	for i := range r.Targets {
		targets[r.Targets[i].Name] = &r.Targets[i]
	}
	names := phrase.Map(r.Targets, func(t result.Target) string { return t.Name })
	names = append(names, phrase.Map(r.Problems, func(p result.Problem) string { return p.Target })...) // "" for the run as a whole
	names = append(names, phrase.Map(r.Changes, func(c result.Change) string { return c.Target })...)
	for _, same := range phrase.Group(names, func(name string) string { return name }) {
		all.add(targetSuite(r, same[0], targets[same[0]]))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("write the result as JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (all *junitSuites) add(s junitSuite) {
	for i := range s.Cases {
		switch c := &s.Cases[i]; {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	s.Tests = len(s.Cases)
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Suites = append(all.Suites, s)
}

func targetSuite(r *indexed, target string, t *result.Target) junitSuite {
	s := junitSuite{Name: clean(cmp.Or(target, "xlagate"))}
	if t != nil {
		s.Properties = &junitProperties{List: properties("dump", t.Dump, "baseline", t.Baseline,
			"toolchain", tools(t.Toolchain), "not covered", strings.Join(t.NotCovered, "; "))}
	}
	for i := range r.Problems {
		if p := &r.Problems[i]; p.Target == target {
			lines := problemLines(p)
			s.Cases = append(s.Cases, junitCase{
				ClassName: s.Name, Name: clean(cmp.Or(p.Rule, "checked") + ": " + p.File),
				Error: &junitMessage{Message: lines[0].text(), Type: clean(p.Rule), Text: linesText(lines)},
			})
		}
	}
	found := map[string]bool{}
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.Target != target || len(c.Findings) == 0 {
			continue
		}
		for _, name := range c.Programs() {
			found[name] = true
		}
		s.Cases = append(s.Cases, changeCase(r, s.Name, c))
	}
	if t == nil {
		return s
	}
	for i := range t.Programs {
		if p := &t.Programs[i]; !found[p.Name] {
			s.Cases = append(s.Cases, junitCase{ClassName: s.Name, Name: clean(p.Name)})
		}
	}
	return s
}

func properties(pairs ...string) []junitProperty {
	var out []junitProperty
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, junitProperty{pairs[i], clean(pairs[i+1])})
		}
	}
	return out
}

func changeCase(r *indexed, suite string, c *result.Change) junitCase {
	rules := strings.Join(ruleNames(r, c), ", ")
	what := rules // the same from commit to commit: the file and the function, not the line; without a file the rules
	if c.Source.File != "" {
		what = c.Kind + " at " + c.Source.File
	}
	if f := c.Source.Function; f != "" && f != c.Program {
		what += " in " + f
	}
	if c.Program != "" {
		what = c.Program + ": " + what
	}
	out := junitCase{ClassName: suite, Name: clean(what)}
	message := &junitMessage{Message: Headline(c), Type: clean(rules), Text: changeText(r, c)}
	switch {
	case c.Waived:
		out.Skipped = &junitMessage{Message: linesText(r.howToAccept(c))}
	case c.Level == "error", c.Level == "warning" && r.Verdict == "fail" && r.Summary.Errors == 0: // a failed run without errors was told to fail on warnings
		out.Failure = message
	default:
		out.Out = message.Message + "\n" + message.Text
	}
	return out
}
