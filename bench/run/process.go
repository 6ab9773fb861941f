package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// sample is what one run of a process took.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // bytes: the most that was resident at once, 0 where it is not known
}

// better is the least of two samples in each of its numbers.
func (s sample) better(o sample) sample {
	return sample{min(s.wall, o.wall), min(s.cpu, o.cpu), min(s.peak, o.peak)}
}

// execute runs a command, measures it, and gives what it wrote to its standard output to out. differs allows the exit code 1.
func execute(args []string, out io.Writer, differs bool) (sample, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	watched := watch(cmd.Process.Pid)
	err := cmd.Wait()
	s := sample{wall: time.Since(start), cpu: cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime(), peak: watched()}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && differs {
		err = nil
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return s, nil
}

// watch looks at the memory of a process until the function that it returns is called: that says what the most was. The kernel's own
// account at the end (ru_maxrss) would count this program's memory as well, which the process had until it became another.
func watch(pid int) func() int64 {
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for seen := memoryOf(pid); ; {
			select {
			case <-tick.C:
				seen = max(seen, memoryOf(pid))
			case <-stop:
				most <- seen
				return
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// memoryOf is what Linux says of a process; other systems say nothing here.
func memoryOf(pid int) int64 { return kilobytes(fmt.Sprintf("/proc/%d/status", pid), "VmHWM") }
