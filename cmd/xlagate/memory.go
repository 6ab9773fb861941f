package main

import (
	"errors"
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

// maxMemory is what --max-memory says, 0 for no limit. The garbage collector is told: it works harder as the limit comes near.
func maxMemory(c *cli.Context) int64 {
	limit, _ := c.Generic("max-memory").(*size)
	if limit == nil || *limit == 0 {
		return 0
	}
	debug.SetMemoryLimit(max(int64(*limit)-codeMemory, int64(*limit)/2))
	return int64(*limit)
}
