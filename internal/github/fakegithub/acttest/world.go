package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
)

// The third-party actions of the examples that act cannot fetch.
const (
	uploadAction   = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"
	downloadAction = "actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093"
	cacheAction    = "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684"
	pythonAction   = "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065"
)

// world is a repository with the example workflows, and the GitHub around it.
type world struct {
	*fakegithub.Server
	uploads      *httptest.Server
	actProgram   string
	xlagate      string // the program under test
	temp, dir    string
	actions      string            // this repository's actions, with the built xlagate as their binary
	upload       string            // what stands for the upload of artifacts
	download     string            // and for their download
	cache        string            // what stands for the cache, which is always empty
	python       string            // what stands for the choice of a Python
	left         map[string][]byte // what was uploaded, as NAME/FILE
	base, head   string
	files        map[string]string
	run          int64
	printed, tip string
	before       int
	verbose      bool
}

func newWorld(act, xlagate, root string) (*world, error) {
	w := &world{Server: fakegithub.New("acme/models", "/api/v3"), actProgram: act, run: 100, left: map[string][]byte{}}
	w.uploads = httptest.NewServer(http.HandlerFunc(w.takeUpload))
	w.Tokens["job"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true, Rights: []string{"*"}}
	w.Tokens["reader"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true}
	var err error
	if w.xlagate, err = filepath.Abs(xlagate); err != nil {
		return nil, err
	}
	if w.temp, err = os.MkdirTemp("", "xlagate-act-*"); err != nil {
		return nil, err
	}
	w.dir, w.actions = filepath.Join(w.temp, "models"), filepath.Join(w.temp, "actions")
	w.upload, w.download = filepath.Join(w.temp, "upload"), filepath.Join(w.temp, "download")
	w.cache, w.python = filepath.Join(w.temp, "cache"), filepath.Join(w.temp, "python")
	return w, errors.Join(w.makeRepository(root), w.makeActions(root, xlagate), w.makeUpload(), w.makeDownload(),
		makeIdle(w.cache, "path, key, restore-keys", "restore", "save"), makeIdle(w.python, "python-version", "."))
}

func (w *world) close() {
	w.Close()
	w.uploads.Close()
	_ = os.RemoveAll(w.temp)
}

// makeRepository is the quickstart model with the example workflows and a way to dump.
func (w *world) makeRepository(root string) error {
	workflows := filepath.Join(w.dir, ".github", "workflows")
	err := errors.Join(
		os.CopyFS(w.dir, os.DirFS(filepath.Join(root, "examples", "quickstart"))),
		os.CopyFS(workflows, os.DirFS(filepath.Join(root, "examples", "workflows"))),
		os.WriteFile(filepath.Join(w.dir, "Makefile"), []byte("dumps:\n\ttest -d dump\ndump:\n\ttest -n \"$$MODEL$$BACKEND\"\n"), 0o644),
		os.WriteFile(filepath.Join(w.dir, "requirements.txt"), nil, 0o644),
		w.replace(filepath.Join(w.dir, "xlagate.yaml"), "dump: good", "dump: dump"),
		w.replace(filepath.Join(workflows, "xlagate.yml"), "--check-run # --accept-command", "--check-run --accept-command #"),
	)
	if err != nil {
		return err
	}
	if err := errors.Join(w.git("init", "-q", "-b", "main"), w.git("remote", "add", "origin", "https://github.com/acme/models")); err != nil {
		return err
	}
	w.base, err = w.commit("base")
	return errors.Join(err, w.git("checkout", "-q", "-b", "wider"))
}

