package facts

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/wire"
)

// What cannot be read says where and what to do about it: a cut file is dumped again.
func TestUnreadable(t *testing.T) {
	for name, c := range map[string]struct {
		err           error
		file, message string
		fix           string // how it begins
	}{
		"text that ends too early": {&hlo.SyntaxError{File: "m.txt", Line: 3, Column: 7, Message: "the file ends here"}, "m.txt:3:7", "the file ends here", "the run that wrote it was cut off"},
		"text with junk":           {&hlo.SyntaxError{File: "m.txt", Line: 3, Column: 7, Message: "no opcode", Near: "%x"}, "m.txt:3:7", `no opcode, near "%x"`, "the run that wrote it was cut off"},
		"a message that ends":      {&hlo.SyntaxError{File: "m.pb", Offset: 12, Message: "a field ends early"}, "m.pb: at byte 12", "a field ends early", "the run that wrote it was cut off"},
		"a file too large":         {&dump.LimitError{What: "the file", Most: 1 << 20, Limit: 2 << 20}, "m.pb", "the file holds more than 1.0 MiB", (&dump.LimitError{Limit: 2 << 20}).Fix()},
		"an unknown form":          {&wire.SyntaxError{Line: 3, Message: "cannot read it", Form: true}, "m.pb", "line 3: cannot read it", "xlagate does not know this form"},
		"a defect":                 {&dump.Defect{}, "m.pb", "", dump.DefectFix},
		"anything else":            {errors.New("read m.pb: broken pipe"), "m.pb", "read m.pb: broken pipe", "the run that wrote it was cut off"},
	} {
		m := &measuring{}
		m.Program = "f"
		m.unreadable(&dump.File{Path: "m.pb"}, c.err)
		p := m.Problems[0]
		if p.File != c.file || p.Program != "f" || !strings.HasPrefix(p.Message, c.message) || !strings.HasPrefix(p.Fix, c.fix) {
			t.Errorf("%s: %s: %s (%s); wanted %s: %s (%s)", name, p.File, p.Message, p.Fix, c.file, c.message, c.fix)
		}
	}
}

// A log that is in the dump, or named twice, by whatever path, is read once. One that is not there is kept, to be told of when it is read.
func TestLogsOutside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"run.log", "other.log"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "latest.log")
	if err := os.Symlink("other.log", link); err != nil {
		t.Skip(err)
	}
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	for name, c := range map[string]struct{ inside, named, want []string }{
		"in the dump":  {at("run.log"), at("run.log"), nil},
		"outside":      {at("run.log"), at("other.log"), at("other.log")},
		"named twice":  {nil, at("run.log", "run.log"), at("run.log")},
		"by a link":    {nil, at("latest.log", "other.log"), at("latest.log")},
		"link to one":  {at("other.log"), at("latest.log"), nil},
		"not there":    {nil, at("gone.log", "gone.log"), at("gone.log", "gone.log")},
		"no log named": {at("run.log"), nil, nil},
	} {
		var inside []*dump.File
		for _, path := range c.inside {
			inside = append(inside, dump.FileAt(path, 0))
		}
		var got []string
		for _, f := range outside(inside, c.named, 0) {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}

// The classes of kernels are stored as words, and no other word is one.
func TestClassesAsWords(t *testing.T) {
	for c := ClassKernel; int(c) < len(classNames); c++ {
		text, err := c.MarshalText()
		if err != nil || len(text) == 0 {
			t.Fatalf("class %d: %q, %v", c, text, err)
		}
		var again Class
		if err := again.UnmarshalText(text); err != nil || again != c {
			t.Errorf("%s is read as %d, %v", text, again, err)
		}
	}
	var c Class
	if err := c.UnmarshalText([]byte("kernels")); err == nil {
		t.Error("a word that is no class was read")
	}
}
