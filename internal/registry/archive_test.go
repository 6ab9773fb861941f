package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	oras "oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/file"

	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

// folder writes files below a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var twoFiles = map[string]string{"module_0000.jit_f.txt": "HloModule jit_f\n", "graph/after.pbtxt": "node {}\n"}

func archived(t *testing.T, dir string) Layer {
	t.Helper()
	l, release, err := Archive("dump", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// The same files make the same archive, whenever they were written, and whether they are there or linked to.
func TestArchivesAreTheSame(t *testing.T) {
	first, second := folder(t, twoFiles), folder(t, map[string]string{"graph/after.pbtxt": twoFiles["graph/after.pbtxt"], "../elsewhere": twoFiles["module_0000.jit_f.txt"]})
	if err := os.Chtimes(filepath.Join(first, "graph/after.pbtxt"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(second, "../elsewhere"), filepath.Join(second, "module_0000.jit_f.txt")); err != nil {
		t.Fatal(err)
	}
	if a, b := archived(t, first), archived(t, second); a.descriptor.Digest != b.descriptor.Digest || a.Size == 0 {
		t.Errorf("%+v and %+v", a.descriptor, b.descriptor)
	}
	if _, _, err := Archive("dump", filepath.Join(first, "nowhere")); err == nil {
		t.Error("a folder that is not there was packed")
	}
}

// What we push, oras pulls as the files that it was made of.
func TestOrasPullsWhatWePush(t *testing.T) {
	s := registrytest.New(t)
	baseline := map[string]string{"train/gpu/step.yaml": "a: 1\n", "train/gpu/%3Clambda%3E.yaml": "b: 2\n"}
	mustPush(t, hasty(nil), parsed(t, s.Ref("base:main")), "", baseline)
	if _, err := hasty(nil).Push(ctx, parsed(t, s.Ref("dump:main")), TypeDump, []Layer{archived(t, folder(t, twoFiles))}, Any); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]map[string]string{"base:main": baseline, "dump:main": twoFiles} {
		dir := t.TempDir()
		to, err := file.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := oras.Copy(ctx, hasty(nil).repository(parsed(t, s.Ref(name))), "main", to, "main", oras.DefaultCopyOptions); err != nil {
			t.Fatal(err)
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		for file, text := range want {
			if name == "dump:main" {
				file = "dump/" + file
			}
			if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v", file, got, err)
			}
		}
	}
}

// What oras pushes, a folder or files, we pull.
func TestWePullWhatOrasPushes(t *testing.T) {
	s := registrytest.New(t)
	dir := folder(t, twoFiles)
	for name, paths := range map[string][]string{"folder:x": {"."}, "files:x": {"module_0000.jit_f.txt", "graph/after.pbtxt"}} {
		from, err := file.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		o := oras.PackManifestOptions{}
		for _, path := range paths {
			title := path
			if path == "." {
				title = "xla"
			}
			d, err := from.Add(ctx, title, "", path)
			if err != nil {
				t.Fatal(err)
			}
			o.Layers = append(o.Layers, d)
		}
		m, err := oras.PackManifest(ctx, from, oras.PackManifestVersion1_1, "application/vnd.unknown.artifact.v1", o)
		if err == nil {
			err = from.Tag(ctx, m, "x")
		}
		if err == nil {
			_, err = oras.Copy(ctx, from, "x", hasty(nil).repository(parsed(t, s.Ref(name))), "x", oras.DefaultCopyOptions)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err := hasty(nil).Pull(ctx, parsed(t, s.Ref(name)), most)
		if err != nil || len(a.Layers) != len(paths) || a.Layers[0].Unpack != (paths[0] == ".") {
			t.Fatalf("%+v, %v", a, err)
		}
		if got, err := os.ReadFile(a.Path(a.Layers[0])); err != nil || len(paths) == 2 && !strings.Contains(string(got), "HloModule") {
			t.Errorf("%q, %v", got, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A folder that cannot be read is no archive.
func TestArchiveOfNothing(t *testing.T) {
	if _, _, err := Archive("dump", filepath.Join(t.TempDir(), "gone")); says(err, "pack ", "gone") {
		t.Error(err)
	}
}