// makeActions copies this repository's actions, with the xlagate that was built as their default.
func (w *world) makeActions(root, xlagate string) error {
	binary, err := filepath.Abs(xlagate)
	if err != nil {
		return err
	}
	for _, dir := range []string{"action", "comment", "accept", "setup"} {
		if err := os.CopyFS(filepath.Join(w.actions, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.actions, "action.yml"), data, 0o644); err != nil {
		return err
	}
	for _, dir := range []string{".", "comment", "accept", "setup"} {
		name := filepath.Join(w.actions, dir, "action.yml")
		if err := w.replace(name, "instead of a release.', default: ''}", "instead of a release.', default: '"+binary+"'}"); err != nil {
			return err
		}
	}
	return repository(w.actions)
}

// makeUpload stands for actions/upload-artifact: act cannot fetch it, and its protocol is not what is tested.
func (w *world) makeUpload() error {
	action := `name: upload
inputs: {name: {required: true}, path: {required: true}, retention-days: {required: false}}
runs:
  using: composite
  steps:
    - shell: bash
      run: 'curl --fail --silent --show-error --data-binary "@$FILE" "$UPLOADS/?name=$NAME&file=$(basename "$FILE")"'
      env: {NAME: "${{ inputs.name }}", FILE: "${{ inputs.path }}", UPLOADS: "` + w.uploads.URL + `"}
`
	if err := os.MkdirAll(w.upload, 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(w.upload, "action.yml"), []byte(action), 0o644), repository(w.upload))
}

// makeDownload stands for actions/download-artifact: it fetches what was uploaded under a name, or each under the names that match a pattern into a
// folder of its own.
func (w *world) makeDownload() error {
	action := `name: download
inputs: {name: {required: false}, pattern: {required: false}, path: {required: false, default: .}}
runs:
  using: composite
  steps:
    - shell: bash
      run: 'mkdir -p "$TO" && curl --fail --silent --show-error "$UPLOADS/?pattern=$NAME$PATTERN" | tar -x -C "$TO" ${NAME:+--strip-components=1}'
      env: {NAME: "${{ inputs.name }}", PATTERN: "${{ inputs.pattern }}", TO: "${{ inputs.path }}", UPLOADS: "` + w.uploads.URL + `"}
`
	if err := os.MkdirAll(w.download, 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(w.download, "action.yml"), []byte(action), 0o644), repository(w.download))
}

// makeIdle stands for actions that act cannot fetch, by ones of the same inputs that do nothing.
func makeIdle(repo, inputs string, folders ...string) error {
	declared := strings.ReplaceAll(inputs, ",", ": {},") + ": {}"
	action := "name: idle\ninputs: {" + declared + "}\nruns:\n  using: composite\n  steps: [{shell: bash, run: 'true'}]\n"
	for _, folder := range folders {
		dir := filepath.Join(repo, folder)
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "action.yml"), []byte(action), 0o644)); err != nil {
			return err
		}
	}
	return repository(repo)
}

// giveDownload sends the uploads that match a pattern.
func (w *world) giveDownload(out http.ResponseWriter, pattern string) {
	w.Do(func() {
		t := tar.NewWriter(out)
		for _, name := range slices.Sorted(maps.Keys(w.left)) {
			if ok, _ := path.Match(pattern, path.Dir(name)); !ok {
				continue
			}
			if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(w.left[name]))}); err == nil {
				_, _ = t.Write(w.left[name])
			}
		}
		_ = t.Close()
	})
}

// repository makes a folder one: act takes actions from nowhere else.
func repository(dir string) error {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return nil
}

// takeUpload keeps an artifact of the current run, zipped as GitHub does it.
func (w *world) takeUpload(out http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.giveDownload(out, r.URL.Query().Get("pattern"))
		return
	}
	data, err := io.ReadAll(r.Body)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err == nil {
		var file io.Writer
		if file, err = z.Create(r.URL.Query().Get("file")); err == nil {
			_, err = file.Write(data)
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Do(func() {
		w.left[r.URL.Query().Get("name")+"/"+r.URL.Query().Get("file")] = data
		w.Artifacts = append(w.Artifacts, &fakegithub.Artifact{ID: w.run*100 + int64(len(w.left)), Run: w.run, Name: r.URL.Query().Get("name"), Data: b.Bytes()})
	})
}

func (w *world) replace(name, old, fresh string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), old) {
		return fmt.Errorf("%s does not hold %q", name, old)
	}
	return os.WriteFile(name, []byte(strings.ReplaceAll(string(data), old, fresh)), 0o644)
}

