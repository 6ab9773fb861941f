package dump

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// copied returns a copy of a folder.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "dump")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// What is read from a listing is what was listed, whatever the folder holds.
func TestListed(t *testing.T) {
	ctx := context.Background()
	for _, real := range []string{"../../examples/quickstart/good", "../../examples/quickstart/regressed"} {
		dir, folder := copied(t, real), t.TempDir()
		want, err := Open(ctx, dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"writes", "reads"} {
			got, err := OpenListed(ctx, dir, folder, Options{})
			if err != nil {
				t.Fatal(err)
			}
			options := cmp.Options{cmp.AllowUnexported(Dump{}, Module{}, File{}, diskSource{}), cmpopts.IgnoreFields(Dump{}, "sampled", "folders"), cmpopts.IgnoreFields(File{}, "listed", "header"), cmpopts.EquateEmpty(),
				cmpopts.IgnoreUnexported(Problem{})}
			if diff := cmp.Diff(want, got, options); diff != "" || got.Sample() != want.Sample() {
				t.Errorf("%s: who %s the listing sees another dump:\n%s", real, what, diff)
			}
		}
	}
}

// A dump that is not as it was listed is refused.
func TestListedAndChanged(t *testing.T) {
	ctx := context.Background()
	dir, folder := copied(t, "../../examples/quickstart/good"), t.TempDir()
	if _, err := OpenListed(ctx, dir, folder, Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := OpenListed(ctx, dir, folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := d.Modules[0].Optimized().HLO()
	if err := os.WriteFile(f.Path, []byte("HloModule other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Bytes(); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that changed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "module_0099.jit_more.before_optimizations.txt"), []byte("HloModule jit_more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenListed(ctx, dir, folder, Options{}); err == nil || !strings.Contains(err.Error(), "changed since; remove "+folder) {
		t.Errorf("a file that is new: %v", err)
	}
}

// No listing makes a file outside of the dump part of it.
func TestListingsStayInside(t *testing.T) {
	ctx := context.Background()
	dir, folder := copied(t, "../../examples/quickstart/good"), t.TempDir()
	if _, err := OpenListed(ctx, dir, folder, Options{}); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.listing"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"is outside of the dump": strings.ReplaceAll(string(data), "module_0000.jit_train_step", "../../../../../../../etc/x"),
		"or damaged":             string(data[:len(data)-7]),
	} {
		if err := os.WriteFile(names[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenListed(ctx, dir, folder, Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, wanted %q", err, name)
		}
	}
}
