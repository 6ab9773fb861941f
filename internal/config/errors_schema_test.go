package config_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/yamldoc"
	"github.com/xlagate/xlagate/rules"
)

// refusal is an error that the reader gives, by the format of its message, with a configuration that brings it about.
type refusal struct {
	format, text string
	// beyond says why a schema cannot refuse it; "" where it does.
	beyond string
}

const (
	twice   = "a JSON object cannot hold a key twice: the validator never sees it"
	across  = "a schema cannot compare one value with another"
	grammar = "a schema does not know the grammar inside of a text"
	noYAML  = "it is no YAML document that a validator could be given"
	place   = "which places there are depends on git's rules for names"
)

// refusals holds a row for every error that the reader has.
var refusals = []refusal{
	{"the file is empty; `xlagate init` makes one", "", ""},
	{"the file is %s; expected a mapping with the keys %s", "[a]", ""},
	{"unknown key %q in %s; expected one of %s%s", "version: 1\nextend: [recommended]\nextends: [recommended]", ""},
	{"key %q occurs twice in %s; first on line %d", "version: 1\nextends: [recommended]\nversion: 1", twice},
	{"%s lacks the key %q: %s", "extends: [recommended]", ""},
	{"no rules: add extends: [recommended] or a rule; a gate that checks nothing would always pass", "version: 1", ""},
	{"version is %v; this xlagate knows version 1", "version: 2\nextends: [recommended]", ""},
	{"baseline %v", "version: 1\nextends: [recommended]\nbaseline: http://a/b", place},
	{"%s is %s; expected a list%s", "version: 1\nextends: [recommended]\ntargets: { name: a }", ""},
	{"two targets are named %q; the first is on line %d", "version: 1\nextends: [recommended]\ntargets: [{ name: a }, { name: a }]", across},
	{"the targets %q and %q differ only in case; the first is on line %d", "version: 1\nextends: [recommended]\ntargets: [{ name: a }, { name: A }]", across},
	{"name is %q; expected a path such as mlp/cpu, which is also the path of its baseline", "version: 1\nextends: [recommended]\ntargets: [{ name: ../a }]", grammar},
	{"target %q has both dump and capture; keep one", "version: 1\nextends: [recommended]\ntargets: [{ name: a, dump: x, capture: { run: y } }]", ""},
	{"%s is %s; expected a list%s", "version: 1\nextends: [recommended]\nwaivers: a", ""},
	{"%s has %d entries; at most %d are read: let one entry stand for several programs", "version: 1\nextends: [recommended]\ntargets:\n" + strings.Repeat("- { name: a }\n", 5001), ""},
	{"%s is waived twice; first on line %d", "version: 1\nextends: [recommended]\nwaivers:\n" + waiver + waiver, across},
	{"%s is %s; expected a list%s", "version: 1\nrules: max-kernels", ""},
	{"a rule is %s; expected a mapping, as in { rule: max-kernels, max: 19 }", "version: 1\nrules: [max-kernels]", ""},
	{"a rule's id is the value of the key \"rule\"; write { rule: %s, max: … }", "version: 1\nrules: [{ max-kernels: 3 }]", ""},
	{"a rule without the key \"rule\"; name one of %s", "version: 1\nrules: [{ max: 3 }]", ""},
	{"rule is %s; expected a rule's id, as in rule: max-kernels", "version: 1\nrules: [{ rule: [max-kernels] }]", ""},
	{"unknown rule %q%s", "version: 1\nrules: [{ rule: max-kernel }]", ""},
	{"rule %s takes no %s: %s", "version: 1\nrules: [{ rule: toolchain, max_decrease: 1 }]", ""},
	{"%s cannot be turned off: without it the gate would pass without having looked", "version: 1\nrules: [{ rule: orphan-baseline, level: off }]", ""},
	{"rule %s takes no program but \"*\": it looks at the target as a whole", "version: 1\nrules: [{ rule: toolchain, program: step }]", ""},
	{"%s is %s; expected %s", "version: 1\nrules: [{ rule: max-kernels, max: [3] }]", ""},
	{"%s: %s", "version: 1\nrules: [{ rule: required-fusions, fusions: [{ name: a, pattern: add(_ }] }]", grammar},
	{"%s: %v", "version: 1\nrules: [{ rule: required-fusions, fusions: [{ name: a, pattern: \"add(_\\n\" }] }]", grammar},
	{"%s is an empty list, which matches nothing; name something or leave out the key", "version: 1\nrules: [{ rule: max-kernels, program: [] }]", ""},
	{"%s holds %s; expected words, as in [a, b]", "version: 1\nrules: [{ rule: max-kernels, program: [[a]] }]", ""},
	{"%q is not a pattern; close its brackets and braces, and let them stand for %d alternatives at most", "version: 1\nrules: [{ rule: max-kernels, program: [\"a[\"] }]", grammar},
	{"%s holds %q; expected one of %s%s", "version: 1\nrules: [{ rule: no-dtype, dtypes: [f65] }]", ""},
	{"%s is %s; expected a list of mappings with the keys %s", "version: 1\nrules: [{ rule: required-fusions, fusions: a }]", ""},
	{"%s of %s is an empty list; a rule that looks for nothing would always pass", "version: 1\nrules: [{ rule: required-fusions, fusions: [] }]", ""},
	{"an entry of %s in %s is empty; give %s", "version: 1\nrules: [{ rule: required-fusions, fusions: [{ name: a }] }]", ""},
	{"%s is %s; expected a mapping of names to values", "version: 1\nrules: [{ rule: toolchain, pin: a }]", ""},
	{"%s is empty; name something or leave out the key", "version: 1\nrules: [{ rule: toolchain, pin: {} }]", ""},
	{"%s of %s is %s; expected a single value", "version: 1\nrules: [{ rule: toolchain, pin: { a: [b] } }]", ""},
	{"%s is %s; expected a mapping with the keys %s", "version: 1\nextends: [recommended]\ntargets: [a]", ""},
	{"key %q occurs twice in %s; first on line %d", "version: 1\nrules: [{ rule: max-kernels, max: 3, max: 3 }]", twice},
	{"unknown key %q in %s; expected one of %s%s", "version: 1\nrules: [{ rule: max-kernels, maxx: 3 }]", ""},
	{"%s lacks the key %q: %s", "version: 1\nrules: [{ rule: assert }]", ""},
	{"rule %s: %v", "version: 1\nrules: [{ rule: layout-pin, params: [{ param: a, layout: \"0,2\" }] }]", grammar},
	{"%q is not a size; write %s or a number of bytes", "version: 1\nrules: [{ rule: max-temp-bytes, max: 12 GIB }]", ""},
	{"%q is not a time; write %ss", "version: 1\nrules: [{ rule: max-compile-time, max: 30 }]", ""},
	{"%s is %q; expected one of %s%s", "version: 1\nrules: [{ rule: max-kernels, scope: al, max: 3 }]", ""},
	{"%s is %q; expected %s", "version: 1\nrules: [{ rule: max-kernels, max: many }]", ""},
	{"equal excludes max and min; keep one", "version: 1\nrules: [{ rule: max-kernels, equal: 3, max: 3 }]", ""},
	{"min %v is above max %v", "version: 1\nrules: [{ rule: max-kernels, min: 4, max: 3 }]", across},
	{"bounds nothing: say %s", "version: 1\nrules: [{ rule: max-compile-time }]", ""},
	{"layout %q of %s is not a layout; expected every dimension once, from minor to major, such as 1,0", "version: 1\nrules: [{ rule: layout-pin, ops: [{ layout: \"a\" }] }]", grammar},
	{"line %d: a second document begins; put everything into one", "version: 1\nextends: [recommended]\n---\nversion: 1", noYAML},
	{"line %d: a merge conflict of git begins here; settle it first", "version: 1\n<<<<<<< HEAD\nfail_on: error\n=======\nfail_on: never\n>>>>>>> main\n", noYAML},
	{"line %d: the aliases expand to more than %d nodes; write it out more plainly", bomb(), noYAML},
	{"line %d: the merge key << takes a mapping, or a list of mappings", "version: 1\nrules: [{ <<: a, rule: max-kernels }]", noYAML},
}