// dump is what the model's code dumps from now on. A dump holds no source.
func (w *world) dump(name string) error {
	to := filepath.Join(w.dir, "dump")
	err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(filepath.Join(w.dir, name))))
	return errors.Join(err, os.RemoveAll(filepath.Join(to, "train.py")))
}

func (w *world) git(args ...string) error {
	_, err := w.gitSays(args...)
	return err
}

func (w *world) gitSays(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// commit commits the repository, and GitHub learns of it.
func (w *world) commit(message string) (string, error) {
	if err := errors.Join(w.git("add", "-A"), w.git("commit", "-q", "--allow-empty", "-m", message)); err != nil {
		return "", err
	}
	sha, err := w.gitSays("rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	var parents []string
	if parent, err := w.gitSays("rev-parse", "--verify", "--quiet", "HEAD^"); err == nil {
		parents = []string{parent}
	}
	w.files = map[string]string{}
	err = fs.WalkDir(os.DirFS(w.dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && name == ".git" {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(w.dir, name))
		w.files[name] = string(data)
		return err
	})
	if err != nil {
		return "", err
	}
	tree := w.Commits[w.Commit(w.files, message, parents...)].Tree
	w.Commits[sha] = &fakegithub.Commit{SHA: sha, Tree: tree, Parents: parents, Message: message}
	return sha, nil
}

// push moves the pull request to a new commit, of a branch in this repository.
func (w *world) push(repository string) {
	head, err := w.commit("push")
	if err != nil {
		panic(err)
	}
	w.run++
	clear(w.left) // what one run uploaded, another does not find
	w.head, w.Branches["wider"] = head, head
	w.Pulls[7] = &fakegithub.Pull{Number: 7, State: "open", HeadSHA: head, HeadRef: "wider", HeadRepo: repository, BaseRef: "main", BaseSHA: w.base}
	w.Runs = append(w.Runs, &fakegithub.Run{ID: w.run, Attempt: 1, Number: int(w.run), Workflow: 3, Event: "pull_request", Status: "completed", HeadSHA: head, HeadRef: "wider", HeadRepo: repository})
}

// job is one workflow that an event starts.
type job struct {
	event, workflow, token string
	payload                map[string]any
	fails                  bool // the job is meant to fail
}

// act runs a workflow without containers.
func (w *world) act(ctx context.Context, j job) error {
	event := filepath.Join(w.temp, "event.json")
	data, err := json.Marshal(j.payload)
	if err == nil {
		err = os.WriteFile(event, data, 0o600)
	}
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, w.actProgram, j.event, "-W", filepath.Join(".github", "workflows", j.workflow), "-e", event, "-P", "ubuntu-latest=-self-hosted",
		"--no-cache-server", "--local-repository", "xlagate/xlagate@main="+w.actions, "--local-repository", uploadAction+"="+w.upload, "--local-repository", downloadAction+"="+w.download, "--local-repository", cacheAction+"="+w.cache, "--local-repository", pythonAction+"="+w.python,
		"-s", "GITHUB_TOKEN="+j.token, "--env", "GITHUB_API_URL="+w.API(), "--env", "GITHUB_SERVER_URL="+w.URL(), "--env", "GITHUB_GRAPHQL_URL="+w.GraphQL(),
		"--env", fmt.Sprintf("GITHUB_RUN_ID=%d", w.run), "--env", "GITHUB_RUN_ATTEMPT=1", "--env", "GITHUB_REPOSITORY=acme/models")
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	w.printed = string(out)
	if w.verbose {
		fmt.Print(w.printed)
	}
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return fmt.Errorf("run act: %w", err)
	case (err != nil) != j.fails:
		return fmt.Errorf("act on %s: %v, meant to fail: %t\n%s", j.workflow, err, j.fails, w.printed)
	}
	return nil
}
