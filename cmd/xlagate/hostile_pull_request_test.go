package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/result"
)

// put writes a file of the checkout.
func (p *pullRequest) put(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

// link replaces a file of the checkout by a link.
func (p *pullRequest) link(to, name string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.RemoveAll(file), os.Symlink(to, file)); err != nil {
		p.t.Fatal(err)
	}
}

// move renames a file or a folder of the checkout.
func (p *pullRequest) move(from, to string) {
	p.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Join(p.dir, filepath.Dir(to)), 0o755), os.Rename(filepath.Join(p.dir, from), filepath.Join(p.dir, to))); err != nil {
		p.t.Fatal(err)
	}
}

// rename copies the modules of a dump to another, as those of another program.
func (p *pullRequest) rename(from, to, program string) {
	p.t.Helper()
	modules, err := filepath.Glob(filepath.Join(p.dir, from, "module_*"))
	if err != nil || len(modules) == 0 {
		p.t.Fatal(modules, err)
	}
	for _, file := range modules {
		data, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		name := strings.NewReplacer("train_step", program, "module_000", "module_007").Replace(filepath.Base(file))
		p.put(filepath.Join(to, name), strings.ReplaceAll(string(data), "train_step", program))
	}
}

// against makes the files of the checkout the base branch, and the pull request start from there.
func (p *pullRequest) against(message string) {
	p.base = p.commit(message)
	p.Pulls[7].BaseSHA, p.Branches["main"] = p.base, p.base
	p.git("checkout", "-q", "-B", "wider")
}

// modestly is a pull request to a base branch with the modest policy.
func modestly(t *testing.T, headRepo, policy string) *pullRequest {
	p := newPullRequest(t, headRepo)
	p.git("checkout", "-q", "main")
	p.put("xlagate.yaml", policy)
	p.against("a modest policy")
	return p
}

// careless is the modest policy without its pack.
var careless = strings.Replace(modest, "extends: [recommended]\n", "", 1) + "rules:\n  - {rule: max-kernels, max: 100}\n"

const loosened3 = "passes only by rules that this branch loosens: 3 changes"

// Nothing that a pull request puts into its tree keeps the base branch from judging the same facts, or hides what that says.
func TestHostilePullRequest(t *testing.T) {
	outside := t.TempDir()
	for name, c := range map[string]struct {
		policy     string // of the base branch
		change     func(*pullRequest)
		check      string // its arguments
		code       int
		conclusion string
		title      string
	}{
		"no pack":                         {modest, func(*pullRequest) {}, "regressed", 0, "action_required", loosened3},
		"garbage of no target":            {modest, func(p *pullRequest) { p.put(".xlagate/zzz/a.jsonl", "nonsense: [") }, "regressed", 0, "action_required", loosened3},
		"1001 files of no target":         {modest, func(p *pullRequest) { p.many(".xlagate/zzz") }, "regressed", 0, "action_required", loosened3},
		"a baseline that never ends":      {modest, func(p *pullRequest) { p.link("/dev/zero", ".xlagate/zzz/a.jsonl") }, "regressed", 0, "action_required", loosened3},
		"a baseline that is a loop":       {modest, func(p *pullRequest) { p.link("..", ".xlagate/zzz") }, "regressed", 0, "action_required", loosened3},
		"garbage of the target":           {modest, func(p *pullRequest) { p.put(".xlagate/classifier/cpu/zzz.jsonl", "x") }, "regressed", 3, "failure", "could not check"},
		"the rule file is a link":         {modest, func(p *pullRequest) { p.put("conf/x.yaml", careless); p.link("conf/x.yaml", "xlagate.yaml") }, "regressed", 0, "action_required", loosened3},
		"the rule file is elsewhere":      {modest, func(p *pullRequest) { p.link(filepath.Join(outside, "x.yaml"), "xlagate.yaml") }, "regressed", 0, "action_required", loosened3},
		"a rule file of nowhere":          {modest, func(*pullRequest) {}, "regressed -c " + filepath.Join(outside, "x.yaml"), 3, "failure", "could not check"},
		"the baseline is a link":          {modest, func(p *pullRequest) { p.move(".xlagate", "mine"); p.link("mine", ".xlagate") }, "regressed", 0, "action_required", loosened3},
		"the workspace is behind a link":  {modest, func(p *pullRequest) { p.behindLink() }, "regressed", 0, "action_required", loosened3},
		"a program is excluded":           {modest, leaveOut("exclude: [train_step_v2]"), "good", 0, "action_required", "passes only by rules that this branch loosens: 1 change"},
		"a program is not included":       {modest, leaveOut("include: [train_step]"), "good", 0, "action_required", "passes only by rules that this branch loosens: 1 change"},
		"the base branch lets it decide":  {modest + "policy: own\n", func(*pullRequest) {}, "regressed", 0, "success", loosened3},
		"only the pull request says so":   {modest, func(p *pullRequest) { p.put("xlagate.yaml", careless+"policy: own\n") }, "regressed", 0, "action_required", loosened3},
		"the toolchain is said to be new": {careless, claimToolchain, "regressed", 1, "failure", "3 errors"},
	} {
		t.Run(name, func(t *testing.T) {
			p := modestly(t, "acme/models", c.policy)
			p.put("xlagate.yaml", careless)
			if err := os.WriteFile(filepath.Join(outside, "x.yaml"), []byte(careless), 0o600); err != nil {
				t.Fatal(err)
			}
			c.change(p)
			p.push()
			p.run(c.code, append([]string{"check", "--comment", "auto", "--check-run", "--quiet"}, strings.Fields(c.check)...)...)
			p.says(0, "xlagate")
			p.concludes(c.conclusion, c.title)
		})
	}
}

