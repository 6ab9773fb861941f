package registry

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/xlagate/xlagate/internal/files"
)

// shelf is a folder of blobs named by digest, kept between runs or until one artifact is closed. Several processes may use it at once.
type shelf struct {
	dir   string
	brief bool // the folder is removed when the artifact is closed
}

// mostKept bounds the bytes of all blobs between runs. A blob that was used within spared is not removed.
const (
	mostKept = 4 << 30
	spared   = time.Hour
)

// openShelf opens a folder of blobs, or a temporary one if dir is "" or cannot be created.
func openShelf(dir string) (*shelf, error) {
	if dir != "" && os.MkdirAll(dir, 0o700) == nil {
		return &shelf{dir: dir}, nil
	}
	dir, err := os.MkdirTemp("", "xlagate-pull-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for what is pulled: %w", err)
	}
	return &shelf{dir: dir, brief: true}, nil
}

func (s *shelf) path(d digest.Digest) string {
	return filepath.Join(s.dir, d.Algorithm().String()+"-"+d.Encoded())
}

// has reports whether a blob is stored and undamaged. It reads the blob to verify its digest.
func (s *shelf) has(desc ocispec.Descriptor) bool {
	name := s.path(desc.Digest)
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := copyVerified(io.Discard, f, desc); err != nil {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // marks it as recently used
	return true
}

// put stores a blob atomically, after verifying its digest.
func (s *shelf) put(desc ocispec.Descriptor, from io.Reader) error {
	return files.Replace(s.path(desc.Digest), func(f *os.File) error {
		_, err := copyVerified(f, from, desc)
		return err
	})
}

func copyVerified(to io.Writer, from io.Reader, desc ocispec.Descriptor) (int64, error) {
	verified := content.NewVerifyReader(from, desc)
	n, err := io.Copy(to, verified)
	if err != nil {
		return n, err
	}
	return n, verified.Verify()
}

// close removes a temporary folder.
func (s *shelf) close() error {
	if s.brief {
		return os.RemoveAll(s.dir)
	}
	files.Prune(s.dir, "", mostKept, spared)
	return nil
}
