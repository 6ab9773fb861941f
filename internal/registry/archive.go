package registry

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

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
