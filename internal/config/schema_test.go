package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/internal/yamldoc"
	"github.com/xlagate/xlagate/rules"
)

func compiled(t testing.TB) *jsonschema.Schema {
	return testfile.Validator(t, config.Schema(rules.All), "")
}

// value reads YAML as a validator of JSON sees it.
func value(t *testing.T, text string) any {
	t.Helper()
	root, err := yamldoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var v any
	if root != nil {
		daysAreTexts(root)
		if err := root.Decode(&v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return v
}

// daysAreTexts makes texts of days, which are all that JSON knows.
func daysAreTexts(n *yamldoc.Node) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, child := range n.Content {
		daysAreTexts(child)
	}
}

// Every configuration that ships validates, and so does every example of the catalogue.
func TestWhatShipsValidates(t *testing.T) {
	s := compiled(t)
	texts := map[string]string{}
	for _, pattern := range []string{"../../examples/*/xlagate.yaml", "../../examples/*/*/xlagate.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = string(data)
		}
	}
	for _, name := range rules.All.PackNames() {
		data, err := rules.All.Pack(name)
		if err != nil {
			t.Fatal(err)
		}
		texts["pack "+name] = string(data)
	}
	for _, r := range rules.All.Rules {
		for _, e := range []rule.Example{r.Fails, r.Passes} {
			texts[r.ID+" "+e.On] = "version: 1\nrules:\n  " + strings.ReplaceAll(e.Config, "\n", "\n  ") + "\n"
			if r.Always { // its example is a file, not an entry
				texts[r.ID+" "+e.On] = e.Config
			}
		}
	}
	if len(texts) < 85 {
		t.Errorf("only %d texts", len(texts))
	}
	for name, text := range texts {
		if err := s.Validate(value(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema refuses what the reader refuses for its form, and accepts what it accepts: every key of every rule with values of all kinds.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	s := compiled(t)
	values := []string{
		"3", "0", "-1", "2.5", "1e3", "12KiB", "2GiB", "12GB", "12 GIB", "5%", "150%", "0.5", "50%", "true", "false", "90s", "20m", "soon", "warning", "off2", "all", "a",
		"\"\"", "\"*/mlp/*\"", "\"[\"", "[]", "[a, b]", "[1, 2]", "[[a]]", "{}", "{ a: b }", "null", "[{ name: a, contains: [add] }]", "[{ call: a }]", "[{ nome: a }]", "\"facts.kernels.total < 3\"",
	}
	for _, r := range rules.All.Rules {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			for _, o := range r.Keys() {
				if o.Key == "rule" {
					continue
				}
				for _, v := range values {
					text := fmt.Sprintf("version: 1\nrules:\n  - { rule: %s, %s: %s }\n", r.ID, o.Key, v)
					accepted, known := accepts(text, o)
					if err := s.Validate(value(t, text)); known && (err == nil) != accepted {
						t.Errorf("%s = %s: the reader accepts it: %v, the schema: %v", o.Key, v, accepted, err == nil)
					}
				}
			}
		})
	}
}

// accepts says what the reader thinks of an entry, and whether that is a matter of form: what an entry lacks besides, what two keys mean
// together, and the grammar inside of texts are not the schema's.
func accepts(text string, o rule.Option) (accepted, known bool) {
	_, err := config.Parse(rules.All, "xlagate.yaml", []byte(text))
	if err == nil {
		return true, true
	}
	message := err.Error()
	for _, deeper := range []string{"lacks the key", "cannot be turned off", "pattern:", "expr", ": rule " + ruleOf(text) + ":"} {
		if strings.Contains(message, deeper) {
			return false, false
		}
	}
	return false, o.Type != rule.Glob && o.Type != rule.Globs || !strings.Contains(text, "\"[\"")
}

func ruleOf(text string) string {
	_, rest, _ := strings.Cut(text, "rule: ")
	id, _, _ := strings.Cut(rest, ",")
	return id
}

func TestSchemaRefusesUnknownKeys(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"version: 2\nextends: [recommended]\n", "version: 1\nextend: [recommended]\n", "extends: [recommended]\n", "version: 1\nrules: [{ rule: no-such }]\n",
		"version: 1\nrules: [{ rule: max-kernels, maxx: 3 }]\n", "version: 1\ntargets: [{ dump: a }]\n", "version: 1\nwaivers: [{ finding: a }]\n", "version: 1\nfail_on: sometimes\n",
	} {
		if s.Validate(value(t, text)) == nil {
			t.Errorf("accepts %s", text)
		}
	}
}

