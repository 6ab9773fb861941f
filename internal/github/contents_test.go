package github

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The files of a revision are fetched one by one or folder by folder; what is not there is told from what cannot be had.
func TestFilesOfARevision(t *testing.T) {
	s := newSite(t)
	first := s.Commit(map[string]string{"xlagate.yaml": "version: 1", ".xlagate/mlp/cpu/a..b.yaml": "one", ".xlagate/mlp/cpu/a%2Fb.yaml": "two", ".xlagate/other/x.yaml": "no"}, "first")
	c := s.client("reader")
	s.Branches["main"] = first
	for _, revision := range []string{first, "main", "origin/main"} {
		store, err := c.Folders(t.Context(), revision, ".xlagate", []string{"mlp/cpu", "gone"})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"mlp/cpu/a..b.yaml": "one", "mlp/cpu/a%2Fb.yaml": "two", "other/x.yaml": ""} {
			if data, err := fs.ReadFile(store, name); (err == nil) != (want != "") || string(data) != want {
				t.Errorf("%s at %s: %q %v", name, revision, data, err)
			}
		}
	}
	if data, err := c.File(t.Context(), first, "xlagate.yaml"); err != nil || string(data) != "version: 1" {
		t.Errorf("%q %v", data, err)
	}
	if _, err := c.File(t.Context(), first, "other.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := c.File(t.Context(), first, ".xlagate"); err == nil || !strings.Contains(err.Error(), "is not a plain file") {
		t.Errorf("a folder: %v", err)
	}
	for root, folder := range map[string]string{".xlagate": "../..", ".xlagate/mlp": "../other"} {
		if _, err := c.Folders(t.Context(), first, root, []string{folder}); err == nil {
			t.Errorf("%s, outside of %s, is fetched", folder, root)
		}
	}
}

// A link and a submodule are no files, and a list of files that is cut short is none.
func TestNoFilesOfARevision(t *testing.T) {
	for _, kind := range []string{"symlink", "submodule"} {
		entry := `{"type":"` + kind + `","path":"a/x","name":"x","sha":"1","size":1}`
		answers := map[string]string{"/contents/x": entry, "/contents/a": "[" + entry + "]", "/git/trees/main": `{"sha":"1","truncated":true,"tree":[{"path":"a"}]}`, "/git/blobs/1": "secret"}
		there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, answers[strings.TrimPrefix(r.URL.Path, "/repos/"+repositoryUnderTest)])
		}))
		defer there.Close()
		c, err := New(Options{API: there.URL, Repository: repositoryUnderTest})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := c.File(t.Context(), "main", "x"); err == nil || !strings.Contains(err.Error(), "x at main is not a plain file") {
			t.Errorf("%s: %q, %v", kind, data, err)
		}
		store, err := c.Folders(t.Context(), "main", ".", []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		if list, err := fs.ReadDir(store, "."); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", kind, list, err)
		}
		if names, err := c.Names(t.Context(), "main"); err == nil {
			t.Errorf("%v", names)
		}
	}
}

// What is fetched is bounded, in files and in bytes.
func TestFetchedIsBounded(t *testing.T) {
	s := newSite(t)
	many := map[string]string{}
	for i := range maxFiles {
		many[fmt.Sprintf("many/%04d", i)] = "x"
	}
	half := strings.Repeat("x", maxFetched/2+1)
	many["large/a"], many["large/b"], many["whole/a"] = half, half+"y", half+half
	commit := s.Commit(many, "first")
	for folder, says := range map[string]string{
		"many": "it holds 1000 files or more", "large": "or more than 67108864 bytes", "whole": "or more than 67108864 bytes",
	} {
		if _, err := s.client("reader").Folders(t.Context(), commit, ".", []string{folder}); err == nil || !strings.Contains(err.Error(), "fetch "+folder+" at "+short(commit)+": ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if _, err := s.client("reader").File(t.Context(), commit, "whole/a"); err == nil || !strings.Contains(err.Error(), "whole/a has 67108866 bytes; at most 67108864 are read") {
		t.Errorf("%v", err)
	}
}

func TestSides(t *testing.T) {
	s := newSite(t)
	root := s.Commit(map[string]string{"a": "1"}, "root")
	main := s.Commit(map[string]string{"a": "2"}, "main", root)
	head := s.Commit(map[string]string{"a": "1", "b": "1"}, "head", root)
	merge := s.Commit(map[string]string{"a": "2", "b": "1"}, "merge", main, head)
	p := s.Pulls[7]
	p.BaseSHA, p.HeadSHA, p.Merge = root, head, merge
	c := s.client("reader")
	pr, err := c.PullRequest(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if b, h, err := c.Sides(t.Context(), pr); err != nil || b != main || h != merge {
		t.Errorf("merged: %.7s %.7s %v, wanted %.7s %.7s", b, h, err, main, merge)
	}
	pr.Base.SHA = main
	for _, stale := range []string{"", merge} {
		p.Merge, p.Conflict = stale, true
		if b, h, err := c.Sides(t.Context(), pr); err != nil || b != root || h != head {
			t.Errorf("in conflict, with the merge %.7s: %.7s %.7s %v, wanted %.7s %.7s", stale, b, h, err, root, head)
		}
	}
}
