package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/xlagate/xlagate/internal/files"
)

// Artifact is a pulled artifact: files by name.
type Artifact struct {
	Reference Reference
	Digest    string // of the manifest
	Type      string
	Layers    []Layer

	blobs *blobStore
}

// Path returns the path of a layer's content, which is valid until the artifact is closed.
func (a *Artifact) Path(l Layer) string { return a.blobs.path(l.descriptor.Digest) }

// Close removes the pulled files, except those in the cache.
func (a *Artifact) Close() error { return a.blobs.close() }

// Limit bounds the size of an artifact.
type Limit struct {
	Bytes  int64
	Layers int
}

// maxManifest is the largest size of a manifest in bytes; registries accept none that are larger.
const maxManifest = 4 << 20

// atOnce bounds the number of layers that are pulled at a time.
const atOnce = 4

// Pull pulls an artifact. Every error is an [Error]; for a missing artifact it wraps [fs.ErrNotExist].
func (c Client) Pull(ctx context.Context, ref Reference, most Limit) (*Artifact, error) {
	from := c.repository(ref)
	m, err := c.manifest(ctx, from, ref, most)
	if err != nil {
		return nil, ref.explain(err)
	}
	blobs, err := openBlobs(c.Cache)
	if err != nil {
		return nil, err
	}
	a := &Artifact{Reference: ref, Digest: m.digest, Type: m.kind, Layers: m.layers, blobs: blobs}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, l := range m.layers {
		group.Go(func() error { return c.layer(ctx, from, blobs, l) })
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(ref.explain(err), a.Close())
	}
	return a, nil
}

// Type returns the type of an artifact without pulling its layers.
func (c Client) Type(ctx context.Context, ref Reference) (string, error) {
	m, err := c.manifest(ctx, c.repository(ref), ref, Limit{math.MaxInt64, math.MaxInt})
	if err != nil {
		return "", ref.explain(err)
	}
	return m.kind, nil
}

// manifest pulls a manifest. It returns an error if the artifact exceeds the limit.
func (c Client) manifest(ctx context.Context, from *remote.Repository, ref Reference, most Limit) (*manifest, error) {
	desc, body, err := from.FetchReference(ctx, ref.name.Reference)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if desc.Size > maxManifest {
		return nil, ref.unfit("its manifest has %d bytes; at most %d are read", desc.Size, maxManifest)
	}
	data, err := content.ReadAll(body, desc)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(desc, data)
	if err != nil {
		return nil, ref.unfit("%v", err)
	}
	var total int64
	for _, l := range m.layers {
		if total += l.Size; l.Size > most.Bytes || total > most.Bytes || len(m.layers) > most.Layers {
			return nil, ref.unfit("it has %d layers of %d bytes or more; at most %d of %d bytes are read", len(m.layers), total, most.Layers, most.Bytes)
		}
	}
	return m, nil
}

// Unfit returns an [Error] for an artifact that is not of the expected kind.
func (a *Artifact) Unfit(why string) error { return a.Reference.unfit("%s", why) }

func (r Reference) unfit(format string, args ...any) error {
	return &Error{Where: r.String(), Message: fmt.Sprintf(format, args...), Fix: "name another, or push it anew"}
}

// layer pulls a layer unless the cache has it. It tries again after a broken connection.
func (c Client) layer(ctx context.Context, from *remote.Repository, to *blobStore, l Layer) error {
	if to.has(l.descriptor) {
		return nil
	}
	var err error
	for range cmp.Or(c.patience, usual).tries {
		if err = fetch(ctx, from, to, l); err == nil || !brokenOff(err) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("pull %s: %w", l.Name, err)
	}
	return nil
}

func brokenOff(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || unanswered(err)
}

func fetch(ctx context.Context, from *remote.Repository, to *blobStore, l Layer) error {
	body, err := from.Blobs().Fetch(ctx, l.descriptor)
	if err != nil {
		return err
	}
	defer body.Close()
	return to.put(l.descriptor, body)
}

// blobStore is a folder of blobs named by digest, kept between runs or until one artifact is closed. Several processes may use it at once.
type blobStore struct {
	dir   string
	brief bool // the folder is removed when the artifact is closed
}

// mostKept bounds the bytes of all blobs between runs. A blob that was used within spared is not removed.
const (
	mostKept = 4 << 30
	spared   = time.Hour
)

// openBlobs opens a folder of blobs, or a temporary one if dir is "" or cannot be created.
func openBlobs(dir string) (*blobStore, error) {
	if dir != "" && os.MkdirAll(dir, 0o700) == nil {
		return &blobStore{dir: dir}, nil
	}
	dir, err := os.MkdirTemp("", "xlagate-pull-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for what is pulled: %w", err)
	}
	return &blobStore{dir: dir, brief: true}, nil
}

func (s *blobStore) path(d digest.Digest) string {
	return filepath.Join(s.dir, d.Algorithm().String()+"-"+d.Encoded())
}

// has reports whether a blob is stored and undamaged. It reads the blob to verify its digest.
func (s *blobStore) has(desc ocispec.Descriptor) bool {
	name := s.path(desc.Digest)
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if err := copyVerified(io.Discard, f, desc); err != nil {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // marks it as recently used
	return true
}

// put stores a blob atomically, after verifying its digest.
func (s *blobStore) put(desc ocispec.Descriptor, from io.Reader) error {
	return files.Replace(s.path(desc.Digest), func(f *os.File) error { return copyVerified(f, from, desc) })
}

func copyVerified(to io.Writer, from io.Reader, desc ocispec.Descriptor) error {
	verified := content.NewVerifyReader(from, desc)
	if _, err := io.Copy(to, verified); err != nil {
		return err
	}
	return verified.Verify()
}

// close removes a temporary folder.
func (s *blobStore) close() error {
	if s.brief {
		return os.RemoveAll(s.dir)
	}
	files.Prune(s.dir, "", mostKept, spared)
	return nil
}
