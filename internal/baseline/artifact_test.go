package baseline

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/registry"
	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

// edit opens a baseline in a registry for changing.
func edit(t *testing.T, p Place) *Edit {
	t.Helper()
	e, err := p.Edit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func put(t *testing.T, e *Edit, name, text string) {
	t.Helper()
	if changed, err := e.Put(name, []byte(text)); err != nil || !changed {
		t.Fatalf("%s: changed %v, %v", name, changed, err)
	}
}

func commit(t *testing.T, e *Edit) string {
	t.Helper()
	pushed, err := e.Commit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return pushed
}

func texts(t *testing.T, p Place) string {
	t.Helper()
	store, err := p.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	err = fs.WalkDir(store, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(name, ".xlagate-step") {
			return err
		}
		data, err := fs.ReadFile(store, name)
		all = append(all, name+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// Real programs come back from a registry as they went there, beside those of other targets.
func TestRegistryHoldsRealPrograms(t *testing.T) {
	p := Place{Where: registrytest.New(t).Ref("team/base:main")}
	for _, name := range realDumps {
		r := measured(t, name)
		e := edit(t, p)
		for _, program := range r.Programs {
			if _, err := Save(e, path.Join("models", path.Dir(name)), &Program{Program: *program, Toolchain: r.Toolchain}, ""); err != nil {
				t.Fatal(err)
			}
		}
		if commit(t, e) == "" {
			t.Errorf("%s was not pushed", name)
		}
	}
	store, err := p.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	targets, err := Targets(store)
	if err != nil || len(targets) != len(realDumps) {
		t.Errorf("targets %v, %v", targets, err)
	}
	for _, name := range realDumps {
		set, err := Load(store, path.Join("models", path.Dir(name)))
		if err != nil || len(set.Programs) != len(measured(t, name).Programs) {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
}

func TestEditsReachTheRegistryTogether(t *testing.T) {
	s := registrytest.New(t)
	p := Place{Where: s.Ref("base:main")}
	if _, err := p.Open(context.Background()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	e := edit(t, p)
	put(t, e, "a/x.jsonl", "1")
	put(t, e, "b/y.jsonl", "2")
	if _, err := p.Open(context.Background()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is committed: %v", err)
	}
	first := commit(t, e)
	if !strings.HasPrefix(first, p.Where+"@sha256:") || texts(t, p) != "a/x.jsonl=1 b/y.jsonl=2" {
		t.Errorf("%q holds %s", first, texts(t, p))
	}
	again := edit(t, p)
	if changed, err := again.Put("a/x.jsonl", []byte("1")); err != nil || changed || commit(t, again) != "" {
		t.Errorf("the same once more: changed %v, %v", changed, err)
	}
	put(t, again, "a/x.jsonl", "3")
	put(t, again, "a/x.jsonl", "1")
	if pushed := commit(t, again); pushed != "" {
		t.Errorf("changed and changed back: pushed %s", pushed)
	}
	last := edit(t, p)
	if err := errors.Join(last.Remove("a/x.jsonl"), last.Remove("b/y.jsonl")); err != nil || commit(t, last) == "" || texts(t, p) != "" {
		t.Errorf("%v: %s is left", err, texts(t, p))
	}
	if err := last.Remove("c.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removing what is not there: %v", err)
	}
	fixed := Place{Where: strings.Replace(first, ":main@", "@", 1)}
	if texts(t, fixed) != "a/x.jsonl=1 b/y.jsonl=2" {
		t.Errorf("the first digest holds %s", texts(t, fixed))
	}
	if _, err := fixed.Edit(context.Background()); !errors.Is(err, ErrFixed) {
		t.Errorf("a digest was opened for changing: %v", err)
	}
}

// Of two that accept at once the second is refused, and loses nothing of the first's.
func TestTheSecondOfTwoIsRefused(t *testing.T) {
	s := registrytest.New(t)
	p := Place{Where: s.Ref("base:main")}
	one, two := edit(t, p), edit(t, p)
	put(t, one, "a/x.jsonl", "1")
	put(t, two, "b/y.jsonl", "2")
	commit(t, one)
	_, err := two.Commit(context.Background())
	var said *registry.Error
	if !errors.As(err, &said) || !strings.Contains(said.Message, "somebody else moved the tag") || !strings.Contains(said.Fix, "do the same again") {
		t.Errorf("the second: %v", err)
	}
	if n := s.Asked(http.MethodPut, "/manifests/"); n != 1 || texts(t, p) != "a/x.jsonl=1" {
		t.Errorf("%d manifests were pushed; it holds %s", n, texts(t, p))
	}
	again := edit(t, p)
	put(t, again, "b/y.jsonl", "2")
	commit(t, again)
	if texts(t, p) != "a/x.jsonl=1 b/y.jsonl=2" {
		t.Errorf("it holds %s", texts(t, p))
	}
}

func TestArtifactsThatAreNoBaseline(t *testing.T) {
	s := registrytest.New(t)
	ref := func(name string) registry.Reference {
		r, err := registry.Parse(s.Ref(name))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	push := func(name, kind string, layers ...registry.Layer) {
		if _, err := (registry.Client{}).Push(context.Background(), ref(name), kind, layers, registry.Any); err != nil {
			t.Fatal(err)
		}
	}
	push("dump:x", registry.TypeDump, registry.BaselineFile("a/x.jsonl", nil))
	push("other:x", "application/vnd.example", registry.BaselineFile("README.md", nil))
	for name, says := range map[string]string{"dump:x": "this is a dump, not a baseline", "other:x": `it holds "README.md", and a baseline's files are`} {
		if _, err := (Place{Where: s.Ref(name)}).Edit(context.Background()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, wanted %q", name, err, says)
		}
	}
	push("odd:x", "", registry.BaselineFile("a/x.jsonl", []byte(`{"baseline":{"schema":"other"}}`+"\n")))
	store, err := Place{Where: s.Ref("odd:x")}.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(store, "a"); err == nil || !strings.Contains(err.Error(), `has the schema "other"`) {
		t.Errorf("%v", err)
	}
}

// A directory takes the same edits.
func TestEditsOfAFolder(t *testing.T) {
	p := Place{Where: "store", Dir: t.TempDir()}
	e := edit(t, p)
	if _, err := Load(e, "a"); !errors.Is(err, ErrNone) {
		t.Errorf("one that is not there: %v", err)
	}
	put(t, e, "a/b/p.jsonl", "p")
	put(t, e, "a/b/q.jsonl", "q")
	if texts(t, Place{Where: p.folder()}) != "" || commit(t, e) != "" || texts(t, p) != "a/b/p.jsonl=p a/b/q.jsonl=q" {
		t.Errorf("it holds %s", texts(t, p))
	}
	if err := e.Remove("a/b/q.jsonl"); err != nil || commit(t, e) != "" || texts(t, p) != "a/b/p.jsonl=p" {
		t.Errorf("%v: %s", err, texts(t, p))
	}
	if err := e.Remove("a/b/p.jsonl"); err != nil || commit(t, e) != "" {
		t.Error(err)
	}
	if _, err := fs.Stat(e, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder was left: %v", err)
	}
	if err := e.Remove("a/x.jsonl"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "remove from the baseline: ") {
		t.Errorf("what is not there: %v", err)
	}
	if got := e.Shown("a/x.jsonl"); got != filepath.Join(p.folder(), "a", "x.jsonl") {
		t.Errorf("shown as %s", got)
	}
	if _, err := p.Edit(context.Background()); err == nil || !strings.Contains(err.Error(), "the baseline is being changed: process ") {
		t.Errorf("a second change at the same time: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := edit(t, p).Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.folder()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a change of nothing made a folder: %v", err)
	}
}
