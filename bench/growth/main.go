// Command growth shows how time and memory of every reader grow with its file. It writes files of three sizes, each twice as large as the one before, lets
// xlagate read them, and fails where a doubling takes more than three times the time or the memory, as the largest and the smallest have it:
//
//	go run ./bench/growth [-xlagate PROGRAM] [KIND…]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// A file that is twice as large may take most times as much. Below the floors the start of the program decides, and the pages and the collector of garbage,
// which come in steps: a linear reader that begins to need them takes up to ten times as long for four times the file. So two doublings are judged together,
// a reader that seems too slow has its files read again, and 10 MB a second is fast enough for any.
const (
	most       = 3
	repeats    = 3
	timeFloor  = 300 * time.Millisecond
	eachByte   = 100 * time.Nanosecond
	bytesFloor = 200 << 20
)

// kind is one sort of file that a reader could take too long for.
type kind struct {
	name  string
	size  int                                 // of the smallest: how often the file repeats what it repeats
	args  []string                            // of xlagate, before the folder
	write func(folder string, size int) error // writes the files
}

// cost is what one run took.
type cost struct {
	file, peak int64 // bytes
	cpu        time.Duration
}

func main() {
	xlagate := flag.String("xlagate", "xlagate", "the `PROGRAM` to run")
	flag.Parse()
	program, err := exec.LookPath(*xlagate)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err == nil {
		err = growth(program, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func growth(xlagate string, only []string) error {
	var bad []error
	fmt.Printf("%-28s %s\n", "kind", "file: seconds, peak memory")
	for _, k := range slices.Concat(kinds, besides) {
		if len(only) > 0 && !slices.Contains(only, k.name) {
			continue
		}
		costs := [3]cost{}
		var slow error
		for range repeats {
			fmt.Printf("%-28s", k.name)
			for i := range costs {
				c, err := k.run(xlagate, k.size<<i)
				if err != nil {
					return fmt.Errorf("%s: %w", k.name, err)
				}
				costs[i] = costs[i].least(c)
				fmt.Printf("  %6.2f MB: %5.2f s %4d MB", float64(c.file)/1e6, c.cpu.Seconds(), c.peak>>20)
			}
			fmt.Println()
			if slow = grew(k.name, costs[0], costs[2]); slow == nil {
				break
			}
		}
		bad = append(bad, slow)
	}
	return errors.Join(bad...)
}

// grew reports whether a file of four times the size takes more than most times as much for each doubling.
func grew(name string, small, large cost) error {
	switch {
	case large.cpu > max(timeFloor, time.Duration(large.file)*eachByte) && large.cpu > most*most*small.cpu:
		return fmt.Errorf("%s: a file of four times the size takes %.1f times as long", name, large.cpu.Seconds()/small.cpu.Seconds())
	case large.peak > bytesFloor && large.peak > most*most*small.peak:
		return fmt.Errorf("%s: a file of four times the size takes %.1f times the memory", name, float64(large.peak)/float64(small.peak))
	}
	return nil
}

// least is the lesser time and the lesser memory of two runs on one file: other work on the machine only adds to them.
func (c cost) least(other cost) cost {
	if c.file == 0 {
		return other
	}
	return cost{c.file, min(c.peak, other.peak), min(c.cpu, other.cpu)}
}

// run measures xlagate on files of one size. What it says of them does not matter here, and most of them are refused.
func (k kind) run(xlagate string, size int) (c cost, err error) {
	folder, err := os.MkdirTemp("", "growth")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(folder)
	if err := k.write(folder, size); err != nil {
		return c, err
	}
	if c.file, err = bytesIn(folder); err != nil {
		return c, err
	}
	cmd := exec.Command(xlagate, k.args...)
	cmd.Dir = folder
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		return c, err
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	c.peak, c.cpu = used.Maxrss<<10, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if code := cmd.ProcessState.ExitCode(); code < 0 || code > 3 {
		return c, fmt.Errorf("exit code %d", code)
	}
	return c, nil
}

func bytesIn(folder string) (n int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	return n, err
}
