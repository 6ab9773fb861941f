//go:build unix

package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const ciExamples = "../../examples/ci/"

// ciJob is a checkout of the regressed quickstart model, and how a runner of some CI runs lines in it. Installing is left out: pip and make do nothing.
type ciJob struct {
	t   *testing.T
	dir string
	env []string
}

func newCIJob(t *testing.T) *ciJob {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no Python")
	}
	j := &ciJob{t: t, dir: quickstartCopy(t)}
	tools := t.TempDir()
	j.env = append(os.Environ(), "PATH="+tools+":"+filepath.Dir(program(t))+":"+os.Getenv("PATH"), "NO_COLOR=1", "XDG_CACHE_HOME="+t.TempDir())
	for name, script := range map[string]string{"pip": "exit 0", "make": "exit 0", "buildkite-agent": `echo "$@" > annotated; cat >> annotated`} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	j.run(0, "sed -i.was 's/dump: good/dump: regressed/' xlagate.yaml")
	j.run(0, "mkdir -p examples/ci && cp '"+absolutePath(t, ciExamples)+"'/note.py examples/ci")
	return j
}

func absolutePath(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// run runs lines as one script that ends with the first that fails.
func (j *ciJob) run(want int, lines ...string) string {
	j.t.Helper()
	cmd := exec.Command("sh", "-ec", strings.Join(lines, "\n"))
	cmd.Dir, cmd.Env = j.dir, j.env
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != want {
		j.t.Fatalf("exit %d, wanted %d: %s\n%s", got, want, lines, out)
	}
	return string(out)
}

func (j *ciJob) file(name string) []byte {
	j.t.Helper()
	data, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil {
		j.t.Fatal(err)
	}
	return data
}

func readExample(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(ciExamples + name)
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestGitLab(t *testing.T) {
	var pipeline map[string]struct {
		Script      []string
		AfterScript []string `yaml:"after_script"`
		Artifacts   struct{ Reports map[string]string }
	}
	readExample(t, "gitlab-ci.yml", &pipeline)
	job := pipeline["xlagate"]
	notes := map[int]string{1: "somebody's"}
	gitlab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent struct{ Body string }
		data, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(data, &sent)
		const all = "/projects/7/merge_requests/3/notes"
		id := len(notes) + 1
		switch {
		case r.Header.Get("PRIVATE-TOKEN") != "secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodGet && r.URL.Path == all:
			var list []map[string]any
			for id, body := range notes {
				list = append(list, map[string]any{"id": id, "body": body})
			}
			_ = json.NewEncoder(w).Encode(list)
		case r.Method == http.MethodPost && r.URL.Path == all, r.Method == http.MethodPut && r.URL.Path == all+"/2":
			if r.Method == http.MethodPut {
				id = 2
			}
			notes[id] = sent.Body
			fmt.Fprint(w, "{}")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer gitlab.Close()
	j := newCIJob(t)
	j.env = append(j.env, "CI_API_V4_URL="+gitlab.URL, "CI_PROJECT_ID=7", "CI_MERGE_REQUEST_IID=3", "XLAGATE_TOKEN=secret")
	j.run(1, job.Script...)
	for range 2 {
		j.run(0, job.AfterScript...)
	}
	if len(notes) != 2 || !strings.Contains(notes[2], "splits exponential, subtract into 2 kernels") {
		t.Errorf("notes %v", notes)
	}
	var issues []struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(j.file(job.Artifacts.Reports["codequality"]), &issues); err != nil || len(issues) != 3 {
		t.Fatalf("%d issues, %v", len(issues), err)
	}
	if i := issues[0]; i.Location.Path != "train.py" || i.Location.Lines.Begin != 19 || i.Severity != "critical" || i.Fingerprint == issues[1].Fingerprint || !strings.Contains(i.Description, "breaks max-kernels") || i.Check == "" {
		t.Errorf("%+v", i)
	}
	j.junit(job.Artifacts.Reports["junit"])
	j.env = append(j.env, "XLAGATE_TOKEN=")
	if said := j.run(1, job.AfterScript...); !strings.Contains(said, "XLAGATE_TOKEN is not set") {
		t.Errorf("without a token: %s", said)
	}
	j.run(0, "sed -i.was 's/dump: regressed/dump: good/' xlagate.yaml")
	j.run(0, job.Script...)
	if text := strings.TrimSpace(string(j.file("codequality.json"))); text != "[]" {
		t.Errorf("a green run: %s", text)
	}
	j.run(0, "rm -r good")
	j.run(3, job.Script...)
	if text := string(j.file("codequality.json")); !strings.Contains(text, `"blocker"`) || !strings.Contains(text, "no dump") {
		t.Errorf("without a dump: %s", text)
	}
}

// junit holds a file to having a failed test for each change.
func (j *ciJob) junit(name string) {
	j.t.Helper()
	var suites struct {
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal(j.file(name), &suites); err != nil || suites.Failures != 3 {
		j.t.Errorf("%s: %d failures, %v", name, suites.Failures, err)
	}
}

func TestBuildkite(t *testing.T) {
	var pipeline struct{ Steps []struct{ Command []string } }
	readExample(t, "buildkite.yml", &pipeline)
	lines := pipeline.Steps[0].Command
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "$$", "$") // as the agent's upload of the pipeline does
	}
	j := newCIJob(t)
	j.run(1, lines...)
	if said := string(j.file("annotated")); !strings.HasPrefix(said, "annotate --context xlagate --style error\n") || !strings.Contains(said, "splits exponential") {
		t.Errorf("annotated: %.300s", said)
	}
	j.junit("junit.xml")
	j.run(0, "sed -i.was 's/dump: regressed/dump: good/' xlagate.yaml")
	j.run(0, lines...)
	if said := string(j.file("annotated")); !strings.HasPrefix(said, "annotate --context xlagate --style success\n") {
		t.Errorf("annotated: %.300s", said)
	}
}

func TestJenkins(t *testing.T) {
	text, err := os.ReadFile(ciExamples + "Jenkinsfile")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range regexp.MustCompile(`(?m)^ *sh '([^']*)'`).FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, m[1])
	}
	kept := regexp.MustCompile(`junit '([^']*)'`).FindStringSubmatch(string(text))
	if len(lines) != 3 || kept == nil {
		t.Fatalf("steps %q, tests %q", lines, kept)
	}
	j := newCIJob(t)
	j.run(1, lines...)
	j.junit(kept[1])
}
