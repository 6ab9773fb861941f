package page

import (
	"os"
	"runtime"
	"strings"
)

// Processor is the processor's name, as Linux knows it.
func Processor() string {
	return InfoOf("/proc/cpuinfo", "model name", runtime.GOARCH)
}

// InfoOf is the value of a key in one of Linux's files with lines of `key: value`.
func InfoOf(path, key, otherwise string) string {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return otherwise
}
