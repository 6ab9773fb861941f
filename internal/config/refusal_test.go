package config

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/rules"
)

// rejected checks that a configuration is wrong at each of these places and nowhere else; the file's name is left out.
func rejected(t *testing.T, text string, want ...string) {
	t.Helper()
	lines := strings.Split(errorsOf(text), "\n")
	got := strings.ReplaceAll(strings.Join(lines[:len(lines)-1], "\n"), "xlagate.yaml:", "")
	if got != strings.Join(want, "\n") {
		t.Errorf("%s\nis refused with\n%s\nwanted\n%s", text, got, strings.Join(want, "\n"))
	}
}

const inTargets = "version: 1\nextends: recommended\ntargets:\n"

// A link in a repository may lead to any file: what a file of one text says is not repeated.
func TestRefusedFileOfOneText(t *testing.T) {
	rejected(t, "root:secret\n", "1:1: the file is a text; expected a mapping with the keys version, extends, baseline, fail_on, policy, targets, rules, waivers")
}

func TestRefusedTargets(t *testing.T) {
	rejected(t, inTargets+"  - 3\n", `4:5: the target is "3"; expected a mapping with the keys name, dump, capture, programs, device, samples, require_fresh, log`)
	rejected(t, inTargets+"  []\n", "4:3: targets is an empty list; expected a list of targets, as in - { name: train, dump: build/xla }")
	rejected(t, inTargets+"  - {dump: x}\n", `4:5: the target lacks the key "name": the target's name in findings and in the baseline; slashes make folders`)
	rejected(t, inTargets+"  - {name: a, dump: x}\n  - {name: a, dump: y}\n", `5:12: two targets are named "a"; the first is on line 4`)
	rejected(t, inTargets+"  - {name: m/cpu, dump: x}\n  - {name: m/CPU, dump: y}\n", `5:12: the targets "m/cpu" and "m/CPU" differ only in case; the first is on line 4`)
	rejected(t, inTargets+"  - {name: ../a, dump: x}\n", `4:12: name is "../a"; expected a path such as mlp/cpu, which is also the path of its baseline`)
	for _, name := range []string{".git", "a/.xlagate-step", `C:\\a`, `a\\..\\b`, `a\n::error::b`, "."} {
		rejected(t, inTargets+"  - {name: \""+name+"\", dump: x}\n", `4:12: name is "`+name+`"; expected a path such as mlp/cpu, which is also the path of its baseline`)
	}
	rejected(t, inTargets+"  - {name: a, dump: x, capture: {run: y}}\n", `4:33: target "a" has both dump and capture; keep one`)
	rejected(t, inTargets+"  - {name: a, samples: 0}\n", `4:24: samples is "0"; expected a whole number from 1`)
	rejected(t, inTargets+"  - {name: a, samples: 1.5}\n", `4:24: samples is "1.5"; expected a whole number from 1`)
	rejected(t, inTargets+"  - {name: a, dump: [x]}\n", "4:21: dump is a list; expected a pattern such as */mlp/*")
	rejected(t, inTargets+"  - {name: a, dump: \"[x\"}\n", `4:21: dump is "[x"; expected a pattern such as */mlp/*`)
	rejected(t, inTargets+"  - {name: a, dmup: x}\n", `4:15: unknown key "dmup" in the target; expected one of name, dump, capture, programs, device, samples, require_fresh, log; did you mean "dump"?`)
	rejected(t, inTargets+"  - {name: a, dump: x, device: h100}\n", `4:32: device is "h100"; expected one of cpu, a100-sxm, a100-sxm-40gb, a100-pcie, a100-pcie-40gb, h100-sxm, h100-pcie, h100-nvl, …; did you mean "h100-sxm"?`)
}

