package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/result"
)

// pullRequest is a pull request on a fake GitHub, with its checkout: the quickstart model, from whose dump the regressed one differs.
type pullRequest struct {
	*fakegithub.Server
	t          *testing.T
	dir, sub   string // the checkout, and the folder in it where xlagate runs
	base, head string
	vars       map[string]string
}

// quickstart is found before the tests change the working directory.
var quickstart, _ = filepath.Abs("../../examples/quickstart")

func newPullRequest(t *testing.T, headRepo string) *pullRequest {
	t.Helper()
	p := &pullRequest{Server: fakegithub.New("acme/models", "/api/v3"), t: t, dir: t.TempDir()}
	t.Cleanup(func() {
		p.Close()
		for _, v := range p.Violations {
			t.Errorf("not as GitHub describes it: %s", v)
		}
	})
	if err := os.CopyFS(p.dir, os.DirFS(quickstart)); err != nil {
		t.Fatal(err)
	}
	p.Tokens["job"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true, Rights: []string{"*"}}
	p.Tokens["reader"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true}
	p.git("init", "-q", "-b", "main")
	p.base = p.commit("base")
	p.git("checkout", "-q", "-b", "wider")
	p.head = p.base
	p.Pulls[7] = &fakegithub.Pull{Number: 7, State: "open", HeadRef: "wider", HeadRepo: headRepo, BaseRef: "main", BaseSHA: p.base}
	p.vars = map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/models", "GITHUB_API_URL": p.API(), "GITHUB_SERVER_URL": p.URL(), "GITHUB_TOKEN": "job",
		"GITHUB_RUN_ID": "100", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKSPACE": p.dir, "GITHUB_EVENT_NAME": "pull_request",
		"GITHUB_STEP_SUMMARY": filepath.Join(t.TempDir(), "summary"), "GITHUB_OUTPUT": filepath.Join(t.TempDir(), "output"),
	}
	return p
}

func (p *pullRequest) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits the checkout, and the fake GitHub learns of it.
func (p *pullRequest) commit(message string) string {
	p.t.Helper()
	var parents []string
	if p.base != "" {
		parents = []string{p.git("rev-parse", "HEAD")}
	}
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", message)
	sha := p.git("rev-parse", "HEAD")
	name := p.Commit(p.files(), message, parents...)
	p.Commits[sha] = &fakegithub.Commit{SHA: sha, Tree: p.Commits[name].Tree, Parents: parents, Message: message}
	return sha
}

