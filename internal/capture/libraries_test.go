package capture

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

func TestLibraries(t *testing.T) {
	dir := t.TempDir()
	packages := filepath.Join(dir, "lib", "site-packages")
	for name, content := range map[string]string{
		"lib/site-packages/optax-0.2.8.dist-info/RECORD":     "optax/__init__.py,,\n",
		"lib/site-packages/dm_haiku-0.0.16.dist-info/RECORD": "dm_haiku-0.0.16.dist-info/RECORD,,\nhaiku/__init__.py,,\n",
		"lib/site-packages/unread-1.0.dist-info/RECORD":      "unread/__init__.py,,\n",
		"lib/site-packages/jax-0.10.2.dist-info/RECORD":      "jax/__init__.py,,\n",
		"dump/module_0000.jit_f.before_optimizations.txt": "HloModule jit_f\nFileNames\n1 \"/srv/app/train.py\"\n2 \"" + packages + "/optax/_src/transform.py\"\n" +
			"3 \"" + packages + "/haiku/basic.py\"\n4 \"" + packages + "/nowhere/a.py\"\n5 \"" + packages + "/jax/_src/api.py\"\n\nENTRY main { ROOT x = f32[] constant(1) }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := dump.Open(t.Context(), filepath.Join(dir, "dump"), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := libraries(d)
	if want := map[string]string{"optax": "0.2.8", "haiku": "0.0.16"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("libraries are %v, want %v: %v", got, want, err)
	}
}
