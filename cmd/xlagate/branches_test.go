package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// branches is a git repository in which two edits of the quickstart's model were accepted, each on its own branch; the second is checked out.
func branches(t *testing.T, one, two string) (git func(args ...string) (string, error), dump func(name string) string) {
	t.Helper()
	good, kept := mustAbs(t, "../../examples/quickstart/good"), mustAbs(t, "testdata/merge")
	dump = func(name string) string {
		if name == "good" {
			return good
		}
		return filepath.Join(kept, name+".tar.xz")
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	git = func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...).CombinedOutput()
		return string(out), err
	}
	accepted := func(branch, name string) {
		mustExit(t, 0, "accept", dump(name), "--reason", name)
		for _, args := range [][]string{{"add", "."}, {"commit", "-q", "-m", branch}} {
			if out, err := git(args...); err != nil {
				t.Fatal(out)
			}
		}
	}
	if err := os.WriteFile("xlagate.yaml", []byte("version: 1\nextends: [recommended, strict]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := git("init", "-q", "-b", "main"); err != nil {
		t.Fatal(out)
	}
	accepted("main", "good")
	for _, name := range []string{one, two} {
		if out, err := git("checkout", "-q", "-b", name, "main"); err != nil {
			t.Fatal(out)
		}
		accepted(name, name)
	}
	return git, dump
}

const branchFile = ".xlagate/default/train_step.jsonl"

// Two edits of different kernels merge by plain git: the merged baseline is that of the merged model, with the reasons of both.
func TestBranchesMerge(t *testing.T) {
	git, dump := branches(t, "capped", "swish")
	if out, err := git("merge", "-q", "capped", "-m", "merged"); err != nil {
		t.Fatal(out)
	}
	mustExit(t, 0, "check", dump("capped-swish"))
	mustExit(t, 1, "check", dump("good"))
	merged := mustRead(t, branchFile)
	if said := string(mustExit(t, 0, "accept", dump("capped-swish"), "--reason", "merged")); !strings.Contains(said, "nothing to accept: 1 program unchanged") || mustRead(t, branchFile) != merged {
		t.Error(said)
	}
	for _, reason := range []string{"good", "capped", "swish"} {
		if strings.Count(merged, `,"reason":"`+reason+`"}`) != 1 {
			t.Errorf("the reason %q is lost", reason)
		}
	}
	mustExit(t, 0, "baseline", "verify")
}

// Two edits that move the same memory number are one conflicting line. Until the merged model is accepted, no check passes, and no part of it is accepted.
func TestBranchesThatMoveTheSameMemory(t *testing.T) {
	git, dump := branches(t, "near", "rounded")
	if out, err := git("merge", "-q", "near", "-m", "merged"); err == nil || !strings.Contains(out, branchFile) {
		t.Fatalf("%v: %s", err, out)
	}
	_, conflict, _ := strings.Cut(mustRead(t, branchFile), "<<<<<<< ")
	ours, rest, _ := strings.Cut(conflict, "=======\n")
	theirs, rest, _ := strings.Cut(rest, ">>>>>>> ")
	for _, side := range []string{strings.TrimPrefix(ours, "HEAD\n"), theirs} {
		if strings.Count(side, "\n") != 1 || !strings.HasPrefix(side, `{"fact":{"memory.temp_bytes":`) {
			t.Errorf("one side of the conflict is %q", side)
		}
	}
	if strings.Contains(rest, "<<<<<<< ") {
		t.Error("there is another conflict")
	}
	if said := string(mustExit(t, 3, "check", dump("near-rounded"))); !strings.Contains(said, "git left a conflict here: the merged model was not accepted yet") || !strings.Contains(said, `xlagate accept --reason "why"`) {
		t.Error(said)
	}
	mustExit(t, 3, "accept", dump("near-rounded"), "--tighten")
	mustExit(t, 0, "accept", dump("near-rounded"), "--reason", "merged")
	mustExit(t, 0, "check", dump("near-rounded"))
	mustExit(t, 0, "baseline", "verify")
	if merged := mustRead(t, branchFile); !strings.Contains(merged, `"reason":"near"`) || !strings.Contains(merged, `"reason":"rounded"`) {
		t.Error("the reasons are lost")
	}
}

// Keeping both sides of a conflict by hand is no merge.
func TestBothSidesOfAConflict(t *testing.T) {
	git, dump := branches(t, "near", "rounded")
	if _, err := git("merge", "-q", "near", "-m", "merged"); err == nil {
		t.Fatal("it merges")
	}
	var kept []string
	for line := range strings.Lines(mustRead(t, branchFile)) {
		if strings.HasPrefix(line, "{") {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(branchFile, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := string(mustExit(t, 3, "check", dump("near-rounded"))); !strings.Contains(said, "memory.temp_bytes stands here a second time, as if both sides of a merge were kept") {
		t.Error(said)
	}
	mustExit(t, 0, "accept", dump("near-rounded"), "--reason", "merged")
	mustExit(t, 0, "check", dump("near-rounded"))
}
