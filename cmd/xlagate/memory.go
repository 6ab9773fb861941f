package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
)

// size is the value of a flag: a number of bytes.
type size int64

// Set reads "500MiB".
func (s *size) Set(text string) error {
	n, ok := config.ParseSize(text)
	if !ok || n < 1 {
		return errors.New("a size, as in 500MiB or 2GB")
	}
	*s = size(n)
	return nil
}

// String is what the help prints as the default.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return phrase.Bytes(float64(*s))
}

// codeMemory is about what the program's own code takes of the memory it is seen to use: the collector does not know of it.
const codeMemory = 24 << 20

// maxMemory is what --max-memory says, else half of the machine's memory. The garbage collector is told of what was said: it works harder
// as the limit comes near.
func maxMemory(c *cli.Context) int64 {
	limit, _ := c.Generic("max-memory").(*size)
	if limit == nil || *limit == 0 {
		return machineMemory(os.DirFS("/")) / 2
	}
	debug.SetMemoryLimit(max(int64(*limit)-codeMemory, int64(*limit)/2))
	return int64(*limit)
}

// assumedMemory is the memory of a machine that does not tell.
const assumedMemory = 8 << 30

// machineMemory is how much memory the machine has, or the container that the program runs in, in bytes.
func machineMemory(root fs.FS) int64 {
	memory := int64(assumedMemory)
	if info, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscanf(string(info), "MemTotal: %d kB", &kib); err == nil && kib > 0 {
			memory = kib << 10
		}
	}
	for _, name := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		var limit int64
		if text, err := fs.ReadFile(root, name); err == nil {
			if _, err := fmt.Sscan(string(text), &limit); err == nil && limit > 0 { // "max" is no number
				memory = min(memory, limit)
			}
		}
	}
	return memory
}