func TestRefusedCaptures(t *testing.T) {
	rejected(t, inTargets+"  - {name: a, capture: []}\n", "4:24: capture is an empty list; expected a mapping with the keys run, env, timeout")
	rejected(t, inTargets+"  - {name: a, capture: {timeout: 1m}}\n", `4:24: capture lacks the key "run": the command, run by sh`)
	rejected(t, inTargets+"  - {name: a, capture: {run: x, timeout: 90}}\n", `4:42: "90" is not a time; write 90s`)
	rejected(t, inTargets+"  - {name: a, capture: {run: x, timeout: 0s}}\n", `4:42: timeout is "0s"; expected a time above 0, such as 90s or 20m`)
	rejected(t, inTargets+"  - {name: a, capture: {run: x, timeout: -1m}}\n", `4:42: timeout is "-1m"; expected a time above 0, such as 90s or 20m`)
	rejected(t, inTargets+"  - {name: a, capture: {run: x, env: [A]}}\n", "4:38: env is a list; expected a mapping of names to values")
	rejected(t, inTargets+"  - {name: a, capture: {run: x, env: {}}}\n", "4:38: env is empty; name something or leave out the key")
	rejected(t, inTargets+"  - {name: a, capture: {run: x, env: {A: [1]}}}\n", "4:42: A of env is a list; expected a single value")
	rejected(t, inTargets+"  - {name: a, capture: {run: true}}\n", `4:30: run is "true"; expected a text`)
	rejected(t, inTargets+"  - {name: a, capture: {run: \"\"}}\n", `4:30: run is ""; expected a text`)
}

func TestRefusedPrograms(t *testing.T) {
	rejected(t, inTargets+"  - {name: a, programs: [f]}\n", "4:25: programs is a list; expected a mapping with the keys include, exclude")
	rejected(t, inTargets+"  - {name: a, programs: {include: []}}\n", "4:35: include is an empty list, which matches nothing; name something or leave out the key")
	rejected(t, inTargets+"  - {name: a, programs: {exclude: []}}\n  - {name: a}\n", `5:12: two targets are named "a"; the first is on line 4`)
	rejected(t, inTargets+"  - {name: a, programs: {include: [\"f[\"]}}\n", `4:36: "f[" is not a pattern; close its brackets and braces, and let them stand for 1024 alternatives at most`)
	rejected(t, inTargets+"  - {name: a, programs: {include: [f, yes, true]}}\n", `4:44: include holds "true"; expected words, as in [a, b]`)
	rejected(t, inTargets+"  - {name: a, programs: {include: [~]}}\n", `4:36: include holds empty; expected words, as in [a, b]`)
	rejected(t, inTargets+"  - {name: a, programs: {include: [[f]]}}\n", `4:36: include holds a list; expected words, as in [a, b]`)
}

func TestRefusedWaivers(t *testing.T) {
	const in = "version: 1\nextends: recommended\nwaivers:\n"
	rejected(t, in+"  a: 1\n", "4:3: waivers is a mapping; expected a list")
	rejected(t, in+"  - {finding: 0123456789AB, reason: r, owner: o, expires: 2027-01-01}\n", `4:15: finding is "0123456789AB"; expected the id of a change or of a finding: 12 hex digits, as `+"`xlagate check` prints them")
	rejected(t, in+"  - {finding: 0123456789a, reason: r, owner: o, expires: 2027-01-01}\n", `4:15: finding is "0123456789a"; expected the id of a change or of a finding: 12 hex digits, as `+"`xlagate check` prints them")
	rejected(t, in+"  - {finding: 0123456789ab, reason: r, owner: o, expires: 2027-02-30}\n", `4:59: expires is "2027-02-30"; expected a day such as 2027-02-01`)
	rejected(t, in+"  - {finding: 0123456789ab, reason: r, expires: 2027-02-03}\n", `4:5: the waiver lacks the key "owner": the person or team responsible`)
	rejected(t, in+"  - {finding: 0123456789ab, reason: r, owner: o}\n", `4:5: the waiver lacks the key "expires": the last day of the waiver: 2027-02-01`)
	one := "  - {finding: 0123456789ab, reason: r, owner: o, expires: 2027-01-01}\n"
	rejected(t, in+one+one, "5:15: 0123456789ab is waived twice; first on line 4")
	rejected(t, in+"  - {finding: 0123456789ab, reason: r, owner: o, expires: 2027-01-01, ceiling: -1}\n", `4:80: ceiling is "-1"; expected a number from 0, or a size such as 12GiB`)
}

