package github

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"path"

	gh "github.com/google/go-github/v60/github"
)

// Bounds on what is fetched of a repository.
const (
	maxFiles   = 1000 // GitHub lists no more of one folder
	maxFetched = 64 << 20
)

// file is one file at a revision. A file that is not there is [fs.ErrNotExist].
func (c *Client) file(ctx context.Context, revision, name string) ([]byte, error) {
	file, _, _, err := c.api.Repositories.GetContents(ctx, c.owner, c.name, name, &gh.RepositoryContentGetOptions{Ref: revision})
	if status(err) == http.StatusNotFound {
		return nil, fmt.Errorf("%s at %s: %w", name, short(revision), fs.ErrNotExist)
	}
	if err != nil {
		return nil, c.failed(err, "fetch %s at %s", name, short(revision))
	}
	if file.GetType() != "file" {
		return nil, fmt.Errorf("%s at %s is not a plain file", name, short(revision))
	}
	return c.blob(ctx, file)
}

// folders is the files that lie in some folders below a root, at a revision, as a file system that starts at the root. What is not
// there is left out, and so are links: a file system in memory has nothing to link to.
func (c *Client) folders(ctx context.Context, revision, root string, folders []string) (fs.FS, error) {
	var buffer bytes.Buffer
	f := fetcher{Client: c, revision: revision, out: zip.NewWriter(&buffer)}
	for _, folder := range folders {
		if !fs.ValidPath(folder) {
			return nil, fmt.Errorf("%q is not the name of a folder below %s", folder, root)
		}
		if err := f.folder(ctx, path.Join(root, folder), folder); err != nil {
			return nil, fmt.Errorf("fetch %s at %s: %w", path.Join(root, folder), short(revision), err)
		}
	}
	if err := f.out.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(buffer.Bytes()), int64(buffer.Len()))
}

// fetcher copies files into a zip archive, because that can be read as a file system.
type fetcher struct {
	*Client
	revision string
	out      *zip.Writer
	files    int
	bytes    int
}

func (f *fetcher) folder(ctx context.Context, from, to string) error {
	entries, err := f.directory(ctx, f.revision, from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.GetType() != "file" {
			continue
		}
		if err := f.file(ctx, e, path.Join(to, e.GetName())); err != nil {
			return err
		}
	}
	return nil
}

func (f *fetcher) file(ctx context.Context, e *gh.RepositoryContent, name string) error {
	f.files++
	f.bytes += e.GetSize()
	if f.files >= maxFiles || f.bytes > maxFetched {
		return fmt.Errorf("it holds %d files or more than %d bytes", maxFiles, maxFetched)
	}
	data, err := f.blob(ctx, e)
	if err != nil {
		return err
	}
	w, err := f.out.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// directory lists a folder; one that is not there is empty.
func (c *Client) directory(ctx context.Context, revision, name string) ([]*gh.RepositoryContent, error) {
	_, entries, _, err := c.api.Repositories.GetContents(ctx, c.owner, c.name, name, &gh.RepositoryContentGetOptions{Ref: revision})
	if status(err) == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, c.failed(err, "list %s", name)
	}
	return entries, nil
}

// blob fetches by content: that has no limit of 1 MB, and takes names as they are.
func (c *Client) blob(ctx context.Context, e *gh.RepositoryContent) ([]byte, error) {
	if e.GetSize() > maxFetched {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", e.GetPath(), e.GetSize(), maxFetched)
	}
	data, _, err := c.api.Git.GetBlobRaw(ctx, c.owner, c.name, e.GetSHA())
	if err != nil {
		return nil, c.failed(err, "fetch %s", e.GetPath())
	}
	return data, nil
}
