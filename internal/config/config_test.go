package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/rules"
)

// errorsOf are the messages of a configuration, one a line.
func errorsOf(text string) string {
	_, err := Parse(rules.All, "xlagate.yaml", []byte(text))
	if err == nil {
		return ""
	}
	return strings.TrimSuffix(err.Error(), "\n")
}

func TestErrorsNameTheirPlace(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "xlagate.yaml:1:1: the file is empty; `xlagate init` makes one"},
		{"- a\n", "xlagate.yaml:1:1: the file is a list; expected a mapping with the keys version, extends, baseline, fail_on, policy, targets, rules, waivers"},
		{"version: 2\nextends: [recommended]\n", "xlagate.yaml:1:10: version is 2; this xlagate knows version 1"},
		{"extends: [recommended]\n", "xlagate.yaml:1:1: the configuration lacks the key \"version\": write version: 1, the version of the rule set; new rules never turn on under an old one"},
		{"version: 1\n", "xlagate.yaml:1:1: no rules: add extends: [recommended] or a rule; a gate that checks nothing would always pass"},
		{"version: 1\nextends: [recommended]\nfail_on: eror\n", `xlagate.yaml:3:10: fail_on is "eror"; expected one of error, warning, never; did you mean "error"?`},
		{"version: 1\nextends: [recommended]\nbaseline: git:main\n", `xlagate.yaml:3:11: baseline "git:main" is not git:REF:PATH, as in git:origin/main:.xlagate`},
		{"version: 1\nextends: [recommended]\nbaseline: s3://bucket/x\n", `xlagate.yaml:3:11: baseline "s3://bucket/x" cannot hold a baseline; give a directory or git:REF:PATH`},
		{"version: 1\nextends: [recommended]\nextends: [strict]\n", `xlagate.yaml:3:1: key "extends" occurs twice in the configuration; first on line 2`},
		{"version: 1\nrules:\n  - max-kernels: 19\n", `xlagate.yaml:3:5: a rule's id is the value of the key "rule"; write { rule: max-kernels, max: … }`},
		{"version: 1\nrules:\n  - { rule: max-kernels, max: 5% }\n", `xlagate.yaml:3:31: max is "5%"; expected a whole number from 0; a share of the baseline is written max_increase: 5%`},
		{"version: 1\nrules:\n  - { rule: max-temp-bytes, max: 2G }\n", `xlagate.yaml:3:34: "2G" is not a size; write 2GiB or a number of bytes`},
		{"version: 1\nrules:\n  - { rule: max-kernels, program: }\n", `xlagate.yaml:3:35: program is empty; name something or leave out the key`},
		{"version: 1\nrules:\n  - { max: 3 }\n", `xlagate.yaml:3:5: a rule without the key "rule"; name one of ` + strings.Join(rules.All.IDs()[:8], ", ") + ", …"},
		{"version: 1\nrules:\n  - { rule: max-kernels, max: many }\n", `xlagate.yaml:3:31: max is "many"; expected a whole number from 0`},
		{"version: 1\nrules:\n  - { rule: max-kernels, max: 1, equal: 1 }\n", "xlagate.yaml:3:41: rule max-kernels: equal excludes max and min; keep one"},
		{"version: 1\nrules:\n  - { rule: max-temp-bytes, max: 12 gb }\n", `xlagate.yaml:3:34: "12 gb" is not a size; write 12GB or a number of bytes`},
		{"version: 1\nrules:\n  - { rule: max-kernels, max_increase: -1 }\n", `xlagate.yaml:3:40: max_increase is "-1"; expected an amount from 0, such as 2, 1MiB or 5%`},
		{"version: 1\nrules:\n  - { rule: target-ran, level: off }\n", "xlagate.yaml:3:25: rule target-ran takes no level: a part that could not be checked is never green"},
		{"version: 1\nrules:\n  - { rule: orphan-baseline, level: off }\n", "xlagate.yaml:3:37: orphan-baseline cannot be turned off: without it the gate would pass without having looked"},
		{"version: 1\nrules:\n  - { rule: target-ran, max: 1 }\n", "xlagate.yaml:3:25: rule target-ran takes no max: it counts nothing"},
		{"version: 1\nrules:\n  - { rule: max-helper-modules }\n", "xlagate.yaml:3:5: rule max-helper-modules: bounds nothing: say max, min or equal"},
		{"version: 1\nrules:\n  - rule: required-fusions\n    fusions: [{ name: a, pattern: \"reduce(exponentail(_))\" }]\n", `xlagate.yaml:4:43: pattern: unknown operation "exponentail"; did you mean "exponential"?`},
		{"version: 1\nrules:\n  - rule: required-fusions\n    fusions: [{ name: a, out: f32|f33 }]\n", `xlagate.yaml:4:35: out: unknown type "f33"; did you mean "f32"?`},
		{"version: 1\nrules:\n  - rule: required-fusions\n    fusions: [{ name: a }]\n", "xlagate.yaml:4:15: an entry of fusions in rule required-fusions is empty; give contains, pattern, root, kind, out, op_name or source"},
		{"version: 1\nrules:\n  - { rule: assert, expr: \"facts.kernels.total +\" }\n", "xlagate.yaml:3:27: expr: column 22: the expression ends in the middle"},
	} {
		got := errorsOf(test.text)
		if got != test.want+"\n1 error in xlagate.yaml" {
			t.Errorf("%q\n%s\nwanted\n%s", test.text, got, test.want)
		}
	}
}

