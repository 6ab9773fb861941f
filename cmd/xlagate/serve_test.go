//go:build unix

package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The page of a file is served to this machine alone, and made anew when the file changes.
func TestServe(t *testing.T) {
	module, err := os.ReadFile("../../examples/quickstart/good/module_0000.jit_train_step.cpu_after_optimizations.txt")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "module_0000.jit_train_step.cpu_after_optimizations.txt")
	put(t, filepath.Dir(path), filepath.Base(path), string(module))
	address, _ := serving(t, ".", "--watch", path)
	if status, body := get(t, address, ""); status != http.StatusOK || !strings.Contains(body, "<!doctype html>") {
		t.Errorf("status %d: %.200s", status, body)
	}
	if status, _ := get(t, address, "example.com"); status != http.StatusForbidden {
		t.Errorf("status %d for a name that is not this machine's", status)
	}
	_, first := get(t, address+"turn", "")
	put(t, filepath.Dir(path), filepath.Base(path), string(module)+"\n")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if _, turn := get(t, address+"turn", ""); turn != first {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the page is not made anew")
		}
	}
}

// get asks for an address, under a name for its host unless that is "".
func get(t *testing.T, address, host string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// serving starts a server and returns its address and the file that holds what it warns of.
func serving(t *testing.T, dir string, args ...string) (address, stderr string) {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"serve", "--no-open"}, args...)...)
	cmd.Dir = dir
	warned, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer warned.Close()
	cmd.Stderr = warned
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // the signal ends it
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, _, printed := strings.Cut(line, " ")
	if err != nil || !printed || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	return address, warned.Name()
}

// The page of a result draws the kernels of the dump that was judged, before and after, as long as it is there and the same.
func TestServeResult(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(quickstart)); err != nil {
		t.Fatal(err)
	}
	check := exec.Command(program(t), "check", "regressed", "--quiet", "-o", "result.json")
	check.Dir = dir
	if out, _ := check.CombinedOutput(); check.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s", out)
	}
	drawn := func() (core, warned string) {
		address, stderr := serving(t, dir, "result.json")
		_, packed := get(t, address+"part/core", "")
		r, err := gzip.NewReader(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		said, err := os.ReadFile(stderr)
		if err != nil {
			t.Fatal(err)
		}
		return string(data), string(said)
	}
	if core, warned := drawn(); !strings.Contains(core, `"graph":"part-`) || strings.Count(core, `"kernels":`) < 3 || warned != "" {
		t.Errorf("the kernels of both sides are not drawn: %s\n%.500s", warned, core)
	}
	if err := os.CopyFS(filepath.Join(dir, "other"), os.DirFS(filepath.Join(dir, "good"))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "regressed")), os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "regressed"))); err != nil {
		t.Fatal(err)
	}
	if core, warned := drawn(); strings.Contains(core, `"graph":`) || !strings.Contains(warned, "regressed is not the dump that was judged") {
		t.Errorf("another dump is shown as the one that was judged: %s", warned)
	}
}
