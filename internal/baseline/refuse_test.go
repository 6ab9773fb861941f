package baseline

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// of is a pair whose readable file names the machine file as it is.
func of(t *testing.T, machine string) Text {
	t.Helper()
	readable := Format("m", full()).Readable
	at := bytes.Index(readable, []byte("machine: "))
	return Text{fmt.Appendf(readable[:at:at], "machine: {file: f.jsonl, bytes: %d, sha256: %s}\nwhole: {variants: 1}\n", len(machine), digest([]byte(machine))), []byte(machine)}
}

const start = `{"program":{"schema":"xlagate.baseline/v1","name":"f","toolchain":{}}}` + "\n" + `{"variant":{"signature":"s","compiles":1}}` + "\n"

// Whatever a machine file holds that nobody knows is told with its place.
func TestRecordsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		start + `{"param":{"name":"x","shap":"f32[]"}}`: `f.jsonl:3:22: unknown key "shap"`,
		start + `{"kernl":{}}`:                          `f.jsonl:3:2: unknown key "kernl"`,
		start + `{"kernel":{"do":["add"],"loopker":1}}`: `f.jsonl:3:25: unknown key "loopker"`,
		start + `{"facts":{"a":1},"end":{"records":1}}`: "f.jsonl:3:1: the record has 2 keys; it has one",
		start + `{"kernel":{"Kind":"loop","at":[{}]}}`:  `f.jsonl:3:12: unknown key "Kind"; expected "kind"`,
		start + `{"Variant":{"signature":"t"}}`:         `f.jsonl:3:2: unknown key "Variant"; expected "variant"`,
		start + `{"facts":{"a":1,"a":2}}`:               `f.jsonl:3:17: the key "a" occurs twice`,
		start + `{"param":{"name":"x","name":"y"}}`:     `f.jsonl:3:22: the key "name" occurs twice`,
		start + `{}`:                                                 "f.jsonl:3:1: the record has 0 keys",
		start + `{"param":{"bytes":"many"}}`:                         "f.jsonl:3:19: bytes cannot be a string",
		start + `{"kernel":{"class":"odd","at":[]}}`:                 `f.jsonl:3:20: unknown class "odd" of a kernel`,
		start + `{"kernel":{"work":{"odd":1},"at":[]}}`:              `f.jsonl:3:19: unknown work "odd"`,
		start + `{"kernel":{"do":["add*x"],"at":[]}}`:                `f.jsonl:3:17: "add*x" is no opcode`,
		start + `{"kernel":{"at":[]}}`:                               "f.jsonl:3:1: the kernel is empty",
		start + `{"facts":{"a":1}`:                                   "f.jsonl:3:17: the file is cut off",
		start + `<<<<<<< HEAD`:                                       "f.jsonl:3:1: a merge conflict of git begins here",
		start:                                                        "f.jsonl:2:1: the file is cut off",
		start + `{"end":{"records":3}}`:                              "f.jsonl:3:1: 2 records come before this one, which says 3",
		start + `{"end":{"records":2}}` + "\n" + `{"facts":{"a":1}}`: "f.jsonl:4:1: nothing may follow",
		start + start:                                                "f.jsonl:3:1: a second program begins",
		`{"variant":{"signature":"s"}}`:                              `f.jsonl:1:1: the first record is not "program"`,
		`{"program":{"schema":"v0","name":"f"}}`:                     `f.jsonl:1:1: the baseline has the schema "v0"; this xlagate reads`,
		`{"program":{"schema":"xlagate.baseline/v1"}}`:               "f.jsonl:1:1: the program has no name",
		strings.SplitAfter(start, "\n")[0] + `{"facts":{}}`:          "f.jsonl:2:1: no \"variant\" comes before this record",
		"": "f.jsonl:1:1: the file is cut off",
	} {
		pair := of(t, text)
		if _, err := parse("f.yaml", "f.jsonl", pair, knownKernels{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n\t%v, wanted %s", text, err, want)
		}
	}
}

