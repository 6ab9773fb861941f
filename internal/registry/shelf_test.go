package registry

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

// What was of no use for longest goes first, and nothing that another run may be reading.
func TestShelfMakesRoom(t *testing.T) {
	s := &blobStore{dir: t.TempDir()}
	for i, age := range []time.Duration{3 * time.Hour, 2 * time.Hour, time.Minute, 0} {
		name := filepath.Join(s.dir, fmt.Sprint("sha256-", i))
		if err := os.WriteFile(name, make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		most int64
		left string
	}{{40, "sha256-0"}, {30, "sha256-1"}, {25, "sha256-2"}, {5, "sha256-2"}} {
		files.Prune(s.dir, "", step.most, spared)
		if entries, err := os.ReadDir(s.dir); err != nil || entries[0].Name() != step.left {
			t.Errorf("with room for %d: %v, %v", step.most, entries, err)
		}
	}
}

// Without a cache what was pulled is gone once it was of use; with one it stays.
func TestPulledIsGivenUp(t *testing.T) {
	c, ref := hasty(nil), parsed(t, registrytest.New(t).Ref("base:main"))
	mustPush(t, c, ref, "", map[string]string{"a.yaml": "1"})
	for cache, stays := range map[string]bool{"": false, t.TempDir(): true} {
		c.Cache = cache
		a, err := c.Pull(ctx, ref, most)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(a.Path(a.Layers[0])); err != nil || string(data) != "1" {
			t.Errorf("%q, %v", data, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Dir(a.Path(a.Layers[0]))); (err == nil) != stays {
			t.Errorf("with the cache %q the folder stays: %v", cache, err)
		}
	}
}