// The pull request that brings the first rule file has nothing that it could loosen: its own rules decide, and its comment says so. Where the base branch has a
// gate that is moved or removed, somebody has to look.
func TestFirstRuleFile(t *testing.T) {
	for name, c := range map[string]struct {
		base, head string // the rule files of the two branches
		dump       string
		code       int
		conclusion string
		title      string
	}{
		"the first":                    {"", "xlagate.yaml", "good", 0, "success", "passes by its own rules: main has none yet"},
		"the first, and it fails":      {"", "xlagate.yaml", "regressed", 1, "failure", "3 errors"},
		"moved from a folder":          {"ci/xlagate.yaml", "xlagate.yaml", "good", 0, "action_required", "passes by rules that main does not have"},
		"moved, with a name of its":    {"ci/gate.yaml", "gate.yaml", "good", 0, "action_required", "passes by rules that main does not have"},
		"only the baseline is there":   {".xlagate/classifier/cpu/train_step.jsonl", "xlagate.yaml", "good", 0, "action_required", "passes by rules that main does not have"},
		"a file that is named alike":   {"docs/my-xlagate.yaml", "xlagate.yaml", "good", 0, "success", "passes by its own rules: main has none yet"},
		"a folder that is named alike": {"xlagate/.xlagate", "xlagate.yaml", "good", 0, "success", "passes by its own rules: main has none yet"},
	} {
		for _, remote := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/remote=%v", name, remote), func(t *testing.T) {
				p := newPullRequest(t, "acme/models")
				p.git("checkout", "-q", "main")
				accepted := "../" + filepath.Base(p.dir) + ".accepted"
				p.move(".xlagate", accepted)
				p.git("rm", "-q", "xlagate.yaml")
				if c.base != "" {
					p.put(c.base, modest)
				}
				p.against("before")
				if c.base != "" {
					p.git("rm", "-q", c.base)
				}
				p.move(accepted, ".xlagate")
				p.put(c.head, modest)
				p.push()
				check := []string{"check", c.dump, "-c", c.head, "--quiet", "-f", "json", "-o", "result.json"}
				if remote {
					p.run(c.code, append(check, "--comment", "off")...)
					p.run(0, "comment", "result.json", "--check-run")
				} else {
					p.run(c.code, append(check, "--comment", "auto", "--check-run")...)
				}
				p.concludes(c.conclusion, c.title)
			})
		}
	}
}

// The run of a fork cannot be judged where the base branch has no rule file: it may have been judged by any.
func TestFirstRuleFileOfAFork(t *testing.T) {
	p := newPullRequest(t, "mona/models")
	p.git("checkout", "-q", "main")
	p.git("rm", "-q", "-r", "xlagate.yaml", ".xlagate")
	p.against("before")
	p.put("xlagate.yaml", modest)
	p.push()
	p.reports("good")
	p.run(3, "comment", "--workflow-run", "--check-run")
	p.concludes("failure", "could not check")
}

// many writes more files than are listed of a folder.
func (p *pullRequest) many(folder string) {
	for i := range 1001 {
		p.put(folder+"/"+strconv.Itoa(i)+".txt", "x")
	}
}

// behindLink has the job name its workspace by a link.
func (p *pullRequest) behindLink() {
	link := filepath.Join(p.t.TempDir(), "workspace")
	if err := os.Symlink(p.dir, link); err != nil {
		p.t.Fatal(err)
	}
	p.vars["GITHUB_WORKSPACE"] = link
}

// leaveOut adds a program that the base branch would check, and has the rule file leave it out.
func leaveOut(programs string) func(*pullRequest) {
	return func(p *pullRequest) {
		p.put("xlagate.yaml", strings.Replace(modest, "dump: good", "dump: good, programs: {"+programs+"}", 1))
		p.rename("regressed", "good", "train_step_v2")
	}
}

