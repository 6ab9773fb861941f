package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// home is where the tool and its rules are documented.
const home = "https://github.com/xlagate/xlagate"

// maxSARIF is how many results of a run GitHub keeps.
const maxSARIF = 5000

// resultSARIF renders a result as SARIF 2.1.0, made for GitHub's code scanning, a result a change: each has a place, a fingerprint that
// stays from commit to commit, and the help of the first rule that it breaks.
func resultSARIF(w io.Writer, r *indexed, o Options) error {
	log, err := sarif.New(sarif.Version210)
	if err != nil {
		return fmt.Errorf("write the result as SARIF: %w", err)
	}
	run := sarif.NewRunWithInformationURI("xlagate", home)
	if r.Tool.Version != "" {
		run.Tool.Driver.WithVersion(r.Tool.Version)
	}
	run.Results = []*sarif.Result{} // a run that found nothing says so; without the list it says that it did not look
	index, more := map[string]int{}, 0
	for i := range r.Changes {
		c := &r.Changes[i]
		findings := r.brokenBy(c)
		if len(findings) == 0 {
			continue
		}
		if len(run.Results) == maxSARIF {
			more++
			continue
		}
		rule := findings[0].Rule
		if _, ok := index[rule]; !ok {
			index[rule] = len(index)
			describeRule(run.AddRule(rule), o)
		}
		run.AddResult(sarifResult(r, c, rule, o).WithRuleIndex(index[rule]))
	}
	run.AddInvocations(invocation(r, more))
	log.AddRun(run)
	data, err := json.Marshal(log)
	var clean any // without the nulls that the library writes where nothing was set, which the schema refuses
	if err == nil {
		err = json.Unmarshal(data, &clean)
	}
	if err != nil {
		return fmt.Errorf("write the result as SARIF: %w", err)
	}
	dropNulls(clean)
	return writeJSON(w, "the result as SARIF", clean)
}

func dropNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			}
			dropNulls(e)
		}
	case []any:
		for _, e := range v {
			dropNulls(e)
		}
	}
}

// describeRule adds the documentation of a rule, where there is any.
func describeRule(rule *sarif.ReportingDescriptor, o Options) {
	var doc result.RuleDoc
	if o.Rules != nil {
		doc = o.Rules(rule.ID)
	}
	if doc.ID == "" {
		return
	}
	rule.WithName(doc.ID).WithDescription(clean(doc.Title))
	if doc.Why != "" {
		rule.WithFullDescription(sarif.NewMultiformatMessageString(clean(doc.Why)))
	}
	if doc.URL != "" {
		rule.WithHelpURI(doc.URL)
	}
	page := explainPage(doc, Options{})
	rule.WithHelp(sarif.NewMultiformatMessageString(textOf(page, Options{})).WithMarkdown(markdownOf(page)))
}

func sarifResult(r *indexed, c *result.Change, rule string, o Options) *sarif.Result {
	res := sarif.NewRuleResult(rule).WithLevel(levels[c.Level].sarif).WithMessage(sarif.NewTextMessage(unlinked(messageBeside(r, c, o))))
	res.WithPartialFingerPrints(map[string]any{"xlagate/v1": c.ID})
	file, line := repositoryFile(c.Source, o)
	location := sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(file))).
		WithRegion(sarif.NewRegion().WithStartLine(max(1, line))))
	if c.OpName != "" {
		location.AddLogicalLocations(sarif.NewLogicalLocation().WithFullyQualifiedName(clean(c.OpName)))
	}
	res.AddLocation(location)
	res.Properties = sarif.Properties{}
	for _, p := range properties("target", c.Target, "program", c.Program, "kind", c.Kind, "rules", strings.Join(ruleNames(r, c), ", ")) {
		res.AddString(p.Name, p.Value)
	}
	if c.Waived {
		res.AddSuppression(sarif.NewSuppression("external").WithStatus("accepted").WithJustifcation(linesText(r.howToAccept(c))))
	}
	return res
}

// unlinked breaks the links that plain text may embed in SARIF: [text](place).
func unlinked(text string) string { return strings.ReplaceAll(text, "](", "] (") }

// invocation reports whether everything was checked, what was not, and how many changes are left out.
func invocation(r *indexed, more int) *sarif.Invocation {
	in := sarif.NewInvocation().WithExecutionSuccess(len(r.Problems) == 0).WithExitCode(r.ExitCode)
	for i := range r.Problems {
		text := linesText(problemLines(&r.Problems[i]))
		in.AddTToolExecutionNotification(sarif.NewNotification().WithLevel("error").WithTextMessage(unlinked(text)))
	}
	for _, l := range notes(r) {
		in.AddTToolExecutionNotification(sarif.NewNotification().WithLevel("note").WithTextMessage(unlinked(l.text())))
	}
	if more > 0 {
		in.AddTToolExecutionNotification(sarif.NewNotification().WithLevel("note").WithTextMessage(phrase.Some(more, "more change") + " not listed here: see the report"))
	}
	return in
}
