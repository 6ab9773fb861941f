package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"gopkg.in/yaml.v3"
)

// indexedJob is as much of a Job as its pods are made of.
type indexedJob struct {
	Spec struct {
		Completions int
		Template    struct {
			Spec struct {
				Containers []struct {
					Command []string
					Env     []struct{ Name, Value string }
				}
			}
		}
	}
}

// pod runs a pod of the Job where its volume would be mounted.
func (j *indexedJob) pod(t *testing.T, volume string, env ...string) (code int, printed string) {
	t.Helper()
	c := j.Spec.Template.Spec.Containers[0]
	cmd := exec.Command(c.Command[0], c.Command[1:]...)
	cmd.Dir, cmd.Env = volume, append(os.Environ(), env...)
	for _, e := range c.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		code, err = strconv.Atoi(exitStatus(err))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return code, string(out)
}

func jobs(t *testing.T, name string) (list []*indexedJob) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var j indexedJob
		if err := d.Decode(&j); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, &j)
	}
}

// TestKubernetes runs every pod of the example as Kubernetes would, one of them once more after it was killed, and merges what they left.
func TestKubernetes(t *testing.T) {
	root, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	list := jobs(t, filepath.Join(root, "kubernetes/job.yaml"))
	targets, merge := list[0], list[1]
	volume := filepath.Join(root, "fleet")
	work := t.TempDir()
	if err := os.CopyFS(filepath.Join(work, "examples/fleet"), os.DirFS(volume)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "../testdata"), filepath.Join(work, "testdata")); err != nil {
		t.Fatal(err)
	}
	volume = filepath.Join(work, "examples/fleet")
	run := func(index int) {
		if code, printed := targets.pod(t, volume, "HOSTNAME=pod-"+strconv.Itoa(index), "JOB_COMPLETION_INDEX="+strconv.Itoa(index)); code != 0 {
			t.Errorf("target %d: exit %d\n%s", index, code, printed)
		}
	}
	for index := 1; index < targets.Spec.Completions; index++ {
		run(index)
	}
	if err := os.WriteFile(filepath.Join(volume, "results/1/.pod-killed"), []byte(`{"schema":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := merge.pod(t, volume); code != 3 || !bytes.Contains([]byte(printed), []byte("target attention/gpu: declared at xlagate.yaml:4:5, but in none of the results: its job did not run")) {
		t.Errorf("one target is missing: exit %d\n%s", code, printed)
	}
	run(0)
	run(3)
	code, printed := merge.pod(t, volume)
	check := exec.Command("xlagate", "check", "-q", "-f", "json", "-o", "whole.json")
	check.Dir = volume
	if whole := exitStatus(check.Run()); whole != strconv.Itoa(code) || code != 1 {
		t.Errorf("merged, exit %d; whole, exit %s\n%s", code, whole, printed)
	}
	merged, err := os.ReadFile(filepath.Join(volume, "result-1.json"))
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := os.ReadFile(filepath.Join(volume, "whole.json")); err != nil || !bytes.Equal(whole, merged) {
		t.Errorf("the merged result is not the whole one (%v)", err)
	}
}
