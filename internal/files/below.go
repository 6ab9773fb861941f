package files

import "path/filepath"

// Below returns the path of a file from a folder, with slashes, and whether the file is below the folder. Links are followed where the names alone say
// that it is not: a workspace may be behind one.
func Below(folder, file string) (string, bool) {
	dir, name := filepath.Split(file)
	for range 2 {
		below, err := filepath.Rel(folder, filepath.Join(dir, name))
		if err == nil && filepath.IsLocal(below) {
			return filepath.ToSlash(below), true
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", false
		}
		if dir, err = filepath.EvalSymlinks(filepath.Clean(dir)); err != nil {
			return "", false
		}
	}
	return "", false
}