// claimToolchain says that another framework made the dump: then growth is reported, and does not fail.
func claimToolchain(p *pullRequest) {
	p.put("xlagate.yaml", modest)
	p.put("regressed/xlagate-toolchain.json", `{"schema":"xlagate.toolchain/v1","status":"done","framework":"tensorflow","versions":{"jax":"0.10.2"},"backend":"tpu"}`)
}

// concludes holds the only check run to how it ends. What could not be checked is never a success, and a dispute never all clear.
func (p *pullRequest) concludes(conclusion, title string) {
	p.t.Helper()
	if len(p.Checks) != 1 || len(p.Comments) != 1 {
		p.t.Fatalf("%d checks and %d comments", len(p.Checks), len(p.Comments))
	}
	if k := p.Checks[0]; k.Conclusion != conclusion || k.Title != title {
		p.t.Errorf("the check run ends with %s, %q; wanted %s, %q", k.Conclusion, k.Title, conclusion, title)
	}
	if body := p.Comments[0].Body; strings.Contains(body, "all clear") {
		p.t.Errorf("the comment is a clean one:\n%s", body)
	}
}

// reports leaves the artifact of a fork's run, which was judged by rules and a baseline of its own choice, and starts the job that comments.
func (p *pullRequest) reports(dump string) {
	p.t.Helper()
	rules := filepath.Join(p.t.TempDir(), "loose.yaml")
	if err := os.WriteFile(rules, []byte(careless), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.vars["GITHUB_RUN_ID"] = "50"
	p.run(0, "check", dump, "-c", rules, "--baseline", filepath.Join(p.dir, "nowhere"), "--quiet", "-f", "json", "-o", "xlagate-report.json")
	p.Runs = append(p.Runs, &fakegithub.Run{ID: 50, Attempt: 1, Number: 50, Workflow: 3, Event: "pull_request", Status: "completed", HeadSHA: p.head, HeadRef: "wider", HeadRepo: "mona/models"})
	p.Artifacts = append(p.Artifacts, &fakegithub.Artifact{ID: 500, Run: 50, Name: "xlagate-report", Data: p.artifact("xlagate-report.json")})
	p.vars["GITHUB_EVENT_NAME"] = "workflow_run"
	p.event(map[string]any{"workflow_run": map[string]any{"id": 50, "run_attempt": 1, "workflow_id": 3, "event": "pull_request", "head_sha": p.head, "head_branch": "wider",
		"head_repository": map[string]any{"full_name": "mona/models", "owner": map[string]any{"login": "mona"}}}})
}

// The run of a fork may report anything. The job that comments judges its facts, and says so where it cannot.
func TestHostileFork(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(*pullRequest)
		args       []string
		code       int
		conclusion string
		title      string
	}{
		"loose rules of the run":     {func(*pullRequest) {}, nil, 0, "action_required", loosened3},
		"loose rules in the branch":  {func(p *pullRequest) { p.put("xlagate.yaml", careless) }, nil, 0, "action_required", loosened3},
		"the rule file is a link":    {func(p *pullRequest) { p.put("zz.yaml", careless); p.link("zz.yaml", "xlagate.yaml") }, nil, 0, "action_required", loosened3},
		"the rule file is not YAML":  {func(p *pullRequest) { p.put("xlagate.yaml", "version: 1\nextnds: [x]\n") }, nil, 3, "failure", "could not check"},
		"there is no rule file":      {func(p *pullRequest) { p.move("xlagate.yaml", "gone.yaml") }, nil, 3, "failure", "could not check"},
		"garbage in the baseline":    {func(p *pullRequest) { p.put(".xlagate/classifier/cpu/zzz.jsonl", "x") }, nil, 3, "failure", "could not check"},
		"1001 files in the baseline": {func(p *pullRequest) { p.many(".xlagate/classifier/cpu") }, nil, 3, "failure", "could not check"},
		"the baseline is nowhere": {func(p *pullRequest) {
			p.put("xlagate.yaml", strings.Replace(careless, "version: 1\n", "version: 1\nbaseline: git:"+strings.Repeat("0", 40)+":.xlagate\n", 1))
		}, nil, 0, "action_required", "passes only by rules that this branch loosens: 4 changes"},
		"nobody has the rule file": {func(*pullRequest) {}, []string{"--config", "xlagate.yaml", "--config", "mlp/other.yaml"}, 3, "failure", "could not check"},
	} {
		t.Run(name, func(t *testing.T) {
			p := modestly(t, "mona/models", modest)
			c.change(p)
			p.push()
			p.reports("regressed")
			p.run(c.code, append([]string{"comment", "--workflow-run", "--check-run"}, c.args...)...)
			p.concludes(c.conclusion, c.title)
			if c.code != 0 && strings.Contains(p.Comments[0].Body, "the accepted facts are removed") {
				t.Errorf("what could not be read is said to be removed:\n%s", p.Comments[0].Body)
			}
		})
	}
}

