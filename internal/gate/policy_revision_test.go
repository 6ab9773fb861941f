package gate

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/testfile"
)

const ruleFile = "version: 1\nextends: [recommended]\ntargets: [{name: mlp, dump: a}]\n"

// forkedHistory is a repository whose base revision is committed; the checkout holds what a pull request would. The rule file is the example's, unless
// another is given.
func forkedHistory(t *testing.T, configuration string) string {
	t.Helper()
	dir := t.TempDir()
	copyQuickstart(t, dir)
	if configuration != "" {
		write(t, filepath.Join(dir, "xlagate.yaml"), configuration)
	}
	testfile.Commit(t, dir)
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// The base is what was committed there: a pull request cannot change what it is held against.
func TestBaseIsWhatWasCommitted(t *testing.T) {
	dir := forkedHistory(t, "")
	write(t, filepath.Join(dir, "xlagate.yaml"), ruleFile)
	if err := os.RemoveAll(filepath.Join(dir, ".xlagate")); err != nil {
		t.Fatal(err)
	}
	p, err := RepositoryPolicy(t.Context(), Checkout{dir}, "HEAD", config.FileName, nil)
	if err != nil || string(p.Text) == ruleFile || !hasBaseline(p) {
		t.Errorf("%+v, %v", p, err)
	}
}

// A base without accepted facts is one with none, not one that cannot be read.
func TestBaseWithoutBaseline(t *testing.T) {
	dir := forkedHistory(t, ruleFile+"baseline: elsewhere\n")
	p, err := RepositoryPolicy(t.Context(), Checkout{dir}, "HEAD", config.FileName, nil)
	if !errors.Is(err, fs.ErrNotExist) || p.Config == nil || hasBaseline(p) {
		t.Errorf("%+v, %v", p, err)
	}
}

// A base whose configuration is wrong says so with its place.
func TestBaseWithAWrongConfiguration(t *testing.T) {
	dir := forkedHistory(t, "version: 1\nrules: 3\n")
	p, err := RepositoryPolicy(t.Context(), Checkout{dir}, "HEAD", config.FileName, nil)
	if err == nil || len(p.Text) == 0 || !strings.HasPrefix(err.Error(), "xlagate.yaml:2:8: rules is ") {
		t.Errorf("%v", err)
	}
}

// A baseline at the base that is a file, where a folder is expected, is not passed over.
func TestBaseWithABaselineThatIsAFile(t *testing.T) {
	dir := forkedHistory(t, ruleFile+"baseline: xlagate.yaml\n")
	if _, err := RepositoryPolicy(t.Context(), Checkout{dir}, "HEAD", config.FileName, nil); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// revisions are the files of a repository that is not checked out, by revision.
type revisions map[string]fstest.MapFS

func (r revisions) File(_ context.Context, revision, name string) ([]byte, error) {
	return fs.ReadFile(r[revision], name)
}

func (r revisions) Folders(_ context.Context, revision, root string, folders []string) (fs.FS, error) {
	out := fstest.MapFS{}
	for name, file := range r[revision] {
		for _, folder := range folders {
			if below, ok := strings.CutPrefix(name, path.Join(root, folder)+"/"); ok {
				out[path.Join(folder, below)] = file
			}
		}
	}
	return out, nil
}

func (r revisions) Names(_ context.Context, revision string) ([]string, error) {
	return slices.Sorted(maps.Keys(r[revision])), nil
}

// The baseline is found beside the configuration, above it and on other branches, for the targets that are declared and those that are named.
func TestPolicyWithoutACheckout(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for place, want := range map[string]string{".xlagate": "beside", "../base": "above", "git:main:base": "of main", "../../base": ""} {
		from := revisions{
			"main": {"base/mlp/step.yaml": file("of main")},
			"head": {"ci/xlagate.yaml": file(ruleFile + "baseline: " + place + "\n"), "ci/.xlagate/mlp/step.yaml": file("beside"), "ci/.xlagate/gone/step.yaml": file("named"), "base/mlp/step.yaml": file("above"), "ci/.xlagate/other/step.yaml": file("other")},
		}
		p, err := RepositoryPolicy(t.Context(), from, "head", "ci/xlagate.yaml", []string{"mlp", "gone"})
		if want == "" && errors.Is(err, ErrElsewhere) && p.Config != nil {
			continue
		}
		if want == "" || err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		data, err := fs.ReadFile(p.Store, "mlp/step.yaml")
		_, other := fs.Stat(p.Store, "other/step.yaml")
		if _, gone := fs.Stat(p.Store, "gone/step.yaml"); err != nil || string(data) != want || other == nil || want == "beside" && gone != nil {
			t.Errorf("%s: %q %v %v %v", place, data, err, other, gone)
		}
	}
	if _, err := RepositoryPolicy(t.Context(), revisions{"head": {}}, "head", "xlagate.yaml", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no configuration: %v", err)
	}
}
