package registry

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// Replaces is what a push may replace: the artifact with this digest, none ("") or [Any].
type Replaces string

// Any allows a push to replace any artifact.
const Any Replaces = "*"

// Pushed is the result of a push.
type Pushed struct {
	Digest string
	New    bool // false if the tag already named this artifact and nothing was pushed
}

// Push pushes layers under a tag. It uploads all of them before it moves the tag, so readers see the old artifact or the new one. It does not move a tag
// that somebody else moved meanwhile. Layers that were pulled from the same repository are not uploaded again.
func (c Client) Push(ctx context.Context, ref Reference, kind string, layers []Layer, replaces Replaces) (Pushed, error) {
	if ref.Fixed() {
		return Pushed{}, &Error{Where: ref.String(), Message: "a digest names what never changes", Fix: "name a tag to push to"}
	}
	desc, data, err := pack(kind, layers)
	if err != nil {
		return Pushed{}, fmt.Errorf("write the manifest of %s: %w", ref, err)
	}
	p := push{c, ref, c.repository(ref), replaces}
	ctx = auth.AppendRepositoryScope(ctx, ref.name, auth.ActionPull, auth.ActionPush)
	done := Pushed{Digest: desc.Digest.String()}
	done.New, err = p.run(ctx, layers, desc, data)
	return done, ref.explain(err)
}

// push is a push in progress.
type push struct {
	Client
	ref      Reference
	to       *remote.Repository
	replaces Replaces
}

func (p *push) run(ctx context.Context, layers []Layer, desc ocispec.Descriptor, manifest []byte) (moved bool, err error) {
	if there, err := p.check(ctx, desc.Digest); err != nil || there {
		return false, err
	}
	if err := p.upload(ctx, layers); err != nil {
		return false, err
	}
	if there, err := p.check(ctx, desc.Digest); err != nil || there { // the tag may have moved during the upload
		return false, err
	}
	return true, p.to.PushReference(ctx, desc, bytes.NewReader(manifest), p.ref.name.Reference)
}

// check reports whether the tag already names the new artifact. It returns an error if the tag names neither that nor an artifact that may be replaced.
func (p *push) check(ctx context.Context, next digest.Digest) (there bool, err error) {
	now, err := p.now(ctx)
	switch {
	case err != nil:
		return false, err
	case now == next.String():
		return true, nil
	case p.replaces != Any && Replaces(now) != p.replaces:
		return false, p.movedBy(now)
	}
	return false, nil
}

// now returns the digest that the tag names, "" for none.
func (p *push) now(ctx context.Context) (string, error) {
	desc, body, err := p.to.FetchReference(ctx, p.ref.name.Reference)
	if errors.Is(err, errdef.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return desc.Digest.String(), body.Close()
}

func (p *push) movedBy(now string) error {
	was, is := cmp.Or(short(string(p.replaces)), "nothing"), cmp.Or(short(now), "nothing")
	return &Error{
		Where: p.ref.String(), Message: fmt.Sprintf("somebody else moved the tag meanwhile: it named %s and names %s now; nothing was pushed", was, is),
		Fix: "do the same again: it starts from what is there now",
	}
}

// upload uploads the layers that the registry does not have, and the empty blob of the configuration.
func (p *push) upload(ctx context.Context, layers []Layer) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, l := range append([]Layer{empty}, layers...) {
		if l.open != nil {
			group.Go(func() error { return p.layer(ctx, l) })
		}
	}
	return group.Wait()
}

func (p *push) layer(ctx context.Context, l Layer) error {
	there, err := p.to.Blobs().Exists(ctx, l.descriptor)
	if err != nil || there {
		return err
	}
	for range cmp.Or(p.patience, usual).tries {
		if err = p.send(ctx, l); err == nil || !brokenOff(err) {
			break
		}
	}
	return err
}

func (p *push) send(ctx context.Context, l Layer) error {
	content, err := l.open()
	if err != nil {
		return err
	}
	defer content.Close()
	return p.to.Blobs().Push(ctx, l.descriptor, content)
}

// BaselineFile returns a layer with a file of a baseline.
func BaselineFile(name string, data []byte) Layer {
	return inMemory(name, mediaBaseline+strings.TrimPrefix(path.Ext(name), "."), data)
}

// inMemory returns a layer with this content.
func inMemory(name, mediaType string, data []byte) Layer {
	return Layer{
		Name: name, Size: int64(len(data)),
		descriptor: ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))},
		open:       func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

// Archive packs a folder into a layer as oras does, so that pulling the layer restores the folder. The layer is a temporary file
// that release removes.
func Archive(name, dir string) (l Layer, release func() error, err error) {
	f, err := os.CreateTemp("", "xlagate-push-*")
	if err != nil {
		return Layer{}, nil, fmt.Errorf("make a file for what is pushed: %w", err)
	}
	sum := digest.Canonical.Digester()
	err = writeArchive(io.MultiWriter(f, sum.Hash()), name, os.DirFS(dir))
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err != nil {
		return Layer{}, nil, errors.Join(fmt.Errorf("pack %s: %w", dir, err), os.Remove(f.Name()))
	}
	l = Layer{
		Name: name, Size: info.Size(), Unpack: true,
		descriptor: ocispec.Descriptor{MediaType: ocispec.MediaTypeImageLayerGzip, Digest: sum.Digest(), Size: info.Size()},
		open:       func() (io.ReadCloser, error) { return os.Open(f.Name()) },
	}
	return l, func() error { return os.Remove(f.Name()) }, nil
}

// writeArchive writes the files of a folder sorted by name, without times and owners: equal files give an equal
// archive.
func writeArchive(to io.Writer, prefix string, folder fs.FS) error {
	zipped := gzip.NewWriter(to)
	out := tar.NewWriter(zipped)
	err := fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() { // oras creates only folders that are listed
			return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: path.Join(prefix, name) + "/", Mode: 0o755})
		}
		return addFile(out, path.Join(prefix, name), folder, name)
	})
	return errors.Join(err, out.Close(), zipped.Close())
}

// addFile adds a file, following links.
func addFile(out *tar.Writer, as string, folder fs.FS, name string) error {
	f, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: as, Size: info.Size(), Mode: 0o644}); err != nil {
		return err
	}
	_, err = io.CopyN(out, f, info.Size())
	return err
}
