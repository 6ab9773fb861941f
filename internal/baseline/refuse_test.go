package baseline

import (
	"strings"
	"testing"
)

// A file that holds a number which is none is no baseline: whatever is compared with it would pass.
func TestFactsThatAreNoNumbers(t *testing.T) {
	for _, value := range []string{".nan", ".inf", "-.inf", "many", "[1]", "{a: 1}"} {
		text := strings.Replace(fullText, "kernels.total: 2", "kernels.total: "+value, 1)
		if _, err := Parse("f.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "f.yaml: ") {
			t.Errorf("%s: %v", value, err)
		}
		graphs := "schema: xlagate.baseline/v1\nfacts:\n  clusters.count: " + value + "\n"
		if _, err := parseGraphs("+graphs.yaml", []byte(graphs)); err == nil || !strings.HasPrefix(err.Error(), "+graphs.yaml: ") {
			t.Errorf("of graphs, %s: %v", value, err)
		}
	}
}

// A short file cannot stand for more than memory holds.
func TestFileThatStandsForTooMuch(t *testing.T) {
	of := func(variant string) string {
		return "schema: xlagate.baseline/v1\nprogram: f\nvariants:\n  - signature: s\n" + variant
	}
	for name, c := range map[string]struct {
		text string
		fine bool
	}{
		"a million compiles":    {of("    compiles: 1000000\n"), true},
		"one more":              {of("    compiles: 1000001\n"), false},
		"very many":             {of("    compiles: 9000000000000\n"), false},
		"kernels":               {of("    kernels: [{kind: loop, times: 1000001}]\n"), false},
		"kernels, together":     {of("    kernels: [{kind: loop, times: 600000}, {kind: input, times: 600000}]\n"), false},
		"operations":            {of("    model: [{scope: a, do: {add: 1000001}}]\n"), false},
		"fewer than none":       {of("    compiles: -5\n    kernels: [{kind: loop, times: -5}]\n    model: [{scope: a, do: {add: -5}}]\n"), true},
		"variants, altogether":  {of("    compiles: 600000\n  - signature: t\n    compiles: 600000\n"), false},
		"operations and loops":  {of("    compiles: 400000\n    kernels: [{kind: loop, times: 400000}]\n    model: [{scope: a, do: {add: 400000}}]\n"), false},
		"a few kernels of many": {of("    kernels: [{kind: loop, trips: 9000000000}]\n"), true},
	} {
		_, err := Parse("f.yaml", []byte(c.text))
		if (err == nil) != c.fine || !c.fine && !strings.Contains(err.Error(), "repeats itself to more than 1000000") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// However a file is cut off, nothing is made up: it is refused, or holds less than it did.
func TestFileThatIsCutOff(t *testing.T) {
	whole, err := Parse("f.yaml", []byte(fullText))
	if err != nil {
		t.Fatal(err)
	}
	text := string(Format("m/cpu", whole))
	for n := range 16 {
		cut := text[:len(text)*n/16]
		p, err := Parse("f.yaml", []byte(cut))
		if err == nil && (p.Name != whole.Name || len(Format("m/cpu", p)) >= len(text)) {
			t.Errorf("%d of 16: as good as whole", n)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml: ") {
			t.Errorf("%d of 16: %v", n, err)
		}
	}
}

// A key that nobody knows is a slip, or of another xlagate.
func TestKeysOfAnotherKind(t *testing.T) {
	if _, err := Parse("f.yaml", []byte(strings.Replace(fullText, "reason: first", "reason: [first]", 1))); err == nil {
		t.Error("a reason that is a list is accepted")
	}
	if _, err := Parse("f.yaml", []byte(strings.Replace(fullText, "bytes: 64", "bytes: lots", 1))); err == nil {
		t.Error("bytes that are no number are accepted")
	}
}
