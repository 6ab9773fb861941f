package hlo

import (
	"os"
	"strings"
	"testing"
)

// unseenDigits holds the modules in which some digit has no meaning, with the reason.
var unseenDigits = map[string]string{
	"agstart": "the table of an asynchronous start", "async": "the table of an asynchronous start", "async2": "the table of an asynchronous start", "sendrecv": "numbers of channels, and the table of a start",
	"clone": "nothing reads it", "complex": "nothing reads it", "cond3": "nothing reads it", "dead": "nothing reads it", "f_const": "nothing reads it", "f_dus3": "nothing reads it", "f_tuple": "nothing reads it",
	"rng": "nothing reads it", "tr2": "nothing reads it",
	"f_nest_id_ds": "a fusion that does nothing", "f_nest_id_dus0": "a fusion that does nothing", "f_nest_id_dus1": "a fusion that does nothing", "f_nest_id_dus1b": "a fusion that does nothing",
	"f_nest_id_root": "a fusion that does nothing", "f_nest_id_slice": "a fusion that does nothing", "f_nest_id_two": "a fusion that does nothing",
}

// A change of any digit in a shape, a layout, an attribute or a constant changes the fingerprint.
func TestFingerprintSeesEveryDigit(t *testing.T) {
	source, err := os.ReadFile("testdata/cost/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, part := range strings.Split("\n"+string(source), "\n// ")[1:] {
		m := parse(t, "// "+part)
		n, unseen := changeDigits(t, "// "+part, m.Fingerprint())
		if _, known := unseenDigits[m.Name]; known != (unseen != "") {
			t.Errorf("%s: unseen in %q, known: %v", m.Name, unseen, known)
		}
		changed += n
	}
	if changed < 3000 {
		t.Errorf("only %d digits were changed", changed)
	}
}

// changeDigits changes the digits of all instructions one by one. It returns their number, and a line whose change left the fingerprint as it
// was.
func changeDigits(t *testing.T, source, want string) (changed int, unseen string) {
	t.Helper()
	at := 0
	for line := range strings.Lines(source) {
		for i := range len(line) {
			if c := line[i]; c >= '0' && c <= '9' && strings.Contains(line, " = ") {
				other := source[:at+i] + string('0'+(c-'0'+1)%10) + source[at+i+1:]
				m, err := ParseText([]byte(other), "changed.txt")
				if err != nil {
					continue // it is no program any more
				}
				if changed++; m.Fingerprint() == want {
					unseen = strings.TrimSpace(line)
				}
			}
		}
		at += len(line)
	}
	return changed, unseen
}
