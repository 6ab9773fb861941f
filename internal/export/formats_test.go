package export

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Whatever a format is called, it has a line of help, and writes something of every real pair.
func TestEveryFormatWrites(t *testing.T) {
	if lines := strings.Split(About(), "\n"); len(lines) != len(Formats()) {
		t.Errorf("%d formats have %d lines of help", len(Formats()), len(lines))
	}
	pairs := map[string]*changes.Report{}
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-branch_lost", "tf-norm_gone"} {
		pairs[name] = compared(t, name)
	}
	for _, format := range Formats() {
		if !strings.Contains(About(), format+" ") {
			t.Errorf("%s has no line of help", format)
		}
		for name, d := range pairs {
			files := exported(t, d, format)
			if len(files) == 0 || len(files) > 1 && !Several(format) && format != "hlo" {
				t.Errorf("%s of %s are %d files", format, name, len(files))
			}
			for _, f := range files {
				if len(f.Data) == 0 || f.Name != strings.Trim(f.Name, "./") || strings.ContainsAny(f.Name, `\:`) {
					t.Errorf("%s of %s: %q has %d bytes", format, name, f.Name, len(f.Data))
				}
			}
		}
	}
}

// Clusters that merged are compared all together, and are written each.
func TestClustersThatMergedAreModules(t *testing.T) {
	d := compared(t, "tf-norm_gone")
	if len(d.Programs) != 1 || len(d.Programs[0].Parts) == 0 {
		t.Fatalf("%d programs", len(d.Programs))
	}
	files := exported(t, d, "hlo")
	for i, p := range d.Programs[0].Parts {
		if m, err := hlo.ParseText(files[i].Data, files[i].Name); err != nil || files[i].Name != p.Name+".hlo" || m.Fingerprint() != p.Variants[0].Fingerprint {
			t.Errorf("%s: %s is another module: %v", p.Name, files[i].Name, err)
		}
	}
}

// A text that is written has strings of the HLO's language.
func TestCString(t *testing.T) {
	if m, err := hlo.ParseText([]byte("HloModule m\n\nENTRY %e {\n  ROOT %a = f32[] parameter(0), metadata={op_name="+hlo.Quoted("a\"b\\c\nd")+"}\n}\n"), "m.txt"); err != nil {
		t.Error(err)
	} else if got := m.Metadata(m.Comps[m.Entry].Root).OpName; got != "a\"b\\c\nd" {
		t.Errorf("read back as %q", got)
	}
}
