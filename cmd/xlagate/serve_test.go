//go:build unix

package main

import (
	"bufio"
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
	cmd := exec.Command(program(t), "serve", "--no-open", "--watch", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // the signal ends it
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	address, _, printed := strings.Cut(line, " ")
	if err != nil || !printed || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
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