func TestRefusedRules(t *testing.T) {
	const in = "version: 1\nrules:\n"
	rejected(t, in+"  a: 1\n", "3:3: rules is a mapping; expected a list, as in - { rule: max-kernels, max: 19 }")
	rejected(t, in+"  - max-kernels\n", `3:5: a rule is "max-kernels"; expected a mapping, as in { rule: max-kernels, max: 19 }`)
	rejected(t, in+"  - {rule: []}\n", "3:12: rule is an empty list; expected a rule's id, as in rule: max-kernels")
	rejected(t, in+"  - {rule: \"\"}\n", `3:12: rule is ""; expected a rule's id, as in rule: max-kernels`)
	rejected(t, in+"  - {rule: max-kernel, max: 1}\n", `3:12: unknown rule "max-kernel"; did you mean "max-kernels"?`)
	rejected(t, in+"  - {rule: quite-another, max: 1}\n", "3:12: unknown rule \"quite-another\"; `xlagate rules` lists them")
	rejected(t, in+"  - {rule: max-kernels, max: 1, max: 2}\n", `3:33: key "max" occurs twice in rule max-kernels; first on line 3`)
	rejected(t, in+"  - {rule: max-kernels, max: ~}\n", "3:30: max is empty; expected a whole number from 0")
	rejected(t, in+"  - {rule: max-kernels, max: inf}\n", `3:30: max is "inf"; expected a whole number from 0`)
	rejected(t, in+"  - {rule: max-kernels, max: 1, level: eror}\n", `3:40: level is "eror"; expected one of error, warning, info, off; did you mean "error"?`)
	rejected(t, in+"  - {rule: max-kernels, max: 1, kind: [lop]}\n", `3:40: kind holds "lop"; expected one of loop, input, output, custom, library, rng, abs, acos, …; did you mean "loop"?`)
	rejected(t, in+"  - {rule: max-kernels, max: 1, weighted_by_trip_count: 1}\n", `3:57: weighted_by_trip_count is "1"; expected true or false`)
	rejected(t, in+"  - {rule: max-kernels, max_increase: inf%}\n", `3:39: max_increase is "inf%"; expected an amount from 0, such as 2, 1MiB or 5%`)
	rejected(t, in+"  - {rule: required-fusions, fusions: {name: a}}\n", "3:39: fusions is a mapping; expected a list of mappings with the keys name, contains, pattern, root, kind, out, op_name, source, …")
	rejected(t, in+"  - {rule: required-fusions, fusions: []}\n", "3:39: fusions of rule required-fusions is an empty list; a rule that looks for nothing would always pass")
}

// Rules that look at the target as a whole take no program, but the one glob that fits all of them.
func TestProgramsOfAWholeRule(t *testing.T) {
	for text, wrong := range map[string]bool{"f": true, "\"*\"": false, "[\"*\"]": false, "[\"*\", f]": true, "[f]": true} {
		got := errorsOf("version: 1\nrules:\n  - {rule: flags, program: " + text + "}\n")
		if strings.Contains(got, `rule flags takes no program but "*": it looks at the target as a whole`) != wrong || !wrong && got != "" {
			t.Errorf("program: %s: %s", text, got)
		}
	}
}

// Errors come in the order of their places, whichever part of the file was read first.
func TestErrorsInOrder(t *testing.T) {
	rejected(t, "fail_on: x\nwaivers: 1\nextends: [nope]\nversion: 2\n",
		`1:10: fail_on is "x"; expected one of error, warning, never`,
		`2:10: waivers is "1"; expected a list`,
		`3:11: extends holds "nope"; expected one of `+strings.Join(packWords(), ", "),
		"4:10: version is 2; this xlagate knows version 1")
	rejected(t, "version: 1\nrules: [{rule: max-kernels, max: x, min: y}, {rule: nope}]\n",
		`2:34: max is "x"; expected a whole number from 0`, `2:42: min is "y"; expected a whole number from 0`, "2:53: unknown rule \"nope\"; `xlagate rules` lists them")
}

