package files

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A file that changed after a check began, or just before, may have been read before it changed.
func TestStateOfAFileThatJustChanged(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system does not say when a file was changed")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for begun, want := range map[time.Time]bool{now.Add(-time.Minute): false, now: false, now.Add(time.Minute): true} {
		if got := State(sha256.New(), path, begun); got != want {
			t.Errorf("%v after the change: %v", begun.Sub(now), got)
		}
	}
}
