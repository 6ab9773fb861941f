package export

import (
	"os"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/testfile"
)

// FuzzModule: whatever is read is written so that it is read again as the same program.
func FuzzModule(f *testing.F) {
	var seeds [][]byte
	for _, name := range []string{"cpu_while", "cpu_conditional", "gpu_amd", "cpu_mesh"} {
		seeds = append(seeds, testfile.Unpack(f, "../hlo/testdata/pairs/"+name+".txt.gz"))
	}
	operations, err := os.ReadFile("../hlo/testdata/cost/operations.txt")
	if err != nil {
		f.Fatal(err)
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, text []byte) error {
		m, err := hlo.ParseText(text, "file.txt")
		if err != nil {
			return err
		}
		if m.Entry == hlo.NoComp {
			return nil
		}
		w := &hloWriter{m: m}
		w.module()
		again, err := hlo.ParseText(w.out.Bytes(), "written.txt")
		if err != nil {
			t.Fatalf("%v\n%s", err, w.out.Bytes())
		}
		if got, want := again.Fingerprint(), m.Fingerprint(); got != want {
			t.Errorf("the fingerprint is %s, and was %s\n%s", got, want, w.out.Bytes())
		}
		return nil
	}, append(seeds, operations)...)
}
