//go:build unix

package dump

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A large file reads the same however often its memory is given back meanwhile, and after it was released nothing touches it.
func TestForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	want := bytes.Repeat([]byte("a line of text\n"), forgetFrom/15+1)
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	data, release, err := FileAt(path, 0).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if !bytes.Equal(data, want) {
			t.Fatal("the file reads otherwise than it is")
		}
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
