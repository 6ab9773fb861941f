package baseline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/xlagate/xlagate/internal/files"
)

// WriteFile writes a baseline file whole or not at all, and synced. It reports whether the content changed; an equal file is left alone.
func WriteFile(path string, data []byte) (changed bool, err error) {
	return writeFile(path, data, files.Replace)
}

func writeFile(path string, data []byte, write func(string, func(*os.File) error) error) (changed bool, err error) {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("make the baseline's folder: %w", err)
	}
	err = write(path, func(f *os.File) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return false, fmt.Errorf("write the baseline: %w", err)
	}
	return true, nil
}
