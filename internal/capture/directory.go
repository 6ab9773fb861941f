package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// prepare creates the dump directory, or empties it if all files are from an earlier capture: modules of two runs in one
// directory would look like recompiles. It never removes other files.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the dump directory: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the dump directory: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == toolchainFile }) {
		return fmt.Errorf("%s is not empty and was not written by a capture; give a new directory, or remove this one first", dir)
	}
	stale, foreign, err := listDump(dir)
	if err != nil {
		return err
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%s holds %s, which was not written by a capture; move it away, or give another directory", dir, list(foreign))
	}
	return remove(dir, stale)
}

// listDump returns the files of a directory that a capture writes, and the others.
func listDump(dir string) (stale, foreign []string, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if dumpFile(filepath.ToSlash(rel)) {
			stale = append(stale, rel)
		} else {
			foreign = append(foreign, rel)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look into the dump directory: %w", err)
	}
	return stale, foreign, nil
}

// dumpFile reports whether a file is named as XLA, TensorFlow or capture name files; rel is the path below the dump directory.
func dumpFile(rel string) bool {
	folder, _, inFolder := strings.Cut(rel, "/")
	if slices.Contains([]string{toolchainFile, logFile, stdoutFile, metricsFile, reasonsFile}, rel) || inFolder && (folder == graphFolder || folder == "shardy") {
		return true
	}
	if inFolder && slices.Contains([]string{"compile_options.pb", "module.mlir", "topology.pb"}, path.Base(rel)) { // JAX's inputs of the compiler
		return true
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(part, "module_") || strings.Contains(part, ".module_") {
			return true
		}
	}
	return strings.HasSuffix(rel, ".triton-to-llvm.txt") || strings.HasSuffix(rel, ".canonicalize-cse.txt")
}

// remove deletes files, the record last, so that the rest of a killed removal is still known to be a capture's.
func remove(dir string, files []string) error {
	files = slices.DeleteFunc(files, func(f string) bool { return f == toolchainFile })
	for _, f := range append(files, toolchainFile) {
		if err := os.Remove(filepath.Join(dir, f)); err != nil {
			return fmt.Errorf("empty the dump directory: %w", err)
		}
	}
	return removeFolders(dir)
}

// removeFolders deletes the empty folders in a directory, innermost first.
func removeFolders(dir string) error {
	var folders []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != dir {
			folders = append(folders, name)
		}
		return err
	})
	for _, f := range slices.Backward(folders) {
		err = errors.Join(err, os.Remove(f))
	}
	if err != nil {
		return fmt.Errorf("empty the dump directory: %w", err)
	}
	return nil
}

func list(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}
