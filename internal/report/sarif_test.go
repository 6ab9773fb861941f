package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/internal/webpage"
)

// TestSARIFSchema holds every result to the schema that OASIS publishes.
func TestSARIFSchema(t *testing.T) {
	schema := sarifSchema(t)
	for name, r := range map[string]*result.Result{"failing": failing(), "passing": passing(), "incomplete": incomplete(), "ugly": ugly(), "empty": {}} {
		for _, o := range []Options{{}, {Rules: documented, Options: webpage.Options{Root: "/srv/models"}}} {
			var out bytes.Buffer
			if err := Result.Render(&out, r, "sarif", o); err != nil {
				t.Fatal(err)
			}
			v, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(testfile.Unpack(t, "testdata/sarif-schema-2.1.0.json.gz")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSARIFPlaces holds code scanning to what it needs: a place in the repository, a stable fingerprint, rules by index.
func TestSARIFPlaces(t *testing.T) {
	r := failing()
	r.Changes[1] = result.Change{ID: "0000000000aa", Level: "info", Edit: result.Edit{Kind: changes.KindUnknown, Title: "see [here](https://evil.example)"}, Findings: []string{"0000000000ab"}}
	r.Findings[3] = result.Finding{ID: "0000000000ab", Change: "0000000000aa", Rule: "max-kernels", Level: "info", Message: "too many"}
	var out bytes.Buffer
	if err := Result.Render(&out, r, "sarif", Options{Options: webpage.Options{Root: "/srv/models"}}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string `json:"ruleId"`
				RuleIndex int    `json:"ruleIndex"`
				Level     string `json:"level"`
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		rule, level, uri, fingerprint string
		line                          int
	}{{"max-step-time", "error", "train.py", splitID, 98}, {"max-kernels", "note", "xlagate.yaml", "0000000000aa", 1}} {
		got := log.Runs[0].Results[i]
		place := got.Locations[0].PhysicalLocation
		if got.RuleID != want.rule || got.RuleIndex != i || got.Level != want.level || place.ArtifactLocation.URI != want.uri ||
			place.Region.StartLine != want.line || got.PartialFingerprints["xlagate/v1"] != want.fingerprint {
			t.Errorf("result %d is %+v, want %+v", i, got, want)
		}
	}
	if text := log.Runs[0].Results[1].Message.Text; text != "see [here] (https://evil.example)\nbreaks max-kernels: too many" {
		t.Errorf("a link stays in the message: %s", text)
	}
}

func TestRepositoryFile(t *testing.T) {
	for file, want := range map[string]string{
		"train.py": "train.py", `src\train.py`: "src/train.py", "/usr/lib/python3/site-packages/flax/core.py": "xlagate.yaml", "": "xlagate.yaml",
		"../other/train.py": "xlagate.yaml", "<string>": "xlagate.yaml", `C:\src\train.py`: "xlagate.yaml", "a/../../b.py": "xlagate.yaml",
	} {
		if got, _ := repositoryFile(result.Source{File: file, Line: 3}, Options{}); got != want {
			t.Errorf("%q is attached to %s, want %s", file, got, want)
		}
	}
	if got := below("/srv/models/", "/srv/models/a/b.py"); got != "a/b.py" {
		t.Errorf("below: %s", got)
	}
	if got := below("/srv/models", "/srv/models2/b.py"); got != "/srv/models2/b.py" {
		t.Errorf("below: %s", got)
	}
	if got := uri("my fn/é.py"); got != "my%20fn/%C3%A9.py" {
		t.Errorf("uri: %s", got)
	}
}

// GitHub keeps the first results of a run: no more are written, and the rest is counted. A change with very many findings names some.
func TestSARIFIsBounded(t *testing.T) {
	many := failing()
	c, f := many.Changes[0], many.Findings[0]
	c.Findings = []string{f.ID}
	many.Changes, many.Findings = nil, nil
	for i := range maxSARIF + 3 {
		c.ID, f.Change = fmt.Sprintf("%012x", i), fmt.Sprintf("%012x", i)
		many.Changes, many.Findings = append(many.Changes, c), append(many.Findings, f)
	}
	one := failing()
	one.Changes, one.Findings = one.Changes[:1], nil
	for i := range 100_000 {
		f.ID, f.Change, f.Subject = fmt.Sprintf("%012x", i), one.Changes[0].ID, fmt.Sprint("argument ", i)
		one.Findings = append(one.Findings, f)
	}
	for _, c := range []struct {
		result  *result.Result
		results int
		says    string
	}{{many, maxSARIF, "3 more changes not listed here: see the report"}, {one, 1, "… 99,950 more findings"}} {
		var out bytes.Buffer
		if err := Result.Render(&out, c.result, "sarif", Options{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), `"ruleId"`); got != c.results || !strings.Contains(out.String(), c.says) {
			t.Errorf("%d results of %d, and %q is not said", got, c.results, c.says)
		}
	}
}