const waiver = "  - { finding: a3f8c21b9d04, reason: x, owner: y, expires: 2027-02-01 }\n"

func bomb() string {
	text := "a: &a [" + strings.Repeat("x, ", 100) + "]\n"
	for i := range 3 {
		from, to := string(rune('a'+i)), string(rune('b'+i))
		text += to + ": &" + to + " [" + strings.Repeat("*"+from+", ", 100) + "]\n"
	}
	return text
}

// Every error that the reader has stands in the table, is given for its configuration, and is refused by the schema as well, or there is
// a reason why no schema can.
func TestSchemaRefusesEveryError(t *testing.T) {
	s, known := compiled(t), map[string]bool{}
	for _, r := range refusals {
		known[r.format] = true
		_, err := config.Parse(rules.All, "xlagate.yaml", []byte(r.text))
		if err == nil || !said(r.format).MatchString(err.Error()) {
			t.Errorf("%q is not what the reader says of\n%s\nbut %v", r.format, r.text, err)
		}
		_, err = yamldoc.Parse([]byte(r.text))
		if (err != nil) != (r.beyond == noYAML) {
			t.Errorf("%q: read as YAML: %v", r.format, err)
		}
		if err != nil || r.beyond == twice {
			continue
		}
		if refused := s.Validate(value(t, r.text)) != nil; refused != (r.beyond == "") {
			t.Errorf("%q is refused by the schema: %v, beyond it: %q", r.format, refused, r.beyond)
		}
	}
	for _, format := range errorFormats(t) {
		if !known[format] {
			t.Errorf("the reader says %q: say here for what, and whether the schema refuses it", format)
		}
	}
}

// said is what a format comes to: a line is named in front of the message.
func said(format string) *regexp.Regexp {
	format = strings.TrimPrefix(format, "line %d: ")
	return regexp.MustCompile(regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(format), "(?s:.*)"))
}

// generic formats only pass on what another one says.
var generic = []string{"%v", "%s"}

// errorFormats lists the formats of all errors that reading a configuration can give, as they stand in its source.
func errorFormats(t *testing.T) []string {
	t.Helper()
	var formats []string
	for _, pattern := range []string{"*.go", "../yamldoc/*.go", "../../rules/registry.go", "../../rules/layout_pin.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "config.go" {
				formats = append(formats, formatsIn(t, path)...)
			}
		}
	}
	if len(formats) < 44 {
		t.Errorf("only %d errors were found", len(formats))
	}
	return formats
}

func formatsIn(t *testing.T, path string) (formats []string) {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "errorf" && f.Sel.Name != "Errorf" {
			return true
		}
		for _, arg := range call.Args {
			if text, ok := arg.(*ast.BasicLit); ok && text.Kind == token.STRING {
				format, err := strconv.Unquote(text.Value)
				if err == nil && format != generic[0] && format != generic[1] {
					formats = append(formats, format)
				}
				return true
			}
		}
		return true
	})
	return formats
}