func (p *pullRequest) files() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(p.dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && name == ".git" {
			return fs.SkipDir
		}
		if info, err := os.Stat(filepath.Join(p.dir, name)); err == nil && info.Mode().IsRegular() { // for a link, GitHub gives the file that it leads to
			data, err := os.ReadFile(filepath.Join(p.dir, name))
			files[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

// push commits what was changed and moves the pull request on.
func (p *pullRequest) push() {
	p.t.Helper()
	p.head = p.commit("push")
	p.Pulls[7].HeadSHA = p.head
	p.Branches["wider"] = p.head
	repo := p.Pulls[7].HeadRepo
	p.event(map[string]any{"pull_request": map[string]any{
		"number": 7, "state": "open", "head": map[string]any{"sha": p.head, "ref": "wider", "repo": map[string]any{"full_name": repo}},
		"base": map[string]any{"sha": p.base, "ref": "main", "repo": map[string]any{"full_name": "acme/models"}},
	}})
}

func (p *pullRequest) event(e map[string]any) {
	p.t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		p.t.Fatal(err)
	}
	p.vars["GITHUB_EVENT_PATH"] = filepath.Join(p.t.TempDir(), "event.json")
	if err := os.WriteFile(p.vars["GITHUB_EVENT_PATH"], data, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pullRequest) edit(name, old, fresh string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), old) {
		p.t.Fatalf("%s does not hold %q: %v", name, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, fresh)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// run runs xlagate in the checkout and wants an exit code.
func (p *pullRequest) run(code int, args ...string) (out, said string) {
	p.t.Helper()
	p.t.Chdir(filepath.Join(p.dir, p.sub))
	var o, e bytes.Buffer
	got := run(p.t.Context(), append([]string{"xlagate"}, args...), world{in: strings.NewReader(""), out: &o, err: &e, getenv: func(k string) string { return p.vars[k] }})
	if got != code {
		p.t.Fatalf("xlagate %v: exit %d, wanted %d\n%s%s", args, got, code, o.String(), e.String())
	}
	return o.String(), e.String()
}

func (p *pullRequest) says(i int, texts ...string) {
	p.t.Helper()
	if len(p.Comments) <= i {
		p.t.Fatalf("there are %d comments", len(p.Comments))
	}
	for _, text := range texts {
		if !strings.Contains(p.Comments[i].Body, text) {
			p.t.Errorf("the comment does not say %q:\n%s", text, p.Comments[i].Body)
		}
	}
}

func TestCheckComments(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	_, said := p.run(1, "check", "regressed", "--comment", "auto", "--check-run", "--quiet", "-o", "xlagate-report.json")
	if !strings.Contains(said, "created the comment") || strings.Contains(said, "warning") || strings.Contains(said, "::error") {
		t.Error(said)
	}
	p.says(0, "### ❌ xlagate: ", "| ❌ error | `train_step` |", "gh run download 100 --name xlagate-report && xlagate accept --from xlagate-report.json --only", "full report", "base `main@")
	if len(p.Checks) != 1 || len(p.Checks[0].Annotations) == 0 || p.Checks[0].Annotations[0]["path"] != "regressed/train.py" {
		t.Errorf("%+v", p.Checks)
	}
	p.push()
	p.run(0, "check", "--comment", "auto", "--quiet")
	p.says(0, "### ✅ xlagate: all clear", "(was: ")
	if len(p.Comments) != 1 {
		t.Errorf("%d comments", len(p.Comments))
	}
}

// The result of a job is accepted where its sources are checked out; elsewhere accept says which files differ.
func TestAcceptFromAnotherCommit(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	report := filepath.Join(t.TempDir(), "xlagate-report.json")
	p.run(1, "check", "regressed", "--comment", "auto", "--quiet", "-o", report)
	accept := []string{"accept", "--from", report, "--reason", "wider"}
	if _, said := p.run(0, accept...); said != "" {
		t.Errorf("at the commit of the result: %s", said)
	}
	p.commit("baseline")
	if _, said := p.run(0, accept...); said != "" {
		t.Errorf("after a commit of the baseline: %s", said)
	}
	p.edit("train.py", "import jax", "import  jax")
	p.commit("edit")
	if _, said := p.run(0, accept...); !strings.Contains(said, fmt.Sprintf("warning: the result is of commit %.12s, and ", p.head)) || !strings.Contains(said, "differs from it in train.py") {
		t.Errorf("after an edit: %s", said)
	}
	p.git("add", "-A")
	p.git("checkout", "-q", "-f", "main")
	p.edit("train.py", "import jax", "import   jax")
	p.commit("other")
	if _, said := p.run(2, accept...); !strings.Contains(said, "differs from it in train.py; accept it where it belongs: git switch --detach "+p.head) {
		t.Errorf("on another branch: %s", said)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(report, bytes.ReplaceAll(data, []byte(p.head), bytes.Repeat([]byte("0"), 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := p.run(2, accept...); !strings.Contains(said, "which this checkout does not hold") {
		t.Errorf("of a commit that is not here: %s", said)
	}
}

// TestCommentNamesTheRuleFile by its path from the top of the repository, from wherever xlagate runs.
func TestCommentNamesTheRuleFile(t *testing.T) {
	for _, sub := range []string{"", "models"} {
		p := newPullRequest(t, "acme/models")
		p.edit("xlagate.yaml", "classifier/cpu", "serving/cpu")
		p.git("mv", "xlagate.yaml", "it's serving.yaml")
		if err := os.Mkdir(filepath.Join(p.dir, "models"), 0o700); err != nil {
			t.Fatal(err)
		}
		p.run(0, "accept", "-c", "it's serving.yaml", "--reason", "start")
		p.push()
		p.sub = sub
		regressed, _ := filepath.Rel(sub, "regressed")
		file, _ := filepath.Rel(sub, "it's serving.yaml")
		p.run(1, "check", regressed, "-c", file, "--comment", "auto", "--quiet")
		const named = ` --reason "why" -c 'it'\''s serving.yaml'` + "\n"
		p.says(0, named, "xlagate accept --from xlagate-report.json --only ")
		if n := strings.Count(p.Comments[0].Body, named); n != 2 {
			t.Errorf("%d commands name the rule file: %s", n, p.Comments[0].Body)
		}
	}
}

// A result that is in a file is posted from anywhere, to the pull request and the commit that are named.
func TestCommentOfAFile(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	p.run(1, "check", "regressed", "--quiet", "-o", "result.json")
	p.vars = map[string]string{"GITHUB_API_URL": p.API(), "GITHUB_TOKEN": "job"}
	there := []string{"comment", "result.json", "--repo", "acme/models", "--pr", "7", "--head", p.head, "--check-run"}
	out, _ := p.run(0, append(there, "--dry-run")...)
	for _, wrong := range [][]string{{"--head", p.head[:12]}, {"--key", "a b"}, {"--mode", "loud"}, {"--workflow-run"}} {
		p.run(2, append(there, wrong...)...)
	}
	if p.run(2, "comment"); len(p.Writes()) > 0 {
		t.Fatalf("written: %v", p.Writes())
	}
	p.run(0, there...)
	if len(p.Comments) != 1 || len(p.Checks) != 1 || p.Checks[0].Head != p.head || !strings.Contains(out, "the fusion \"softmax\" is gone") || !strings.Contains(p.Comments[0].Body, "the fusion \"softmax\" is gone") {
		t.Errorf("%+v %+v\n%s", p.Comments, p.Checks, out)
	}
}

// TestAcceptCommandIsShown where somebody said that it works, and it does: not to a fork, and not with a baseline elsewhere.
func TestAcceptCommandIsShown(t *testing.T) {
	for _, c := range []struct {
		name, repo string
		args       []string
		shown      bool
	}{
		{"not set up", "acme/models", nil, false},
		{"set up", "acme/models", []string{"--accept-command"}, true},
		{"a fork", "mona/models", []string{"--accept-command"}, false},
		{"another baseline", "acme/models", []string{"--accept-command", "--baseline", "git:HEAD:.xlagate"}, false},
	} {
		p := newPullRequest(t, c.repo)
		p.push()
		p.run(1, append([]string{"check", "regressed", "--comment", "auto", "--quiet", "-o", "xlagate-report.json"}, c.args...)...)
		p.says(0, "xlagate accept --only")
		if shown := strings.Contains(p.Comments[0].Body, "\n/xlagate accept "); shown != c.shown {
			t.Errorf("%s: shown %v\n%s", c.name, shown, p.Comments[0].Body)
		}
	}
}

// TestPolicyIsShown passes by asking for less, and is seen doing so.
func TestPolicyIsShown(t *testing.T) {
	for _, shallow := range []bool{false, true} {
		p := newPullRequest(t, "acme/models")
		p.edit("xlagate.yaml", "max: 28", "max: 40")
		p.edit("xlagate.yaml", "max_variants: 1", "max_variants: 2")
		p.run(0, "accept", "regressed", "--reason", "make it pass")
		p.edit("xlagate.yaml", "  - rule: required-fusions", "  - {rule: no-host-callback, max: 9, level: info}\n  - rule: required-fusions")
		p.push()
		if shallow {
			if err := os.RemoveAll(filepath.Join(p.dir, ".git")); err != nil {
				t.Fatal(err)
			}
		}
		p.run(1, "check", "regressed", "--comment", "auto", "--quiet")
		p.says(0, "Policy changes in this pull request: xlagate.yaml, the baseline of 1 program, ", "\n-    max: 28\n+    max: 40\n",
			"Judged by the base branch's rules and baseline", "`train_step` is accepted: make it pass", "Only the base branch's policy finds")
	}
}

// modest is a policy that catches the regressed dump by what was accepted.
const modest = "version: 1\nextends: [recommended]\ntargets:\n  - {name: classifier/cpu, dump: good}\n"

// TestLoosenedPolicy passes in every way in which a pull request can ask for less. Each is named in its comment, and the base branch's policy
// judges the same facts.
func TestLoosenedPolicy(t *testing.T) {
	write := func(p *pullRequest, name, text string) {
		file := filepath.Join(p.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	each := func(p *pullRequest, entry string) string { // of every rule that finds something
		p.run(1, "check", "regressed", "--quiet", "-f", "json", "-o", "result.json")
		data, err := os.ReadFile(filepath.Join(p.dir, "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := result.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		seen := map[string]bool{}
		for _, f := range r.Findings {
			line := strings.NewReplacer("RULE", f.Rule, "ID", f.ID).Replace(entry)
			if !seen[line] {
				out.WriteString(line)
			}
			seen[line] = true
		}
		return out.String()
	}
	const loosened = "⚠️ xlagate: passes only by rules that this branch loosens: "
	const any = "rules:\n  - {rule: max-kernels, max: 100}\n"
	for name, c := range map[string]struct {
		change func(*pullRequest)
		args   []string
		says   []string
	}{
		"a nearer file": {func(p *pullRequest) {
			write(p, "sub/xlagate.yaml", strings.Replace(modest, "extends: [recommended]\n", "", 1)+any)
			p.sub = "sub"
		}, []string{"../regressed"}, []string{loosened + "4 changes", "sub/xlagate.yaml takes the place of xlagate.yaml"}},
		"another file": {func(p *pullRequest) {
			write(p, "loose.yaml", strings.Replace(modest, "extends: [recommended]\n", "", 1)+any)
		}, []string{"regressed", "-c", "loose.yaml"}, []string{loosened + "3 changes", "loose.yaml takes the place of xlagate.yaml"}},
		"no pack": {func(p *pullRequest) {
			write(p, "xlagate.yaml", strings.Replace(modest, "extends: [recommended]\n", "", 1)+any)
		}, []string{"regressed"}, []string{loosened + "3 changes", "\n-extends: [recommended]\n"}},
		"rules of the pack are off": {func(p *pullRequest) {
			write(p, "xlagate.yaml", modest+any+each(p, "  - {rule: RULE, level: off}\n"))
		}, []string{"regressed"}, []string{loosened + "3 changes", "level: off"}},
		"rules of the pack warn": {func(p *pullRequest) {
			write(p, "xlagate.yaml", modest+any+each(p, "  - {rule: RULE, level: warning}\n"))
		}, []string{"regressed"}, []string{loosened + "3 changes", "level: warning"}},
		"fail_on": {func(p *pullRequest) {
			write(p, "xlagate.yaml", modest+"fail_on: never\n")
		}, []string{"regressed"}, []string{loosened + "3 changes", "\n+fail_on: never\n"}},
		"waivers without end": {func(p *pullRequest) {
			write(p, "xlagate.yaml", modest+"waivers:\n"+each(p, "  - {finding: ID, reason: later, owner: me, expires: 9999-12-31}\n"))
		}, []string{"regressed"}, []string{loosened + "3 changes", "expires: 9999-12-31"}},
		"an inflated baseline": {func(p *pullRequest) {
			p.run(0, "accept", "regressed", "--reason", "make it pass")
		}, []string{"regressed"}, []string{"✅ xlagate: passes with 3 changes that this branch accepts", "`train_step` is accepted: make it pass"}},
		"another baseline": {func(p *pullRequest) {
			p.run(0, "accept", "regressed", "--reason", "make it pass", "--baseline", "mine")
			write(p, "xlagate.yaml", modest+"baseline: mine\n")
		}, []string{"regressed"}, []string{"✅ xlagate: passes with 3 changes that this branch accepts", "\n+baseline: mine\n"}},
		"another target": {func(p *pullRequest) {
			write(p, "xlagate.yaml", strings.Replace(modest, "classifier/cpu", "other", 1))
			p.run(0, "accept", "regressed", "--reason", "make it pass")
		}, []string{"regressed"}, []string{loosened + "1 change", "the target was not checked"}},
		"--against itself": {func(*pullRequest) {}, []string{"regressed", "--against", "regressed"}, []string{loosened + "3 changes", "`--against regressed`"}},
		"--baseline": {func(p *pullRequest) {
			p.run(0, "accept", "regressed", "--reason", "make it pass", "--baseline", "mine")
		}, []string{"regressed", "--baseline", "mine"}, []string{loosened + "3 changes", "`--baseline mine`"}},
		"--allow-missing": {func(p *pullRequest) {
			files, err := filepath.Glob(filepath.Join(p.dir, "good", "*buffer-assignment.txt"))
			if err != nil || len(files) != 1 || os.Remove(files[0]) != nil {
				t.Fatal(files, err)
			}
		}, []string{"good", "--allow-missing", "buffer-assignment"}, []string{loosened, "`--allow-missing buffer-assignment`"}},
		"--fail-on": {func(*pullRequest) {}, []string{"regressed", "--fail-on", "never"}, []string{loosened + "3 changes", "`--fail-on never`"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPullRequest(t, "acme/models")
			p.git("checkout", "-q", "main")
			write(p, "xlagate.yaml", modest)
			p.base = p.commit("a modest policy")
			p.Pulls[7].BaseSHA = p.base
			p.git("checkout", "-q", "-B", "wider")
			p.run(1, "check", "regressed", "--quiet")
			c.change(p)
			p.push()
			p.run(0, append(append([]string{"check"}, c.args...), "--comment", "auto", "--quiet")...)
			p.says(0, append(c.says, "Policy changes in this pull request: ", "Judged by the base branch's rules and baseline")...)
		})
	}
}

func TestPostingIsNoVerdict(t *testing.T) {
	for name, change := range map[string]func(*pullRequest){
		"read-only":       func(p *pullRequest) { p.vars["GITHUB_TOKEN"] = "reader" },
		"no token":        func(p *pullRequest) { p.vars["GITHUB_TOKEN"] = "" },
		"wrong token":     func(p *pullRequest) { p.vars["GITHUB_TOKEN"] = "stolen" },
		"no event":        func(p *pullRequest) { p.vars["GITHUB_EVENT_PATH"] = "/nowhere" },
		"no server":       func(p *pullRequest) { p.vars["GITHUB_API_URL"] = "ftp:" },
		"summary is full": func(p *pullRequest) { p.vars["GITHUB_STEP_SUMMARY"] = "/nowhere/summary" },
	} {
		p := newPullRequest(t, "acme/models")
		p.push()
		change(p)
		_, said := p.run(1, "check", "regressed", "--comment", "auto", "--quiet")
		p.run(0, "check", "--comment", "auto", "--quiet")
		if created := strings.Contains(said, "created the comment"); created != (name == "summary is full") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// artifact packs a file as a run leaves it behind.
func (p *pullRequest) artifact(file string) []byte {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil {
		p.t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("xlagate-report.json")
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return b.Bytes()
}

// finished is a run of the gate that has ended and left its result.
func (p *pullRequest) finished(id int64, dump string, args ...string) {
	p.t.Helper()
	code := 1
	if dump == "good" {
		code = 0
	}
	p.vars["GITHUB_RUN_ID"] = strconv.FormatInt(id, 10)
	p.run(code, append([]string{"check", dump, "--quiet", "-f", "json", "-o", "xlagate-report.json"}, args...)...)
	repo := p.Pulls[7].HeadRepo
	p.Runs = append(p.Runs, &fakegithub.Run{ID: id, Attempt: 1, Number: int(id), Workflow: 3, Event: "pull_request", Status: "completed", HeadSHA: p.head, HeadRef: "wider", HeadRepo: repo})
	p.Artifacts = append(p.Artifacts, &fakegithub.Artifact{ID: id * 10, Run: id, Name: "xlagate-report", Data: p.artifact("xlagate-report.json")})
	if err := os.Remove(filepath.Join(p.dir, "xlagate-report.json")); err != nil {
		p.t.Fatal(err)
	}
}

func TestForkCommenter(t *testing.T) {
	p := newPullRequest(t, "mona/models")
	p.push()
	p.vars["GITHUB_TOKEN"] = "reader"
	_, said := p.run(1, "check", "regressed", "--comment", "auto", "--quiet")
	if len(p.Comments) > 0 || !strings.Contains(said, "::error ") || !strings.Contains(said, "the token may not do this (403)") {
		t.Errorf("the untrusted half: %s", said)
	}
	p.finished(50, "regressed")
	p.vars["GITHUB_TOKEN"], p.vars["GITHUB_EVENT_NAME"] = "job", "workflow_run"
	run := map[string]any{"id": 50, "run_attempt": 1, "workflow_id": 3, "event": "pull_request", "head_sha": p.head, "head_branch": "wider",
		"head_repository": map[string]any{"full_name": "mona/models", "owner": map[string]any{"login": "mona"}}}
	p.event(map[string]any{"workflow_run": run})
	p.run(0, "comment", "--workflow-run", "--check-run")
	p.says(0, "### ❌ xlagate: ", "reported by the pull request's own run")
	if len(p.Checks) != 1 || p.Checks[0].Head != p.head {
		t.Errorf("%+v", p.Checks)
	}
	p.Comments = nil
	nothing := func(why string) {
		t.Helper()
		p.event(map[string]any{"workflow_run": run})
		if _, said := p.run(0, "comment", "--workflow-run"); !strings.Contains(said, why) || len(p.Comments) > 0 {
			t.Errorf("%s, %d comments", said, len(p.Comments))
		}
	}
	newer := *p.Runs[0]
	newer.ID = 51
	p.Runs = append(p.Runs, &newer)
	nothing("is newer than 50")
	run["event"] = "push"
	nothing("nothing was written")
}

// The commands in the comment on a fork's pull request are those of the job that writes it: the run could say anything.
func TestForkSaysNoCommands(t *testing.T) {
	p := newPullRequest(t, "mona/models")
	p.put("mine.yaml", modest+"rules:\n  - {rule: max-kernels, max: 1000}\n")
	p.push()
	p.finished(50, "regressed", "-c", "mine.yaml")
	if said := p.unpacked(); !strings.Contains(string(said), `--reason \"why\" -c mine.yaml`) {
		t.Fatalf("the result names no commands: %s", said)
	}
	p.vars["GITHUB_EVENT_NAME"] = "workflow_run"
	p.event(map[string]any{"workflow_run": map[string]any{"id": 50, "run_attempt": 1, "workflow_id": 3, "event": "pull_request", "head_sha": p.head, "head_branch": "wider",
		"head_repository": map[string]any{"full_name": "mona/models", "owner": map[string]any{"login": "mona"}}}})
	p.run(0, "comment", "--workflow-run")
	p.says(0, "xlagate accept --only")
	if strings.Contains(p.Comments[0].Body, "-c mine.yaml") {
		t.Error(p.Comments[0].Body)
	}
}

func (p *pullRequest) asks(login, permission, body string) {
	p.Permissions[login] = permission
	p.vars["GITHUB_EVENT_NAME"] = "issue_comment"
	p.event(map[string]any{"action": "created", "issue": map[string]any{"number": 7, "pull_request": map[string]any{}},
		"comment": map[string]any{"id": 77, "body": body, "user": map[string]any{"login": login}, "created_at": "2026-06-01T12:00:00Z"}})
}

func TestAcceptOnPullRequest(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	p.finished(50, "regressed")
	head := p.head
	p.asks("mona", "write", "/xlagate accept all the callback is wanted")
	out, _ := p.run(0, "accept", "--from-event")
	tip := p.Branches["wider"]
	if tip == head || !strings.Contains(out, tip) {
		t.Fatalf("nothing was committed: %s", out)
	}
	c := p.Commits[tip]
	if len(c.Parents) != 1 || c.Parents[0] != head || !strings.Contains(c.Message, "Xlagate-Accepted: all\nXlagate-Accepted-By: mona\n") {
		t.Errorf("%+v", c)
	}
	p.run(0, "accept", "regressed", "--reason", "the callback is wanted")
	local, err := os.ReadFile(filepath.Join(p.dir, ".xlagate/classifier/cpu/train_step.jsonl"))
	if err != nil || p.Files(tip)[".xlagate/classifier/cpu/train_step.jsonl"] != string(local) {
		t.Errorf("%v: the committed baseline is not what accepting the dump writes", err)
	}
	if len(p.Reactions) != 1 || p.Reactions[0] != "77 +1" || !strings.Contains(p.Comments[0].Body, "Accepted from run 50 in "+tip) {
		t.Errorf("%v %+v", p.Reactions, p.Comments)
	}
}

// TestAcceptWithTwoGates starts the accept workflows of both gates by one comment. The one whose result has the id acts, the other says and does nothing.
func TestAcceptWithTwoGates(t *testing.T) {
	const first, second = "first", "second"
	for name, c := range map[string]struct {
		body  func(ids map[string]string) string
		dumps [2]string // of the first gate and the second
		acts  string
		says  string // the answer of both
	}{
		"an id of the first":         {func(ids map[string]string) string { return ids[first] + " wanted" }, [2]string{"regressed", "regressed"}, first, ""},
		"an id of the second":        {func(ids map[string]string) string { return ids[second] + " wanted" }, [2]string{"regressed", "regressed"}, second, ""},
		"all, and the second failed": {func(map[string]string) string { return "all wanted" }, [2]string{"good", "regressed"}, second, ""},
		"all, and both failed": {func(map[string]string) string { return "all wanted" }, [2]string{"regressed", "regressed"}, "",
			"2 gates found something; name the changes: of default: /xlagate accept FIRST REASON; of serving: /xlagate accept SECOND REASON"},
		"all, and none failed": {func(map[string]string) string { return "all wanted" }, [2]string{"good", "good"}, "", "none of the gates default, serving found anything"},
		"an id of neither":     {func(map[string]string) string { return "ffffffffffff wanted" }, [2]string{"regressed", "regressed"}, "", "no change or finding of the gates default, serving is called ffffffffffff"},
		"nothing":              {func(map[string]string) string { return "" }, [2]string{"regressed", "regressed"}, "", "2 gates found something"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPullRequest(t, "acme/models")
			text, err := os.ReadFile(filepath.Join(p.dir, "xlagate.yaml"))
			if err == nil {
				err = os.WriteFile(filepath.Join(p.dir, "serving.yaml"), []byte(strings.Replace(string(text), "classifier/cpu", "serving/cpu", 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			p.run(0, "accept", "-c", "serving.yaml", "--reason", "start")
			p.push()
			open := map[string]string{}
			p.finished(50, c.dumps[0])
			open[first] = p.openIDs()
			p.finished(60, c.dumps[1], "-c", "serving.yaml", "--key", "serving")
			p.Runs[1].Workflow = 4
			open[second] = p.openIDs()
			p.asks("mona", "write", "/xlagate accept "+c.body(open))
			for gate, args := range map[string][]string{first: nil, second: {"--key", "serving", "--config", "serving.yaml"}} {
				code := 0
				if c.says != "" {
					code = 2
				}
				head, comments := p.Branches["wider"], len(p.Comments)
				_, said := p.run(code, append([]string{"accept", "--from-event"}, args...)...)
				if acted := p.Branches["wider"] != head; acted != (gate == c.acts) {
					t.Errorf("%s: acted %v: %s", gate, acted, said)
				}
				answered := len(p.Comments) > comments
				if answered != (c.says != "" || gate == c.acts) || (len(p.Reactions) > 0) != (answered || len(p.Comments) > 0) {
					t.Errorf("%s: answered %v, %v", gate, answered, p.Reactions)
				}
				if says := strings.NewReplacer("FIRST", open[first], "SECOND", open[second]).Replace(c.says); c.says != "" && !strings.Contains(p.Comments[comments].Body, says) {
					t.Errorf("%s: %s, wanted %s", gate, p.Comments[comments].Body, says)
				}
			}
		})
	}
}

// What is committed is what the result shows and was judged by: one that says something else beside it is refused.
func TestAcceptRefusesAnEditedResult(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	p.finished(50, "regressed")
	honest := p.unpacked()
	program := func(r map[string]any) map[string]any {
		return r["targets"].([]any)[0].(map[string]any)["programs"].([]any)[0].(map[string]any)
	}
	for name, change := range map[string]func(map[string]any){
		"half of the text": func(p map[string]any) {
			text := p["accept"].(string)
			p["accept"] = strings.Replace(text, `{"end":"facts"}`, `{"fact":{"kernels.total":99999}}`+"\n"+`{"end":"facts"}`, 1)
		},
		"the text": func(p map[string]any) {
			b, err := baseline.Parse("train_step", []byte(p["accept"].(string)))
			if err != nil {
				t.Fatal(err)
			}
			b.Variants[0].Facts["kernels.total"] = 99999
			p["accept"] = string(baseline.Format(b, nil, ""))
		},
		"the facts": func(p map[string]any) {
			p["variants"].([]any)[0].(map[string]any)["facts"].(map[string]any)["kernels.total"] = 3
		},
		"the signature":    func(p map[string]any) { p["variants"].([]any)[0].(map[string]any)["signature"] = "(x: f32[1])" },
		"the name":         func(p map[string]any) { p["name"] = "eval_step" },
		"a variant is cut": func(p map[string]any) { p["variants"] = p["variants"].([]any)[1:] },
	} {
		p.repack(honest, func(r map[string]any) { change(program(r)) })
		p.asks("mona", "write", "/xlagate accept all because")
		if _, said := p.run(3, "accept", "--from-event"); p.Branches["wider"] != p.head || !strings.Contains(said, "contradicts itself; it was edited") && !strings.Contains(said, " by classifier/cpu/train_step") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// An id accepts what it is the id of: a result in which another finding has it is refused.
func TestAcceptRefusesABorrowedID(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	p.finished(50, "regressed")
	id := p.findingOf("no-recompilation")
	p.repack(p.unpacked(), func(r map[string]any) {
		for _, f := range r["findings"].([]any) {
			if f := f.(map[string]any); f["id"] == id {
				f["rule"] = "baseline-present"
			}
		}
	})
	p.asks("mona", "write", "/xlagate accept "+id+" both sizes are wanted")
	if _, said := p.run(3, "accept", "--from-event"); p.Branches["wider"] != p.head || !strings.Contains(said, id+" is the id of no-recompilation in train_step, not of baseline-present in train_step") {
		t.Error(said)
	}
}

// The number that is written into the configuration, or up to which a change is allowed, is that of the facts, whatever a finding says beside them.
func TestAcceptTakesNumbersFromTheFacts(t *testing.T) {
	for name, said := range map[string]map[string]any{"another number": {"needs": 99_999}, "another entry": {"place": "xlagate.yaml:1:1"}, "another setting": {"key": "max"}} {
		for _, all := range []bool{false, true} {
			p := newPullRequest(t, "acme/models")
			p.push()
			p.finished(50, "regressed")
			id := p.findingOf("no-recompilation")
			p.repack(p.unpacked(), func(r map[string]any) {
				for _, f := range r["findings"].([]any) {
					if f := f.(map[string]any); f["id"] == id {
						maps.Copy(f["bound"].(map[string]any), said)
						f["actual"] = 99_999
					}
				}
			})
			asked := map[bool]string{false: id, true: "all"}[all]
			p.asks("mona", "write", "/xlagate accept "+asked+" both sizes are wanted")
			p.run(0, "accept", "--from-event")
			files := p.Files(p.Branches["wider"])
			allowed := strings.Contains(files[".xlagate/classifier/cpu/train_step.jsonl"], `"limit":"no-recompilation variants","amount":2}`)
			if raised := strings.Contains(files["xlagate.yaml"], "max_variants: 2"); allowed == all || raised != all {
				t.Errorf("%s, %s: allowed %v, raised %v", name, asked, allowed, raised)
			}
		}
	}
}

// A number that a finding breaks is raised on the branch; where it stands for two entries, the answer says that it was left.
func TestAcceptOnPullRequestRaisesNumbers(t *testing.T) {
	const once, raised = "max_variants: 1", "max_variants: 2"
	for name, c := range map[string]struct {
		written string // in the place of once
		raised  bool
	}{
		"of one entry":   {once, true},
		"of two entries": {"<<: &once { " + once + " }\n  - { <<: *once, rule: no-recompilation, program: \"train*\" }", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPullRequest(t, "acme/models")
			p.edit("xlagate.yaml", once, c.written)
			p.push()
			p.finished(50, "regressed")
			p.asks("mona", "write", "/xlagate accept all both sizes are wanted")
			out, _ := p.run(0, "accept", "--from-event")
			tip := p.Branches["wider"]
			config, message := p.Files(tip)["xlagate.yaml"], p.Commits[tip].Message
			if strings.Contains(config, raised) != c.raised || !strings.Contains(message, " of the configuration, ") {
				t.Errorf("%s\n%s", message, config)
			}
			left := "max_variants of no-recompilation is 1, 2 is enough; an alias or a merge key shares it with another entry"
			if strings.Contains(p.Comments[0].Body, left) == c.raised || strings.Contains(out, "narrow ") == c.raised {
				t.Errorf("%s\n%s", out, p.Comments[0].Body)
			}
		})
	}
}

// A comment that was only edited, and one on an issue, ask for nothing.
func TestAcceptAsksForANewCommentOnAPullRequest(t *testing.T) {
	for name, event := range map[string]map[string]any{
		"edited":          {"action": "edited", "issue": map[string]any{"number": 7, "pull_request": map[string]any{}}},
		"an issue":        {"action": "created", "issue": map[string]any{"number": 7}},
		"a review's line": {"action": "created", "issue": map[string]any{"number": 7, "pull_request": map[string]any{}}},
	} {
		p := newPullRequest(t, "acme/models")
		p.push()
		p.finished(50, "regressed")
		head := p.head
		p.asks("mona", "write", "")
		event["comment"] = map[string]any{"id": 77, "body": "/xlagate accept all because", "user": map[string]any{"login": "mona"}}
		p.event(event)
		if name == "a review's line" {
			p.vars["GITHUB_EVENT_NAME"] = "pull_request_review_comment"
		}
		if _, said := p.run(0, "accept", "--from-event"); !strings.Contains(said, "the event is not a new comment on a pull request") || p.Branches["wider"] != head || len(p.Comments) > 0 {
			t.Errorf("%s: %q, %v", name, said, p.Comments)
		}
	}
}

// A result of an earlier commit is not accepted for a later one.
func TestAcceptWaitsForTheRun(t *testing.T) {
	p := newPullRequest(t, "acme/models")
	p.push()
	p.finished(50, "regressed")
	p.put("train.py", "another model")
	p.push()
	p.asks("mona", "write", "/xlagate accept all because")
	if _, said := p.run(3, "accept", "--from-event"); !strings.Contains(said, "look at what its new run says") || p.Branches["wider"] != p.head {
		t.Error(said)
	}
}

func TestAcceptIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		login, permission, body string
		repo                    string
		code                    int
		answered                bool
	}{
		"a reader":         {"eve", "read", "/xlagate accept all because", "", 3, false},
		"nobody":           {"eve", "", "/xlagate accept all because", "", 3, false},
		"not at the start": {"mona", "write", "do not /xlagate accept all because", "", 0, false},
		"quoted":           {"mona", "write", "> /xlagate accept all because", "", 0, false},
		"on a later line":  {"mona", "write", "hello\n/xlagate accept all because", "", 0, false},
		"no reason":        {"mona", "write", "/xlagate accept all", "", 3, true},
		"no id":            {"mona", "write", "/xlagate accept the lot", "", 3, true},
		"no such id":       {"mona", "admin", "/xlagate accept ffffffffffff because", "", 2, true},
		"from a fork":      {"mona", "write", "/xlagate accept all because", "eve/models", 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			repo := c.repo
			if repo == "" {
				repo = "acme/models"
			}
			p := newPullRequest(t, repo)
			p.push()
			p.finished(50, "regressed")
			head := p.head
			p.asks(c.login, c.permission, c.body)
			p.run(c.code, "accept", "--from-event")
			if p.Branches["wider"] != head {
				t.Error("something was committed")
			}
			if answered := len(p.Comments) > 0; answered != c.answered {
				t.Errorf("answered: %t %v", answered, p.Reactions)
			}
		})
	}
}

// What cannot be accepted on the branch is refused with a reason.
func TestAcceptOnBranchRefuses(t *testing.T) {
	baseline := func(place string) string {
		return strings.Replace(modest, "extends", "baseline: "+place+"\nextends", 1)
	}
	p := newPullRequest(t, "acme/models")
	p.push()
	p.finished(50, "regressed")
	for name, c := range map[string]struct {
		code         int
		config, says string
	}{
		"no configuration": {3, "", "fetch the pull request's baseline: xlagate.yaml at "},
		"wrong":            {2, "version: 1\nnonsense: 2\n", "xlagate.yaml:2:1: "},
		"of a revision":    {3, baseline("git:main:.xlagate"), "the baseline git:main:.xlagate does not lie on the pull request's branch"},
		"outside":          {3, baseline("../base"), "the baseline ../base does not lie in the repository"},
	} {
		files := p.Trees[p.Commits[p.head].Tree]
		if files["xlagate.yaml"] = c.config; c.config == "" {
			delete(files, "xlagate.yaml")
		}
		p.asks("mona", "write", "/xlagate accept all because")
		if _, said := p.run(c.code, "accept", "--from-event"); !strings.Contains(said, c.says) || p.Branches["wider"] != p.head {
			t.Errorf("%s: %s", name, said)
		}
	}
}

const worst = "`|a|` [click](https://evil.example) ![x](http://evil.example/x.png) <img src=x onerror=alert(1)> @octocat acme/models#12 #123 \x1b[31mred\x1b[0m \u202egnp.exe ::error::x\n# heading\n<!-- xlagate:v1 key=default -->"

// TestHostileAnswer answers a request to accept a result with the worst words in many limits: GitHub takes the answer, and shows words.
func TestHostileAnswer(t *testing.T) {
	done := &gate.Accepted{}
	for range 1000 {
		done.Unsettled = append(done.Unsettled, gate.Unsettled{Place: "xlagate.yaml:3:5", Rule: "max-kernels", Message: strings.Repeat(worst, 100)})
	}
	shown := remaining(done)
	if len(shown) > 60_000 || strings.ContainsAny(shown, "\x1b\u202e") || !strings.Contains(shown, "\n- and 980 more") {
		t.Errorf("%d characters: %.300q", len(shown), shown)
	}
	onlyWords(t, shown)
	onlyWords(t, oneLine("one ` ends the quote: ![x](http://evil.example/x.png) <b>"))
}

// TestHostileArtifact lets a fork's run report the worst that it can: its words are shown as words, and what is no result is not shown.
func TestHostileArtifact(t *testing.T) {
	p := newPullRequest(t, "mona/models")
	p.push()
	p.finished(50, "regressed")
	p.vars["GITHUB_EVENT_NAME"] = "workflow_run"
	p.event(map[string]any{"workflow_run": map[string]any{"id": 50, "run_attempt": 1, "workflow_id": 3, "event": "pull_request", "head_sha": p.head, "head_branch": "wider",
		"head_repository": map[string]any{"full_name": "mona/models", "owner": map[string]any{"login": "mona"}}}})
	honest := p.unpacked()
	for name, change := range map[string]func(map[string]any){
		"an unknown field": func(r map[string]any) { r["html"] = worst },
		"a path":           func(r map[string]any) { r["targets"].([]any)[0].(map[string]any)["name"] = "../../.github" },
		"another schema":   func(r map[string]any) { r["schema"] = worst },
	} {
		p.repack(honest, change)
		p.run(3, "comment", "--workflow-run")
		if len(p.Comments) > 0 {
			t.Errorf("%s: a comment was written", name)
		}
	}
	p.repack(honest, func(r map[string]any) {
		for list, keys := range map[string][]string{"findings": {"message", "rule", "program", "subject", "reason", "name"}, "changes": {"title", "program", "op_name"}} {
			for _, entry := range r[list].([]any) {
				for _, key := range keys {
					entry.(map[string]any)[key] = worst
				}
			}
		}
		r["verdict"], r["exit_code"] = "pass", 0
	})
	p.run(0, "comment", "--workflow-run", "--check-run")
	p.says(0, "Judged by the base branch's rules and baseline", "reported by the pull request's own run")
	for _, posted := range []string{p.Comments[0].Body, p.Checks[0].Summary} {
		_, shown, _ := strings.Cut("\n"+posted, "\n### ") // the marker stands before
		if strings.ContainsAny(shown, "\x1b\u202e") {
			t.Error("characters that hide or reorder others came through")
		}
		onlyWords(t, shown)
	}
}

// onlyWords reads Markdown as GitHub does: no images, no link but that to the run, no HTML but folds, no second heading.
func onlyWords(t *testing.T, markdown string) {
	t.Helper()
	source := []byte("### " + markdown)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	links, headings := 0, 0
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image, *ast.AutoLink, *ast.RawHTML:
			t.Errorf("a %s came through", n.Kind())
		case *ast.Link:
			links++
		case *ast.Heading:
			if n.Level < 3 {
				headings++
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				if html := string(line.Value(source)); !strings.HasPrefix(html, "<details><summary>") && !strings.HasPrefix(html, "</details>") {
					t.Errorf("HTML came through: %s", html)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil || links > 1 || headings > 0 {
		t.Errorf("%v: %d links, %d headings", err, links, headings)
	}
}

// unpacked is the result in the last artifact.
func (p *pullRequest) unpacked() []byte {
	p.t.Helper()
	data := p.Artifacts[len(p.Artifacts)-1].Data
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := fs.ReadFile(z, "xlagate-report.json")
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// findingOf is the id of a rule's first finding in the last artifact.
func (p *pullRequest) findingOf(rule string) string {
	p.t.Helper()
	r, err := result.Read(p.unpacked())
	if err != nil {
		p.t.Fatal(err)
	}
	at := slices.IndexFunc(r.Findings, func(f result.Finding) bool { return f.Rule == rule })
	if at < 0 {
		p.t.Fatalf("no finding of %s", rule)
	}
	return r.Findings[at].ID
}

// openIDs are the ids of the changes of the last artifact that wait for a decision.
func (p *pullRequest) openIDs() string {
	p.t.Helper()
	r, err := result.Read(p.unpacked())
	if err != nil {
		p.t.Fatal(err)
	}
	var ids []string
	for _, c := range r.Open() {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, ",")
}

// repack puts a changed result into the last artifact.
func (p *pullRequest) repack(honest []byte, change func(map[string]any)) {
	p.t.Helper()
	var r map[string]any
	if err := json.Unmarshal(honest, &r); err != nil {
		p.t.Fatal(err)
	}
	change(r)
	data, err := json.Marshal(r)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "hostile.json"), data, 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.Artifacts[len(p.Artifacts)-1].Data = p.artifact("hostile.json")
}