func TestYAMLOfAllKinds(t *testing.T) {
	for name, text := range map[string]string{
		"carriage returns": "version: 1\r\nextends: [recommended]\r\n",
		"byte order mark":  "\ufeffversion: 1\nextends: [recommended]\n",
		"anchors":          "version: 1\nrules:\n  - &k { rule: max-kernels, max: 3 }\n  - { <<: *k, program: a }\n",
		"a comment first":  "# yaml-language-server: $schema=x\nversion: 1\nextends: recommended\n",
		"JSON":             `{"version": 1, "extends": ["recommended"]}`,
	} {
		if got := errorsOf(text); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, text := range map[string]string{
		"two documents": "version: 1\nextends: [recommended]\n---\nversion: 1\n",
		"no UTF-8":      "version: 1\nextends: [recommended\xff]\n",
		"a bomb":        "version: 1\na: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e]\n",
		"a tab":         "version: 1\n\trules: []\n",
	} {
		if errorsOf(text) == "" {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestEveryErrorAtOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: 1\nrules:\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  - { rule: no-such-%d }\n", i)
	}
	if got := errorsOf(b.String()); !strings.HasSuffix(got, "40 errors in xlagate.yaml") {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	var seeds [][]byte
	for _, seed := range []string{
		"version: 1\nextends: [recommended, strict]\nrules:\n  - { rule: max-kernels, max: 3, max_increase: 5% }\n",
		"version: 1\nrules:\n  - rule: required-fusions\n    fusions: [{ name: a, pattern: \"add($x, _)\", min: 2 }]\n",
		"a: &a [*a]\n", "<<: 1\n", "? [a]\n: b\n", "version: !!binary aGk=\n", "targets: [{ name: a, capture: [] }]\n", "waivers: [1]\n", "\ufeff", "%YAML 1.1\n---\n",
	} {
		seeds = append(seeds, []byte(seed))
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		cfg, err := Parse(rules.All, "xlagate.yaml", data)
		if (cfg == nil) == (err == nil) {
			t.Errorf("a configuration and an error, or neither: %v", err)
		}
		if err != nil && !strings.Contains(err.Error(), "xlagate.yaml") {
			t.Errorf("the error names no file: %v", err)
		}
		return nil // it lists all errors
	}, seeds...)
}

// What was meant is said where it can be guessed.
func TestErrorsSayWhatWasMeant(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"version: 1\nrules:\n  - { rule: no-dtype, dtypes: [float64] }\n", `expected one of bf16, c128, c64, f16, f32, f4e2m1fn, f64, f6e2m3fn, …; HLO calls it f64`},
		{"version: 1\nrules:\n  - { rule: no-dtype, dtypes: [bfloat16] }\n", `HLO calls it bf16`},
		{"version: 1\nrules:\n  - { rule: no-dtype, dtypes: [int8, bool] }\n", `HLO calls it s8`},
		{"version: 1\nrules:\n  - { rule: assert, expr: \"facts.kernel.total < 3\" }\n", `no fact is called facts.kernel; did you mean "kernels"?; the groups are kernels`},
		{"version: 1\nrules:\n\t- { rule: max-kernels }\n", `xlagate.yaml:3:1: found character that cannot start any token; YAML is indented with spaces, not with tabs`},
		{"version: 1\nextends: [recommended\nrules: []\n", `xlagate.yaml:2:1: did not find expected ',' or ']'; a text with brackets, braces or a comma must be in quotes, and every [ needs its ]`},
		{"version: 1\nrules:\n  - { rule: donation-kept, params: params['w1'] }\n", `xlagate.yaml:3:1: did not find expected ',' or '}'; a text with brackets, braces or a comma must be in quotes, and every { needs its }`},
		{"version: 1\n extends: [recommended]\n", `is the line indented too far`},
		{"version: 1\nrules:\n  - rule: max-kernels\n max: 1\n", `xlagate.yaml:4:1: did not find expected key; is the line indented like those beside it?`},
		{"version: 1\ntargets:\n  - { name: a, dump: x }\n  - { name: b, dump: y }\n   - { name: c, dump: z }\nfail_on: error\n", `xlagate.yaml:5:1: did not find expected '-' indicator; is the line indented like those beside it?`},
		{"{version: 1, extends: [recommended]}\nfail_on: never\n", `xlagate.yaml:2:1: did not find expected <document start>; everything before it is one mapping in braces; does its } come too early?`},
		{"version: 1\nextends\nrules: []\n", `xlagate.yaml:2:1: could not find expected ':'; is a colon missing, or a quote?`},
		{"version: 1\nbaseline: \"base\n", `found unexpected end of stream; a quote is not closed`},
	} {
		if _, err := Parse(rules.All, "xlagate.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q\n%v\nwanted\n%s", c.text, err, c.says)
		}
	}
}

// A configuration that is too large is refused, also one without a size: a link in a repository may lead to a device.
func TestLoadOfTooMuch(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte("version: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 300<<20); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, "/dev/zero"} {
		if _, err := os.Stat(path); err != nil && path == "/dev/zero" {
			continue // Windows
		}
		if _, err := Load(rules.All, path, FileName); err == nil || err.Error() != "read the configuration: xlagate.yaml has more than 8.0 MiB, the most that is read" {
			t.Errorf("%s: %v", path, err)
		}
	}
}
