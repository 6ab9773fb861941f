package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	start = `{"baseline":{"schema":"xlagate.baseline/v1","program":"f"}}` + "\n" + `{"end":"toolchain"}` + "\n" + `{"end":"ceilings"}` + "\n" + `{"variant":{"signature":"s","compiles":1}}` + "\n"
	ends  = `{"end":"facts"}` + "\n" + `{"end":"arguments"}` + "\n" + `{"end":"constants"}` + "\n" + `{"end":"buffers"}` + "\n" + `{"end":"model"}` + "\n" + `{"end":"counts"}` + "\n" + `{"end":"kernels"}` + "\n"
	last  = `{"end":"baseline"}` + "\n"
)

// A file that is too large is not read, nor is what has no end.
func TestFilesThatAreNotRead(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "large"), nil, 0o600), os.Truncate(filepath.Join(dir, "large"), maxFile+1), os.Symlink("/dev/zero", filepath.Join(dir, "zero"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"large": "large: it has more than 64.0 MiB, the most that is read", "zero": "zero: it is no regular file"} {
		if _, err := read(os.DirFS(dir), name); err == nil || err.Error() != want {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
}

// Whatever a file holds that nobody knows is told with its place.
func TestLinesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		start + `{"argument":{"name":"x","shap":"f32[]"}}`:     `f.jsonl:5:25: unknown key "shap"`,
		start + `{"kernl":{}}`:                                 `f.jsonl:5:2: unknown key "kernl"`,
		start + `{"fact":{"a":1},"end":"facts"}`:               "f.jsonl:5:1: the line says 2 things; it says one",
		start + `{"kernel":{"Kind":"loop"}}`:                   `f.jsonl:5:12: unknown key "Kind"; expected "kind"`,
		start + `{"fact":{"a":1,"a":2}}`:                       `f.jsonl:5:16: the key "a" occurs twice`,
		start + `{}`:                                           "f.jsonl:5:1: the line says 0 things",
		start + `{"argument":{"bytes":"many"}}`:                "f.jsonl:5:22: bytes cannot be a string",
		start + `{"kernel":{"class":"odd"}}`:                   `f.jsonl:5:20: unknown class "odd" of a kernel`,
		start + `{"kernel":{"work":{"odd":1}}}`:                `f.jsonl:5:19: unknown work "odd"`,
		start + `{"kernel":{"do":["add*x"]}}`:                  `f.jsonl:5:18: "add*x" is no opcode`,
		start + `{"kernel":{}}`:                                "f.jsonl:5:1: the kernel is empty",
		start + `{"model":{"print":"x"}}`:                      "f.jsonl:5:1: print is no hexadecimal number",
		start + `{"fact":{"a":1}`:                              "f.jsonl:5:16: the file is cut off",
		start + `<<<<<<< HEAD`:                                 "f.jsonl:5:1: git left a conflict here: the merged model was not accepted yet",
		start + `{"fact":{"a":1}}` + "\n" + `{"fact":{"a":2}}`: "f.jsonl:6:1: a stands here a second time, as if both sides of a merge were kept",
		start + `{"end":"kernels"}`:                            `f.jsonl:5:1: the section "kernels" ends here; the section "facts" has not ended`,
		start + `{"variant":{"signature":"t","compiles":1}}`:   `f.jsonl:5:1: a variant begins where the section "facts" has not ended`,
		start:                                        "f.jsonl:4:1: the file is cut off",
		start + ends:                                 "f.jsonl:11:1: the file is cut off",
		start + ends + strings.TrimSpace(last):       "f.jsonl:12:1: the file is cut off",
		start + ends + last + `{"fact":{"a":1}}`:     "f.jsonl:13:1: nothing may follow",
		start + start:                                "f.jsonl:5:1: a second program begins",
		`{"variant":{"signature":"s"}}`:              `f.jsonl:1:1: the first line is not {"baseline":…}`,
		`{"baseline":{"schema":"v0","program":"f"}}`: `f.jsonl:1:1: the baseline has the schema "v0"; this xlagate reads`,
		strings.SplitAfter(start, "\n")[0] + `{"fact":{"a":1}}`:                             `f.jsonl:2:1: no {"variant":…} comes before this line`,
		strings.TrimSuffix(start, `{"variant":{"signature":"s","compiles":1}}`+"\n") + last: "f.jsonl:4:1: the program has no variants",
		"": "f.jsonl:1:1: the file is cut off",
	} {
		if _, err := Parse("f.jsonl", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n\t%v, wanted %s", text, err, want)
		}
	}
	if _, err := Parse("f.jsonl", []byte(start+ends+last)); err != nil {
		t.Error(err)
	}
}

// A short file cannot stand for more than memory holds.
func TestFileThatStandsForTooMuch(t *testing.T) {
	for text, fine := range map[string]bool{
		`{"kernel":{"kind":"loop","times":999999}}`:                                                   true,
		`{"kernel":{"kind":"loop","times":1000001}}`:                                                  false,
		`{"kernel":{"kind":"loop","times":600000}}` + "\n" + `{"kernel":{"kind":"x","times":600000}}`: false,
		`{"model":{"do":{"add":1000001}}}`:                                                            false,
		`{"constant":{"shape":"f32[]","bytes":4,"times":1000001}}`:                                    false,
		`{"kernel":{"kind":"loop","do":["add*9000000"]}}`:                                             false,
		`{"kernel":{"kind":"loop","times":-5}}`:                                                       true,
		`{"kernel":{"kind":"loop","runs":9000000000}}`:                                                true,
	} {
		_, err := Parse("f.jsonl", []byte(start+text+"\n"+ends+last))
		if (err == nil) != fine || !fine && !strings.Contains(err.Error(), "expands to more than 1000000") && !strings.Contains(err.Error(), "is no opcode") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for compiles, fine := range map[string]bool{"999999": true, "1000001": false, "9000000000000": false} {
		text := strings.Replace(start, `"compiles":1}`, `"compiles":`+compiles+`}`, 1)
		if _, err := Parse("f.jsonl", []byte(text+ends+last)); (err == nil) != fine {
			t.Errorf("%s compiles: %v", compiles, err)
		}
	}
}

// Every cut of a real baseline is refused, each with a place and with what to do.
func TestCutsOfRealBaselines(t *testing.T) {
	for _, name := range realDumps {
		r := measured(t, name)
		text := Format(&Program{Program: *r.Programs[0], Toolchain: r.Toolchain}, nil, "first")
		for end := range text {
			if text[end] != '\n' && end%97 != 0 && end != 0 && text[end-1] != '\n' {
				continue
			}
			_, err := Parse("f.jsonl", text[:end])
			if told, ok := err.(*Error); !ok || told.Fix == "" || !strings.HasPrefix(told.Where, "f.") {
				t.Errorf("%s: cut at %d: %v", name, end, err)
			}
		}
		for _, section := range sections {
			line := []byte(fmt.Sprintf("{\"end\":%q}\n", section))
			if _, err := Parse("f.jsonl", bytes.Replace(text, line, nil, 1)); err == nil {
				t.Errorf("%s: the end of the section %q is not missed", name, section)
			}
		}
	}
}

// A checkout on Windows may have other line ends.
func TestOtherLineEnds(t *testing.T) {
	if p, err := Parse("f.jsonl", bytes.ReplaceAll(Format(full(), nil, ""), []byte("\n"), []byte("\r\n"))); err != nil || !Same(p, full()) {
		t.Error(err)
	}
}
