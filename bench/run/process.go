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
	wall, cpu, system time.Duration
	peak, private     int64 // bytes: the most that was resident at once; of that, what is no page of a file. 0 where it is not known
}

// better is the least of two samples in each of its numbers.
func (s sample) better(o sample) sample {
	return sample{min(s.wall, o.wall), min(s.cpu, o.cpu), min(s.system, o.system), min(s.peak, o.peak), min(s.private, o.private)}
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
	s := watched()
	s.wall, s.system = time.Since(start), cmd.ProcessState.SystemTime()
	s.cpu = s.system + cmd.ProcessState.UserTime()
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
func watch(pid int) func() sample {
	stop, most := make(chan struct{}), make(chan sample)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for seen := memoryOf(pid); ; {
			select {
			case <-tick.C:
				now := memoryOf(pid)
				seen.peak, seen.private = max(seen.peak, now.peak), max(seen.private, now.private)
			case <-stop:
				most <- seen
				return
			}
		}
	}()
	return func() sample { close(stop); return <-most }
}

// memoryOf is what Linux says of a process; other systems say nothing here.
func memoryOf(pid int) sample {
	status := fmt.Sprintf("/proc/%d/status", pid)
	return sample{peak: kilobytes(status, "VmHWM"), private: kilobytes(status, "RssAnon")}
}