// A short file cannot stand for more than memory holds.
func TestFileThatStandsForTooMuch(t *testing.T) {
	for text, fine := range map[string]bool{
		`{"variant":{"signature":"t","compiles":999999}}`:                                                            true,
		`{"variant":{"signature":"t","compiles":1000001}}`:                                                           false,
		`{"variant":{"signature":"t","compiles":9000000000000}}`:                                                     false,
		`{"kernel":{"kind":"loop","at":[{"times":1000001}]}}`:                                                        false,
		`{"kernel":{"kind":"loop","at":[{"times":600000},{"times":600000}]}}`:                                        false,
		`{"model":{"do":{"add":1000001}}}`:                                                                           false,
		`{"constant":{"times":1000001}}`:                                                                             false,
		`{"kernel":{"kind":"loop","do":["add*9000000"],"at":[{}]}}`:                                                  false,
		`{"kernel":{"kind":"loop","at":[{"times":-5}]}}`:                                                             true,
		`{"kernel":{"kind":"loop","at":[{"runs":9000000000}]}}`:                                                      true,
		`{"variant":{"signature":"t","compiles":600000}}` + "\n" + `{"variant":{"signature":"u","compiles":600000}}`: false,
	} {
		records := 3 + strings.Count(text, "\n")
		_, err := readMachine("f.jsonl", []byte(start+text+"\n"+fmt.Sprintf(`{"end":{"records":%d}}`, records)), knownKernels{})
		if (err == nil) != fine || !fine && !strings.Contains(err.Error(), "expands to more than 1000000") && !strings.Contains(err.Error(), "is no opcode") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A number that is none is no fact: whatever is compared with it would pass.
func TestFactsThatAreNoNumbers(t *testing.T) {
	text := Format("m", full())
	for _, value := range []string{".nan", ".inf", "-.inf", "many", "[1]", "{a: 1}", "3", "null"} {
		edited := bytes.Replace(text.Readable, []byte("kernels.total: 2"), []byte("kernels.total: "+value), 1)
		if _, err := parse("f.yaml", "f.jsonl", Text{edited, text.Machine}, knownKernels{}); err == nil || !strings.HasPrefix(err.Error(), "f.yaml:20:18: facts.kernels.total is ") {
			t.Errorf("%s: %v", value, err)
		}
	}
	for _, value := range []string{".nan", "many", "[1]", "{a: 1}"} {
		graphs := "schema: xlagate.baseline/v1\nfacts:\n  clusters.count: " + value + "\nwhole: {facts: 1}\n"
		if _, err := parseGraphs("+graphs.yaml", []byte(graphs)); err == nil || !strings.HasPrefix(err.Error(), "+graphs.yaml:") {
			t.Errorf("of graphs, %s: %v", value, err)
		}
	}
}

// Every cut and every edit of a real baseline that changes what it says is refused, each with a place and with what to do.
func TestCutsAndEditsOfRealBaselines(t *testing.T) {
	for _, name := range realDumps {
		r := measured(t, name)
		p := &Program{Program: *r.Programs[0], Toolchain: r.Toolchain, Reason: "first"}
		text := Format("m", p)
		refused := func(what string, edited Text) {
			t.Helper()
			if _, err := parse("f.yaml", "f.jsonl", edited, knownKernels{}); err == nil {
				t.Errorf("%s: %s passes", name, what)
			} else if told, ok := err.(*Error); !ok || told.Fix == "" || !strings.HasPrefix(told.Where, "f.") {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		lines := bytes.SplitAfter(text.Readable, []byte("\n"))
		for i := range lines[:len(lines)-1] {
			whole := bytes.Join(lines[:i], nil)
			line, rest := string(lines[i]), bytes.Join(lines[i+1:], nil)
			refused(fmt.Sprintf("cut before line %d", i+1), Text{whole, text.Machine})
			refused(fmt.Sprintf("cut inside line %d", i+1), Text{append(whole[:len(whole):len(whole)], line[:len(line)-1]...), text.Machine})
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "reason:") || strings.HasPrefix(line, "priced_on:") {
				continue // people may say it in other words, and prices are not compared
			}
			refused("without "+line, Text{append(whole[:len(whole):len(whole)], rest...), text.Machine})
			refused("twice "+line, Text{append(append(whole[:len(whole):len(whole)], line+line...), rest...), text.Machine})
		}
		for end := range text.Machine {
			if text.Machine[end] == '\n' || end%97 == 0 {
				refused(fmt.Sprintf("the machine file cut at %d", end), Text{text.Readable, text.Machine[:end]})
			}
		}
		other := Format("m", full())
		refused("another program's machine file", Text{text.Readable, other.Machine})
		refused("another program's readable file", Text{other.Readable, text.Machine})
	}
}

// What people may write: comments, another reason, other quotes, other line ends.
func TestEditsThatBreakNothing(t *testing.T) {
	text := Format("m", full())
	for old, edited := range map[string]string{
		"reason: first": "reason: 'first, and second'", "facts:\n": "facts: # what rules compare\n", "kernels.total: 2": "kernels.total:   2", "\n": "\r\n",
	} {
		readable := bytes.ReplaceAll(text.Readable, []byte(old), []byte(edited))
		if p, err := parse("f.yaml", "f.jsonl", Text{readable, text.Machine}, knownKernels{}); err != nil || !Same(p, full()) {
			t.Errorf("%q: %v", edited, err)
		}
	}
}