// A forged result makes the job that may write ask GitHub no more than a real one.
func TestForgedResult(t *testing.T) {
	p := modestly(t, "mona/models", modest)
	p.push()
	p.reports("regressed")
	data, err := os.ReadFile(filepath.Join(p.dir, "xlagate-report.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := result.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		target := result.Target{Name: fmt.Sprintf("t%d", i), RuleFile: r.Targets[0].RuleFile}
		r.Targets = append(r.Targets, target)
	}
	if data, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	p.put("xlagate-report.json", string(data))
	p.Artifacts[len(p.Artifacts)-1].Data = p.artifact("xlagate-report.json")
	asked := len(p.Requests)
	p.run(3, "comment", "--workflow-run", "--check-run")
	p.concludes("failure", "could not check")
	p.says(0, "the result has 2001 targets; at most 200 are judged here")
	if n := len(p.Requests) - asked; n > 20 {
		t.Errorf("%d requests for a forged result", n)
	}
}

// A result may name rule files, whose folders are looked through.
func TestRuleFilesAreBounded(t *testing.T) {
	for what, list := range map[string][]string{"51 rule files": make([]string, mostRuleFiles+1), "33 folders": {strings.Repeat("a/", mostFolders+1) + "xlagate.yaml"}, "": {"a/xlagate.yaml"}} {
		err := new(post).tooMuch(&result.Result{}, list)
		if what == "" && err != nil || what != "" && (err == nil || !strings.Contains(err.Error(), what)) {
			t.Errorf("%q: %v", what, err)
		}
	}
}

// The job that joins a matrix judges by the rule files that the results name.
func TestHostileMatrix(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(*pullRequest)
		file       string
		conclusion string
		title      string
	}{
		"honest":     {func(*pullRequest) {}, "mlp/cpu/xlagate.yaml", "failure", "3 errors"},
		"loosened":   {func(p *pullRequest) { p.put("mlp/cpu/xlagate.yaml", careless) }, "mlp/cpu/xlagate.yaml", "action_required", loosened3},
		"moved away": {func(p *pullRequest) { p.move("mlp/cpu", "mlp/other"); p.put("mlp/other/xlagate.yaml", careless) }, "mlp/other/xlagate.yaml", "action_required", "passes by rules that main does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPullRequest(t, "acme/models")
			p.git("checkout", "-q", "main")
			for _, folder := range []string{".xlagate", "good", "regressed"} {
				p.move(folder, "mlp/cpu/"+folder)
			}
			p.move("xlagate.yaml", "mlp/cpu/xlagate.yaml")
			p.put("mlp/cpu/xlagate.yaml", modest)
			p.against("a matrix")
			c.change(p)
			p.push()
			p.run(0, "check", filepath.Dir(c.file)+"/regressed", "-c", c.file, "--comment", "off", "--fail-on", "never", "--quiet", "-f", "json", "-o", "part.json")
			code := 0
			if c.conclusion == "failure" {
				code = 1
			}
			p.run(code, "merge", "part.json", "--key", "matrix", "--fail-on", "error", "--quiet", "-f", "json", "-o", "xlagate-report.json")
			p.run(0, "comment", "xlagate-report.json", "--key", "matrix", "--check-run")
			p.concludes(c.conclusion, c.title)
		})
	}
}

// A result says in every format what the base branch says of it.
func TestPolicyInEveryFormat(t *testing.T) {
	p := modestly(t, "acme/models", modest)
	p.put("xlagate.yaml", careless)
	p.push()
	out, _ := p.run(0, "check", "regressed", "--comment", "auto", "-f", "text", "-f", "json", "-o", "result.json", "-f", "markdown", "-o", "result.md")
	for _, want := range []string{"judged by main@", loosened3, "\n    -extends: [recommended]\n", "loosened"} {
		if !strings.Contains(out, want) {
			t.Errorf("the text does not say %q:\n%s", want, out)
		}
	}
	data, err := os.ReadFile(filepath.Join(p.dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := result.Read(data)
	if err != nil || r.Policy == nil || r.Policy.LoosenedChanges != 3 || len(r.Policy.Files) != 1 || !strings.Contains(r.Policy.Files[0].Diff, "\n-extends: [recommended]\n") {
		t.Errorf("%v %+v", err, r.Policy)
	}
	summary, err := os.ReadFile(filepath.Join(p.dir, "result.md"))
	if err != nil || !strings.Contains(string(summary), loosened3) {
		t.Errorf("%v\n%s", err, summary)
	}
}
