package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mostLinks bounds a chain of symbolic links, as the system does.
const mostLinks = 40

// target follows symbolic links to the file that is meant, which need not be there: the links stay. A stream of a process
// (/dev/stdout, /proc/self/fd/1) is not followed: behind it may be a file, but others write to it too.
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
