package chain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Links fills a directory with copies of dumps, one dump after the other and all of them again and again, until their files have so many bytes. It writes
// a configuration beside them in which each copy is a target. The files are hard links, which take no room: the dumps must be on the same disk.
func Links(dir string, dumps []string, size int64) (copies int, err error) {
	if len(dumps) == 0 {
		return 0, errors.New("make copies of dumps: there is none")
	}
	var config strings.Builder
	config.WriteString("version: 1\nextends: [recommended]\ntargets:\n")
	for ; size > 0; copies++ {
		dump := dumps[copies%len(dumps)]
		name := fmt.Sprintf("%s-%d", filepath.Base(dump), copies)
		bytes, err := link(filepath.Join(dir, name), dump)
		if err != nil {
			return copies, fmt.Errorf("make copies of dumps: %w", err)
		}
		size -= bytes
		fmt.Fprintf(&config, "  - {name: %s, dump: %s}\n", name, name)
	}
	return copies, os.WriteFile(filepath.Join(dir, "xlagate.yaml"), []byte(config.String()), 0o644)
}

// link links the files below a directory into another, and returns how many bytes they have.
func link(to, from string) (size int64, err error) {
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return os.Link(path, filepath.Join(to, name))
	})
	if err == nil && size == 0 {
		err = fmt.Errorf("%s holds nothing", from)
	}
	return size, err
}
