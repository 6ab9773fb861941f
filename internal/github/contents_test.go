package github

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
)

const someConfig = "version: 1\nextends: [recommended]\ntargets:\n  - {name: mlp/cpu, dump: build}\n"

func TestPolicyOfRevision(t *testing.T) {
	s := newSite(t)
	first := s.Commit(map[string]string{"xlagate.yaml": someConfig, ".xlagate/mlp/cpu/a..b.yaml": "one", ".xlagate/mlp/cpu/a%2Fb.yaml": "two", ".xlagate/other/x.yaml": "no", "README.md": "hi"}, "first")
	empty := s.Commit(map[string]string{"README.md": "hi"}, "empty")
	c := s.client("reader")
	p, err := c.Policy(t.Context(), first, "xlagate.yaml", []string{"mlp/cpu", "gone"})
	if err != nil {
		t.Fatal(err)
	}
	targets, err := baseline.Targets(p.Store)
	if err != nil || len(targets) != 1 || targets[0] != "mlp/cpu" {
		t.Errorf("%v %v", targets, err)
	}
	for name, want := range map[string]string{"mlp/cpu/a..b.yaml": "one", "mlp/cpu/a%2Fb.yaml": "two"} {
		if data, err := fs.ReadFile(p.Store, name); err != nil || string(data) != want {
			t.Errorf("%s: %q %v", name, data, err)
		}
	}
	if _, err := c.Policy(t.Context(), empty, "xlagate.yaml", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no configuration: %v", err)
	}
	if _, err := c.folders(t.Context(), first, ".xlagate", []string{"../.."}); err == nil {
		t.Error("a folder outside is fetched")
	}
}

// What is fetched is bounded, in files and in bytes.
// The baseline is found beside the configuration, above it and on other branches; one on the branch itself can be accepted into.
func TestBaselineOfPolicy(t *testing.T) {
	s := newSite(t)
	s.Branches["main"] = s.Commit(map[string]string{"base/mlp/cpu/step.yaml": "of main"}, "main")
	for place, want := range map[string]string{".xlagate": "beside", "../base": "above", "git:main:base": "of main", "git:origin/main:base": "of main", "../../base": ""} {
		config := strings.Replace(someConfig, "extends", "baseline: "+place+"\nextends", 1)
		head := s.Commit(map[string]string{"ci/xlagate.yaml": config, "ci/.xlagate/mlp/cpu/step.yaml": "beside", "base/mlp/cpu/step.yaml": "above"}, "head")
		p, err := s.client("reader").Policy(t.Context(), head, "ci/xlagate.yaml", nil)
		if want == "" && errors.Is(err, ErrElsewhere) {
			continue
		}
		if want == "" || err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		if data, err := fs.ReadFile(p.Store, "mlp/cpu/step.yaml"); err != nil || string(data) != want {
			t.Errorf("%s: %q %v", place, data, err)
		}
		moved, err := inWork(p.Config, Acceptance{Config: "ci/xlagate.yaml", Work: "work"})
		if err != nil || moved.Dir != filepath.Join("work", "ci") {
			t.Errorf("%s: %+v %v", place, moved, err)
		}
	}
}

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
		if _, err := s.client("reader").folders(t.Context(), commit, ".", []string{folder}); err == nil || !strings.Contains(err.Error(), "fetch "+folder+" at "+short(commit)+": ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if _, err := s.client("reader").file(t.Context(), commit, "whole/a"); err == nil || !strings.Contains(err.Error(), "whole/a has 67108866 bytes; at most 67108864 are read") {
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
	p.Merge = ""
	pr.Base.SHA = main
	if b, h, err := c.Sides(t.Context(), pr); err != nil || b != root || h != head {
		t.Errorf("in conflict: %.7s %.7s %v, wanted %.7s %.7s", b, h, err, root, head)
	}
}
