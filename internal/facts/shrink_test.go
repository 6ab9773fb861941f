//go:build unix

package facts

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// A module that another process cuts off while its facts are taken is a problem, not the end of the program.
func TestModuleShrinksWhileItIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "module_0000.jit_f.cpu_after_optimizations.txt")
	text := "HloModule jit_f\n\n" + "ENTRY %f {\n" + string(bytes.Repeat([]byte("// a line that says nothing\n"), 1<<17)) + "  ROOT %p = f32[] parameter(0)\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	out := &measuring{module: d.Modules[0], Identity: Identity{Program: "f"}}
	out.stage(&d.Modules[0].Stages[0], false, func(r *reader, _ *dump.Stage) error {
		if err := os.Truncate(path, 100); err != nil {
			t.Fatal(err)
		}
		_ = r.m.InstrName(hlo.InstrID(0))
		return nil
	})
	if len(out.Problems) != 1 || out.Problems[0].File != path || !strings.Contains(out.Problems[0].Message, "became shorter") {
		t.Errorf("the problems are %+v", out.Problems)
	}
}
