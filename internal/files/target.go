package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mostLinks bounds a chain of symbolic links, as the system does.
const mostLinks = 40

// target follows symbolic links and returns the path of the target, which may be missing. Writing there keeps the links. It does not follow a stream of a process
// (/dev/stdout, /proc/self/fd/1), which may be a file that others write to as well.
func target(path string) (string, error) {
	at := path
	for range mostLinks {
		if isDevice(at) {
			return at, nil
		}
		next, err := os.Readlink(at)
		if err != nil {
			return at, nil // it is no link
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(at), next)
		}
		at = next
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

func isDevice(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}
