package schema_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/schema"
	"github.com/xlagate/xlagate/internal/yamldoc"
	"github.com/xlagate/xlagate/rules"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := schema.JSON(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile(name + ".json")
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
		if err := yamldoc.Decode(root, &v); err != nil {
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

func TestEverySchemaCompiles(t *testing.T) {
	for _, name := range schema.Names {
		compiled(t, name)
	}
	if _, err := schema.JSON("none"); err == nil {
		t.Error("a schema of nothing")
	}
}

// Every configuration that ships validates, and so does every example of the catalogue.
func TestWhatShipsValidates(t *testing.T) {
	s := compiled(t, "config")
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
	for _, name := range rules.Packs() {
		data, err := rules.Pack(name)
		if err != nil {
			t.Fatal(err)
		}
		texts["pack "+name] = string(data)
	}
	for _, r := range rules.All() {
		for _, e := range []rules.Example{r.Fails, r.Passes} {
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
	s := compiled(t, "config")
	values := []string{
		"3", "0", "-1", "2.5", "1e3", "12KiB", "2GiB", "12GB", "12 GIB", "5%", "150%", "0.5", "50%", "true", "false", "90s", "20m", "soon", "warning", "off2", "all", "a",
		"\"\"", "\"*/mlp/*\"", "\"[\"", "[]", "[a, b]", "[1, 2]", "[[a]]", "{}", "{ a: b }", "null", "[{ name: a, contains: [add] }]", "[{ call: a }]", "[{ nome: a }]", "\"facts.kernels.total < 3\"",
	}
	wrong := 0
	for _, r := range rules.All() {
		for _, o := range r.Keys() {
			if o.Key == "rule" {
				continue
			}
			for _, v := range values {
				text := fmt.Sprintf("version: 1\nrules:\n  - { rule: %s, %s: %s }\n", r.ID, o.Key, v)
				accepted, known := accepts(text, o)
				if err := s.Validate(value(t, text)); known && (err == nil) != accepted {
					if wrong++; wrong < 20 {
						t.Errorf("%s of %s = %s: the reader accepts it: %v, the schema: %v", o.Key, r.ID, v, accepted, err == nil)
					}
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d disagreements", wrong)
	}
}

// accepts says what the reader thinks of an entry, and whether that is a matter of form: what an entry lacks besides, what two keys mean
// together, and the grammar inside of texts are not the schema's.
func accepts(text string, o rules.Option) (accepted, known bool) {
	_, err := config.Parse("xlagate.yaml", []byte(text))
	if err == nil {
		return true, true
	}
	message := err.Error()
	for _, deeper := range []string{"lacks the key", "cannot be turned off", "pattern:", "expr", ": rule " + ruleOf(text) + ":"} {
		if strings.Contains(message, deeper) {
			return false, false
		}
	}
	return false, o.Type != rules.Glob && o.Type != rules.Globs || !strings.Contains(text, "\"[\"")
}

func ruleOf(text string) string {
	_, rest, _ := strings.Cut(text, "rule: ")
	id, _, _ := strings.Cut(rest, ",")
	return id
}

func TestSchemaRefusesUnknownKeys(t *testing.T) {
	s := compiled(t, "config")
	for _, text := range []string{
		"version: 2\nextends: [recommended]\n", "version: 1\nextend: [recommended]\n", "extends: [recommended]\n", "version: 1\nrules: [{ rule: no-such }]\n",
		"version: 1\nrules: [{ rule: max-kernels, maxx: 3 }]\n", "version: 1\ntargets: [{ dump: a }]\n", "version: 1\nwaivers: [{ finding: a }]\n", "version: 1\nfail_on: sometimes\n",
	} {
		if s.Validate(value(t, text)) == nil {
			t.Errorf("accepts %s", text)
		}
	}
}

// Every key that a baseline is written with stands in its schema.
func TestBaselinesFitTheirSchema(t *testing.T) {
	s := compiled(t, "baseline")
	for _, name := range []string{"cpu-sharding_allgather", "cpu-donation_lost", "tpu-kernel_body", "tpu-wide_weights", "cpu-constant_baked"} {
		d, err := dump.Open(context.Background(), filepath.Join("../../testdata", name, "after.tar.xz"), dump.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := facts.Measure(context.Background(), d, facts.Options{})
		if err := errors.Join(err, d.Close()); err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Programs {
			text := baseline.Format("t", &baseline.Program{Program: *p, Toolchain: r.Toolchain, Reason: "start"})
			if err := s.Validate(value(t, string(text))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