// A pattern that is wrong is pointed at, where it is written on one line as it is.
func TestPlaceInsideAValue(t *testing.T) {
	const in = "version: 1\nrules:\n  - rule: required-fusions\n    fusions:\n      - name: a\n        pattern: "
	rejected(t, in+"reduce(nope(_))\n", `6:25: pattern: unknown operation "nope"`)
	rejected(t, in+"\"reduce(nope(_))\"\n", `6:26: pattern: unknown operation "nope"`)
	rejected(t, in+"'reduce(nope(_))'\n", `6:26: pattern: unknown operation "nope"`)
	got := errorsOf(in + "|\n          reduce(nope(_))\n")
	if !strings.HasPrefix(got, "xlagate.yaml:6:18: pattern: ") || !strings.Contains(got, "nope") {
		t.Errorf("in a block: %s", got)
	}
}

func packWords() []string {
	for _, o := range Keys(rules.All.PackNames()) {
		if o.Key == "extends" {
			return o.Enum
		}
	}
	return nil
}

// What is found wrong only beyond its type is pointed at as well, all of it at once.
func TestPlaceOfAValueThatCannotBe(t *testing.T) {
	const in = "version: 1\nrules:\n"
	const none = "is not a layout; expected every dimension once, from minor to major, such as 1,0"
	rejected(t, in+"  - rule: layout-pin\n    params:\n      - { param: x, layout: \"0,2\" }\n      - { param: y, layout: \"1,0\" }\n    ops: [{ layout: a, op: dot }]\n",
		`5:29: rule layout-pin: layout "0,2" of params `+none, `7:21: rule layout-pin: layout "a" of ops `+none)
	rejected(t, in+"  - {rule: layout-pin, params: [{param: x, layout: [1]}], ops: [{layout: \"1,1\"}]}\n",
		"3:52: layout is a list; expected a text", `3:74: rule layout-pin: layout "1,1" of ops `+none)
	rejected(t, in+"  - {rule: max-kernels, max: 3, min: 4}\n", "3:38: rule max-kernels: min 4 is above max 3")
	rejected(t, in+"  - &a {max: 3}\n  - {<<: *a, rule: max-kernels, min: 4}\n", "3:5: a rule without the key \"rule\"; name one of "+oneOf(rules.All.IDs()), "4:38: rule max-kernels: min 4 is above max 3")
	rejected(t, in+"  - {rule: max-helper-modules}\n", "3:5: rule max-helper-modules: bounds nothing: say max, min or equal")
}

// Whoever writes a number that is out of range is told the range.
func TestRangesAreNamed(t *testing.T) {
	const in = "version: 1\nrules:\n"
	const share = "expected a share from 0 to 1 (100%), such as 0.5 or 50%"
	rejected(t, in+"  - {rule: donation-kept, min_ratio: 2}\n", `3:38: min_ratio is "2"; `+share)
	rejected(t, in+"  - {rule: donation-kept, min_ratio: 101%}\n", `3:38: min_ratio is "101%"; `+share)
	rejected(t, in+"  - {rule: donation-kept, min_ratio: -1%}\n", `3:38: min_ratio is "-1%"; `+share)
	rejected(t, in+"  - {rule: max-kernels, max: -1}\n", `3:30: max is "-1"; expected a whole number from 0`)
	rejected(t, in+"  - {rule: waiver-valid, max_days: 0}\n", `3:36: max_days is "0"; expected a whole number from 1`)
	rejected(t, in+"  - {rule: max-temp-bytes, max: -1}\n", `3:33: max is "-1"; expected a number from 0, or a size such as 12GiB`)
	rejected(t, in+"  - {rule: max-kernels, max_increase: -1%}\n", `3:39: max_increase is "-1%"; expected an amount from 0, such as 2, 1MiB or 5%`)
	rejected(t, in+"  - {rule: max-compile-time, max: -1s}\n", `3:35: max is "-1s"; expected a time above 0, such as 90s or 20m`)
	rejected(t, "version: many\nextends: [recommended]\n", `1:10: version is "many"; expected a whole number from 1`)
}
