package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/bench/page"
)

// describeMachine says what was measured, on what, and with which peers.
func describeMachine(python string) (string, error) {
	var commit, kernel, peers string
	for _, ask := range []struct {
		into *string
		args []string
	}{
		{&commit, []string{"git", "rev-parse", "--short=8", "HEAD"}},
		{&kernel, []string{"uname", "-sr"}},
		{&peers, []string{python, "-c", "import sys, jaxlib, google.protobuf as p; print('Python %d.%d' % sys.version_info[:2] + ', jaxlib', jaxlib.__version__ + ', protobuf', p.__version__)"}},
	} {
		out, err := exec.Command(ask.args[0], ask.args[1:]...).Output()
		if err != nil {
			return "", fmt.Errorf("ask for a version: %s: %w", strings.Join(ask.args, " "), err)
		}
		line, _, _ := bytes.Cut(out, []byte("\n"))
		*ask.into = string(line)
	}
	return fmt.Sprintf("Commit %s, measured on %s, %d cores, %s; %s, %s.\n", commit, page.Processor(), runtime.NumCPU(), kernel, runtime.Version(), peers), nil
}

// most is what a peer may hold even where there is more.
const most = 16 << 30

// memoryLeft is how much memory a peer may take: what is free, but for a tenth.
func memoryLeft() int64 {
	free := kilobytes("/proc/meminfo", "MemAvailable")
	if free == 0 {
		return most
	}
	return min(most, free/10*9)
}

// kilobytes is a number of bytes that stands in one of Linux's files as `key: 123 kB`; 0 where it does not.
func kilobytes(path, key string) int64 {
	digits, _, _ := strings.Cut(page.InfoOf(path, key, ""), " ")
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n << 10
}