// wrong are configurations that the reader refuses for their form.
var wrong = []string{
	"version: one\nextends: [recommended]", "version:\nextends: [recommended]", "version: 1", "version: 1\nextends: []\nrules: []", "extends: [recommended]",
	"version: 1\nextends: recommended strict", "version: 1\nextends: { recommended: true }", "version: 1\nextends: [recommended]\nbaseline: [a]",
	"version: 1\nextends: [recommended]\nfail_on: errors", "version: 1\nextends: [recommended]\ntargets: []", "version: 1\nextends: [recommended]\ntargets: [a]",
	"version: 1\nextends: [recommended]\ntargets: [{ name: a, dump: x, capture: { run: y } }]", "version: 1\nextends: [recommended]\ntargets: [{ name: a, samples: 0 }]",
	"version: 1\nextends: [recommended]\ntargets: [{ name: a, capture: python }]", "version: 1\nextends: [recommended]\ntargets: [{ name: a, capture: { env: { A: b } } }]",
	"version: 1\nextends: [recommended]\ntargets: [{ name: a, programs: { includes: [x] } }]", "version: 1\nextends: [recommended]\ntargets: [{ name: a, programs: { include: [] } }]",
	"version: 1\nextends: [recommended]\nwaivers: [{ finding: A3F8C21B9D04, reason: x, owner: y, expires: 2027-02-01 }]",
	"version: 1\nextends: [recommended]\nwaivers: [{ finding: a3f8c21b9d04, reason: x, owner: y }]",
	"version: 1\nextends: [recommended]\nwaivers: [{ finding: a3f8c21b9d04, reason: x, owner: y, expires: tomorrow }]",
	"version: 1\nrules: max-kernels", "version: 1\nrules: { max-kernels: 3 }", "version: 1\nrules: [max-kernels]", "version: 1\nrules: [{ rule: [max-kernels] }]",
	"version: 1\nrules: [{ rule: max-kernels, max: -3 }]", "version: 1\nrules: [{ rule: max-kernels, max: 3.5 }]", "version: 1\nrules: [{ rule: max-kernels, equal: 3, max: 3 }]",
	"version: 1\nrules: [{ rule: max-kernels, program: [] }]", "version: 1\nrules: [{ rule: max-kernels, kind: lopp }]", "version: 1\nrules: [{ rule: no-dtype, dtypes: [float64] }]",
	"version: 1\nrules: [{ rule: max-collectives, kinds: [all-gathr] }]", "version: 1\nrules: [{ rule: max-compile-time, max: 30 }]", "version: 1\nrules: [{ rule: max-compile-time }]",
	"version: 1\nrules: [{ rule: max-compile-time, max: 10m, max_increase: 5% }]", "version: 1\nrules: [{ rule: launch-shape, max: 3 }]", "version: 1\nrules: [{ rule: toolchain, program: step }]",
	"version: 1\nrules: [{ rule: toolchain, pin: {} }]", "version: 1\nrules: [{ rule: toolchain, max_decrease: 1 }]", "version: 1\nrules: [{ rule: fusion-drift, max_decrease: 1 }]",
	"version: 1\nrules: [{ rule: no-recompilation, max: 1, max_variants: 1 }]", "version: 1\nrules: [{ rule: no-recompilation, equal: 1, max_variants: 1 }]",
	"version: 1\nrules: [{ rule: target-ran, level: warning }]", "version: 1\nrules: [{ rule: orphan-baseline, level: off }]", "version: 1\nrules: [{ rule: waiver-valid, max: 1 }]",
	"version: 1\nrules: [{ rule: required-fusions }]", "version: 1\nrules: [{ rule: required-fusions, fusions: [] }]", "version: 1\nrules: [{ rule: required-fusions, fusions: [{ name: a }] }]",
	"version: 1\nrules: [{ rule: required-fusions, fusions: [{ name: a, contains: [exponentail] }] }]", "version: 1\nrules: [{ rule: required-fusions, fusions: [{ name: a, contains: [add], min: 0 }] }]",
	"version: 1\nrules: [{ rule: required-custom-calls, calls: [{ min: 2 }] }]", "version: 1\nrules: [{ rule: assert, expr: \"true\", max: 3 }]", "version: 1\nrules: [{ rule: assert }]",
}

// Whatever the reader refuses for its form the schema refuses, too: an editor shows it before the gate does.
func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	s := compiled(t)
	for _, text := range wrong {
		if _, err := config.Parse(rules.All, "xlagate.yaml", []byte(text)); err == nil {
			t.Errorf("the reader accepts\n%s", text)
		}
		if s.Validate(value(t, text)) == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
	}
}

// What the reader accepts the schema accepts, however it came about.
func FuzzReaderAndSchema(f *testing.F) {
	seeds := [][]byte{[]byte("version: 1\nextends: [recommended, strict]\nrules: [{ rule: max-kernels, max: 3, max_increase: 5% }]")}
	for _, text := range wrong {
		seeds = append(seeds, []byte(text))
	}
	s := compiled(f)
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, text []byte) error {
		if _, err := config.Parse(rules.All, "xlagate.yaml", text); err != nil {
			return nil // it lists all errors
		}
		if err := s.Validate(value(t, string(text))); err != nil {
			t.Errorf("the reader accepts what the schema does not: %v\n%s", err, text)
		}
		return nil
	}, seeds...)
}
