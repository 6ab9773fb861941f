package main

import (
	"fmt"
	"io"
	"os"
)

// starts is how often the program is started, for its best.
const starts = 40

// startTable says how long the program takes to say its version, and how large it is.
func (b *bench) startTable() (string, error) {
	info, err := os.Stat(b.xlagate)
	if err != nil {
		return "", err
	}
	var least sample
	for n := range starts {
		s, err := execute([]string{b.xlagate, "version"}, io.Discard, false)
		if err != nil {
			return "", err
		}
		if n == 0 {
			least = s
		}
		least = least.better(s)
	}
	return fmt.Sprintf("`xlagate version` takes %.1f ms, %.1f ms of CPU, at the best of %d. The program, stripped, has %.1f MB.\n\n",
		1e3*least.wall.Seconds(), 1e3*least.cpu.Seconds(), starts, float64(info.Size())/1e6), nil
}
