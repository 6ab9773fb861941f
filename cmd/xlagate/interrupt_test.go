//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interruptions are command lines that would take for ever. In the middle of its work each leaves a file called started.
var interruptions = []struct {
	name   string
	signal os.Signal // os.Interrupt if nil
	args   []string
}{
	{name: "capture", args: []string{"capture", "--to", "dump", "--", "sh", "-c", "echo $$ > started; sleep 1000"}},
	{name: "a terminal that is closed", signal: syscall.SIGHUP, args: []string{"capture", "--to", "dump", "--", "sh", "-c", "echo $$ > started; sleep 1000"}},
	{name: "quit", signal: syscall.SIGQUIT, args: []string{"check", "--", "sh", "-c", "echo $$ > started; sleep 1000"}},
	{name: "check of a command", args: []string{"check", "--", "sh", "-c", "echo $$ > started; sleep 1000"}},
	{name: "a command that does not listen", args: []string{"check", "--", "sh", "-c", `trap "touch told" TERM; echo $$ > started; while :; do sleep 0.05; done`}},
	{name: "standard input", args: []string{"inspect", "-"}},
	{name: "git", args: []string{"check", "--baseline", "git:main:.xlagate", "dump.tar.xz"}},
	{name: "network", args: []string{"comment", "result.json", "--repo", "o/n", "--pr", "7"}},
}

func TestInterrupt(t *testing.T) {
	dump, err := os.ReadFile("../../testdata/cpu-improved/before.tar.xz")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range interruptions {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				put(t, dir, "started", "")
				<-r.Context().Done()
			}))
			defer silent.Close()
			put(t, dir, "xlagate.yaml", "version: 1\nextends: [recommended]\n")
			put(t, dir, "result.json", `{"schema": "xlagate.result/v1", "verdict": "pass"}`)
			put(t, dir, "slow/git", "#!/bin/sh\ntouch started\nexec sleep 1000\n")
			put(t, dir, "dump.tar.xz", string(dump))
			put(t, dir, "tmp/.keep", "")
			cmd := exec.Command(program(t), c.args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "GITHUB_API_URL="+silent.URL)
			if c.name == "network" {
				cmd.Env = append(cmd.Env, "GITHUB_TOKEN=t")
			}
			if c.name == "git" {
				cmd.Env = append(cmd.Env, "PATH="+filepath.Join(dir, "slow")+":"+os.Getenv("PATH"))
			}
			if c.name == "standard input" {
				cmd.Stdin = endless(t, dir)
			}
			interrupt(t, cmd, cmp.Or(c.signal, os.Interrupt))
			left, err := os.ReadDir(filepath.Join(dir, "tmp"))
			if err != nil || len(left) != 1 {
				t.Errorf("temporary files are left: %v, %v", left, err)
			}
		})
	}
}

// interrupt starts a program and ends it by a signal, a second time where what it runs did not listen.
func interrupt(t *testing.T, cmd *exec.Cmd, sent os.Signal) {
	t.Helper()
	listened := make(chan os.Signal, 1)
	signal.Notify(listened, sent) // where the tests run under nohup, a program that they start would ignore SIGHUP
	defer signal.Stop(listened)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for _, file := range []string{"started", "told"} {
		if file == "told" && !strings.Contains(strings.Join(cmd.Args, " "), file) {
			break
		}
		appears(t, filepath.Join(cmd.Dir, file), ended)
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("ended with %v, wanted exit status 3: %s", err, said.String())
	}
	if got := strings.TrimPrefix(said.String(), "Terminated\n"); got != "xlagate: interrupted; there is no verdict\n" { // some shells say that of a child
		t.Errorf("said %q", got)
	}
	pid, err := os.ReadFile(filepath.Join(cmd.Dir, "started"))
	if err != nil {
		t.Fatal(err)
	}
	if child, err := strconv.Atoi(strings.TrimSpace(string(pid))); err == nil && syscall.Kill(child, 0) == nil {
		t.Errorf("the command %d still runs", child)
	}
}

// appears waits for a file for as long as the program runs.
func appears(t *testing.T, path string, ended <-chan error) {
	t.Helper()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("ended too early: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// endless is a standard input that is read, and never ends.
func endless(t *testing.T, dir string) *os.File {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); out.Close() })
	go func() {
		if _, err := out.Write(make([]byte, 1<<20)); err == nil { // more than a pipe holds
			put(t, dir, "started", "")
		}
	}()
	return in
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Error(err)
	}
}
